//! Tests of searches with a goal, with batches and pools of every size. Such a search finds the
//! beginning of what a search without a goal finds. Whether a goal, a fault or a limit comes first
//! does not depend on these sizes.

use super::systems::system;
use super::{Random, systems, tunings};
use crate::explorer::{Tuning, explore_tuned};
use crate::{Choices, Discoveries, Error, Exploration, Goal, Limits, Options, System, explore};
use mdp_graph::{Deadlocks, StateId};
use proptest::prelude::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A goal with up to three conditions. It is met when all of them hold.
#[derive(Debug, Default)]
struct Wanted {
    /// A packed state.
    state: Option<Vec<u64>>,
    action: Option<u32>,
    deadlock: bool,
    has_state: AtomicBool,
    has_action: AtomicBool,
    /// The ends of the ranges that the goal was told of in the last call.
    told: Mutex<[u32; 2]>,
}

impl Wanted {
    fn again(&self) -> Self {
        Self {
            state: self.state.clone(),
            action: self.action,
            deadlock: self.deadlock,
            ..Self::default()
        }
    }
}

impl Goal for Wanted {
    fn is_met(&self, discoveries: &Discoveries<'_>) -> bool {
        let mut told = self.told.lock().expect("no panic");
        assert_eq!(*told, [discoveries.fresh.start, discoveries.expanded.start]);
        *told = [discoveries.fresh.end, discoveries.expanded.end];
        let fresh = discoveries.packed(&discoveries.fresh);
        assert_eq!(fresh.len(), discoveries.fresh.len() * discoveries.words);
        let is_wanted = |state: &[u64]| self.state.as_deref() == Some(state);
        if fresh.chunks(discoveries.words).any(is_wanted) {
            self.has_state.store(true, Relaxed);
        }
        let mut actions = discoveries.actions.iter().flatten();
        if self
            .action
            .is_some_and(|action| actions.any(|piece| piece.contains(&action)))
        {
            self.has_action.store(true, Relaxed);
        }
        (self.state.is_none() || self.has_state.load(Relaxed))
            && (self.action.is_none() || self.has_action.load(Relaxed))
            && (!self.deadlock || discoveries.has_deadlock)
    }

    fn needs_states(&self) -> bool {
        true
    }
}

/// The error of a state whose successors cannot be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("state {0} fails")]
struct Fault(u64);

/// Returns the system with a fault: the successors of the state `fault` cannot be computed.
fn faulty(random: &Random, fault: Option<u64>) -> impl System<Error = Fault> {
    let initial = random.initial.iter();
    let initial = initial.map(|&number| random.pack(number % random.size));
    let random = random.clone();
    let successors = move |state: &[u64], choices: &mut Choices<'_>| {
        if fault == Some(Random::unpack(state)) {
            return Err(Fault(Random::unpack(state)));
        }
        for (action, branches) in random.choices(state) {
            choices.begin(action);
            for (target, probability) in branches {
                choices.branch(&target, probability);
            }
        }
        Ok(())
    };
    system(initial.collect(), successors)
}

/// The outcome of a search: the event that comes first.
#[derive(Debug, PartialEq)]
enum End {
    Met,
    Whole,
    Fault(Fault),
    Limit,
}

/// Runs a search. Returns the outcome, and the states that were found.
fn search(
    system: &impl System<Error = Fault>,
    wanted: &Wanted,
    limit: Option<u64>,
    tuning: &Tuning,
    threads: usize,
) -> (End, Option<Exploration>) {
    let options = Options {
        deadlocks: Deadlocks::Keep,
        actions: true,
        limits: Limits {
            states: limit,
            memory: None,
        },
        goal: Some(wanted),
        ..Options::default()
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool.build().expect("threads start");
    match pool.install(|| explore_tuned(system, &options, tuning)) {
        Ok(found) => {
            let told = *wanted.told.lock().expect("no panic");
            let ends = [found.states.len() as u32, found.expanded as u32];
            assert_eq!(told, ends);
            let last = Discoveries {
                words: found.states.words(),
                states: found.states.packed(),
                fresh: told[0]..told[0],
                expanded: told[1]..told[1],
                actions: None,
                has_deadlock: found.deadlocks > 0,
            };
            match wanted.is_met(&last) {
                true => (End::Met, Some(found)),
                false => (End::Whole, Some(found)),
            }
        }
        Err(Error::System(fault)) => (End::Fault(fault), None),
        Err(Error::TooManyStates { .. }) => (End::Limit, None),
        Err(error) => panic!("{error}"),
    }
}

/// The smallest batches, on one thread: this is nearly the sequential search. A batch has several
/// states only if most states have no branch.
const SEQUENTIAL: Tuning = Tuning {
    batch_branches: 1,
    thin: u32::MAX,
    chunks: 1,
};

/// Asserts that the states and choices that were found are the first ones of the complete
/// exploration.
fn assert_begins(found: &Exploration, whole: &Exploration) {
    assert!(whole.states.packed().starts_with(found.states.packed()));
    let (graph, all) = (&found.graph, &whole.graph);
    assert_eq!(graph.num_states(), found.states.len());
    let (offsets, expanded) = (graph.choice_offsets(), found.expanded);
    assert_eq!(offsets[..=expanded], all.choice_offsets()[..=expanded]);
    assert!(
        offsets[expanded..]
            .iter()
            .all(|&end| end == offsets[expanded])
    );
    assert!(all.branch_offsets().starts_with(graph.branch_offsets()));
    assert!(all.all_targets().starts_with(graph.all_targets()));
    let (actions, all) = (found.actions.as_ref(), whole.actions.as_ref());
    let (actions, all) = (
        actions.expect("actions are kept"),
        all.expect("actions are kept"),
    );
    assert!(all.starts_with(actions));
    assert_eq!(actions.len(), graph.num_choices());
}

proptest! {
    #[test]
    fn the_first_event_does_not_depend_on_sizes(
        system in super::systems(),
        tuning in tunings(),
        threads in 1..=4_usize,
        state in prop::option::of(0..3000_u64),
        action in prop::option::of(0..7_u32),
        deadlock: bool,
        fault in prop::option::of(0..3000_u64),
        limit in prop::option::of(1..3000_u64),
    ) {
        let wanted = Wanted {
            state: state.map(|number| system.pack(number % system.size)),
            action,
            deadlock,
            ..Wanted::default()
        };
        let faulty = faulty(&system, fault);
        let (expected, first) = search(&faulty, &wanted, limit, &SEQUENTIAL, 1);
        let (end, found) = search(&faulty, &wanted.again(), limit, &tuning, threads);
        prop_assert_eq!(&end, &expected);
        let (Some(first), Some(found)) = (first, found) else { return Ok(()) };
        if fault.is_none() {
            let options = Options {
                deadlocks: Deadlocks::Keep,
                actions: true,
                ..Options::default()
            };
            let whole = explore(&faulty, &options).expect("nothing stops it");
            assert_begins(&first, &whole);
            assert_begins(&found, &whole);
        }
    }
}

/// The last states of a long ring are never expanded.
#[test]
fn a_search_ends_early() {
    let wanted = Wanted {
        state: Some(vec![1000]),
        ..Wanted::default()
    };
    let options = Options {
        goal: Some(&wanted),
        ..Options::default()
    };
    let found = explore(&systems::ring(10_000_000), &options).expect("nothing stops it");
    assert_eq!((found.states.len(), found.expanded), (1001, 1000));
    assert_eq!(found.graph.num_states(), 1001);
    assert_eq!(found.graph.successors(StateId(999)), [StateId(1000)]);
    assert_eq!(found.graph.successors(StateId(1000)), []);
}

/// If an initial state meets the goal, no state is expanded, and no fault occurs.
#[test]
fn initial_states_are_looked_at_first() {
    let fails = system(vec![vec![3]], |_: &[u64], _: &mut Choices<'_>| {
        Err(Fault(3))
    });
    let wanted = Wanted {
        state: Some(vec![3]),
        ..Wanted::default()
    };
    let (end, found) = search(&fails, &wanted, None, &Tuning::default(), 1);
    assert_eq!(end, End::Met);
    assert_eq!(found.map(|found| found.expanded), Some(0));
}
