//! The data lines of a transitions file, formatted in memory.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::choice::Choice;
use super::visit::TransitionsInfo;
use super::visitor::Visitor;
use super::write_options::WriteOptions;
use crate::dialect::Dialect;
use crate::text::{ValueTexts, push_number, push_shortest};
use model_type::ModelType;

/// What decides how the lines of a transitions file look. Copies share their tables, so several
/// threads can format [blocks](Self::block) of the same file.
#[derive(Debug, Clone)]
pub struct LineFormat {
    options: WriteOptions,
    model_type: ModelType,
    /// The observation of each state, in a POMDP.
    observations: Arc<[u32]>,
    /// Whether a line has the observation of each state, in a POMDP.
    is_said: Arc<[AtomicBool]>,
}

impl LineFormat {
    /// Returns an empty block for the lines of these states. The block must receive their choices
    /// in order.
    #[must_use]
    pub fn block(&self, states: Range<u32>) -> TransitionsBlock {
        TransitionsBlock::new(self.clone(), states)
    }

    pub(super) fn new(options: WriteOptions, info: &TransitionsInfo) -> Self {
        let observations: Arc<[u32]> = match &info.observations {
            Some(observations) if info.model_type.has_observations() => {
                observations.of_states.as_slice().into()
            }
            _ => Arc::default(),
        };
        let is_said = observations.iter().map(|_| AtomicBool::new(false));
        let format = Self {
            options,
            model_type: info.model_type,
            is_said: is_said.collect(),
            observations,
        };
        info.initial_states
            .iter()
            .for_each(|&state| format.say(state));
        format
    }

    /// Notes that a line has the observation of a state.
    fn say(&self, state: u32) {
        if let Some(is_said) = self.is_said.get(state as usize) {
            is_said.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the first state of a POMDP whose observation is in no line.
    pub(super) fn first_unsaid(&self) -> Option<usize> {
        let mut all = self.is_said.iter();
        all.position(|is_said| !is_said.load(Ordering::Relaxed))
    }
}

/// The lines of choices that follow one another.
#[derive(Debug)]
pub(super) struct Lines {
    format: LineFormat,
    text: Vec<u8>,
    values: ValueTexts,
    /// The smallest state whose lines may come next.
    next_state: u32,
    deadlocks: u32,
}

impl Lines {
    /// Returns no lines yet, for choices of this state or later ones.
    pub(super) fn new(format: LineFormat, first_state: u32) -> Self {
        Self {
            format,
            text: Vec::new(),
            values: ValueTexts::new(push_shortest),
            next_state: first_state,
            deadlocks: 0,
        }
    }

    pub(super) fn format(&self) -> &LineFormat {
        &self.format
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Forgets the text, which was written.
    pub(super) fn clear(&mut self) {
        self.text.clear();
    }

    /// Returns the number of deadlock states that were given a self-loop.
    pub(super) fn deadlocks(&self) -> u32 {
        self.deadlocks
    }

    /// Goes on after other lines, which were written.
    pub(super) fn come_after(&mut self, lines: &Self) {
        self.next_state = lines.next_state;
        self.deadlocks += lines.deadlocks;
    }

    /// Appends the lines of a choice, after those of deadlocks before it.
    pub(super) fn push(&mut self, choice: &Choice<'_>) -> io::Result<()> {
        self.skip_to(choice.state)?;
        self.next_state = choice.state + 1;
        let LineFormat {
            options,
            model_type,
            ..
        } = self.format;
        let has_values = model_type != ModelType::Lts || options.dialect == Dialect::Storm;
        let has_actions = options.has_actions(model_type);
        for (branch, (&target, &value)) in choice.targets.iter().zip(choice.values).enumerate() {
            push_number(&mut self.text, choice.state);
            if model_type.is_nondeterministic() {
                self.text.push(b' ');
                push_number(&mut self.text, choice.index);
            }
            self.text.push(b' ');
            push_number(&mut self.text, target);
            if has_values {
                self.text.push(b' ');
                match model_type.has_intervals() {
                    true => {
                        let lower = choice.lower.get(branch).copied().unwrap_or(value);
                        self.push_interval(lower, value);
                    }
                    false => self.values.push(&mut self.text, value),
                }
            }
            if let Some(&seen) = self.format.observations.get(target as usize) {
                self.text.push(b' ');
                push_number(&mut self.text, seen);
                self.format.say(target);
            }
            let of_branch = choice.branch_actions.get(branch).copied().flatten();
            if let Some(action) = choice.action.or(of_branch).filter(|_| has_actions) {
                self.text.push(b' ');
                self.text.extend_from_slice(action.as_bytes());
            }
            self.text.push(b'\n');
        }
        Ok(())
    }

    /// Appends self-loops for the states from the next one up to, not including, `state`, which
    /// have no choices, if the dialect needs them.
    pub(super) fn skip_to(&mut self, state: u32) -> io::Result<()> {
        let first = self.next_state;
        self.next_state = first.max(state);
        if self.format.options.dialect == Dialect::Prism {
            return Ok(());
        }
        for deadlock in first..state {
            if !self.format.options.fix_deadlocks {
                let reason =
                    format!("state {deadlock} has no choice, which Storm's format cannot express");
                return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
            }
            push_number(&mut self.text, deadlock);
            if self.format.model_type.is_nondeterministic() {
                self.text.extend_from_slice(b" 0");
            }
            self.text.push(b' ');
            push_number(&mut self.text, deadlock);
            self.text.extend_from_slice(b" 1\n");
            self.deadlocks += 1;
        }
        Ok(())
    }

    /// Appends an interval in the format of PRISM.
    fn push_interval(&mut self, lower: f64, upper: f64) {
        self.text.push(b'[');
        self.values.push(&mut self.text, lower);
        self.text.push(b',');
        self.values.push(&mut self.text, upper);
        self.text.push(b']');
    }
}

/// The lines of a range of states, in memory. It is a [`Visitor`] that receives their choices.
#[derive(Debug)]
pub struct TransitionsBlock {
    lines: Lines,
    states: Range<u32>,
    outcome: io::Result<()>,
}

impl TransitionsBlock {
    /// Returns a block without lines yet.
    fn new(format: LineFormat, states: Range<u32>) -> Self {
        Self {
            lines: Lines::new(format, states.start),
            states,
            outcome: Ok(()),
        }
    }

    /// Returns the lines of all states of the block.
    pub(super) fn finish(mut self) -> io::Result<Lines> {
        self.outcome?;
        self.lines.skip_to(self.states.end)?;
        Ok(self.lines)
    }
}

impl Visitor for TransitionsBlock {
    fn choice(&mut self, choice: Choice<'_>) {
        if self.outcome.is_ok() {
            self.outcome = self.lines.push(&choice);
        }
    }
}
