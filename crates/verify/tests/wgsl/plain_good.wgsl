// good: each invocation keeps to an element of its own, or says why its accesses are disjoint.
@group(0) @binding(0) var<storage, read_write> levels: array<u32>;
//@ disjoint halves: the first half is read, and the second one written
@group(0) @binding(1) var<storage, read_write> halves: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    for (var i = id.x; i < arrayLength(&levels); i += 64u) {
        levels[i] = levels[i] + 1u;
        if levels[i] > 7u {
            levels[i] = 0u;
        }
    }
    halves[id.x + 64u] = halves[id.x];
}
