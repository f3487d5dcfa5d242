// bad: one function writes what another one reads.
@group(0) @binding(0) var<storage, read_write> levels: array<u32>;
@group(0) @binding(1) var<storage, read> targets: array<u32>;

fn level_of(state: u32) -> u32 {
    return levels[state];
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let target_state = targets[id.x];
    if level_of(id.x) < level_of(target_state) {
        levels[target_state] = level_of(id.x) + 1u;
    }
}
