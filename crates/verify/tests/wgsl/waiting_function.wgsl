// bad: the flag is read by a function.
@group(0) @binding(0) var<storage, read_write> flags: array<atomic<u32>>;

fn is_set(at: u32) -> bool {
    return atomicLoad(&flags[at]) != 0u;
}

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>) {
    var is_first = true;
    loop {
        if is_set(workgroup.x) {
            break;
        }
        is_first = false;
    }
    atomicStore(&flags[workgroup.x + 1u], select(2u, 1u, is_first));
}
