// bad: what invocations read from their workgroup's memory need not be the same.
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

var<workgroup> found: u32;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) local: u32) {
    if local == 0u {
        found = out[0];
    }
    workgroupBarrier();
    if found != 0u {
        workgroupBarrier();
        out[local + 1u] = 1u;
    }
}
