//! Walks from each splitter to the next one, and marks the states between them as visited. One
//! invocation per block of states, each of which has one splitter (`functional/lib/params`).
//!
//! A graph is *functional* if no state leads to two others. Its cycles are components, and each
//! other state is a component by itself. Cycles are found without levels, in a number of passes
//! that is logarithmic in the number of states (`docs/functional-graphs.md`):
//!
//!     successors     copies the only successor of each state
//!     walk           from each splitter to the next one
//!     double         pointers of splitters lead twice as far with each pass
//!     mark_cycles    in the end, the targets of pointers are the splitters on cycles
//!     name_cycles    second walks, from the splitters on cycles
//!     short_cycles   cycles without splitters, from the states that no walk has visited
//!
//! If a walk enters a cycle without splitters, it names that cycle. Owns `ahead`, an entry per
//! block. Reads `successors`. Shares, by atomics: `visited`, `regions`, `given_up`. Owns
//! `on_cycle`, by atomics.
#import lib/grid
#import functional/lib/path
#import functional/lib/regions

//@ disjoint ahead: 2 * i does not wrap (blocks are fewer than states); one invocation handles i

/// For each block's splitter the block of the splitter that it points at, or NONE; and the least
/// block among its own and those of the splitters on the way to that one.
@group(0) @binding(3) var<storage, read_write> ahead: array<u32>;
/// For each block, whether its splitter is on a cycle.
@group(0) @binding(4) var<storage, read_write> on_cycle: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> visited: array<atomic<u32>>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.blocks; i += grid_stride(grid, SIZE)) {
        let splitter = splitter_of(i);
        var next = NONE;
        if splitter < params.states {
            next = next_splitter(splitter);
        }
        ahead[2u * i] = next;
        ahead[2u * i + 1u] = i;
        atomicStore(&on_cycle[i], 0u);
    }
}

/// Returns the block of the next splitter on a path, or NONE. Visits the states before it.
fn next_splitter(splitter: u32) -> u32 {
    var path = path_from(splitter);
    var next = successors[splitter];
    var end = end_of(path, next);
    while end == GOES_ON {
        atomicStore(&visited[next], 1u);
        path = step_to(path, next);
        next = successors[next];
        end = end_of(path, next);
    }
    switch end {
        case SPLITTER: {
            return next / BLOCK;
        }
        case CYCLE: {
            name_cycle(next);
        }
        case TOO_LONG: {
            give_up();
        }
        default: {}
    }
    return NONE;
}

/// Names the cycle that a state is on. All invocations that do so give it the same name.
fn name_cycle(state: u32) {
    let word = params.component_mark | least_on_cycle(state);
    var at = state;
    loop {
        atomicStore(&regions[at], word);
        at = successors[at];
        if at == state {
            break;
        }
    }
}
