//! Rewards in files beside explicit transitions: Y.srew and Y.trew beside Y.tra, numbered if there
//! are several structures, as PRISM does.

use super::{blocks, names};
use crate::error::Error;
use crate::files;
use crate::input;
use crate::model::Model;
use crate::model::rewards::Rewards;
use crate::output::{self, Outputs};
use mdp_graph::{MdpGraph, StateId};
use prism_explicit::{
    Dialect, RewardedTransition, RewardsBlock, is_reward_structure, write_state_rewards_heading,
    write_transition_rewards_heading,
};
use rayon::prelude::*;
use std::io::{self, Write};
use std::ops::Range;
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
            (Earning::States, Some(states)) => write_states(out, name, &states.values),
            _ => write_transitions(out, name, model, rewards),
        })?;
        Ok(path)
    };
    files.into_iter().map(write).collect()
}

/// Writes the rewards of states. All threads make the lines.
fn write_states(
    out: &mut (dyn Write + Send),
    name: Option<&str>,
    rewards: &[f64],
) -> io::Result<()> {
    let earns = |reward: &f64| *reward != 0.0;
    let lines = rewards.par_iter().filter(|reward| earns(reward)).count();
    let num_states = rewards.len() as u32;
    write_state_rewards_heading(&mut *out, name, num_states, lines as u64)?;
    let make = |states: Range<u32>| {
        let mut block = RewardsBlock::new();
        let own = &rewards[states.start as usize..states.end as usize];
        for (state, &reward) in states.zip(own).filter(|(_, reward)| earns(reward)) {
            block.push_state(state, reward);
        }
        block
    };
    blocks::in_order(&blocks::by_states(num_states), make, |block| {
        out.write_all(block.text())
    })
}

/// Writes the rewards of transitions: their own and those of their choices. All threads make the
/// lines.
fn write_transitions(
    out: &mut (dyn Write + Send),
    name: Option<&str>,
    model: &Model,
    rewards: &Rewards,
) -> io::Result<()> {
    let graph = &model.graph;
    let has_choices = model.model_type.is_nondeterministic();
    let choices = has_choices.then_some(graph.num_choices() as u64);
    let ranges = blocks::by_branches(graph);
    let count = |states: &Range<u32>| transitions(graph, rewards, states.clone()).count() as u64;
    let lines = ranges.par_iter().map(count).sum();
    let counts = (graph.num_states() as u32, choices);
    write_transition_rewards_heading(&mut *out, name, counts, lines)?;
    let make = |states: Range<u32>| {
        let mut block = RewardsBlock::new();
        for (transition, reward) in transitions(graph, rewards, states) {
            block.push_transition(transition, has_choices, reward);
        }
        block
    };
    blocks::in_order(&ranges, make, |block| out.write_all(block.text()))
}

/// Warns if a format that stores only doubles rounds some of the rewards.
pub(super) fn warn_of_fractions(rewards: &[Rewards]) {
    if !rewards.iter().all(Rewards::are_decimals) {
        tracing::warn!("rewards that are fractions are rounded");
    }
}

/// Returns all branches of some states that have a reward, of their own or through their choices.
fn transitions<'m>(
    graph: &'m MdpGraph,
    rewards: &'m Rewards,
    states: Range<u32>,
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
    let all = states.map(StateId).flat_map(move |state| {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::rewards::Amounts;
    use prism_explicit::{ModelType, write_state_rewards, write_transition_rewards};
    use proptest::prelude::*;

    /// The rewards of a number of elements, of which some have none.
    fn amounts(count: usize, seed: usize) -> Amounts {
        let amount = |i: usize| match (i + seed) % 5 {
            0 | 1 => 0.0,
            _ => ((i * 7 + seed) % 1000) as f64 / 8.0 - 9.0,
        };
        (0..count).map(amount).collect::<Vec<f64>>().into()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

        /// There are more states than a block has lines, so several threads make the files.
        #[test]
        fn blocks_are_those_of_one_thread(
            num_states in prop_oneof![0..40usize, 16_300..60_000usize],
            seed in 0..99usize,
            (is_chain, of_choices, of_branches) in any::<(bool, bool, bool)>(),
        ) {
            let states = amounts(num_states, seed).values;
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            write_state_rewards(&mut expected, Some("r"), &states).expect("memory");
            super::write_states(&mut found, Some("r"), &states).expect("memory");
            prop_assert!(found == expected);

            let row = |state: usize| -> Vec<Vec<u32>> {
                let target = |i: usize| (state * (seed + 1) + i) as u32 % num_states as u32;
                let choices = if is_chain { 1 } else { (state + seed) % 3 };
                (0..choices).map(|choice| vec![target(choice)]).collect()
            };
            let rows: Vec<Vec<Vec<u32>>> = (0..num_states).map(row).collect();
            let graph = MdpGraph::from_choices(&rows).expect("a graph");
            let model_type = if is_chain { ModelType::Dtmc } else { ModelType::Mdp };
            let rewards = Rewards {
                choices: of_choices.then(|| amounts(graph.num_choices(), seed)),
                branches: of_branches.then(|| amounts(graph.num_branches(), seed / 2)),
                ..Rewards::default()
            };
            let model = Model::bare(graph, model_type);
            let graph = &model.graph;
            let counts = (num_states as u32, (!is_chain).then_some(graph.num_choices() as u64));
            let lines = || transitions(graph, &rewards, 0..num_states as u32);
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            write_transition_rewards(&mut expected, None, counts, lines).expect("memory");
            super::write_transitions(&mut found, None, &model, &rewards).expect("memory");
            prop_assert!(found == expected);
        }
    }
}
