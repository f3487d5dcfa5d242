//! Networks for the hash tables of explorations: vectors that differ in a later word alone, and
//! tables that overflow as soon as they are made.

use lts_formats::Behaviour;
use verify::run::Schedule;

use super::corner_cases::{branching, counters};
use super::processes::{labelled, parallel};
use super::setup::{FEW_PLACES, ONE_PLACE, SMALL_LISTS, Setup, TWO_PLACES, USUAL};
use crate::rng::Rng;

/// Returns networks, each with a name and the way to explore it.
pub(super) fn tables(rng: &mut Rng) -> Vec<(&'static str, Setup, Behaviour)> {
    let with = |scales, schedule| Setup {
        scales,
        schedule,
        workgroups: Some(3),
        ..USUAL
    };
    let old = |schedule| Setup {
        sees_old_values: true,
        ..with(SMALL_LISTS, schedule)
    };
    let limited = Setup {
        has_limits: true,
        ..USUAL
    };
    let met = Some(Schedule::Meetings);
    let by_priority = Some(Schedule::Priorities { changes: 3 });
    let crowded = with(FEW_PLACES, met);
    vec![
        ("later words", with(SMALL_LISTS, None), later_words(rng, 5)),
        ("crowded later words", crowded, later_words(rng, 3)),
        ("later branching", old(None), later_branching(rng)),
        ("later branching", old(by_priority), later_branching(rng)),
        ("crowded ring", with(ONE_PLACE, None), ring(rng)),
        ("limited counters", limited, counters(rng, 4)),
    ]
}

/// Returns networks for tables in which each state has two places, each with a name and the way to
/// explore it. A random scheduler puts states into a larger table in many orders.
pub(super) fn crowded(rng: &mut Rng) -> Vec<(&'static str, Setup, Behaviour)> {
    let crowded = Setup {
        scales: TWO_PLACES,
        schedule: Some(Schedule::Random),
        workgroups: Some(3),
        ..USUAL
    };
    vec![
        ("crowded branching", crowded, later_branching(rng)),
        ("crowded fan", crowded, later_fan(rng)),
        ("crowded fan", crowded, later_fan(rng)),
    ]
}

/// Returns parallel counters whose states are in the second word.
fn later_words(rng: &mut Rng, longest: u32) -> Behaviour {
    let counters = counters(rng, longest);
    behind_a_word(rng, counters)
}

/// Returns processes whose states are in the second word. Each state is found in one way only.
fn later_branching(rng: &mut Rng) -> Behaviour {
    behind_a_word(rng, branching())
}

/// Returns a process whose states are in the second word. The first one leads to all others, which
/// are stored in one iteration: it ends only when many of them have found their places taken.
fn later_fan(rng: &mut Rng) -> Behaviour {
    let states = 100 + rng.below(20);
    let fan = labelled(states, 0, (1..states).map(|to| (0, "a", to)));
    behind_a_word(rng, fan)
}

/// Returns a network behind processes that fill a word and stay where they are.
fn behind_a_word(rng: &mut Rng, network: Behaviour) -> Behaviour {
    let still = |_| labelled(1 << 10, rng.below(1 << 10), []);
    let mut all: Vec<Behaviour> = (0..3).map(still).collect();
    all.push(network);
    parallel(all, Vec::new())
}

/// Returns a process with a few states, which it takes in turn; some steps skip a state.
fn ring(rng: &mut Rng) -> Behaviour {
    let states = 30 + rng.below(12);
    let steps = (0..states).map(|from| (from, "a", (from + 1) % states));
    let mut all: Vec<_> = steps.collect();
    for from in 0..states {
        if rng.one_in(3) {
            all.push((from, "b", (from + 2) % states));
        }
    }
    labelled(states, 0, all)
}
