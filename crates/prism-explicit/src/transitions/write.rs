//! Writes transitions files: a visitor that writes choices as lines, so that a model can be
//! converted without being held in memory.

use std::io::{self, Write};

use super::choice::Choice;
use super::lines::{LineFormat, Lines, TransitionsBlock};
use super::model::Transitions;
use super::visit::TransitionsInfo;
use super::visitor::Visitor;
use super::write_options::WriteOptions;
use crate::dialect::Dialect;
use crate::text::FULL;
use model_type::ModelType;

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
///
/// Several threads can format a large model together: each formats [blocks](LineFormat::block)
/// of states, and the blocks are [appended](Self::append) in order.
#[derive(Debug)]
pub struct TransitionsWriter<W: Write> {
    out: W,
    num_states: u32,
    lines: Lines,
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
        let format = LineFormat::new(options, info);
        Ok(Self {
            out,
            num_states: info.num_states,
            lines: Lines::new(format, 0),
            outcome: Ok(()),
        })
    }

    /// Returns what other threads need to format blocks of states for this file.
    pub fn line_format(&self) -> LineFormat {
        self.lines.format().clone()
    }

    /// Writes a block, whose states must be those that come next.
    ///
    /// # Errors
    ///
    /// Errors of the output, and [`io::ErrorKind::InvalidInput`] if there are deadlock states in
    /// the block that may not be given a self-loop.
    pub fn append(&mut self, block: TransitionsBlock) -> io::Result<()> {
        self.write_lines()?;
        let lines = block.finish()?;
        self.out.write_all(lines.text())?;
        self.lines.come_after(&lines);
        Ok(())
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
        self.lines.skip_to(self.num_states)?;
        self.write_lines()?;
        if let Some(state) = self.lines.format().first_unsaid() {
            let reason = format!("no line leads to state {state}, and could say its observation");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        self.out.flush()?;
        Ok(self.lines.deadlocks())
    }

    fn write_choice(&mut self, choice: &Choice<'_>) -> io::Result<()> {
        self.lines.push(choice)?;
        match self.lines.text().len() {
            ..FULL => Ok(()),
            _ => self.write_lines(),
        }
    }

    fn write_lines(&mut self) -> io::Result<()> {
        self.out.write_all(self.lines.text())?;
        self.lines.clear();
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
