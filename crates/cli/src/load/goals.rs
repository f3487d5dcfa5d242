//! The goals of an exploration of a network or program, which ends when all of them are met.

use super::program::PrismSystem;
use super::request::Until;
use crate::interrupt;
use explore::{Discoveries, Exploration, Goal, Options};
use lts_formats::{INTERNAL, is_internal};
use lts_network::Network;
use mdp_graph::StateId;
use prism_language::{ActionId, Error, Label, Program, Visitor};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The number of states that a task looks at.
const RUN: usize = 1 << 10;

/// The mark for something that was not found yet.
const NOWHERE: u32 = u32::MAX;

/// The goals of an exploration. Several explorations of a model, in parallel or one after another,
/// may share them, because states have the same numbers in all of them.
pub(super) struct Goals {
    all: Vec<Sought>,
    program: Option<Arc<PrismSystem>>,
}

/// A goal, and the number of states after which it is reached: for a label, of known states, and
/// otherwise of expanded ones.
struct Sought {
    what: What,
    within: AtomicU32,
}

enum What {
    Deadlock,
    /// A choice with the action of this number, if the model has this action.
    Action(Option<u32>),
    /// A state with this label of the program.
    Label(usize),
}

impl Goals {
    pub(super) fn of_network(until: Until<'_>, network: &Network) -> Self {
        // The internal action has one name in a network.
        let action = until.action.map(|action| match is_internal(action) {
            true => INTERNAL,
            false => action,
        });
        Self::new(Until { action, ..until }, network.labels(), None)
    }

    pub(super) fn of_program(until: Until<'_>, system: &Arc<PrismSystem>) -> Self {
        Self::new(until, system.0.actions(), Some(Arc::clone(system)))
    }

    /// Makes the goals. Actions are numbered from 1 on in the order of their names.
    fn new(until: Until<'_>, actions: &[String], program: Option<Arc<PrismSystem>>) -> Self {
        let mut all = Vec::new();
        if until.deadlock {
            all.push(What::Deadlock);
        }
        if let Some(action) = until.action {
            let place = actions.iter().position(|name| name == action);
            all.push(What::Action(place.map(|place| place as u32 + 1)));
        }
        let labels = program.as_ref().map_or(&[][..], |system| system.0.labels());
        if let Some(label) = until.label {
            let place = labels.iter().position(|own| own.name() == label);
            all.extend(place.map(What::Label));
        }
        let sought = |what| Sought {
            what,
            within: AtomicU32::new(NOWHERE),
        };
        Self {
            all: all.into_iter().map(sought).collect(),
            program,
        }
    }

    /// Returns the first state that has the label, if an exploration has found one.
    ///
    /// # Errors
    /// If a state before it has none of both: the label has no value there.
    pub(super) fn labelled(
        &self,
        state: impl Fn(StateId) -> Vec<u64>,
    ) -> Result<Option<StateId>, Error> {
        for sought in &self.all {
            let (What::Label(label), Some(system)) = (&sought.what, &self.program) else {
                continue;
            };
            let within = sought.within.load(Relaxed);
            if within == NOWHERE {
                continue;
            }
            let (program, first) = (&system.0, StateId(within - 1));
            let label = &program.labels()[*label];
            return program
                .has_label(label, &mut program.scratch(), &state(first))
                .map(|holds| holds.then_some(first));
        }
        Ok(None)
    }
}

/// Returns the same options, with this goal.
pub(super) fn with_goals<'a>(options: &Options<'a>, goals: Option<&'a Arc<Goals>>) -> Options<'a> {
    Options {
        goal: goals.map(|goals| &**goals as &dyn Goal),
        ..*options
    }
}

impl Goal for Goals {
    fn is_met(&self, discoveries: &Discoveries<'_>) -> bool {
        let mut are_all_there = true;
        for sought in &self.all {
            let reach = match sought.what {
                What::Label(_) => discoveries.fresh.end,
                What::Deadlock | What::Action(_) => discoveries.expanded.end,
            };
            if sought.within.load(Relaxed) > reach
                && let Some(within) = self.find(&sought.what, discoveries)
            {
                sought.within.fetch_min(within, Relaxed);
            }
            are_all_there &= sought.within.load(Relaxed) <= reach;
        }
        are_all_there
    }

    fn needs_states(&self) -> bool {
        let is_of_states = |sought: &Sought| match sought.what {
            What::Deadlock => false,
            // A device does not know the actions of a program.
            What::Action(_) => self.program.is_some(),
            What::Label(_) => true,
        };
        self.all.iter().any(is_of_states)
    }
}

impl Goals {
    /// Checks the goals in a complete exploration.
    pub(super) fn look_at_all(&self, found: &Exploration) {
        let all = 0..found.states.len() as u32;
        self.is_met(&Discoveries {
            words: found.states.words(),
            states: found.states.packed(),
            fresh: all.clone(),
            expanded: all,
            actions: found.actions.as_deref().map(|actions| vec![actions]),
            has_deadlock: found.deadlocks > 0,
        });
    }

    /// Returns the number of states that must be known or expanded to reach the goal, if it was
    /// reached.
    fn find(&self, what: &What, discoveries: &Discoveries<'_>) -> Option<u32> {
        let end = discoveries.expanded.end;
        match (what, &self.program) {
            (What::Deadlock, _) => discoveries.has_deadlock.then_some(end),
            (What::Action(None), _) => None,
            (What::Action(Some(action)), program) => {
                let is_there = match (&discoveries.actions, program) {
                    // In a Markov chain, the only choice of a state may have several actions.
                    (_, Some(system)) if !system.0.model_type().is_nondeterministic() => {
                        takes_action(&system.0, discoveries, *action)
                    }
                    (Some(pieces), _) => has_action(pieces, *action),
                    (None, Some(system)) => takes_action(&system.0, discoveries, *action),
                    (None, None) => false,
                };
                is_there.then_some(end)
            }
            (What::Label(label), Some(system)) => {
                let program = &system.0;
                first_labelled(program, &program.labels()[*label], discoveries)
            }
            (What::Label(_), None) => None,
        }
    }
}

/// Returns whether an action is in one of these lists.
fn has_action(pieces: &[&[u32]], action: u32) -> bool {
    let runs = pieces
        .par_iter()
        .flat_map(|piece| piece.par_chunks(1 << 16));
    runs.any(|run| run.contains(&action))
}

/// Returns whether an expanded state has a choice with an action.
fn takes_action(program: &Program, discoveries: &Discoveries<'_>, action: u32) -> bool {
    any_run(discoveries, &discoveries.expanded, |run| {
        let mut scratch = program.scratch();
        run.chunks(discoveries.words).any(|state| {
            let mut finder = Finder {
                action: ActionId(action - 1),
                is_part: false,
                is_there: false,
            };
            // The states were expanded, so their successors exist.
            let _ = program.successors(&mut scratch, state, &mut finder);
            finder.is_there
        })
    })
}

/// Returns the index after the first new state that has a label, or for which the label has no
/// value.
fn first_labelled(program: &Program, label: &Label, discoveries: &Discoveries<'_>) -> Option<u32> {
    let packed = discoveries.packed(&discoveries.fresh);
    let runs = packed.par_chunks(RUN * discoveries.words).enumerate();
    let found = runs.filter_map(|(number, run)| {
        let mut scratch = program.scratch();
        let mut states = run.chunks(discoveries.words);
        let place = states.position(|state| {
            let holds = program.has_label(label, &mut scratch, state);
            holds.unwrap_or(true) || interrupt::is_cancelled()
        });
        place.map(|place| number * RUN + place)
    });
    let first = found.find_first(|_| true)?;
    Some(discoveries.fresh.start + first as u32 + 1)
}

/// Returns whether a condition holds for some run of states.
fn any_run(
    discoveries: &Discoveries<'_>,
    states: &Range<u32>,
    holds: impl Fn(&[u64]) -> bool + Sync,
) -> bool {
    let runs = discoveries
        .packed(states)
        .par_chunks(RUN * discoveries.words);
    runs.any(|run| interrupt::is_cancelled() || holds(run))
}

/// Searches the choices of a state for an action.
struct Finder {
    action: ActionId,
    /// Whether the current part of the choice has the action. Only choices of Markov chains have
    /// several parts.
    is_part: bool,
    is_there: bool,
}

impl Visitor for Finder {
    fn choice(&mut self, action: Option<ActionId>) {
        self.is_there |= action == Some(self.action);
    }

    fn part(&mut self, action: Option<ActionId>) {
        self.is_part = action == Some(self.action);
    }

    fn branch(&mut self, _: f64, _: &[u64]) {
        self.is_there |= self.is_part;
    }

    fn is_over(&mut self) -> bool {
        self.is_there || interrupt::is_cancelled()
    }
}
