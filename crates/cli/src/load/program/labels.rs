//! The labels of an explored model: `init` and `deadlock`, which PRISM defines, and the model's
//! own.

use crate::interrupt;
use explore::Exploration;
use mdp_graph::{OutOfMemory, StateId, check_room};
use prism_explicit::{Dialect, Labels};
use prism_language::{ActionId, Error, Program, Scratch, Visitor};
use rayon::prelude::*;

/// The smallest number of states for which a separate task is worthwhile.
const RUN: usize = 1 << 12;

/// Checks that there is memory for the states of a label, which are joined from the lists of tasks.
pub(super) fn room(found: &Exploration) -> Result<(), OutOfMemory> {
    let states = found.graph.num_states() * size_of::<u32>();
    check_room("the states of a label", &[states, states])
}

/// Returns the states that have each label, as PRISM's `.lab` files list them. After Ctrl-C they
/// are incomplete, and must not be used.
pub(super) fn evaluate(program: &Program, found: &Exploration) -> Result<Labels, Error> {
    let initial = (0..found.num_initial as u32).collect();
    let deadlocks = match found.deadlocks {
        0 => Vec::new(),
        _ => select(program, found, |scratch, state| {
            is_deadlock(program, found, scratch, state)
        })?,
    };
    let mut labels = vec![
        ("init".to_owned(), initial),
        ("deadlock".to_owned(), deadlocks),
    ];
    for label in program.labels() {
        let states = select(program, found, |scratch, state| {
            program.has_label(label, scratch, found.states.get(state))
        })?;
        labels.push((label.name().to_owned(), states));
    }
    Ok(Labels::new(Dialect::Prism, labels))
}

/// Returns the states for which `is_in` holds, in ascending order, or the error of the smallest
/// state that has one.
fn select(
    program: &Program,
    found: &Exploration,
    is_in: impl Fn(&mut Scratch, StateId) -> Result<bool, Error> + Sync,
) -> Result<Vec<u32>, Error> {
    let num_states = found.graph.num_states() as u32;
    let starts = (0..num_states).into_par_iter().step_by(RUN);
    let runs = starts.map(|start| {
        let mut scratch = program.scratch();
        let run = start..num_states.min(start.saturating_add(RUN as u32));
        let mut states = Vec::new();
        for state in run {
            // This is checked at each state, because a label may be a long expression.
            if interrupt::is_cancelled() {
                return Ok(states);
            }
            if is_in(&mut scratch, StateId(state))? {
                states.push(state);
            }
        }
        Ok(states)
    });
    // Results are collected before they are joined, so that the error of the smallest state is
    // returned.
    let runs: Vec<Result<Vec<u32>, Error>> = runs.collect();
    let runs: Result<Vec<_>, _> = runs.into_iter().collect();
    Ok(runs?.concat())
}

/// Returns whether `state` has no choice in the program. The exploration may have given it a
/// self-loop.
pub(super) fn is_deadlock(
    program: &Program,
    found: &Exploration,
    scratch: &mut Scratch,
    state: StateId,
) -> Result<bool, Error> {
    if !matches!(found.graph.successors(state), [] | [_]) {
        return Ok(false);
    }
    let mut any = AnyChoice(false);
    program.successors(scratch, found.states.get(state), &mut any)?;
    Ok(!any.0)
}

/// Records whether there was a choice.
pub(super) struct AnyChoice(pub(super) bool);

impl Visitor for AnyChoice {
    fn choice(&mut self, _: Option<ActionId>) {
        self.0 = true;
    }

    fn branch(&mut self, _: f64, _: &[u64]) {}

    fn is_over(&mut self) -> bool {
        self.0 || interrupt::is_cancelled()
    }
}
