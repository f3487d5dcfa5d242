//! Choices, which a search for maximal end components removes (`docs/algorithms.md`, "MECs on a GPU").
//!
//! flags: CHOICES
//!
//! When a search or peeling separates the two ends of an edge, its source is touched: a choice of it leaves the
//! strongly connected component. Which one it is, is asked when all components are known.
#import worklist/lib/control
#import worklist/lib/words
#ifdef CHOICES

/// In `retained`: a choice of the state leads to the state alone. It is never removed.
const LOOP = 0x80000000u;
/// In `retained`: an edge of the state was cut in this round.
const TOUCHED = 0x40000000u;
/// In `retained`: how many choices the state has.
const COUNT_MASK = 0x3fffffffu;

/// In place of a region's pivot: the component that it is to be made of has lost a choice. No state has this number.
const SPLIT = 0x7fffffffu;

/// Beside the edges that are bound, their choices.
@group(0) @binding(12) var<storage, read> edge_choices: array<u32>;
@group(0) @binding(13) var<storage, read> back_edge_choices: array<u32>;
/// A bit a choice: it is removed.
@group(0) @binding(14) var<storage, read_write> removed: array<atomic<u32>>;
/// The same, as it was when the round began.
//@ disjoint absent: the iterations that write it do not read it, and write every word once
@group(0) @binding(15) var<storage, read_write> absent: array<u32>;
/// For each state the choices that it has: LOOP, TOUCHED, and their number.
@group(0) @binding(16) var<storage, read_write> retained: array<atomic<u32>>;

/// The choice that the edge at a position belongs to.
fn choice_of(along: u32, position: u32) -> u32 {
    if along == 0u {
        return edge_choices[position];
    }
    return back_edge_choices[position];
}

/// Whether the edge at a position was there when the round began.
fn is_present(turn: Turn, along: u32, position: u32) -> bool {
    if !turn.is_thinned {
        return true;
    }
    let choice = choice_of(along, position);
    return ((absent[choice / 32u] >> (choice % 32u)) & 1u) == 0u;
}

/// Removes a choice. Whether it was still there.
fn take_choice(choice: u32) -> bool {
    let bit = 1u << (choice % 32u);
    return (atomicOr(&removed[choice / 32u], bit) & bit) == 0u;
}

/// A choice of the state was removed. Returns how many it had.
fn lose_choice(state: u32) -> u32 {
    return atomicSub(&retained[state], 1u) & COUNT_MASK;
}

/// An edge of a state is cut: a choice of it leaves its component. Nobody waits for that.
fn touch(state: u32) {
    // RESULT UNUSED: the bit is only set, and others are not changed by that.
    atomicOr(&retained[state], TOUCHED);
}

/// Says that a component has lost a choice.
fn split(component: u32) {
    let region = region_name(component, 0u);
    if atomicLoad(&pivots[region]) != SPLIT {
        atomicStore(&pivots[region], SPLIT);
    }
}
#else

fn is_present(turn: Turn, along: u32, position: u32) -> bool {
    return true;
}

fn touch(state: u32) {}
#endif
