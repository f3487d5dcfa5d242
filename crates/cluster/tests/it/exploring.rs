//! Several workers find the states that one finds, with the same numbers.

use crate::support::model;
use cluster::{Error, ExploreOptions, Part, explore, on_threads};
use explore::{Choices, InitialStates, Options, System};
use mdp_graph::{Deadlocks, MdpGraph, StateId};
use proptest::prelude::*;
use std::fmt;
use std::sync::Arc;

/// A graph whose states are packed into two words that do not tell their order.
#[derive(Debug)]
struct Scrambled {
    graph: MdpGraph,
    initial: Vec<u32>,
    /// The state that cannot be expanded, if there is one.
    faulty: Option<u32>,
}

#[derive(Debug)]
struct Fault(u32);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "state {} is faulty", self.0)
    }
}

impl std::error::Error for Fault {}

fn pack(state: u32) -> [u64; 2] {
    [
        u64::from(state).wrapping_mul(0x9e37_79b9_7f4a_7c15),
        u64::from(state),
    ]
}

impl System for Scrambled {
    type Scratch = ();
    type Error = Fault;

    fn words(&self) -> usize {
        2
    }

    fn scratch(&self) {}

    fn initial_states(
        &self,
        (): &mut (),
        initial: &mut InitialStates<'_, '_>,
    ) -> Result<(), Fault> {
        self.initial
            .iter()
            .for_each(|&state| initial.add(&pack(state)));
        Ok(())
    }

    fn successors(
        &self,
        (): &mut (),
        state: &[u64],
        choices: &mut Choices<'_>,
    ) -> Result<(), Fault> {
        let state = state[1] as u32;
        if self.faulty == Some(state) {
            return Err(Fault(state));
        }
        for choice in self.graph.choices(StateId(state)) {
            choices.begin(0);
            for target in self.graph.targets(choice) {
                choices.branch(&pack(target.0), 1.0);
            }
        }
        Ok(())
    }
}

/// The choices of each state, by global numbers.
type Rows = Vec<Vec<Vec<u64>>>;

fn rows(part: &Part) -> Rows {
    let graph = part.graph();
    let row = |own: u32| {
        let targets = |choice| {
            graph
                .targets(choice)
                .iter()
                .map(|&t| part.global_of(t))
                .collect()
        };
        graph.choices(StateId(own)).map(targets).collect()
    };
    (0..part.num_own() as u32).map(row).collect()
}

fn found(
    system: &Arc<Scrambled>,
    options: ExploreOptions,
    workers: usize,
) -> Vec<Result<Rows, Error>> {
    let system = Arc::clone(system);
    let find =
        move |net: &mut cluster::Net<'_>| explore(&*system, &options, net).map(|part| rows(&part));
    on_threads(workers, find).expect("the workers start")
}

/// What one machine finds.
fn expected(system: &Scrambled, deadlocks: Deadlocks) -> Rows {
    let options = Options {
        deadlocks,
        ..Options::default()
    };
    let graph = explore::explore(system, &options)
        .expect("a small system")
        .graph;
    let row = |state| {
        let targets = |choice| {
            graph
                .targets(choice)
                .iter()
                .map(|t| u64::from(t.0))
                .collect()
        };
        graph.choices(state).map(targets).collect()
    };
    graph.states().map(row).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn numbers_and_choices_are_those_of_one_machine(
        (graph, initial) in model(60).prop_flat_map(|graph| {
            let n = graph.num_states() as u32;
            (Just(graph), prop::collection::vec(0..n, 0..4))
        }),
        workers in prop::sample::select(vec![1usize, 2, 3, 5]),
        batch in prop::sample::select(vec![1u64, 7, 1 << 17]),
        deadlocks in prop::sample::select(vec![Deadlocks::SelfLoop, Deadlocks::Keep]),
        narrow in prop::sample::select(vec![u64::from(u32::MAX), 9, 0]),
    ) {
        let system = Arc::new(Scrambled { graph, initial, faulty: None });
        let options = ExploreOptions { deadlocks, batch, narrow, ..ExploreOptions::default() };
        let found = found(&system, options, workers).into_iter();
        let found: Rows = found.flat_map(|part| part.expect("no fault")).collect();
        prop_assert_eq!(found, expected(&system, deadlocks));
    }
}

/// A cycle of so many states.
fn cycle(states: u32, faulty: Option<u32>) -> Arc<Scrambled> {
    let choices: Vec<_> = (0..states).map(|s| vec![vec![(s + 1) % states]]).collect();
    Arc::new(Scrambled {
        graph: MdpGraph::from_choices(&choices).expect("well formed"),
        initial: vec![0],
        faulty,
    })
}

#[test]
fn all_workers_end_when_one_meets_a_fault() {
    let results = found(&cycle(50, Some(30)), ExploreOptions::default(), 3);
    let messages: Vec<_> = results
        .iter()
        .map(|r| r.as_ref().unwrap_err().to_string())
        .collect();
    assert_eq!(
        messages
            .iter()
            .filter(|m| *m == "state 30 is faulty")
            .count(),
        1,
        "{messages:?}"
    );
    let elsewhere = results
        .iter()
        .filter(|r| matches!(r, Err(Error::Elsewhere { .. })));
    assert_eq!(elsewhere.count(), 2);
}

#[test]
fn limits_and_deadlocks_end_all_workers_alike() {
    let options = ExploreOptions {
        max_states: Some(20),
        ..ExploreOptions::default()
    };
    for result in found(&cycle(50, None), options, 2) {
        assert!(
            matches!(result, Err(Error::TooManyStates { limit: 20 })),
            "{result:?}"
        );
    }
    let line = Arc::new(Scrambled {
        graph: MdpGraph::from_choices(&[vec![vec![1]], vec![vec![2]], vec![]])
            .expect("well formed"),
        initial: vec![0],
        faulty: None,
    });
    let options = ExploreOptions {
        deadlocks: Deadlocks::Refuse,
        ..ExploreOptions::default()
    };
    for result in found(&line, options, 2) {
        assert!(
            matches!(result, Err(Error::Deadlock { state: 2 })),
            "{result:?}"
        );
    }
}

#[test]
fn batches_that_leave_early_are_told_apart() {
    // A star whose 20,000 branches are more than fit a message, and lead back.
    let leaves = 20_000;
    let mut choices = vec![vec![(1..=leaves).collect::<Vec<u32>>()]];
    choices.extend((0..leaves).map(|_| vec![vec![0]]));
    let system = Arc::new(Scrambled {
        graph: MdpGraph::from_choices(&choices).expect("well formed"),
        initial: vec![0],
        faulty: None,
    });
    let found = found(&system, ExploreOptions::default(), 2).into_iter();
    let found: Rows = found.flat_map(|part| part.expect("no fault")).collect();
    assert_eq!(found, expected(&system, Deadlocks::Keep));
}

#[test]
fn what_is_too_large_for_a_worker_is_not_for_several() {
    // Each of 200 states leads to ten others: 2,000 branches, and a worker can number 1,000.
    let row = |state: u32| vec![(1..=10).map(|i| (state + 7 * i) % 200).collect::<Vec<_>>()];
    let choices: Vec<_> = (0..200).map(row).collect();
    let system = Arc::new(Scrambled {
        graph: MdpGraph::from_choices(&choices).expect("well formed"),
        initial: vec![0],
        faulty: None,
    });
    let options = ExploreOptions {
        most_per_worker: 1_000,
        narrow: 50,
        batch: 7,
        ..ExploreOptions::default()
    };
    let alone = found(&system, options, 1).pop().expect("one worker");
    assert!(
        matches!(alone, Err(Error::TooLarge { worker: 0 })),
        "{alone:?}"
    );
    let found = found(&system, options, 5).into_iter();
    let found: Rows = found.flat_map(|part| part.expect("it fits")).collect();
    assert_eq!(found, expected(&system, Deadlocks::SelfLoop));
}

/// The same rows with other numbers: states correspond if the same branches lead to them from state
/// 0, which is the first of both.
fn renumbered(rows: &Rows, like: &Rows) -> Rows {
    let mut numbers = vec![u64::MAX; rows.len()];
    let mut stack = vec![(0u64, 0u64)];
    while let Some((here, there)) = stack.pop() {
        if numbers[here as usize] == u64::MAX {
            numbers[here as usize] = there;
            let branches = rows[here as usize].iter().flatten().copied();
            stack.extend(branches.zip(like[there as usize].iter().flatten().copied()));
        }
    }
    let mut other = vec![Vec::new(); rows.len()];
    for (row, &number) in rows.iter().zip(&numbers) {
        let target = |target: &u64| numbers[*target as usize];
        let choices = row.iter().map(|choice| choice.iter().map(target).collect());
        other[number as usize] = choices.collect();
    }
    other
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn other_numbers_depend_on_the_system_alone(
        graph in model(60),
        workers in prop::sample::select(vec![2usize, 3, 5]),
        batch in prop::sample::select(vec![1u64, 7, 1 << 17]),
        narrow in prop::sample::select(vec![u64::from(u32::MAX), 9]),
    ) {
        let system = Arc::new(Scrambled { graph, initial: vec![0], faulty: None });
        let options = ExploreOptions {
            deadlocks: Deadlocks::Keep,
            unordered: true,
            ..ExploreOptions::default()
        };
        let alone = found(&system, options, 1).into_iter();
        let alone: Rows = alone.flat_map(|part| part.expect("no fault")).collect();
        let several = found(&system, ExploreOptions { batch, narrow, ..options }, workers);
        let several: Rows = several.into_iter().flat_map(|part| part.expect("no fault")).collect();
        prop_assert_eq!(&alone, &several);
        let expected = expected(&system, Deadlocks::Keep);
        prop_assert_eq!(renumbered(&alone, &expected), expected);
    }
}

#[test]
fn faults_and_limits_end_an_unordered_search() {
    let options = ExploreOptions {
        unordered: true,
        max_states: Some(20),
        ..ExploreOptions::default()
    };
    for result in found(&cycle(50, None), options, 2) {
        assert!(
            matches!(result, Err(Error::TooManyStates { limit: 20 })),
            "{result:?}"
        );
    }
    let results = found(&cycle(15, Some(7)), options, 3);
    let faulty = results
        .iter()
        .filter(|result| matches!(result, Err(Error::System(_))));
    assert_eq!(faulty.count(), 1, "{results:?}");
}
