//! Actions and probabilities for states that were explored by other means.

use crate::choices::{Choices, Halt};
use crate::chunk::{Chunk, Failure};
use crate::options::Details;
use crate::{Error, Exploration, Options, Progress, System};
use mdp_graph::check_room;
use rayon::prelude::*;
use std::ops::Range;

/// The number of states in a task.
const RUN: usize = 1 << 10;

/// The number of tasks between two reports to the observer.
const RUNS: usize = 1 << 8;

/// Adds the actions and probabilities that `options` ask for to an exploration of `system` that was
/// made by other means than [`explore()`](crate::explore()). It computes the successors of every
/// expanded state again.
///
/// # Errors
/// [`Error::System`], [`Error::Cancelled`], [`Error::OutOfMemory`], and [`Error::Graph`].
///
/// # Panics
/// Panics if the system has other choices than those that were found.
pub fn describe<S: System>(
    system: &S,
    found: &mut Exploration,
    options: &Options<'_>,
) -> Result<(), Error<S::Error>> {
    if !options.actions && !options.probabilities {
        return Ok(());
    }
    let graph = &found.graph;
    let bytes = [
        4 * graph.num_choices() * usize::from(options.actions),
        8 * graph.num_branches() * usize::from(options.probabilities),
    ];
    let reached = reached(found);
    check_room("the states and the graph", &bytes)
        .map_err(|missing| Error::OutOfMemory { missing, reached })?;
    let length = |is_wanted: bool, length: usize| if is_wanted { length } else { 0 };
    let mut actions = vec![0; length(options.actions, graph.num_choices())];
    let mut probabilities = vec![0.0; length(options.probabilities, graph.num_branches())];
    let runs = split(found, &mut actions, &mut probabilities);
    let mut runs = runs.into_iter();
    loop {
        let some: Vec<Run<'_>> = runs.by_ref().take(RUNS).collect();
        if some.is_empty() {
            break;
        }
        let outcomes: Vec<_> = some
            .into_par_iter()
            .map_init(
                || system.scratch(),
                |scratch, run| run.fill(system, scratch, found, options),
            )
            .collect();
        let first = outcomes.into_iter().find_map(Result::err);
        if let Some(failure) = first {
            return Err(match failure {
                Failure::System(error) => Error::System(error),
                Failure::Graph(error) => Error::Graph(error),
                Failure::Halted { halt, .. } => match halt {
                    Halt::NoRoom(missing) => Error::OutOfMemory { missing, reached },
                    Halt::Cancelled => Error::Cancelled { reached },
                    Halt::Overflow | Halt::States => {
                        unreachable!("`fill` sets no limit on branches or states")
                    }
                },
            });
        }
    }
    found.actions = options.actions.then_some(actions);
    found.probabilities = options.probabilities.then_some(probabilities);
    Ok(())
}

fn reached(found: &Exploration) -> Progress {
    let graph = &found.graph;
    let states = graph.num_states() as u64;
    Progress {
        states,
        expanded: found.expanded as u64,
        choices: graph.num_choices() as u64,
        branches: graph.num_branches() as u64,
        bytes: 0,
    }
}

/// A run of states, and the places of their actions and probabilities.
struct Run<'a> {
    states: Range<u32>,
    actions: &'a mut [u32],
    probabilities: &'a mut [f64],
}

/// Divides the expanded states into runs, each with its part of the arrays.
fn split<'a>(
    found: &Exploration,
    mut actions: &'a mut [u32],
    mut probabilities: &'a mut [f64],
) -> Vec<Run<'a>> {
    let graph = &found.graph;
    let (states, offsets) = (found.expanded, graph.choice_offsets());
    let mut runs = Vec::with_capacity(states.div_ceil(RUN));
    for begin in (0..states).step_by(RUN) {
        let end = (begin + RUN).min(states);
        let choices = offsets[begin] as usize..offsets[end] as usize;
        let branch = |choice: usize| graph.branch_offsets()[choice] as usize;
        let branches = branch(choices.end) - branch(choices.start);
        let own;
        (own, actions) = actions.split_at_mut(choices.len().min(actions.len()));
        let own_probabilities;
        (own_probabilities, probabilities) =
            probabilities.split_at_mut(branches.min(probabilities.len()));
        runs.push(Run {
            states: begin as u32..end as u32,
            actions: own,
            probabilities: own_probabilities,
        });
    }
    runs
}

impl Run<'_> {
    /// Computes the choices of the states, and copies their actions and probabilities.
    fn fill<S: System>(
        self,
        system: &S,
        scratch: &mut S::Scratch,
        found: &Exploration,
        options: &Options<'_>,
    ) -> Result<(), Failure<S::Error>> {
        if options.observer.is_cancelled() {
            return Err(Halt::Cancelled.into());
        }
        let choices =
            Choices::new(system.words(), Details::of(options)).watched(options.observer, None);
        let mut chunk = Chunk::new(choices);
        chunk.clear(self.probabilities.len(), usize::MAX);
        chunk.expand(
            system,
            scratch,
            &found.states,
            self.states,
            options.deadlocks,
        )?;
        self.actions.copy_from_slice(&chunk.choices.found.actions);
        self.probabilities
            .copy_from_slice(&chunk.choices.found.probabilities);
        Ok(())
    }
}
