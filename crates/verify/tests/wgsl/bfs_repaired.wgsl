// good: the repaired kernel: a cost only ever becomes smaller, by one atomic operation. The
// vertices of the frontier are those of the cost that the search has come to.
@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> targets: array<u32>;
@group(0) @binding(2) var<storage, read> level: array<u32>;
@group(0) @binding(4) var<storage, read_write> costs: array<atomic<u32>>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>) {
    let own = workgroup.x;
    if atomicLoad(&costs[own]) != level[0] {
        return;
    }
    for (var i = offsets[own]; i < offsets[own + 1u]; i += 1u) {
        atomicMin(&costs[targets[i]], level[0] + 1u);
    }
}
