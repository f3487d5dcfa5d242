//! What the words of the fast engine say (`worklist/step.wgsl`).
//!
//! Regions: at first all states are in region 0. A search from the pivot p splits its region into p's component,
//! what only the forward search reached (region 2p + 1), what only the backward one reached (2p + 2), and the
//! rest, which keeps its name. No state is a pivot twice, so no two regions ever share a name. With choices, where
//! a component p may become a region again, with p for a pivot perhaps, these are 3p + 1 and 3p + 2, and 3p is made of
//! the component: then no two that are there at the same time share a name. Above all of these are the names of the
//! regions that signatures make (`worklist/colouring.wgsl`).
//!
//! flags: CHOICES

/// In `regions`: the state is in a component, whose states share the number in the low bits.
const DONE = 0x80000000u;
/// In `regions`: the state is a component of its own, but its edges count still. With choices, and beside DONE: the
/// component is an end component.
const FALLEN = 0x40000000u;
/// In `regions`: what names the region, or the component.
const NAME = 0x3fffffffu;
/// In `regions`, with choices: the state is in no end component. No component has this name.
const DEAD = 0xffffffffu;

/// In an entry of the queue: follow the state's edges backward; without it, forward.
const BACKWARD = 0x80000000u;
/// In an entry of the queue: the state.
const STATE = 0x7fffffffu;

/// In `pivots`: this is the key of the best candidate yet; without it, a state: the pivot.
const KEY = 0x80000000u;

/// A word a state: DONE, FALLEN, NAME.
@group(0) @binding(4) var<storage, read_write> regions: array<atomic<u32>>;
/// For each state, the edges that reach it and the edges that leave it, counting those between different states of
/// its region, both of which have not lost their edges.
@group(0) @binding(5) var<storage, read_write> degrees: array<atomic<u32>>;
/// For each state two bits: the forward search reached it, the backward search did.
@group(0) @binding(6) var<storage, read_write> reached: array<atomic<u32>>;
/// For each region its best candidate, then its pivot.
@group(0) @binding(7) var<storage, read_write> pivots: array<atomic<u32>>;

#ifdef CHOICES
const NAMES_A_STATE = 3u;
#else
const NAMES_A_STATE = 2u;
#endif

/// The region that a search from a pivot makes, of the states that the searches `by` reached; 0, with choices: the one
/// that is made of the pivot's component.
fn region_name(pivot: u32, by: u32) -> u32 {
    return NAMES_A_STATE * pivot + by;
}

/// Where a state's bits lie in a word of `reached`.
fn reached_shift(state: u32) -> u32 {
    return 2u * (state % 16u);
}

/// The word of a state and its neighbours.
fn reached_word(state: u32) -> u32 {
    return atomicLoad(&reached[state / 16u]);
}

/// Marks a state as reached. Whether nobody had reached it in that direction.
fn reach(state: u32, bit: u32) -> bool {
    return (atomicOr(&reached[state / 16u], bit) & bit) == 0u;
}

/// Which searches reached a state: 1 forward, 2 backward.
fn reached_by(state: u32) -> u32 {
    return (atomicLoad(&reached[state / 16u]) >> reached_shift(state)) & 3u;
}

fn is_live(word: u32) -> bool {
    return (word & (DONE | FALLEN)) == 0u;
}
