//! `--certify` for a model that was explored: checks its states and choices, and shows how far the
//! check is.

use crate::analyses::explored::{check_explored_network, check_explored_program};
use crate::error::Error;
use crate::interrupt;
use crate::progress::{Counting, Progress, Unit};
use certify::ExplorationError;
use explore::Exploration;
use lts_network::Network;
use mdp_graph::Deadlocks;
use prism_language::Program;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Checks the states and transitions that were found in a network. Returns the time that this took.
///
/// # Errors
/// [`Error::Rejected`] with the first obligation that is violated; [`Error::Cancelled`].
pub(super) fn check_network(
    network: &Network,
    found: &Exploration,
    deadlocks: Deadlocks,
    progress: Progress,
) -> Result<Duration, Error> {
    let initial = network.initial_state();
    check(found, initial, progress, |observer| {
        check_explored_network(network, found, deadlocks, observer)
    })
}

/// Checks the states and transitions that were found in a program. Returns the time that this took.
///
/// # Errors
/// As [`check_network`], and the program's own.
pub(super) fn check_program(
    program: &Program,
    found: &Exploration,
    deadlocks: Deadlocks,
    progress: Progress,
) -> Result<Duration, Error> {
    let mut initial = Vec::new();
    let visited = program.search_initial_states(|state| {
        initial.extend_from_slice(state.unwrap_or_default());
        // One more initial state than expected proves that the answer is wrong.
        let are_enough = initial.len() > found.num_initial * program.words();
        match are_enough || interrupt::is_cancelled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    visited.map_err(|error| Error::wrong(error.to_string()))?;
    check(found, &initial, progress, |observer| {
        check_explored_program(program, &initial, found, deadlocks, observer)
    })
}

/// Checks an exploration by calling `check`.
fn check<E: std::fmt::Display>(
    found: &Exploration,
    initial: &[u64],
    progress: Progress,
    check: impl FnOnce(&Counting) -> Result<(), ExplorationError<E>>,
) -> Result<Duration, Error> {
    let start = Instant::now();
    let states = found.graph.num_states();
    // The check needs two sets of at most 16 bits for each state, 64-bit numbers for about one
    // state in eight, and a copy of the initial states.
    let bytes = [8 * states, 8 * initial.len()];
    mdp_graph::check_room("a certificate", &bytes)?;
    let observer = Counting::default();
    let work = || check(&observer);
    let outcome = progress.track(
        "checking",
        Unit::States,
        states as u64,
        &observer.done,
        work,
    );
    match outcome {
        Ok(()) => Ok(start.elapsed()),
        Err(ExplorationError::Cancelled) => Err(Error::Cancelled),
        Err(ExplorationError::System(error)) => Err(Error::wrong(error.to_string())),
        Err(ExplorationError::Violation(violation)) => Err(Error::Rejected(format!(
            "the states found are wrong, and nothing is printed: {violation}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::{check_network, check_program};
    use crate::error::Error;
    use crate::progress::Progress;
    use explore::{Exploration, Options, States, explore};
    use lts_network::Network;
    use mdp_graph::{Deadlocks, MdpGraph, StateId};
    use std::convert::Infallible;
    use std::time::Duration;

    const NETWORK: &str = "par using \"a\" * \"a\" -> \"both\", \"b\" * _ -> \"b\" in
        des (0, 2, 2) (0, \"a\", 1) (1, \"b\", 0) || des (0, 2, 2) (0, \"a\", 1) (1, \"c\", 0)
        end par";

    const PROGRAM: &str = "mdp module m x: [0..2];
        [a] x<2 -> 0.5: (x'=x) + 0.5: (x'=x+1) + 0: (x'=2); [b] x=1 -> true;
        endmodule";

    fn network() -> Network {
        let behaviour = lts_formats::read_exp(NETWORK.as_bytes()).expect("a network");
        let network = Network::compile::<Infallible>(&behaviour, |_| unreachable!("no file"));
        network.expect("a right network")
    }

    /// Returns the violated obligation, if there is one.
    fn violated(outcome: Result<Duration, Error>) -> Option<String> {
        match outcome {
            Ok(_) => None,
            Err(Error::Rejected(message)) => {
                let rest = message.split("printed: ").nth(1)?;
                rest.split(':').next().map(str::to_owned)
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    /// A change of one part of an exploration.
    type Change = fn(&mut Exploration);

    #[test]
    fn every_part_of_an_exploration_of_a_network_is_checked() {
        let network = network();
        let options = Options {
            actions: true,
            ..Options::default()
        };
        let right = explore(&network, &options).expect("it ends");
        let check = |found: &Exploration| {
            violated(check_network(
                &network,
                found,
                options.deadlocks,
                Progress::new(false),
            ))
        };
        assert_eq!(check(&right), None);
        assert_eq!(right.states.packed(), [0, 3, 2]);
        let changes: [(Change, &str); 5] = [
            (|of| of.states = States::from_packed(1, vec![0, 2, 3]), "E2"),
            (|of| of.states = States::from_packed(1, vec![0, 3, 3]), "E4"),
            (|of| of.num_initial = 2, "E1"),
            (|of| of.deadlocks += 1, "E2"),
            (|of| of.actions.iter_mut().for_each(|all| all[0] = 2), "E2"),
        ];
        for (change, obligation) in changes {
            let mut wrong = right.clone();
            change(&mut wrong);
            assert_eq!(check(&wrong).as_deref(), Some(obligation));
        }
    }

    #[test]
    fn programs_are_checked_without_what_cannot_happen() {
        let program = prism_language::parse(PROGRAM.as_bytes()).expect("a program");
        let program = program.compile(&[]).expect("a right program");
        let graph = |rows: &[Vec<Vec<u32>>]| MdpGraph::from_choices(rows).expect("a graph");
        let mut found = Exploration {
            graph: graph(&[vec![vec![0, 1]], vec![vec![1, 2], vec![1]], vec![vec![2]]]),
            states: States::from_packed(1, vec![0, 1, 2]),
            expanded: 3,
            num_initial: 1,
            actions: Some(vec![1, 1, 2, 0]),
            probabilities: None,
            deadlocks: 1,
            dropped_branches: 2,
        };
        let check = |found: &Exploration, policy| {
            violated(check_program(&program, found, policy, Progress::new(false)))
        };
        assert_eq!(check(&found, Deadlocks::SelfLoop), None);
        assert_eq!(check(&found, Deadlocks::Keep).as_deref(), Some("E2"));
        found.graph = graph(&[
            vec![vec![0, 1, 2]],
            vec![vec![1, 2], vec![1]],
            vec![vec![2]],
        ]);
        assert!(found.graph.successors(StateId(0)).len() > 2);
        assert_eq!(check(&found, Deadlocks::SelfLoop).as_deref(), Some("E2"));
    }
}
