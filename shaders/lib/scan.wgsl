//! Prefix sums over the invocations of a workgroup, whose SIZE the importing file defines.

/// For each invocation the sum of the values of all invocations up to it.
var<workgroup> through: array<u32, SIZE>;

/// Returns the sum of `own` over all invocations up to this one. All invocations call it together.
fn sum_through(local: u32, own: u32) -> u32 {
    workgroupBarrier();
    through[local] = own;
    workgroupBarrier();
    for (var step = 1u; step < SIZE; step *= 2u) {
        var earlier = 0u;
        if local >= step {
            earlier = through[local - step];
        }
        workgroupBarrier();
        through[local] += earlier;
        workgroupBarrier();
    }
    return through[local];
}
