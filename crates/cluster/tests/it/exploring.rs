//! Several workers find the states that one finds, with the same numbers.

use crate::support::{model, the_violation};
use cluster::{
    Error, ExploreOptions, Numbering, Part, States, check_states, explore, explore_with_states,
    on_threads, part_of,
};
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
    #![proptest_config(ProptestConfig::with_cases(120))]

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

/// A cycle of this many states.
fn cycle(states: u32, faulty: Option<u32>) -> Arc<Scrambled> {
    let choices: Vec<_> = (0..states).map(|s| vec![vec![(s + 1) % states]]).collect();
    Arc::new(Scrambled {
        graph: MdpGraph::from_choices(&choices).expect("well formed"),
        initial: vec![0],
        faulty,
    })
}

#[test]
fn a_fault_of_one_worker_ends_all() {
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
fn batches_that_arrive_early_are_kept_apart() {
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
fn models_too_large_for_one_worker_fit_several() {
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
    fn numbers_by_levels_depend_on_the_system_alone(
        graph in model(60),
        workers in prop::sample::select(vec![2usize, 3, 5]),
        batch in prop::sample::select(vec![1u64, 7, 1 << 17]),
        narrow in prop::sample::select(vec![u64::from(u32::MAX), 9]),
    ) {
        let system = Arc::new(Scrambled { graph, initial: vec![0], faulty: None });
        let options = ExploreOptions {
            deadlocks: Deadlocks::Keep,
            numbering: Numbering::ByLevels,
            ..ExploreOptions::default()
        };
        let alone = found(&system, options, 1).into_iter();
        let alone: Rows = alone.flat_map(|part| part.expect("no fault")).collect();
        let several = found(&system, ExploreOptions { batch, narrow, ..options }, workers);
        let several: Rows = several.into_iter().flat_map(|part| part.expect("no fault")).collect();
        prop_assert_eq!(&alone, &several);
        // Those that states near each other lead to are near each other.
        let mut first = vec![u64::MAX; alone.len()];
        for (state, row) in (0..).zip(&alone) {
            for &target in row.iter().flatten() {
                first[target as usize] = first[target as usize].min(state);
            }
        }
        prop_assert!(first[1..].is_sorted(), "{:?}", first);
        let expected = expected(&system, Deadlocks::Keep);
        prop_assert_eq!(renumbered(&alone, &expected), expected);
    }
}

#[test]
fn faults_and_limits_end_a_search_by_levels() {
    let options = ExploreOptions {
        numbering: Numbering::ByLevels,
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

/// Returns the violation that a worker finds in the explored states, if there is one. Before the
/// check, `change` changes the part of each worker.
fn verdict(
    system: &Arc<Scrambled>,
    options: ExploreOptions,
    workers: usize,
    change: impl Fn(&Part, &mut Vec<u64>) + Send + Sync + 'static,
    checked: &Arc<Scrambled>,
) -> Option<String> {
    let (system, checked) = (Arc::clone(system), Arc::clone(checked));
    let results = on_threads(workers, move |net| {
        let (part, states) = explore_with_states(&*system, &options, net)?;
        let mut packed: Vec<u64> = (0..states.len())
            .flat_map(|place| states.get(place).to_vec())
            .collect();
        change(&part, &mut packed);
        let states = States::from_packed(2, packed);
        check_states(&*checked, &states, &part, &options, net)
    });
    the_violation(results.expect("the workers start"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn explored_states_are_accepted_and_those_of_another_system_are_not(
        (graph, initial) in model(30).prop_flat_map(|graph| {
            let n = graph.num_states() as u32;
            (Just(graph), prop::collection::vec(0..n, 1..4))
        }),
        other in model(30),
        workers in prop::sample::select(vec![1usize, 2, 3]),
        numbering in prop::sample::select(vec![Numbering::Sequential, Numbering::ByLevels]),
        keeps in any::<bool>(),
        seed in any::<usize>(),
    ) {
        let deadlocks = if keeps { Deadlocks::Keep } else { Deadlocks::SelfLoop };
        let options = ExploreOptions { numbering, deadlocks, ..ExploreOptions::default() };
        let of = |graph: MdpGraph, initial: Vec<u32>| {
            Arc::new(Scrambled { graph, initial, faulty: None })
        };
        let system = of(graph.clone(), initial.clone());
        let expected = expected(&system, deadlocks);
        let said = verdict(&system, options, workers, |_, _| (), &system);
        prop_assert_eq!(said, None);
        // Another state in the place of one.
        let changed = seed % expected.len();
        let states = expected.len();
        let change = move |part: &Part, packed: &mut Vec<u64>| {
            let place = (changed as u64).wrapping_sub(part.global(0)) as usize;
            if place < part.num_own() {
                packed[2 * place..][..2].copy_from_slice(&pack(1000 + (seed % states) as u32));
            }
        };
        let wider = of(wide(&graph), initial.clone());
        let said = verdict(&wider, options, workers, change, &wider);
        prop_assert!(said.is_some());
        // The rows of another system: right only if nothing that can be reached differs.
        let initial = vec![initial[0] % other.num_states() as u32];
        let other = Arc::new(Scrambled { graph: other, initial, faulty: None });
        let said = verdict(&system, options, workers, |_, _| (), &Arc::new(Scrambled {
            graph: wide(&other.graph), initial: other.initial.clone(), faulty: None,
        }));
        let theirs = self::expected(&other, deadlocks);
        if theirs != expected {
            prop_assert!(said.is_some());
        }
    }
}

/// The graph with states after it, up to number 1,100, which stay.
fn wide(graph: &MdpGraph) -> MdpGraph {
    let row = |state: u32| match (state as usize) < graph.num_states() {
        true => {
            let targets = |choice| {
                graph
                    .targets(choice)
                    .iter()
                    .map(|t| t.0)
                    .collect::<Vec<_>>()
            };
            graph.choices(StateId(state)).map(targets).collect()
        }
        false => vec![vec![state]],
    };
    MdpGraph::from_choices(&(0..1100).map(row).collect::<Vec<_>>()).expect("well formed")
}

#[test]
fn each_obligation_of_explored_states_is_named() {
    type Row = Vec<Vec<u32>>;
    let system = |rows: &[Row], initial: &[u32]| {
        Arc::new(Scrambled {
            graph: MdpGraph::from_choices(rows).expect("well formed"),
            initial: initial.to_vec(),
            faulty: None,
        })
    };
    use Numbering::{ByLevels, Sequential};
    // What workers say of a graph with these rows, if these are the packed states.
    let say = |claimed: &[Row], states: &[u32], of: &Arc<Scrambled>, numbering: Numbering| {
        let graph = Arc::new(MdpGraph::from_choices(claimed).expect("well formed"));
        let said = [1, 2, 3].map(|workers| {
            let (graph, system) = (Arc::clone(&graph), Arc::clone(of));
            let states: Vec<u32> = states.to_vec();
            let results = on_threads(workers, move |net| {
                let part = part_of(&graph, 0, net)?;
                let own = part.global(0) as usize..part.global(0) as usize + part.num_own();
                let packed = states[own].iter().flat_map(|&state| pack(state)).collect();
                let states = States::from_packed(2, packed);
                let options = ExploreOptions {
                    deadlocks: Deadlocks::Keep,
                    numbering,
                    ..ExploreOptions::default()
                };
                check_states(&*system, &states, &part, &options, net)
            });
            let results = results.expect("the workers start");
            assert!(results.iter().all(Result::is_ok) || results.iter().all(Result::is_err));
            let said = results.into_iter().find_map(|result| match result {
                Err(Error::Violation(violation)) => Some(violation.to_string()),
                _ => None,
            });
            said.unwrap_or_else(|| "accepted".to_owned())
        });
        assert!(said.iter().all(|other| *other == said[0]), "{said:?}");
        said[0].clone()
    };
    // 0 leads to 1 and 2, 1 to 2, which has no choice.
    let rows = [vec![vec![1, 2]], vec![vec![2]], vec![]];
    let right = system(&rows, &[0]);
    let turned = [vec![vec![2, 1]], vec![], vec![vec![1]]];
    let unreached = [vec![vec![1, 2]], vec![vec![2]], vec![], vec![vec![3]]];
    let twice = [vec![vec![1, 2]], vec![vec![2], vec![3]], vec![], vec![]];
    let lines = [
        say(&rows, &[0, 1, 2], &right, Sequential),
        say(&rows, &[1, 0, 2], &right, Sequential),
        say(&rows, &[0, 1, 2], &system(&rows, &[0, 1, 2, 3]), Sequential),
        say(&rows, &[0, 2, 1], &right, Sequential),
        say(
            &rows,
            &[0, 1, 2],
            &system(&[rows[0].clone(), vec![vec![2]; 2], vec![]], &[0]),
            Sequential,
        ),
        say(
            &rows,
            &[0, 1, 2],
            &system(&[rows[0].clone(), vec![vec![1]], vec![]], &[0]),
            Sequential,
        ),
        say(
            &unreached,
            &[0, 1, 2, 3],
            &system(&unreached, &[0]),
            Sequential,
        ),
        say(&twice, &[0, 1, 2, 2], &system(&twice, &[0]), Sequential),
        say(&turned, &[0, 1, 2], &system(&turned, &[0]), ByLevels),
        say(&turned, &[0, 1, 2], &system(&turned, &[0]), Sequential),
    ];
    insta::assert_snapshot!(lines.join("\n"), @"
    accepted
    E1: state 0 is not the initial state of the system in this place
    E1: state 0 is not the initial state of the system in this place
    E2: state 0, choice 0 leads to other states than the system says
    E2: state 1 has other choices than the system says
    E2: state 1, choice 0 leads to other states than the system says
    E3: no edge leads to state 3 from one with a smaller number
    E4: state 3 is the same as state 2
    accepted
    E5: state 0 leads to a state before one with a smaller number was found
    ");
}
