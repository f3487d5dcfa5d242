//! The words that describe states and regions (`worklist/step.wgsl`), and how they are packed.
//!
//! Regions: at first all states are in region 0. A search from the pivot p splits its region into
//! p's component, the states that only the forward search reached (region 2p + 1), those that only
//! the backward search reached (region 2p + 2), and the rest, which keeps its name. No state is a
//! pivot twice, so no two regions ever have the same name. With choices, a component p may become a
//! region again, perhaps with p as its pivot; the names are then 3p + 1 and 3p + 2, and 3p for the
//! region made of the component, so that no two regions have the same name at the same time. Above
//! all of these are the names of the regions that colours make (`worklist/colouring.wgsl`).
//!
//! flags: CHOICES

/// In `regions`: the state is in a component. Its states have the same number in the low bits.
const DONE = 0x80000000u;
/// In `regions`, without DONE: the state is trimmed, that is, a component by itself, but its edges
/// still count.
const TRIMMED = 0x40000000u;
/// In `regions`, beside DONE, with choices: the component is an end component.
const END_COMPONENT = 0x40000000u;
/// In `regions`: the bits that name the region, or the component.
const NAME = 0x3fffffffu;
/// In `regions`, with choices: the state is in no end component. No component has this name.
const DEAD = 0xffffffffu;

/// In an entry of the queue: the state's edges are followed backward; without this bit, forward.
const BACKWARD = 0x80000000u;
/// In an entry of the queue: the bits that number the state.
const STATE = 0x7fffffffu;

/// In `pivots`: the word is the key of the best candidate so far; without this bit, it is the
/// pivot.
const KEY = 0x80000000u;

/// The most bits that number states in a key (`worklist/lib/candidates.wgsl`). There can be fewer
/// than 2 to this power states, also because the names of up to four regions a state fit NAME.
const MAX_NUMBER_BITS = 28u;

/// The number of states that have their bits in the same word of `reached`.
const REACHED_PER_WORD = 16u;

/// A word for each state: DONE, TRIMMED or END_COMPONENT, NAME.
@group(0) @binding(4) var<storage, read_write> regions: array<atomic<u32>>;
/// The degrees of each state: how many edges enter it, and how many leave it. Those edges count
/// that lead to another state of the same region, and have not been subtracted for either of the
/// two.
@group(0) @binding(5) var<storage, read_write> degrees: array<atomic<u32>>;
/// Two bits for each state: whether the forward and the backward search have reached it.
@group(0) @binding(6) var<storage, read_write> reached: array<atomic<u32>>;
/// For each region the key of its best candidate, then its pivot.
@group(0) @binding(7) var<storage, read_write> pivots: array<atomic<u32>>;

/// The number of names of regions for each pivot, without choices and with them.
const NAMES_PER_STATE_OF_SCCS = 2u;
const NAMES_PER_STATE_OF_MECS = 3u;
#ifdef CHOICES
const NAMES_PER_STATE = NAMES_PER_STATE_OF_MECS;
#else
const NAMES_PER_STATE = NAMES_PER_STATE_OF_SCCS;
#endif

/// Returns the region that a search from a pivot makes of the states that the searches `by`
/// reached. With choices, 0 stands for the region that is made of the pivot's component.
fn region_name(pivot: u32, by: u32) -> u32 {
    return NAMES_PER_STATE * pivot + by;
}

/// Returns the position of a state's bits in its word of `reached`.
fn reached_shift(state: u32) -> u32 {
    return 2u * (state % REACHED_PER_WORD);
}

/// Returns the word of `reached` with the bits of a state.
fn reached_word(state: u32) -> u32 {
    return atomicLoad(&reached[state / REACHED_PER_WORD]);
}

/// Marks a state as reached. Returns whether no other invocation has marked it in that direction.
//@ once mark_reached(state, bit): who sets the bit goes on from the state
fn mark_reached(state: u32, bit: u32) -> bool {
    return (atomicOr(&reached[state / REACHED_PER_WORD], bit) & bit) == 0u;
}

/// Returns the searches that reached a state: bit 0 forward, bit 1 backward.
fn reached_by(state: u32) -> u32 {
    return (reached_word(state) >> reached_shift(state)) & 3u;
}

/// Whether a word of `regions` is that of a state that is neither in a component nor trimmed.
fn is_live(word: u32) -> bool {
    return (word & (DONE | TRIMMED)) == 0u;
}
