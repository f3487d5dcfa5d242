// bad: all invocations read and write the same element.
@group(0) @binding(0) var<storage, read_write> sum: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) local: u32) {
    sum[0] = sum[0] + local;
}
