//! Rewards in files beside explicit transitions: Y.srew and Y.trew beside Y.tra, numbered if there
//! are several structures, as PRISM does.

use super::names;
use crate::error::Error;
use crate::files;
use crate::input;
use crate::model::Model;
use crate::model::rewards::Rewards;
use crate::output::{self, Outputs};
use mdp_graph::{MdpGraph, StateId};
use prism_explicit::{
    Dialect, RewardedTransition, is_reward_structure, write_state_rewards, write_transition_rewards,
};
use std::path::{Path, PathBuf};

/// A file of rewards.
pub(super) struct RewardFile<'m> {
    path: PathBuf,
    rewards: &'m Rewards,
    of: Earning,
}

/// The elements that have the rewards of a file: states, or transitions.
#[derive(Clone, Copy)]
enum Earning {
    States,
    Transitions,
}

impl Earning {
    fn ending(self) -> &'static str {
        match self {
            Self::States => "srew",
            Self::Transitions => "trew",
        }
    }
}

/// Returns the files of all reward structures of a model that is written to `out`.
///
/// # Errors
/// One of them cannot be written, or belongs to another model. The caller learns that before it
/// writes the first file.
pub(super) fn files<'m>(
    model: &'m Model,
    dialect: Dialect,
    out: &Path,
) -> Result<Vec<RewardFile<'m>>, Error> {
    if model.rewards.is_empty() {
        return Ok(Vec::new());
    }
    if dialect == Dialect::Storm {
        tracing::warn!("left out: rewards, whose files have another form in Storm's dialect");
        return Ok(Vec::new());
    }
    warn_of_fractions(&model.rewards);
    let kept = names::with_names_that_fit(&model.rewards, is_reward_structure);
    let mut files = Vec::new();
    for (number, &rewards) in (1..).zip(&kept) {
        let named = match kept.len() {
            1 => out.to_owned(),
            _ => input::numbered(out, number),
        };
        let of_transitions = rewards.choices.is_some() || rewards.branches.is_some();
        let all = [
            (Earning::States, rewards.states.is_some()),
            (Earning::Transitions, of_transitions),
        ];
        for (of, _) in all.into_iter().filter(|&(_, is_there)| is_there) {
            let path = output::beside(&named, of.ending());
            if named != out {
                files::write("rewards beside OUT", Some(&path))?;
            }
            if named != out && named.exists() {
                return Err(Error::Usage(format!(
                    "{} would go beside another model, {}: name another file",
                    path.display(),
                    named.display()
                )));
            }
            files.push(RewardFile { path, rewards, of });
        }
    }
    Ok(files)
}

/// Writes files of rewards. Returns their names.
pub(super) fn write(
    model: &Model,
    outputs: &mut Outputs,
    files: Vec<RewardFile<'_>>,
) -> Result<Vec<PathBuf>, Error> {
    let write = |RewardFile { path, rewards, of }: RewardFile<'_>| {
        let name = rewards.name.as_deref();
        outputs.write(&path, |out| match (of, &rewards.states) {
            (Earning::States, Some(states)) => write_state_rewards(out, name, &states.values),
            _ => {
                let has_choices = model.model_type.is_nondeterministic();
                let choices = has_choices.then_some(model.graph.num_choices() as u64);
                let counts = (model.graph.num_states() as u32, choices);
                write_transition_rewards(out, name, counts, || transitions(&model.graph, rewards))
            }
        })?;
        Ok(path)
    };
    files.into_iter().map(write).collect()
}

/// Warns if a format that stores only doubles rounds some of the rewards.
pub(super) fn warn_of_fractions(rewards: &[Rewards]) {
    if !rewards.iter().all(Rewards::are_decimals) {
        tracing::warn!("rewards that are fractions are rounded");
    }
}

/// Returns all branches that have a reward, of their own or through their choices.
fn transitions<'m>(
    graph: &'m MdpGraph,
    rewards: &'m Rewards,
) -> impl Iterator<Item = (RewardedTransition, f64)> + 'm {
    let of_choice = |choice: usize| {
        rewards
            .choices
            .as_ref()
            .map_or(0.0, |all| all.values[choice])
    };
    let of_branch = |branch: usize| {
        rewards
            .branches
            .as_ref()
            .map_or(0.0, |all| all.values[branch])
    };
    let all = graph.states().flat_map(move |state: StateId| {
        let choices = (0u32..).zip(graph.choice_range(state));
        choices.flat_map(move |(index, choice)| {
            let offsets = graph.branch_offsets();
            let branches = offsets[choice] as usize..offsets[choice + 1] as usize;
            branches.map(move |branch| {
                let transition = RewardedTransition {
                    state: state.0,
                    choice: index,
                    target: graph.all_targets()[branch].0,
                };
                (transition, of_choice(choice) + of_branch(branch))
            })
        })
    });
    all.filter(|&(_, reward)| reward != 0.0)
}
