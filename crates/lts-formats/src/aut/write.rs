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
#[derive(Debug)]
pub struct AutWriter<W> {
    out: W,
    left: u64,
}

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
        write_branches(&mut out, initial)?;
        writeln!(out, ", {num_transitions}, {num_states})")?;
        let left = num_transitions;
        Ok(Self { out, left })
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
        let left = self.left.checked_sub(1);
        self.left =
            left.ok_or_else(|| invalid("there are more transitions than the header says"))?;
        write!(self.out, "({source}, ")?;
        write_label(&mut self.out, label)?;
        self.out.write_all(b", ")?;
        write_branches(&mut self.out, targets)?;
        self.out.write_all(b")\n")
    }

    /// Ends the file, and returns the output.
    ///
    /// # Errors
    ///
    /// Errors of `out`, and [`io::ErrorKind::InvalidInput`] if there are fewer transitions than in
    /// the header.
    pub fn finish(mut self) -> io::Result<W> {
        if self.left > 0 {
            return Err(invalid("there are fewer transitions than the header says"));
        }
        self.out.flush()?;
        Ok(self.out)
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

fn write_branches(out: &mut impl Write, branches: &[(u32, f64)]) -> io::Result<()> {
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
        return write_all_but_last(out, others, most.0);
    }
    write_all_but_last(out, others, last.0)
}

/// Writes branches with their probabilities, and the state that has the remaining probability.
fn write_all_but_last<'b>(
    out: &mut impl Write,
    others: impl IntoIterator<Item = &'b (u32, f64)>,
    last: u32,
) -> io::Result<()> {
    for &(state, probability) in others {
        let fraction = fraction_of(probability);
        let (numerator, denominator) = fraction
            .ok_or_else(|| invalid("a probability is no fraction of numbers below 2^128"))?;
        write!(out, "{state} {numerator}/{denominator} ")?;
    }
    write!(out, "{last}")
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
