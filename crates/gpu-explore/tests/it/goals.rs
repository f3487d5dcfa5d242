//! Tests that explorations with a goal end early, and find the beginning of the complete
//! exploration.

use crate::fixtures::networks;
use crate::limits::{network, rings};
use crate::networks::{behaviour, compile};
use crate::oracle::reach;
use crate::programs::{Prism, compiled, try_on_device};
use crate::same::{gpu, tiny};
use explore::{Discoveries, Exploration, Goal, Limits};
use gpu::Gpu;
use gpu_explore::{Error, Options, Tuning, explore};
use lts_network::Network;
use mdp_graph::{Deadlocks, StateId};
use proptest::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A goal with up to three conditions: those fields that are not `None` or false.
#[derive(Debug, Default)]
struct Wanted {
    deadlock: bool,
    action: Option<u32>,
    /// A packed state.
    state: Option<Vec<u64>>,
    has_action: AtomicBool,
    has_state: AtomicBool,
}

impl Goal for Wanted {
    fn is_met(&self, discoveries: &Discoveries<'_>) -> bool {
        let mut actions = discoveries.actions.iter().flatten();
        if self
            .action
            .is_some_and(|action| actions.any(|piece| piece.contains(&action)))
        {
            self.has_action.store(true, Relaxed);
        }
        if let Some(state) = &self.state
            && discoveries
                .packed(&discoveries.fresh)
                .chunks(discoveries.words)
                .any(|fresh| fresh == state)
        {
            self.has_state.store(true, Relaxed);
        }
        (!self.deadlock || discoveries.has_deadlock)
            && (self.action.is_none() || self.has_action.load(Relaxed))
            && (self.state.is_none() || self.has_state.load(Relaxed))
    }

    fn needs_states(&self) -> bool {
        self.state.is_some()
    }
}

fn options(tuning: Tuning, goal: Option<&dyn Goal>) -> Options<'_> {
    let explore = explore::Options {
        deadlocks: Deadlocks::Keep,
        actions: true,
        goal,
        ..explore::Options::default()
    };
    Options { explore, tuning }
}

/// Returns the end of each level of the search.
fn levels(whole: &Exploration) -> Vec<usize> {
    let (mut ends, mut known) = (vec![whole.num_initial], whole.num_initial);
    let mut begin = 0;
    while let Some(&end) = ends.last().filter(|&&end| end < whole.states.len()) {
        for state in begin..end {
            let all = whole.graph.successors(StateId(state as u32));
            known = all
                .iter()
                .fold(known, |known, state| known.max(state.index() + 1));
        }
        begin = end;
        ends.push(known);
    }
    ends
}

/// Asserts that the states and choices that were found are the first ones of the complete
/// exploration.
fn assert_begins(found: &Exploration, whole: &Exploration) {
    assert!(whole.states.packed().starts_with(found.states.packed()));
    let (offsets, all) = (found.graph.choice_offsets(), whole.graph.choice_offsets());
    let expanded = found.expanded;
    assert_eq!(offsets[..=expanded], all[..=expanded]);
    assert!(
        offsets[expanded..]
            .iter()
            .all(|&end| end == offsets[expanded])
    );
    assert!(
        whole
            .graph
            .all_targets()
            .starts_with(found.graph.all_targets())
    );
    assert_eq!(found.graph.num_states(), found.states.len());
    if let (Some(actions), Some(all)) = (&found.actions, &whole.actions) {
        assert!(all.starts_with(actions));
        assert_eq!(actions.len(), found.graph.num_choices());
    }
}

/// Searches on the device for a deadlock, for actions, and for a state. Each search ends at the end
/// of the level in which it expands, or finds, the wanted item.
fn check(gpu: &Gpu, network: &Network, tuning: Tuning) {
    let whole = explore::explore(network, &options(tuning, None).explore).expect("no limits");
    let levels = levels(&whole);
    let level_of = |state: usize| *levels.iter().find(|&&end| state < end).expect("a level");
    let graph = &whole.graph;
    let actions = whole.actions.as_ref().expect("actions were asked for");
    let state_of =
        |choice: usize| graph.choice_offsets()[1..].partition_point(|&end| end as usize <= choice);
    let middle = StateId((whole.states.len() / 2) as u32);
    let deadlock = graph.states().find(|&state| graph.is_deadlock(state));
    let mut all = vec![
        (
            Wanted {
                deadlock: true,
                ..Wanted::default()
            },
            deadlock.map(StateId::index),
        ),
        (
            Wanted {
                state: Some(whole.states.get(middle).to_vec()),
                ..Wanted::default()
            },
            Some(middle.index()),
        ),
    ];
    // At most about a dozen actions are tried, because each of them takes a search.
    let labels = network.labels().len();
    for action in (0..=labels as u32).step_by(labels.div_ceil(12).max(1)) {
        let first = actions.iter().position(|&own| own == action).map(state_of);
        all.push((
            Wanted {
                action: Some(action),
                ..Wanted::default()
            },
            first,
        ));
    }
    for (wanted, first) in &all {
        let options = options(tuning, Some(wanted));
        let found = explore(gpu, network, &options).expect("no limits");
        assert_begins(&found, &whole);
        // The goal was told of everything that was found.
        let is_met = wanted.is_met(&Discoveries {
            words: whole.states.words(),
            states: &[],
            fresh: 0..0,
            expanded: 0..0,
            actions: None,
            has_deadlock: found.deadlocks > 0,
        });
        assert_eq!(is_met, first.is_some(), "{wanted:?}");
        let Some(first) = *first else {
            assert_eq!(found.expanded, whole.states.len(), "{wanted:?}");
            continue;
        };
        let (expanded, level) = (found.expanded, level_of(first));
        match wanted.state {
            Some(_) => assert!(found.states.len() > first, "{wanted:?}"),
            None => assert!(expanded > first, "{wanted:?}"),
        }
        assert!(
            expanded <= level,
            "{wanted:?}: {expanded} states for {first}, {level}"
        );
    }
}

/// Returns sizes with which the goal is checked after each batch.
fn often(gpu: &Gpu) -> Tuning {
    Tuning {
        first_check: 0,
        ..Tuning::of(gpu)
    }
}

#[test]
fn searches_of_the_fixtures_end_with_a_level() {
    let Some(gpu) = gpu() else { return };
    for (name, network) in &networks() {
        eprintln!("{name}");
        let small = network.labels().len() < 50;
        if small {
            check(gpu, network, often(gpu));
        }
    }
    let small = Tuning {
        first_check: 0,
        ..tiny(gpu)
    };
    check(gpu, &rings(3), small);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 15, ..ProptestConfig::default() })]

    #[test]
    fn searches_of_random_networks_end_with_a_level(behaviour in behaviour()) {
        let Some(gpu) = gpu() else { return Ok(()) };
        if reach(&behaviour, 300).is_some() {
            let tuning = Tuning { first_check: 0, states: 2, batch: 7, ..Tuning::of(gpu) };
            check(gpu, &compile(&behaviour), tuning);
        }
    }
}

/// If a deadlock is near, a search finds it after few of 4^10 states.
#[test]
fn little_is_explored_after_the_goal() {
    let Some(gpu) = gpu() else { return };
    let ring = "des (0, 4, 4) (0, a, 1) (1, a, 2) (2, a, 3) (3, a, 0)";
    let once = "des (0, 1, 2) (0, once, 1)";
    let rings = [ring; 9].join(" || ");
    let network = network(&format!("par {rings} || {once} end par"));
    let once = network.labels().iter().position(|label| label == "once");
    let wanted = Wanted {
        action: once.map(|place| place as u32 + 1),
        ..Wanted::default()
    };
    let found = explore(gpu, &network, &options(Tuning::of(gpu), Some(&wanted)));
    let found = found.expect("no limits");
    let first_check = Tuning::of(gpu).first_check as usize;
    assert!(
        found.expanded > first_check,
        "the goal is first checked after this many states"
    );
    assert!(
        found.expanded < 8 * first_check,
        "{} states",
        found.expanded
    );
}

/// The event that comes first: the goal, a state that fails, or a limit.
#[derive(Debug, PartialEq)]
enum End {
    Met,
    Fault,
    Limit,
}

/// Returns a grid in which the state (6, 0) fails if `fails` is set.
fn grid(fails: bool) -> Prism {
    let step = if fails { "x'=1000" } else { "x'=0" };
    let text = format!(
        "mdp module m x : [0..60]; y : [0..60]; \
         [] x<14 -> (x'=x+1); [] y<14 -> (y'=y+1); [] x=6 & y=0 -> ({step}); endmodule"
    );
    compiled(text.as_bytes(), &[])
}

#[test]
fn faults_and_limits_after_the_goal_are_ignored() {
    let Some(gpu) = gpu() else { return };
    let (system, whole) = (grid(true), grid(false));
    let whole = explore::explore(&whole, &explore::Options::default()).expect("no limits");
    let mut ends = Vec::new();
    for batch in [7, 1 << 14] {
        for x in [5, 7] {
            // This is the first state of a diagonal. All states of the diagonals before have
            // smaller numbers.
            let state = StateId((x * (x + 1) / 2) as u32);
            for limit in [None, Some(state.0), Some(state.0 + 12)] {
                let wanted = || Wanted {
                    state: Some(whole.states.get(state).to_vec()),
                    ..Wanted::default()
                };
                let tuning = Tuning {
                    batch,
                    ..Tuning::of(gpu)
                };
                let (on_gpu, on_cpu) = (wanted(), wanted());
                let with = |goal| {
                    let mut options = options(tuning, Some(goal));
                    options.explore.actions = false;
                    options.explore.limits = Limits {
                        states: limit.map(u64::from),
                        memory: None,
                    };
                    options
                };
                let found = match try_on_device(gpu, &system, &with(&on_gpu)) {
                    Ok(_) => End::Met,
                    Err(Error::Broken { .. }) => End::Fault,
                    Err(Error::Ended(explore::Error::TooManyStates { .. })) => End::Limit,
                    Err(error) => panic!("{error}"),
                };
                let expected = match explore::explore(&system, &with(&on_cpu).explore) {
                    Ok(_) => End::Met,
                    Err(explore::Error::System(_)) => End::Fault,
                    Err(explore::Error::TooManyStates { .. }) => End::Limit,
                    Err(error) => panic!("{error}"),
                };
                assert_eq!(found, expected, "{batch} {x} {limit:?}");
                ends.push(found);
            }
        }
    }
    for end in [End::Met, End::Fault, End::Limit] {
        assert!(ends.contains(&end), "{end:?}");
    }
}
