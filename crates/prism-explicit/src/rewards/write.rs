//! Writes rewards files. Several threads can make the lines of one file, as blocks that are written
//! in order after its heading.

use std::io::{self, Write};

use super::transition::RewardedTransition;
use crate::text::{FULL, ValueTexts, push_decimal, push_number};

/// Writes a file of state rewards. Rewards that are 0 are left out.
///
/// # Errors
///
/// Errors of the output.
pub fn write_state_rewards(
    mut out: impl Write,
    name: Option<&str>,
    rewards: &[f64],
) -> io::Result<()> {
    let earning = || (0..).zip(rewards).filter(|&(_, reward)| *reward != 0.0);
    let (num_states, lines) = (rewards.len() as u32, earning().count() as u64);
    write_state_rewards_heading(&mut out, name, num_states, lines)?;
    let mut block = RewardsBlock::new();
    for (state, &reward) in earning() {
        block.push_state(state, reward);
        block.write_if_full(&mut out)?;
    }
    out.write_all(block.text())?;
    out.flush()
}

/// Writes a file of transition rewards. `counts` are the numbers of states and, unless the model is
/// a Markov chain, of choices. `lines` returns all transitions that have a reward, and may be
/// called more than once.
///
/// # Errors
///
/// Errors of the output.
pub fn write_transition_rewards<I: Iterator<Item = (RewardedTransition, f64)>>(
    mut out: impl Write,
    name: Option<&str>,
    counts: (u32, Option<u64>),
    lines: impl Fn() -> I,
) -> io::Result<()> {
    write_transition_rewards_heading(&mut out, name, counts, lines().count() as u64)?;
    let has_choices = counts.1.is_some();
    let mut block = RewardsBlock::new();
    for (transition, reward) in lines() {
        block.push_transition(transition, has_choices, reward);
        block.write_if_full(&mut out)?;
    }
    out.write_all(block.text())?;
    out.flush()
}

/// Writes the beginning of a file of state rewards, for a model of this many states. This many
/// lines follow.
///
/// # Errors
///
/// Errors of the output.
pub fn write_state_rewards_heading(
    mut out: impl Write,
    name: Option<&str>,
    num_states: u32,
    lines: u64,
) -> io::Result<()> {
    write_headings(&mut out, name, "State rewards")?;
    writeln!(out, "{num_states} {lines}")
}

/// Writes the beginning of a file of transition rewards. `counts` are the numbers of states and,
/// unless the model is a Markov chain, of choices. This many lines follow.
///
/// # Errors
///
/// Errors of the output.
pub fn write_transition_rewards_heading(
    mut out: impl Write,
    name: Option<&str>,
    counts: (u32, Option<u64>),
    lines: u64,
) -> io::Result<()> {
    let (num_states, num_choices) = counts;
    write_headings(&mut out, name, "Transition rewards")?;
    let choices = num_choices.map_or_else(String::new, |choices| format!(" {choices}"));
    writeln!(out, "{num_states}{choices} {lines}")
}

/// Some lines of a rewards file, in memory. So several threads can make the lines of one file,
/// which are written in order after its heading.
///
/// ```
/// use prism_explicit::{RewardsBlock, write_state_rewards_heading};
///
/// let mut file = Vec::new();
/// write_state_rewards_heading(&mut file, Some("steps"), 9, 2)?;
/// for (state, reward) in [(0, 1.0), (7, 2.5)] {
///     let mut block = RewardsBlock::new();
///     block.push_state(state, reward);
///     file.extend_from_slice(block.text());
/// }
/// let lines = b"# Reward structure \"steps\"\n# State rewards\n9 2\n0 1\n7 2.5\n";
/// assert_eq!(file, lines);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct RewardsBlock {
    text: Vec<u8>,
    rewards: ValueTexts,
}

impl Default for RewardsBlock {
    fn default() -> Self {
        Self::new()
    }
}

impl RewardsBlock {
    /// Returns a block without lines.
    #[must_use]
    pub fn new() -> Self {
        Self {
            text: Vec::new(),
            rewards: ValueTexts::new(push_decimal),
        }
    }

    /// Appends the line of a state.
    pub fn push_state(&mut self, state: u32, reward: f64) {
        push_number(&mut self.text, state);
        self.end(reward);
    }

    /// Appends the line of a transition, with the index of its choice unless the model is a Markov
    /// chain.
    pub fn push_transition(
        &mut self,
        transition: RewardedTransition,
        has_choices: bool,
        reward: f64,
    ) {
        push_number(&mut self.text, transition.state);
        if has_choices {
            self.text.push(b' ');
            push_number(&mut self.text, transition.choice);
        }
        self.text.push(b' ');
        push_number(&mut self.text, transition.target);
        self.end(reward);
    }

    /// Ends a line with a reward.
    fn end(&mut self, reward: f64) {
        self.text.push(b' ');
        self.rewards.push(&mut self.text, reward);
        self.text.push(b'\n');
    }

    /// Returns the lines.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Writes and forgets the lines if they are many.
    fn write_if_full(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.text.len() >= FULL {
            out.write_all(&self.text)?;
            self.text.clear();
        }
        Ok(())
    }
}

/// Returns whether the name of a reward structure can be written: it must be one line without
/// quotation marks.
#[must_use]
pub fn is_reward_structure(name: &str) -> bool {
    !name.contains(['"', '\n', '\r'])
}

fn write_headings(out: &mut impl Write, name: Option<&str>, what: &str) -> io::Result<()> {
    let name = name.unwrap_or_default();
    if !is_reward_structure(name) {
        let reason = format!("reward structure {name:?} cannot be written");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    writeln!(out, "# Reward structure \"{name}\"\n# {what}")
}
