//! Relaxation: the cost of a vertex is replaced by that of a neighbour plus one, if that is less,
//! in one atomic operation.
//!
//! This is the kernel of P. Harish and P. J. Narayanan (*Accelerating large graph algorithms on the
//! GPU using CUDA*, 2007) in the form that J. Smits has proved free of data races (*Verifying GPGPU
//! implementation of breadth-first search algorithm*, 2020, chapters 3 and 4).
//!
//! Flags select the vertices to visit. There are 0 to 3 arrays of flags (sections 4.2 to 4.5):
//!
//!     0   no flags: every iteration visits all vertices
//!     1   once the cost of a vertex was lowered, all later iterations visit it
//!     2   the first array is read, and the second written; between iterations, a separate pass
//!         (`turn_flags.wgsl`) copies the second to the first, and clears it
//!     3   in each iteration one array is read, one written, and one cleared, by turns
//!
//! Costs may change while an iteration visits the vertices. The loop ends when an iteration has
//! lowered no cost; `docs/bfs.md` proves that the costs are distances then.
#import lib/grid
#import lib/loop

const SIZE = 256u;

/// The cost of a vertex that was not reached.
const INFINITE = 0xffffffffu;

struct RelaxParams {
    vertices: u32,
    edges: u32,
    /// The number of arrays of flags.
    flags: u32,
}

//@ monotone costs if params.flags == 0: with flags, who is looked at depends on them
@group(0) @binding(2) var<storage, read_write> costs: array<atomic<u32>>;
/// The arrays of flags, one after the other: a word per vertex, 1 if it is set.
@group(0) @binding(3) var<storage, read_write> flags: array<atomic<u32>>;
@group(0) @binding(4) var<uniform> params: RelaxParams;

/// The place of the flags that iteration `turn` reads; those of iteration `turn + 1` are those that
/// iteration `turn` writes.
fn flags_at(turn: u32) -> u32 {
    switch params.flags {
        case 2u: {
            return (turn - loop_now.iteration) * params.vertices;
        }
        case 3u: {
            return turn % 3u * params.vertices;
        }
        default: {
            return 0u;
        }
    }
}

/// Returns whether a vertex is visited.
fn is_active(vertex: u32) -> bool {
    return params.flags == 0u || atomicLoad(&flags[flags_at(loop_now.iteration) + vertex]) == 1u;
}

/// Clears a flag for the iteration after the next one, if that uses another array.
fn clear_flag(vertex: u32) {
    if params.flags == 3u {
        atomicStore(&flags[flags_at(loop_now.iteration + 2u) + vertex], 0u);
    }
}

/// Relaxes an edge, from a vertex of this cost.
fn relax(cost: u32, end: u32, groups: u32) {
    if cost == INFINITE || atomicLoad(&costs[end]) <= cost + 1u {
        return;
    }
    if atomicMin(&costs[end], cost + 1u) > cost + 1u {
        if params.flags != 0u {
            atomicStore(&flags[flags_at(loop_now.iteration + 1u) + end], 1u);
        }
        loop_again(groups);
    }
}
