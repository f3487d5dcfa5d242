//! The reward structures of an explored model, evaluated in its states.

use super::labels::is_deadlock;
use crate::interrupt;
use crate::load::request::Structures;
use crate::model::rewards::Rewards;
use explore::{Exploration, NO_ACTION};
use mdp_graph::{OutOfMemory, StateId, check_room};
use prism_explicit::ModelType;
use prism_language::{ActionId, Error, Program, RewardStructure, Scratch};
use rayon::prelude::*;
use std::ops::Range;

/// The smallest number of states for which a separate task is worthwhile.
const RUN: usize = 1 << 12;

/// The rewards of some states, and of their choices, in order.
#[derive(Default)]
struct Earned {
    states: Vec<f64>,
    choices: Vec<f64>,
}

impl Earned {
    /// Takes the memory for these states and their choices, which is no more than [`room`] counts.
    fn reserve(&mut self, found: &Exploration, structure: &RewardStructure, states: Range<usize>) {
        self.states.reserve_exact(states.len());
        if structure.has_actions() {
            let first = |state| found.graph.choice_offsets()[state] as usize;
            let choices = first(states.end) - first(states.start);
            self.choices.reserve_exact(choices);
        }
    }
}

/// Checks that there is memory for all structures, and for one that is joined from the lists of
/// tasks.
pub(super) fn room(program: &Program, found: &Exploration) -> Result<(), OutOfMemory> {
    let states = found.graph.num_states() * size_of::<f64>();
    let choices = found.graph.num_choices() * size_of::<f64>();
    let bytes = |structure: &RewardStructure| match structure.has_actions() {
        true => states + choices,
        false => states,
    };
    let mut tables: Vec<usize> = program.rewards().iter().map(bytes).collect();
    tables.extend(tables.iter().max().copied());
    check_room("the rewards", &tables)
}

/// Returns all structures, and messages about those that are left out. Structures that are not
/// `needed` have only their names, so faults in them are not reported. `found` must have actions if
/// a structure has rewards for them. After Ctrl-C, rewards are incomplete, and must not be used.
pub(super) fn evaluate(
    program: &Program,
    found: &Exploration,
    needed: Structures<'_>,
) -> Result<(Vec<Rewards>, Vec<String>), Error> {
    let (mut structures, mut lost) = (Vec::new(), Vec::new());
    // The reward of a chain's choice is an average over its commands, which depends on nature in an
    // interval model.
    let is_open = program.model_type() == ModelType::Idtmc;
    let is_lost = |structure: &RewardStructure| is_open && structure.has_actions();
    let all = program.rewards().iter();
    let is_only = all.filter(|structure| !is_lost(structure)).count() == 1;
    for structure in program.rewards() {
        if is_lost(structure) {
            let name = structure
                .name()
                .map_or_else(String::new, |name| format!(" `{name}`"));
            lost.push(format!(
                "the reward structure{name}, because it rewards actions of an interval DTMC"
            ));
            continue;
        }
        let number = structures.len() + 1;
        let is_meant = |asked: &Option<&str>| match *asked {
            Some(asked) => structure.name() == Some(asked) || asked.parse() == Ok(number),
            None => is_only,
        };
        let is_needed = match needed {
            Structures::Nothing => false,
            Structures::All => true,
            Structures::These(all) => all.iter().any(is_meant),
        };
        structures.push(match is_needed {
            true => one(program, found, structure)?,
            false => Rewards {
                name: structure.name().map(str::to_owned),
                ..Rewards::default()
            },
        });
    }
    Ok((structures, lost))
}

fn one(
    program: &Program,
    found: &Exploration,
    structure: &RewardStructure,
) -> Result<Rewards, Error> {
    let num_states = found.graph.num_states();
    let starts = (0..num_states).into_par_iter().step_by(RUN);
    let runs: Vec<Result<Earned, Error>> = starts
        .map(|start| {
            let mut scratch = program.scratch();
            let mut earned = Earned::default();
            let end = num_states.min(start + RUN);
            earned.reserve(found, structure, start..end);
            for state in start..end {
                if interrupt::is_cancelled() {
                    break;
                }
                let state = StateId::from_index(state);
                in_state(program, found, structure, state, &mut scratch, &mut earned)?;
            }
            Ok(earned)
        })
        .collect();
    let mut earned = Earned::default();
    earned.reserve(found, structure, 0..num_states);
    // Runs are joined in order, so that the error of the smallest state is returned.
    for run in runs {
        let run = run?;
        earned.states.extend(run.states);
        earned.choices.extend(run.choices);
    }
    Ok(Rewards {
        name: structure.name().map(str::to_owned),
        states: Some(earned.states.into()),
        choices: structure.has_actions().then(|| earned.choices.into()),
        branches: None,
    })
}

/// Appends the rewards of a state and of its choices. The self-loop of a deadlock has the reward 0.
fn in_state(
    program: &Program,
    found: &Exploration,
    structure: &RewardStructure,
    state: StateId,
    scratch: &mut Scratch,
    Earned { states, choices }: &mut Earned,
) -> Result<(), Error> {
    let packed = found.states.get(state);
    states.push(program.state_reward(structure, scratch, packed)?);
    if !structure.has_actions() {
        return Ok(());
    }
    let has_added_loop = found.deadlocks > 0 && is_deadlock(program, found, scratch, state)?;
    if !has_added_loop && is_merged(program, scratch, packed) {
        // A deadlock that is kept has no choice.
        for _ in found.graph.choice_range(state) {
            choices.push(program.merged_reward(structure, scratch, packed)?);
        }
        return Ok(());
    }
    for choice in found.graph.choice_range(state) {
        let number = found
            .actions
            .as_ref()
            .map_or(NO_ACTION, |actions| actions[choice]);
        let action = number.checked_sub(1).map(ActionId);
        choices.push(match has_added_loop {
            true => 0.0,
            false => program.choice_reward(structure, scratch, packed, action)?,
        });
    }
    Ok(())
}

/// Returns whether the state has a single choice, which combines all of its commands.
pub(super) fn is_merged(program: &Program, scratch: &mut Scratch, packed: &[u64]) -> bool {
    match program.model_type() {
        ModelType::Dtmc | ModelType::Ctmc => true,
        ModelType::Ma => program.is_markovian(scratch, packed),
        _ => false,
    }
}
