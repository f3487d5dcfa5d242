// bad: a structure differs between invocations if one of its members does.
struct Inputs {
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
}

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(inputs: Inputs) {
    if inputs.workgroup.x == 0u {
        workgroupBarrier();
    }
    out[inputs.local] = 1u;
}
