//! The fast path for the most frequent data lines: single blanks, plain digits, an optional action,
//! `\n` or `\r\n`. It reports no errors: it leaves every other line to the grammar. For every line
//! that it accepts, the grammar gives the same result (`tests::both_paths_agree`).

use crate::fast::{index, number, only};

/// A data line. If lines of this shape have no choice or no value, `choice` is 0 or `value` is 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DataLine<'a> {
    pub(super) source: u32,
    pub(super) choice: u32,
    pub(super) target: u32,
    pub(super) value: f64,
    /// The lower bound, if the value is an interval; otherwise the value.
    pub(super) lower: f64,
    /// The observation of the target in a POMDP; otherwise 0.
    pub(super) observation: u32,
    pub(super) action: Option<&'a [u8]>,
}

/// Reads the line that starts at `at`. Returns it with the start of the next line.
#[inline(always)]
pub(super) fn data_line<const CHOICE: bool, const VALUE: bool>(
    input: &[u8],
    at: usize,
) -> Option<(DataLine<'_>, usize)> {
    let ([source, choice, target], at) = indices::<CHOICE>(input, at)?;
    let (value, at) = if VALUE {
        value(input, blank(input, at)?)?
    } else {
        (1.0, at)
    };
    let (action, next) = line_end(input, at)?;
    let line = DataLine {
        source,
        choice,
        target,
        value,
        lower: value,
        observation: 0,
        action,
    };
    Some((line, next))
}

/// As [`data_line`], for a line whose value is an interval.
#[inline(always)]
pub(super) fn interval_line<const CHOICE: bool>(
    input: &[u8],
    at: usize,
) -> Option<(DataLine<'_>, usize)> {
    let ([source, choice, target], at) = indices::<CHOICE>(input, at)?;
    let ([lower, upper], at) = interval(input, blank(input, at)?)?;
    let (action, next) = line_end(input, at)?;
    let line = DataLine {
        source,
        choice,
        target,
        value: upper,
        lower,
        observation: 0,
        action,
    };
    Some((line, next))
}

/// Reads the source, the choice (or 0), and the target.
#[inline(always)]
fn indices<const CHOICE: bool>(input: &[u8], at: usize) -> Option<([u32; 3], usize)> {
    let (source, at) = index(input, at)?;
    let at = blank(input, at)?;
    let (choice, at) = if CHOICE {
        let (choice, at) = index(input, at)?;
        (choice, blank(input, at)?)
    } else {
        (0, at)
    };
    let (target, at) = index(input, at)?;
    Some(([source, choice, target], at))
}

#[inline(always)]
fn blank(input: &[u8], at: usize) -> Option<usize> {
    (*input.get(at)? == b' ').then_some(at + 1)
}

/// Reads a finite value of at least 0 that is followed by a blank or a line end.
#[inline(always)]
fn value(input: &[u8], at: usize) -> Option<(f64, usize)> {
    number(input, at, |byte| matches!(byte, b'\n' | b' ' | b'\r'))
}

/// Reads an interval without blanks whose bounds are in order, such as `[0.25,0.5]`.
#[inline(always)]
fn interval(input: &[u8], at: usize) -> Option<([f64; 2], usize)> {
    let at = only(input, at, b'[')?;
    let (lower, at) = bound(input, at)?;
    let (upper, at) = bound(input, only(input, at, b',')?)?;
    let at = only(input, at, b']')?;
    (lower <= upper).then_some(([lower, upper], at))
}

/// Reads a finite bound of at least 0 that begins with a digit.
#[inline(always)]
fn bound(input: &[u8], at: usize) -> Option<(f64, usize)> {
    number(input, at, |byte| matches!(byte, b',' | b']'))
}

/// Reads an optional action and the line end. Returns the start of the next line, too.
#[inline(always)]
fn line_end(input: &[u8], at: usize) -> Option<(Option<&[u8]>, usize)> {
    match *input.get(at)? {
        b'\n' => Some((None, at + 1)),
        b'\r' => Some((None, newline(input, at + 1)?)),
        b' ' => action(input, at + 1),
        _ => None,
    }
}

#[inline(always)]
fn action(input: &[u8], at: usize) -> Option<(Option<&[u8]>, usize)> {
    let left = input.get(at..)?;
    let length = left
        .iter()
        .position(|&byte| !IDENTIFIER[usize::from(byte)])?;
    let behind = at + length;
    let next = match left[length] {
        b'\n' => behind + 1,
        b'\r' => newline(input, behind + 1)?,
        _ => return None,
    };
    match left[0] {
        first if first.is_ascii_digit() => None,
        _ => Some((
            Some(&left[..length]).filter(|action| !action.is_empty()),
            next,
        )),
    }
}

#[inline(always)]
fn newline(input: &[u8], at: usize) -> Option<usize> {
    (*input.get(at)? == b'\n').then_some(at + 1)
}

/// The bytes that identifiers consist of.
const IDENTIFIER: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = matches!(byte as u8, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_');
        byte += 1;
    }
    table
};
