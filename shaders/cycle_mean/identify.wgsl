//! Finds the cycles of a policy (`cycleIdentification` of Barnat, Bauch, Brim and Češka, 2011). One
//! invocation per state on a cycle follows the cycle up to a lesser state, or once around. The
//! least state of a cycle becomes its leader, with the weight and the time of the cycle.
//!
//! flags: WIDE
//!
//! Owns `leaders` and `cycles`, an entry per state. Reads the rest.
#import lib/grid
#import cycle_mean/lib/edges
#import cycle_mean/lib/paper
#import cycle_mean/lib/params

@group(0) @binding(0) var<storage, read> choices: array<u32>;
@group(0) @binding(3) var<storage, read_write> leaders: array<u32>;
@group(0) @binding(4) var<storage, read_write> cycles: array<vec4<u32>>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        if leaders[i] != REMAINS {
            continue;
        }
        var edge = edge_at(choices[i]);
        var weight = edge.weight;
        var time = vec2<u32>(edge.time, 0u);
        while edge.to > i {
            edge = edge_at(choices[edge.to]);
            weight = add64(weight, edge.weight);
            time = add64(time, vec2<u32>(edge.time, 0u));
        }
        if edge.to == i {
            leaders[i] = i;
            cycles[i] = vec4<u32>(weight, time);
        }
    }
}
