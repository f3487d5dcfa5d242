// bad: a barrier in a branch that not all invocations take.
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) local: u32) {
    if local < 32u {
        workgroupBarrier();
    }
    out[local] = 1u;
}
