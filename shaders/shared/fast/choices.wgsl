//! Choices, which a search for maximal end components removes (`docs/algorithms.md`, "MECs on a GPU").
//!
//! flags: CHOICES
//!
//! A choice is removed once it is known to leave the strongly connected component of its state: when a search or
//! peeling separates the two ends of one of its edges. That thins out the graph, but not before the next round: a
//! search looks at the choices that were there when the round began, or else the counts of edges and the sets that
//! searches reach would not fit each other.
#import fast/turn
#import fast/words
#ifdef CHOICES

/// In `retained`: a choice of the state leads to the state alone. It is never removed.
const LOOP = 0x80000000u;
/// In `retained`: the state has lost a choice in this round.
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

/// Removes a choice of `owner`. Returns how many it had, if the choice was still there; or 0.
fn remove_choice(choice: u32, owner: u32) -> u32 {
    let bit = 1u << (choice % 32u);
    if (atomicLoad(&removed[choice / 32u]) & bit) != 0u {
        return 0u;
    }
    if (atomicOr(&removed[choice / 32u], bit) & bit) != 0u {
        return 0u;
    }
    let before = atomicSub(&retained[owner], 1u);
    if (before & TOUCHED) == 0u {
        atomicOr(&retained[owner], TOUCHED);
    }
    return before & COUNT_MASK;
}

/// The edge at a position joins two components: its choice goes.
fn cut_edge(along: u32, position: u32, source: u32, target_state: u32) {
    remove_choice(choice_of(along, position), select(target_state, source, along == 0u));
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

fn cut_edge(along: u32, position: u32, source: u32, target_state: u32) {}
#endif
