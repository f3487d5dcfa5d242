//! Rewards in files beside explicit transitions: X.srew and X.trew beside X.tra; if there are
//! several structures, X1.srew, X1.trew, X2.srew and so on, as PRISM writes them.

mod branches;

use crate::error::Error;
use crate::input::{self, Input};
use crate::model::Model;
use crate::model::rewards::{Amounts, Rewards};
use crate::{interrupt, paths};
use branches::Branches;
use mdp_graph::{OutOfMemory, check_room};
use prism_explicit::{
    ReadOptions, Refused, RewardedTransition, read_state_rewards, read_transition_rewards,
};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Returns the files of all reward structures: of states and of transitions.
pub(crate) fn files(model: &Path) -> Vec<[Option<PathBuf>; 2]> {
    if paths::is_standard_input(model) {
        return Vec::new();
    }
    let of = |named: &Path| ["srew", "trew"].map(|ending| input::beside(named, ending));
    let exists = |files: &[Option<PathBuf>; 2]| files.iter().any(Option::is_some);
    let one = Some(of(model)).filter(exists);
    // If there is a model X1.tra beside X.tra, the file X1.srew belongs to X1.tra.
    let is_of_another = |named: &PathBuf| {
        let ending = named.extension().and_then(OsStr::to_str);
        input::beside(
            Path::new(&named.with_extension("")),
            ending.unwrap_or("tra"),
        )
        .is_some()
    };
    let many = (1..)
        .map(|number| input::numbered(model, number))
        .take_while(|named| !is_of_another(named))
        .map(|named| of(&named))
        .take_while(exists);
    one.into_iter().chain(many).collect()
}

/// Reads the rewards beside a model.
pub(super) fn load(model: &Model, path: &Path) -> Result<Vec<Rewards>, Error> {
    let structures = files(path).into_iter();
    let read = structures.map(|[states, transitions]| {
        let mut rewards = Rewards::default();
        if let Some(path) = states {
            let input = Input::read(&path)?;
            let wrong = |error| Error::explicit(&input, &error);
            read_states(&mut rewards, model.graph.num_states(), &input, wrong)?;
        }
        if let Some(path) = transitions {
            let input = Input::read(&path)?;
            let wrong = |error| Error::explicit(&input, &error);
            read_transitions(&mut rewards, model, &input, wrong)?;
        }
        Ok(rewards)
    });
    read.collect()
}

pub(super) fn options() -> ReadOptions<'static> {
    ReadOptions {
        interrupt: Some(interrupt::flag()),
        ..ReadOptions::default()
    }
}

/// Reads the rewards of states. `wrong` makes the error for the text.
pub(super) fn read_states(
    rewards: &mut Rewards,
    num_states: usize,
    text: &[u8],
    wrong: impl FnOnce(prism_explicit::Error) -> Error,
) -> Result<(), Error> {
    check_room("the rewards of states", &[8 * num_states])?;
    let mut amounts = Amounts::zeros(num_states);
    let mut kept = Ok(());
    let each = |state: u32, reward| {
        if kept.is_ok() {
            kept = amounts.try_set_reward(state as usize, reward);
        }
    };
    let name = read_state_rewards(text, num_states as u32, &options(), each).map_err(wrong)?;
    kept.map_err(|_| too_many_fractions(&amounts))?;
    rewards.name = rewards.name.take().or(name);
    rewards.states = Some(amounts);
    Ok(())
}

/// Reads the rewards of transitions. `wrong` makes the error for the text.
pub(super) fn read_transitions(
    rewards: &mut Rewards,
    model: &Model,
    text: &[u8],
    wrong: impl FnOnce(prism_explicit::Error) -> Error,
) -> Result<(), Error> {
    let graph = &model.graph;
    check_room("the rewards of branches", &[9 * graph.num_branches()])?;
    let mut amounts = Amounts::zeros(graph.num_branches());
    let mut given = mdp_graph::BitSet::new(graph.num_branches());
    let mut branches = Branches::new(graph);
    let mut kept = Ok(());
    let num_choices = (model.model_type.is_nondeterministic()).then(|| counted_choices(model));
    let mut impossible = BTreeSet::new();
    let each = |transition: RewardedTransition, reward| {
        let Some(branch) = branches.find(transition) else {
            // As in PRISM, branches that are never taken may have rewards.
            let is_known = model.choices.impossible.binary_search(&transition).is_ok();
            return match (is_known, is_known && impossible.insert(transition)) {
                (true, true) => Ok(()),
                (true, false) => Err(Refused::Twice),
                (false, _) => Err(Refused::Unknown),
            };
        };
        if !given.insert(branch) {
            return Err(Refused::Twice);
        }
        if kept.is_ok() {
            kept = amounts.try_set_reward(branch, reward);
        }
        Ok(())
    };
    let num_states = graph.num_states() as u32;
    let name =
        read_transition_rewards(text, num_states, num_choices, &options(), each).map_err(wrong)?;
    kept.map_err(|_| too_many_fractions(&amounts))?;
    rewards.name = rewards.name.take().or(name);
    rewards.branches = Some(amounts);
    Ok(())
}

/// Returns the numbers of choices that a file may give: without the self-loops that deadlocks were
/// given, with them, or between, as programs count them differently.
fn counted_choices(model: &Model) -> RangeInclusive<u64> {
    let all = model.graph.num_choices() as u64;
    let added = match model.has_added_loops() {
        true => model.construction.deadlocks,
        false => 0,
    };
    all - added..=all
}

/// Returns the error for rewards whose fractions do not fit in memory.
fn too_many_fractions(amounts: &Amounts) -> OutOfMemory {
    OutOfMemory {
        // A table that is full is copied to one of twice its size.
        bytes: 2 * amounts.bytes() as u64,
        what: "the rewards that are fractions",
    }
}
