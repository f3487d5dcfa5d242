// bad: some invocations have returned before the barrier.
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&out) {
        return;
    }
    workgroupBarrier();
    out[id.x] = 1u;
}
