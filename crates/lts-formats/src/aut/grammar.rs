//! The grammar of Aldebaran files, line by line.
//!
//! ```text
//! header     = "des" "(" branches "," transitions "," states ")"
//! transition = "(" state "," label "," branches ")"
//! branches   = state { fraction state }
//! fraction   = number "/" number
//! ```

use super::fractions::{Fraction, rest_of_one};
use crate::error::{ErrorKind, Span};
use crate::tokens::{Parsed, Unexpected, blanks, digits, natural, state, symbol};
use nom::Parser;
use nom::bytes::complete::tag;
use parse_error::check_room;

/// A number and its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed<T> {
    pub(crate) value: T,
    /// The number of bytes from the number to the end of its line.
    from_end: usize,
    length: usize,
}

impl<T> Placed<T> {
    /// Returns the place in a text in which the line ends at `end`.
    pub(crate) fn span(&self, end: usize) -> Span {
        Span {
            offset: end - self.from_end,
            length: self.length,
        }
    }
}

/// The first line.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) initial: Vec<(u32, f64)>,
    pub(crate) num_transitions: Placed<u64>,
    pub(crate) num_states: Placed<u32>,
}

/// Another line.
#[derive(Debug)]
pub(crate) struct TransitionLine<'a> {
    pub(crate) source: u32,
    pub(crate) label: &'a str,
    /// The target, unless there are several branches.
    pub(crate) target: u32,
    pub(crate) branches: Vec<(u32, f64)>,
}

/// Parses the header. If `is_line`, it must be the whole line.
pub(crate) fn header(text: &[u8], is_line: bool) -> Parsed<'_, Header> {
    let whole = text;
    let word: Parsed<'_, &[u8]> = tag("des").parse(text);
    let (text, _) = word.map_err(|_| nom::Err::Error(Unexpected::token(whole, "`des`")))?;
    let (text, ()) = behind_blanks(symbol(b'(', "`(`")).parse(text)?;
    // The number of states is not known yet, so the initial states are checked below.
    let first = text;
    let (text, initial) = branches(text, u32::MAX, "the initial state")?;
    let (text, ()) = behind_blanks(symbol(b',', "`,`")).parse(text)?;
    let (text, num_transitions) = placed(natural("the number of transitions", u64::MAX), text)?;
    let (text, ()) = behind_blanks(symbol(b',', "`,`")).parse(text)?;
    let (text, num_states) = placed(natural("the number of states", u32::MAX.into()), text)?;
    let (text, ()) = behind_blanks(symbol(b')', "`)`")).parse(text)?;
    let text = match is_line {
        true => line_end(text)?.0,
        false => text,
    };
    let num_states = Placed {
        value: num_states.value as u32,
        from_end: num_states.from_end,
        length: num_states.length,
    };
    if num_states.value == 0 {
        let number = &whole[whole.len() - num_states.from_end..];
        let unexpected = Unexpected::new(number, num_states.length, ErrorKind::Syntax);
        return Err(unexpected.expecting("at least one state").stop());
    }
    branches(first, num_states.value, "the initial state")?;
    let header = Header {
        initial,
        num_transitions,
        num_states,
    };
    Ok((text, header))
}

/// Parses a transition, which must be the whole line. Its label ends at the last comma.
pub(super) fn transition_line(line: &[u8], num_states: u32) -> Parsed<'_, TransitionLine<'_>> {
    let (line, ()) = behind_blanks(symbol(b'(', "`(`")).parse(line)?;
    let (line, _) = blanks(line)?;
    let (line, source) = state("a source state", num_states)(line)?;
    let (line, ()) = behind_blanks(symbol(b',', "`,`")).parse(line)?;
    let (line, _) = blanks(line)?;
    let Some(comma) = memchr::memrchr(b',', line) else {
        let end = &line[line.trim_ascii_end().len()..];
        let unexpected = Unexpected::token(end, "`,` and a target state");
        return Err(nom::Err::Error(unexpected));
    };
    let label = label(&line[..comma], line)?;
    let line = &line[comma + 1..];
    let (rest, _) = blanks(line)?;
    let (line, target) = state("a target state", num_states)(rest)?;
    let (line, _) = blanks(line)?;
    let is_distribution = line.first().is_some_and(u8::is_ascii_digit);
    let (line, branches) = match is_distribution {
        true => branches(rest, num_states, "a target state")?,
        false => (line, Vec::new()),
    };
    let (line, ()) = behind_blanks(symbol(b')', "`)`")).parse(line)?;
    let (line, ()) = line_end(line)?;
    let transition = TransitionLine {
        source,
        label,
        target,
        branches,
    };
    Ok((line, transition))
}

/// Parses the label in `text`, with or without quotation marks, and with blanks around it. `at`
/// begins at the same position as `text`.
fn label<'a>(text: &'a [u8], at: &'a [u8]) -> Result<&'a str, nom::Err<Unexpected<'a>>> {
    let text = text.trim_ascii_end();
    let label = match text {
        [b'"', label @ .., b'"'] => label,
        [b'"', ..] => {
            let unexpected = Unexpected::new(&at[text.len()..], 1, ErrorKind::Syntax);
            return Err(unexpected.expecting("`\"` at the end of the label").stop());
        }
        _ => text,
    };
    if label.is_empty() {
        let unexpected = Unexpected::new(at, text.len().max(1), ErrorKind::EmptyLabel);
        return Err(unexpected.expecting("a label").stop());
    }
    std::str::from_utf8(label)
        .map_err(|_| Unexpected::new(at, text.len(), ErrorKind::NotUtf8).stop())
}

/// For fewer probabilities, no memory is requested before they are read.
const MANY: usize = 1 << 10;

/// The bytes of memory that a probability takes while a distribution is read, apart from its
/// digits: its branch and the fraction, of which lists have room for twice as many, and two short
/// numbers.
const BYTES_OF_FRACTION: usize = 2 * (16 + size_of::<Fraction>()) + 72;

/// Parses a state, or states with the probabilities of all but the last one between them, after
/// blanks.
pub(crate) fn branches<'a>(
    text: &'a [u8],
    num_states: u32,
    expected: &'static str,
) -> Parsed<'a, Vec<(u32, f64)>> {
    let (text, _) = blanks(text)?;
    let (mut left, mut last) = state(expected, num_states)(text)?;
    let mut fractions: Vec<Fraction> = Vec::new();
    let mut branches = Vec::new();
    loop {
        let (at, _) = blanks(left)?;
        if !at.first().is_some_and(u8::is_ascii_digit) {
            break;
        }
        if fractions.is_empty() {
            let end = memchr::memchr(b'\n', at).unwrap_or(at.len());
            let count = memchr::memchr_iter(b'/', &at[..end]).count();
            if count >= MANY {
                let room = check_room(&[BYTES_OF_FRACTION * count, end]);
                room.map_err(Unexpected::out_of_memory)?;
            }
        }
        let (rest, fraction) = fraction(at)?;
        branches.push((last, fraction.value()));
        fractions.push(fraction);
        let (rest, _) = blanks(rest)?;
        (left, last) = state("a state behind the probability", num_states)(rest)?;
    }
    let length = text.len() - left.len();
    match rest_of_one(&fractions) {
        Ok(probability) => branches.push((last, probability)),
        Err(kind) => return Err(Unexpected::new(text, length, kind).stop()),
    }
    Ok((left, branches))
}

/// Parses a probability such as `1/3`.
fn fraction(at: &[u8]) -> Parsed<'_, Fraction> {
    let (text, numerator) = digits("a probability such as 1/3")(at)?;
    let (text, _) = blanks(text)?;
    let (text, ()) = symbol(b'/', "`/` and a denominator")(text)?;
    let (text, _) = blanks(text)?;
    let (text, denominator) = digits("a denominator")(text)?;
    match Fraction::new(numerator, denominator) {
        Some(fraction) => Ok((text, fraction)),
        None => {
            let length = at.len() - text.len();
            Err(Unexpected::new(at, length, ErrorKind::BadProbability).stop())
        }
    }
}

fn behind_blanks<'a, T>(
    mut parser: impl FnMut(&'a [u8]) -> Parsed<'a, T>,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, T> {
    move |text| {
        let (text, _) = blanks(text)?;
        parser(text)
    }
}

fn placed<'a, T>(
    mut parser: impl FnMut(&'a [u8]) -> Parsed<'a, T>,
    text: &'a [u8],
) -> Parsed<'a, Placed<T>> {
    let (at, _) = blanks(text)?;
    let (rest, value) = parser(at)?;
    let placed = Placed {
        value,
        from_end: at.len(),
        length: at.len() - rest.len(),
    };
    Ok((rest, placed))
}

/// Parses the end of a line, after any blanks.
fn line_end(line: &[u8]) -> Parsed<'_, ()> {
    let (at, _) = blanks(line)?;
    match at {
        [] => Ok((at, ())),
        _ => Err(nom::Err::Error(Unexpected::token(
            at,
            "the end of the line",
        ))),
    }
}
