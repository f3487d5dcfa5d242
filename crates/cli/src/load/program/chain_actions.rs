//! The parts of a chain's choices: the commands of a state, which make one choice there. Where they
//! differ in their action, the choice has none, and its branches have those of their commands.

use crate::interrupt;
use crate::model::branch_actions::BranchActions;
use explore::{Exploration, NO_ACTION};
use mdp_graph::{OutOfMemory, StateId, check_room};
use prism_language::{ActionId, Error, Program, Scratch, Visitor};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;

/// The smallest number of states for which a separate task is worthwhile.
const RUN: usize = 1 << 12;

/// In choices with more branches, a table finds the branches.
const WIDE: usize = 16;

/// Returns whether a choice of the program may combine commands with different actions.
pub(super) fn actions_may_differ(program: &Program) -> bool {
    !program.model_type().is_nondeterministic() && !program.actions().is_empty()
}

/// Checks that there is memory for an action of each branch, which are joined from the lists of
/// tasks.
pub(super) fn room(found: &Exploration) -> Result<(), OutOfMemory> {
    let pairs = found.graph.num_branches() * size_of::<(u32, u32)>();
    check_room("the actions of branches", &[pairs, pairs])
}

/// Returns the actions of branches. After Ctrl-C they are incomplete, and must not be used.
pub(super) fn evaluate(program: &Program, found: &Exploration) -> Result<BranchActions, Error> {
    let runs = in_runs(found).map(|states| {
        let (mut scratch, mut pairs) = (program.scratch(), Vec::new());
        for state in states {
            if interrupt::is_cancelled() {
                break;
            }
            of_state(program, found, &mut scratch, state, &mut pairs)?;
        }
        Ok(pairs)
    });
    // Results are collected before they are joined, so that the error of the smallest state is
    // returned.
    let runs: Vec<Result<Vec<_>, Error>> = runs.collect();
    let runs: Result<Vec<_>, _> = runs.into_iter().collect();
    Ok(BranchActions::new(runs?.concat()))
}

/// Returns whether some state has commands with different actions.
pub(super) fn actions_differ(program: &Program, found: &Exploration) -> bool {
    in_runs(found).any(|mut states| {
        let (mut scratch, mut pairs) = (program.scratch(), Vec::new());
        states.any(|state| {
            // The states were expanded, so their successors exist.
            let _ = of_state(program, found, &mut scratch, state, &mut pairs);
            !pairs.is_empty() || interrupt::is_cancelled()
        })
    })
}

/// Returns all expanded states, as a parallel iterator over runs.
fn in_runs(
    found: &Exploration,
) -> impl IndexedParallelIterator<Item = impl Iterator<Item = StateId>> {
    let count = found.expanded;
    let starts = (0..count).into_par_iter().step_by(RUN);
    starts.map(move |start| (start..count.min(start + RUN)).map(StateId::from_index))
}

/// Adds the actions of a state's branches, if its commands have different actions.
fn of_state(
    program: &Program,
    found: &Exploration,
    scratch: &mut Scratch,
    state: StateId,
    pairs: &mut Vec<(u32, u32)>,
) -> Result<(), Error> {
    let choices = found.graph.choice_range(state);
    let has_action = |choice: usize| {
        let actions = found.actions.as_ref();
        actions.is_some_and(|actions| actions[choice] != NO_ACTION)
    };
    if choices.is_empty() || has_action(choices.start) {
        return Ok(());
    }
    let first = pairs.len();
    let branches = found.graph.branch_range(state);
    let mut collect = Collect {
        places: Places::new(found, branches),
        action: NO_ACTION,
        pairs,
    };
    program.successors(scratch, found.states.get(state), &mut collect)?;
    let own = &mut pairs[first..];
    if own.iter().all(|&(_, action)| action == NO_ACTION) {
        pairs.truncate(first);
        return Ok(());
    }
    own.sort_unstable();
    let mut own = pairs.split_off(first);
    own.dedup();
    pairs.append(&mut own);
    Ok(())
}

/// A map from packed states to the branches of a choice.
struct Places<'f> {
    found: &'f Exploration,
    branches: Range<usize>,
    /// The branches of a wide choice.
    table: HashMap<&'f [u64], usize>,
}

impl<'f> Places<'f> {
    fn new(found: &'f Exploration, branches: Range<usize>) -> Self {
        let mut places = Self {
            found,
            branches: branches.clone(),
            table: HashMap::new(),
        };
        if branches.len() > WIDE {
            places.table = branches
                .map(|branch| (places.target(branch), branch))
                .collect();
        }
        places
    }

    fn target(&self, branch: usize) -> &'f [u64] {
        let found = self.found;
        found.states.get(found.graph.all_targets()[branch])
    }

    /// Returns `None` if the branch was left out because nature cannot take it.
    fn find(&self, target: &[u64]) -> Option<usize> {
        match self.branches.len() > WIDE {
            true => self.table.get(target).copied(),
            false => (self.branches.clone()).find(|&branch| self.target(branch) == target),
        }
    }
}

/// Collects the actions of branches.
struct Collect<'c, 'f> {
    places: Places<'f>,
    /// The action of the current part.
    action: u32,
    pairs: &'c mut Vec<(u32, u32)>,
}

impl Visitor for Collect<'_, '_> {
    fn choice(&mut self, _: Option<ActionId>) {}

    fn part(&mut self, action: Option<ActionId>) {
        self.action = action.map_or(NO_ACTION, |action| action.0 + 1);
    }

    fn branch(&mut self, _: f64, target: &[u64]) {
        if let Some(branch) = self.places.find(target) {
            self.pairs.push((branch as u32, self.action));
        }
    }

    fn is_over(&mut self) -> bool {
        interrupt::is_cancelled()
    }
}
