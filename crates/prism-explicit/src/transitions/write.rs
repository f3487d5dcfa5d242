//! Writes transitions files: a visitor that writes choices as lines, so that a model can be
//! converted without being held in memory.

use std::io::{self, Write};

use super::choice::Choice;
use super::model::Transitions;
use super::visit::TransitionsInfo;
use super::visitor::Visitor;
use crate::dialect::Dialect;
use model_type::ModelType;

/// The options of writing a transitions file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteOptions {
    /// The dialect of the file.
    pub dialect: Dialect,
    /// In PRISM's dialect, whether to begin with `# Transitions (TYPE)`, as PRISM does since 2026.
    /// Default: true.
    pub heading: bool,
    /// In Storm's dialect, whether states without a choice get a self-loop, because the format
    /// cannot express them in another way. If not, they are an error. Default: true.
    pub fix_deadlocks: bool,
}

impl WriteOptions {
    /// Returns the default options of a dialect.
    #[must_use]
    pub fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            heading: true,
            fix_deadlocks: true,
        }
    }

    /// Returns whether the lines of such a model have actions. Storm refuses actions in a Markov
    /// chain.
    #[must_use]
    pub fn has_actions(&self, model_type: ModelType) -> bool {
        self.dialect == Dialect::Prism || model_type.is_nondeterministic()
    }
}

/// Writes a transitions file from choices, which it must receive in order.
///
/// In an interval model, a branch without a lower bound has an interval whose two bounds are its
/// value.
///
/// It is a [`Visitor`], so a file can be converted without holding its model in memory: read it
/// once to check it and to count its choices, and then [in order](crate::visit_in_order) into the
/// writer. Because a visitor cannot return errors, an error of the output is returned by
/// [`finish`](Self::finish).
///
/// ```
/// use prism_explicit::{Dialect, ReadOptions, TransitionsWriter, WriteOptions};
/// use prism_explicit::{visit_in_order, visit_transitions};
///
/// let text = b"2 1 2\n0 0 0 0.5 go\n0 0 1 0.5 go\n";
/// let options = ReadOptions::default();
/// let info = visit_transitions(text, &options, |_, _| ())?.info;
///
/// let mut storm = Vec::new();
/// let mut writer = TransitionsWriter::new(&mut storm, WriteOptions::new(Dialect::Storm), &info)?;
/// visit_in_order(text, &options, &mut writer)?;
/// assert_eq!(writer.finish()?, 1); // state 1 had no choice
/// assert_eq!(storm, b"mdp\n0 0 0 0.5 go\n0 0 1 0.5 go\n1 0 1 1\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TransitionsWriter<W: Write> {
    out: W,
    options: WriteOptions,
    model_type: ModelType,
    num_states: u32,
    /// The observation of each state, in a POMDP.
    observations: Vec<u32>,
    /// Whether a line has the observation of each state, in a POMDP.
    is_said: Vec<bool>,
    /// The smallest state whose lines may come next.
    next_state: u32,
    deadlocks: u32,
    outcome: io::Result<()>,
}

impl<W: Write> TransitionsWriter<W> {
    /// Writes the lines before the data lines. The counts come from `info`, and the dialect from
    /// `options`.
    ///
    /// Storm does not support labelled transition systems, which are written as MDPs whose choices
    /// have probability 1. It does not support actions in Markov chains either, which are left out.
    ///
    /// # Errors
    ///
    /// Errors of the output, and [`io::ErrorKind::InvalidInput`] for observations and intervals in
    /// Storm's dialect.
    pub fn new(mut out: W, options: WriteOptions, info: &TransitionsInfo) -> io::Result<Self> {
        match options.dialect {
            Dialect::Prism => write_prism_header(&mut out, options, info)?,
            Dialect::Storm if info.model_type.has_observations() => {
                let reason = "Storm's format cannot hold observations";
                return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
            }
            Dialect::Storm if info.model_type.has_intervals() => {
                let reason = "Storm's format cannot hold intervals of probabilities";
                return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
            }
            Dialect::Storm => {
                let word = match info.model_type {
                    ModelType::Lts => ModelType::Mdp.name(),
                    other => other.name(),
                };
                writeln!(out, "{word}")?;
            }
        }
        let observations = match &info.observations {
            Some(observations) if info.model_type.has_observations() => {
                observations.of_states.clone()
            }
            _ => Vec::new(),
        };
        let mut is_said = vec![false; observations.len()];
        for &state in &info.initial_states {
            is_said
                .iter_mut()
                .skip(state as usize)
                .take(1)
                .for_each(|said| *said = true);
        }
        Ok(Self {
            out,
            options,
            model_type: info.model_type,
            num_states: info.num_states,
            observations,
            is_said,
            next_state: 0,
            deadlocks: 0,
            outcome: Ok(()),
        })
    }

    /// Ends the file. Returns the number of deadlock states that were given a self-loop.
    ///
    /// # Errors
    ///
    /// The first error of the output, or [`io::ErrorKind::InvalidInput`] if there are deadlock
    /// states that may not be given a self-loop, or a state of a POMDP that is not initial and that
    /// no branch leads to, so that no line has its observation.
    pub fn finish(mut self) -> io::Result<u32> {
        std::mem::replace(&mut self.outcome, Ok(()))?;
        self.skip_to(self.num_states)?;
        if let Some(state) = self.is_said.iter().position(|said| !said) {
            let reason = format!("no line leads to state {state}, and could say its observation");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        self.out.flush()?;
        Ok(self.deadlocks)
    }

    fn write_choice(&mut self, choice: &Choice<'_>) -> io::Result<()> {
        self.skip_to(choice.state)?;
        self.next_state = choice.state + 1;
        for (branch, (target, &value)) in choice.targets.iter().zip(choice.values).enumerate() {
            write!(self.out, "{} ", choice.state)?;
            if self.model_type.is_nondeterministic() {
                write!(self.out, "{} ", choice.index)?;
            }
            write!(self.out, "{target}")?;
            if self.model_type != ModelType::Lts || self.options.dialect == Dialect::Storm {
                self.out.write_all(b" ")?;
                match self.model_type.has_intervals() {
                    true => {
                        let lower = choice.lower.get(branch).copied().unwrap_or(value);
                        write_interval(&mut self.out, lower, value)?;
                    }
                    false => write_value(&mut self.out, value)?,
                }
            }
            if let Some(seen) = self.observations.get(*target as usize) {
                write!(self.out, " {seen}")?;
                self.is_said[*target as usize] = true;
            }
            let of_branch = choice.branch_actions.get(branch).copied().flatten();
            let action = choice.action.or(of_branch);
            if let Some(action) = action.filter(|_| self.options.has_actions(self.model_type)) {
                write!(self.out, " {action}")?;
            }
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }

    /// Writes self-loops for the states from the next one up to, not including, `state`, which have
    /// no choices, if the dialect needs them.
    fn skip_to(&mut self, state: u32) -> io::Result<()> {
        if self.options.dialect == Dialect::Prism {
            return Ok(());
        }
        for deadlock in self.next_state..state {
            if !self.options.fix_deadlocks {
                let reason =
                    format!("state {deadlock} has no choice, which Storm's format cannot express");
                return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
            }
            let index = if self.model_type.is_nondeterministic() {
                " 0"
            } else {
                ""
            };
            writeln!(self.out, "{deadlock}{index} {deadlock} 1")?;
            self.deadlocks += 1;
        }
        Ok(())
    }
}

impl<W: Write + Send> Visitor for TransitionsWriter<W> {
    fn choice(&mut self, choice: Choice<'_>) {
        if self.outcome.is_ok() {
            self.outcome = self.write_choice(&choice);
        }
    }
}

fn write_prism_header(
    out: &mut impl Write,
    options: WriteOptions,
    info: &TransitionsInfo,
) -> io::Result<()> {
    if options.heading {
        writeln!(out, "# Transitions ({})", info.model_type)?;
    }
    write!(out, "{} ", info.num_states)?;
    if info.model_type.is_nondeterministic() {
        write!(out, "{} ", info.num_choices)?;
    }
    write!(out, "{}", info.num_transitions)?;
    let observations = info.observations.as_ref();
    if let Some(seen) = observations {
        write!(out, " {}", seen.count)?;
    }
    writeln!(out)?;
    for &state in &info.initial_states {
        match observations {
            Some(seen) => writeln!(out, "- - {state} - {}", seen.of_states[state as usize])?,
            None => writeln!(out, "- - {state} -")?,
        }
    }
    Ok(())
}

/// Writes an interval in the format of PRISM.
fn write_interval(out: &mut impl Write, lower: f64, upper: f64) -> io::Result<()> {
    out.write_all(b"[")?;
    write_value(out, lower)?;
    out.write_all(b",")?;
    write_value(out, upper)?;
    out.write_all(b"]")
}

/// Writes the shortest decimal that is read as this value, with an exponent if it is far from 1.
fn write_value(out: &mut impl Write, value: f64) -> io::Result<()> {
    if value == 0.0 || (1e-5..1e16).contains(&value) {
        write!(out, "{value}")
    } else {
        write!(out, "{value:e}")
    }
}

impl Transitions {
    /// Writes the model. Returns the number of deadlock states that were given a self-loop, which
    /// is 0 in PRISM's dialect.
    ///
    /// # Errors
    ///
    /// Errors of the output, and deadlock states that [`WriteOptions::fix_deadlocks`] does not
    /// permit.
    pub fn write(&self, out: impl Write + Send, options: WriteOptions) -> io::Result<u32> {
        let mut writer = TransitionsWriter::new(out, options, self.info())?;
        self.visit(&mut writer);
        writer.finish()
    }
}
