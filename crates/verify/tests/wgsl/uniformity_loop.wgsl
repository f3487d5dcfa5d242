// bad: invocations leave the loop at different times, and a function has the barrier.
@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

var<workgroup> shared_sum: atomic<u32>;

fn meet(value: u32) {
    atomicAdd(&shared_sum, value);
    workgroupBarrier();
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) local: u32) {
    for (var i = 0u; i < counts[local]; i += 1u) {
        meet(i);
    }
    out[local] = atomicLoad(&shared_sum);
}
