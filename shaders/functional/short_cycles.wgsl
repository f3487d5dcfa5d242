//! Names the cycles that no walk has reached, after their least states (last step in
//! `functional/walk`). They have no splitters, so nearly all of them are short. One invocation per
//! state that was not visited walks around its cycle, if it is on one.
//! Reads `successors`, `visited`. Shares `regions` and `given_up`, by atomics.
#import lib/grid
#import functional/lib/path
#import functional/lib/regions

@group(0) @binding(6) var<storage, read> visited: array<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        if visited[i] == 0u && !is_splitter(i) {
            go_round(i);
        }
    }
}

/// Follows the path from a state. If it comes back, the state is on a cycle.
fn go_round(state: u32) {
    var path = path_from(state);
    var next = successors[state];
    var least = state;
    var end = end_of(path, next);
    while end == GOES_ON {
        least = min(least, next);
        path = step_to(path, next);
        next = successors[next];
        end = end_of(path, next);
    }
    if end == CYCLE && next == state {
        atomicStore(&regions[state], params.component_mark | least);
    } else if end == TOO_LONG {
        give_up();
    }
}
