//! Choices, which a search for maximal end components removes (`docs/algorithms.md`, "MECs on a
//! GPU").
//!
//! When a search or trimming separates the two ends of an edge, the source of the edge is
//! *touched*: one of its choices leaves the strongly connected component. PRUNE finds this choice
//! when all components are known.
//!
//! flags: CHOICES
#import worklist/lib/iteration
#ifdef CHOICES

/// In `retained`: a choice of the state leads to the state alone. It is never removed.
const LOOP = 0x80000000u;
/// In `retained`: an edge of the state was cut in this round.
const TOUCHED = 0x40000000u;
/// In `retained`: the number of other choices of the state.
const COUNT_MASK = 0x3fffffffu;

/// In place of a region's pivot: the component of which it will be made has lost a choice. No state
/// has this number.
const REDUCED = 0x7fffffffu;

/// The choice of each edge that is bound.
@group(0) @binding(12) var<storage, read> edge_choices: array<u32>;
@group(0) @binding(13) var<storage, read> back_edge_choices: array<u32>;
/// A bit for each choice: it is removed.
@group(0) @binding(14) var<storage, read_write> removed: array<atomic<u32>>;
/// The removed snapshot: these bits as they were when the round began.
//@ disjoint removed_snapshot: CLASSIFY reads and writes each word once, other phases only read
@group(0) @binding(15) var<storage, read_write> removed_snapshot: array<u32>;
/// The choices of each state: LOOP, TOUCHED, and the number of those that also lead elsewhere.
@group(0) @binding(16) var<storage, read_write> retained: array<atomic<u32>>;

/// Returns the choice that the edge at a position belongs to.
fn choice_of(direction: u32, position: u32) -> u32 {
    if direction == 0u {
        return edge_choices[position];
    }
    return back_edge_choices[position];
}

/// Returns whether the choice of the edge at a position was there when the round began.
fn is_present(iteration: Iteration, direction: u32, position: u32) -> bool {
    if !iteration.is_pruned {
        return true;
    }
    let choice = choice_of(direction, position);
    return ((removed_snapshot[choice / 32u] >> (choice % 32u)) & 1u) == 0u;
}

/// Removes a choice. Returns whether it was still there.
//@ once remove_choice(choice): who sets the bit subtracts the choice
fn remove_choice(choice: u32) -> bool {
    let bit = 1u << (choice % 32u);
    return (atomicOr(&removed[choice / 32u], bit) & bit) == 0u;
}

/// Counts a choice of the state as removed. Returns whether it was the last one.
//@ once subtract_choice(state): who subtracts the last choice enters the state
fn subtract_choice(state: u32) -> bool {
    return lacks_choices(atomicSub(&retained[state], 1u) - 1u);
}

/// The same, but returns whether the choices that are left, if any, lead to the state alone.
//@ once subtract_way(state): who subtracts the last way enters the state
fn subtract_way(state: u32) -> bool {
    return ((atomicSub(&retained[state], 1u) - 1u) & COUNT_MASK) == 0u;
}

/// Returns whether a word of `retained` is that of a state without a choice.
fn lacks_choices(word: u32) -> bool {
    return (word & (LOOP | COUNT_MASK)) == 0u;
}

/// Returns whether a choice is left.
fn is_left(choice: u32) -> bool {
    return ((atomicLoad(&removed[choice / 32u]) >> (choice % 32u)) & 1u) == 0u;
}

/// Marks the source of an edge that is cut.
fn touch(state: u32) {
    // RESULT UNUSED: the bit is only set, which changes no other.
    atomicOr(&retained[state], TOUCHED);
}

/// Notes that a component has lost a choice.
fn mark_reduced(component: u32) {
    let region = region_name(component, 0u);
    if atomicLoad(&pivots[region]) != REDUCED {
        atomicStore(&pivots[region], REDUCED);
    }
}
#else

fn is_present(iteration: Iteration, direction: u32, position: u32) -> bool {
    return true;
}

fn touch(state: u32) {}
#endif
