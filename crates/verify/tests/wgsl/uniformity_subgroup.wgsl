// bad: a subgroup operation that some invocations of a subgroup do not reach.
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) local: u32) {
    if local % 2u == 0u {
        out[local] = subgroupAdd(local);
    }
}
