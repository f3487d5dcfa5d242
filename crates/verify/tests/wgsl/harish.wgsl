// bad: the breadth-first search of P. Harish and P. J. Narayanan (HiPC 2007), one invocation a
// vertex: the costs and flags of neighbours are written without atomic operations.
@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> targets: array<u32>;
@group(0) @binding(2) var<storage, read_write> frontier: array<u32>;
@group(0) @binding(3) var<storage, read_write> visited: array<u32>;
@group(0) @binding(4) var<storage, read_write> costs: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>) {
    let own = workgroup.x;
    if frontier[own] == 0u {
        return;
    }
    frontier[own] = 0u;
    visited[own] = 1u;
    for (var i = offsets[own]; i < offsets[own + 1u]; i += 1u) {
        let neighbour = targets[i];
        if visited[neighbour] == 0u {
            costs[neighbour] = costs[own] + 1u;
            frontier[neighbour] = 1u;
        }
    }
}
//@ assume grid.count.y == 1: the host dispatches in one dimension
//@ assume grid.count.z == 1: so it does
