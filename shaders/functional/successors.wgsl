//! First step in `functional/walk`: copies the only successor of each state, and marks each state
//! as a component by itself. One invocation per state.
//!
//! flags: CHOICES
//!
//! Reads `offsets`, `targets`, `counts`. Owns `successors`, an entry per state, and by atomics
//! `regions` and `visited`.
#import csr/lib/loop_choice
#import lib/grid
#import functional/lib/params
#import functional/lib/regions

/// The row of each state, of one edge at most.
@group(0) @binding(3) var<storage, read> offsets: array<u32>;
@group(0) @binding(4) var<storage, read> targets: array<u32>;
@group(0) @binding(5) var<storage, read_write> successors: array<u32>;
@group(0) @binding(6) var<storage, read_write> visited: array<atomic<u32>>;

#ifdef CHOICES
/// For each state LOOP, and the number of choices that also lead elsewhere.
@group(0) @binding(7) var<storage, read> counts: array<u32>;

/// The word of a state that is on no cycle with others. If it can stay, it is an end component.
fn alone(state: u32) -> u32 {
    return select(params.dead, params.component_mark | state, (counts[state] & LOOP) != 0u);
}
#else
fn alone(state: u32) -> u32 {
    return params.component_mark | state;
}
#endif

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        let begin = offsets[i];
        var successor = i;
        if begin < offsets[i + 1u] {
            successor = targets[begin];
        }
        successors[i] = successor;
        atomicStore(&visited[i], 0u);
        atomicStore(&regions[i], alone(i));
    }
}
