//! Rewards in files beside explicit transitions: Y.srew and Y.trew beside Y.tra, numbered if there
//! are several structures, as PRISM does.

use super::names;
use crate::error::Error;
use crate::load::Model;
use crate::output;
use crate::rewards::Rewards;
use mdp_graph::StateId;
use prism_explicit::{
    Dialect, RewardedTransition, is_reward_structure, write_state_rewards, write_transition_rewards,
};
use std::path::{Path, PathBuf};

/// Writes all reward structures of a model that is written to `out`. Returns the files.
pub(super) fn write(model: &Model, dialect: Dialect, out: &Path) -> Result<Vec<PathBuf>, Error> {
    if model.rewards.is_empty() {
        return Ok(Vec::new());
    }
    if dialect == Dialect::Storm {
        tracing::warn!(
            "left out: rewards, which stand in files of another form in Storm's dialect"
        );
        return Ok(Vec::new());
    }
    warn_of_fractions(&model.rewards);
    // Before the first file is written, which would be left if a later one could not be.
    let kept = names::with_names_that_fit(&model.rewards, is_reward_structure);
    let mut files = Vec::new();
    for (number, &rewards) in (1..).zip(&kept) {
        let named = match kept.len() {
            1 => out.to_owned(),
            _ => numbered(out, number),
        };
        let name = rewards.name.as_deref();
        if let Some(states) = &rewards.states {
            let path = output::beside(&named, "srew");
            output::write(Some(&path), |out| {
                write_state_rewards(out, name, &states.values)
            })?;
            files.push(path);
        }
        if rewards.choices.is_some() || rewards.branches.is_some() {
            let path = output::beside(&named, "trew");
            let graph = &model.graph;
            let has_choices = model.model_type.is_nondeterministic();
            let choices = has_choices.then_some(graph.num_choices() as u64);
            let counts = (graph.num_states() as u32, choices);
            output::write(Some(&path), |out| {
                write_transition_rewards(out, name, counts, || transitions(model, rewards))
            })?;
            files.push(path);
        }
    }
    Ok(files)
}

/// Warns if a format that has doubles alone rounds some of these.
pub(super) fn warn_of_fractions(rewards: &[Rewards]) {
    if !rewards.iter().all(Rewards::are_decimals) {
        tracing::warn!("rewards that are fractions are rounded");
    }
}

/// Y7.tra for Y.tra and 7.
fn numbered(out: &Path, number: u32) -> PathBuf {
    let name = out.file_name().unwrap_or_default().to_string_lossy();
    let (stem, ending) = name.split_once('.').unwrap_or((&name, "tra"));
    out.with_file_name(format!("{stem}{number}.{ending}"))
}

/// All branches that earn something, by themselves or by their choices.
fn transitions<'m>(
    model: &'m Model,
    rewards: &'m Rewards,
) -> impl Iterator<Item = (RewardedTransition, f64)> + 'm {
    let graph = &model.graph;
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
