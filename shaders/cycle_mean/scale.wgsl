//! Makes the value p/q of the best cycle of each component the scale of its edges, whose values are
//! q weight - p time. A component whose last policy was optimal keeps its scale. One invocation per
//! component.
//! Owns `scales`, an entry per component. Reads the rest.
#import lib/grid
#import cycle_mean/lib/params
#import cycle_mean/lib/scales

@group(0) @binding(0) var<storage, read> best: array<u32>;
@group(0) @binding(1) var<storage, read> cycles: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> changed: array<u32>;
@group(0) @binding(3) var<storage, read_write> scales: array<Scale>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let stride = grid_stride(grid, SIZE);
    for (var i = grid_index(grid, local, SIZE); i < params.components; i += stride) {
        if changed[i] >= params.iteration {
            let cycle = cycles[best[i]];
            scales[i] = Scale(best[i], cycle.x, cycle.y, cycle.z, cycle.w);
        }
    }
}
