//! Writes Aldebaran files, transition by transition.

use super::fractions::fraction_of;
use crate::labels::INTERNAL;
use crate::lts::Lts;
use std::io::{self, Write};

/// Writes an Aldebaran file.
///
/// ```
/// use lts_formats::AutWriter;
///
/// let mut text = Vec::new();
/// let mut writer = AutWriter::new(&mut text, &[(0, 1.0)], 2, 2)?;
/// writer.transition(0, "SEND !1", &[(1, 1.0)])?;
/// writer.transition(1, "i", &[(0, 0.25), (1, 0.75)])?;
/// writer.finish()?;
/// assert_eq!(text, b"des (0, 2, 2)\n(0, \"SEND !1\", 1)\n(1, i, 0 1/4 1)\n");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// Several threads can format a large LTS together: each fills [blocks](AutBlock), which are
/// [appended](Self::append) in order.
#[derive(Debug)]
pub struct AutWriter<W> {
    out: W,
    /// The number of transitions that are still to come, after those of `lines`.
    left: u64,
    lines: AutBlock,
}

/// The number of bytes that are collected before they are written.
const FULL: usize = 1 << 16;

impl<W: Write> AutWriter<W> {
    /// Writes the header: the initial states with their probabilities, and the numbers of
    /// transitions and states.
    ///
    /// # Errors
    ///
    /// Errors of `out`, and [`io::ErrorKind::InvalidInput`] if there is no initial state, or a
    /// probability cannot be written as a fraction.
    pub fn new(
        mut out: W,
        initial: &[(u32, f64)],
        num_transitions: u64,
        num_states: u32,
    ) -> io::Result<Self> {
        out.write_all(b"des (")?;
        let mut text = Vec::new();
        push_branches(&mut text, initial)?;
        out.write_all(&text)?;
        writeln!(out, ", {num_transitions}, {num_states})")?;
        Ok(Self {
            out,
            left: num_transitions,
            lines: AutBlock::default(),
        })
    }

    /// Writes a transition, with its label in quotation marks (except for the internal action), and
    /// its targets with their probabilities. The last target has the remaining probability.
    ///
    /// # Errors
    ///
    /// Errors of `out`, and [`io::ErrorKind::InvalidInput`] if there are more transitions than in
    /// the header, the label is empty or has a line end, there is no target, or a probability
    /// cannot be written as a fraction.
    pub fn transition(
        &mut self,
        source: u32,
        label: &str,
        targets: &[(u32, f64)],
    ) -> io::Result<()> {
        if self.lines.transitions == self.left {
            return Err(invalid("there are more transitions than the header says"));
        }
        self.lines.transition(source, label, targets)?;
        match self.lines.text.len() {
            ..FULL => Ok(()),
            _ => self.write_lines(),
        }
    }

    /// Writes a block of transitions.
    ///
    /// # Errors
    ///
    /// Errors of `out`, and [`io::ErrorKind::InvalidInput`] if there are more transitions than in
    /// the header.
    pub fn append(&mut self, block: AutBlock) -> io::Result<()> {
        self.write_lines()?;
        self.lines = block;
        self.write_lines()
    }

    fn write_lines(&mut self) -> io::Result<()> {
        let left = self.left.checked_sub(self.lines.transitions);
        self.left =
            left.ok_or_else(|| invalid("there are more transitions than the header says"))?;
        self.out.write_all(&self.lines.text)?;
        self.lines.transitions = 0;
        self.lines.text.clear();
        Ok(())
    }

    /// Ends the file, and returns the output.
    ///
    /// # Errors
    ///
    /// Errors of `out`, and [`io::ErrorKind::InvalidInput`] if there are fewer transitions than in
    /// the header.
    pub fn finish(mut self) -> io::Result<W> {
        self.write_lines()?;
        if self.left > 0 {
            return Err(invalid("there are fewer transitions than the header says"));
        }
        self.out.flush()?;
        Ok(self.out)
    }
}

/// The lines of some transitions, in memory.
#[derive(Debug, Default)]
pub struct AutBlock {
    text: Vec<u8>,
    transitions: u64,
}

impl AutBlock {
    /// Appends a transition, as [`AutWriter::transition`] does.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::InvalidInput`] if the label is empty or has a line end, there is no target,
    /// or a probability cannot be written as a fraction.
    pub fn transition(
        &mut self,
        source: u32,
        label: &str,
        targets: &[(u32, f64)],
    ) -> io::Result<()> {
        let text = &mut self.text;
        text.push(b'(');
        push_number(text, source);
        text.extend_from_slice(b", ");
        write_label(text, label)?;
        text.extend_from_slice(b", ");
        push_branches(text, targets)?;
        text.extend_from_slice(b")\n");
        self.transitions += 1;
        Ok(())
    }
}

impl Lts {
    /// Writes the LTS as an Aldebaran file, state by state.
    ///
    /// # Errors
    ///
    /// As [`AutWriter`].
    pub fn write_aut(&self, out: impl Write) -> io::Result<()> {
        let count = self.num_transitions() as u64;
        let mut writer = AutWriter::new(out, self.initial(), count, self.num_states())?;
        let mut branches = Vec::new();
        for transition in self.transitions() {
            branches.clear();
            let probabilities = transition.probabilities().iter().copied();
            let probabilities = probabilities.chain(std::iter::repeat(1.0));
            branches.extend(transition.targets().iter().copied().zip(probabilities));
            writer.transition(transition.source(), transition.label(), &branches)?;
        }
        writer.finish().map(drop)
    }
}

fn push_branches(text: &mut Vec<u8>, branches: &[(u32, f64)]) -> io::Result<()> {
    let Some((last, others)) = branches.split_last() else {
        return Err(invalid("there is no state"));
    };
    // Compared to a tiny probability, another one may be rounded to 1. Then it must be the
    // remaining one.
    let sum: f64 = others.iter().map(|&(_, probability)| probability).sum();
    if sum >= 1.0 {
        let most = others.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let most = most.unwrap_or(last);
        let others = branches.iter().filter(|branch| *branch != most);
        return push_all_but_last(text, others, most.0);
    }
    push_all_but_last(text, others, last.0)
}

/// Appends branches with their probabilities, and the state that has the remaining probability.
fn push_all_but_last<'b>(
    text: &mut Vec<u8>,
    others: impl IntoIterator<Item = &'b (u32, f64)>,
    last: u32,
) -> io::Result<()> {
    for &(state, probability) in others {
        let fraction = fraction_of(probability);
        let (numerator, denominator) = fraction
            .ok_or_else(|| invalid("a probability is no fraction of numbers below 2^128"))?;
        push_number(text, state);
        text.push(b' ');
        push_number(text, numerator);
        text.push(b'/');
        push_number(text, denominator);
        text.push(b' ');
    }
    push_number(text, last);
    Ok(())
}

/// Appends a number in decimal.
fn push_number(text: &mut Vec<u8>, number: impl itoa::Integer) {
    text.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Writes a label so that it can be read again, if it is alone on its line.
pub(crate) fn write_label(out: &mut (impl Write + ?Sized), label: &str) -> io::Result<()> {
    if label.is_empty() || label.contains('\n') {
        return Err(invalid("a label is empty, or has a line end"));
    }
    match label {
        INTERNAL => out.write_all(label.as_bytes()),
        _ => write!(out, "\"{label}\""),
    }
}

fn invalid(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
