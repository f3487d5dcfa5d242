// bad: waits until another workgroup has set a flag.
@group(0) @binding(0) var<storage, read_write> flags: array<atomic<u32>>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>) {
    if workgroup.x > 0u {
        while atomicLoad(&flags[workgroup.x - 1u]) == 0u {}
    }
    atomicStore(&flags[workgroup.x], 1u);
}
