//! The lines of a transitions file (`.tra`).
//!
//! ```text
//! header  = n m | n c m | n c m o               PRISM: states, choices, transitions, observations
//! word    = "dtmc" | "ctmc" | "mdp"             Storm: the first line, instead of the header
//! initial = "-" "-" s "-"
//! initial = "-" "-" s "-" o                     POMDP
//! line    = s t v [action]                      DTMC, CTMC, IDTMC
//!         | s i t v [action]                    MDP, IMDP
//!         | s i t [action]                      LTS
//!         | s i t v o [action]                  POMDP: the observation of t
//! v       = number | "[" number "," number "]"   intervals: IDTMC and IMDP only
//! ```

use nom::Parser;

use super::{
    Bounds, Parsed, Token, action, blanks, index, is_blank, line_end, natural, until_line_end,
    value, whole_token, whole_token_of,
};
use crate::error::{ErrorKind, Fault};
use model_type::ModelType;

/// The fields of a data line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The type of the model, which determines whether values may be intervals.
    pub(crate) model_type: ModelType,
    /// Whether there is a choice index between source and target.
    pub(crate) choice: bool,
    /// Whether a value follows the target.
    pub(crate) value: bool,
    /// Whether the observation of the target follows the value.
    pub(crate) observation: bool,
    /// Whether text after the value is ignored unless it is an action, as Storm does.
    pub(crate) loose_end: bool,
}

/// The fields of a data line and their places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fields<'a> {
    pub(crate) source: Token<u32>,
    pub(crate) choice: Option<Token<u32>>,
    pub(crate) target: Token<u32>,
    pub(crate) value: Option<Token<Bounds>>,
    pub(crate) observation: Option<Token<u32>>,
    pub(crate) action: Option<Token<&'a [u8]>>,
}

/// Parses a data line.
pub(crate) fn data_line<'a>(shape: Shape) -> impl FnMut(&'a [u8]) -> Parsed<'a, Fields<'a>> {
    move |line| {
        let (line, source) = index("a source state")(line)?;
        let (line, choice) = match shape.choice {
            true => index("a choice index").map(Some).parse(line)?,
            false => (line, None),
        };
        let (line, target) = index("a target state")(line)?;
        let (line, value) = match shape.value {
            true => bounds(shape.model_type).map(Some).parse(line)?,
            false => (line, None),
        };
        let (line, observation) = match shape.observation {
            true => index("an observation").map(Some).parse(line)?,
            false => (line, None),
        };
        let (line, action) = if shape.loose_end {
            loose_end(line)?
        } else {
            strict_end(line)?
        };
        let fields = Fields {
            source,
            choice,
            target,
            value,
            observation,
            action,
        };
        Ok((line, fields))
    }
}

/// Parses a number or, in an interval model, an interval.
fn bounds<'a>(model_type: ModelType) -> impl FnMut(&'a [u8]) -> Parsed<'a, Token<Bounds>> {
    let what = match model_type.has_intervals() {
        true => "a number of at least 0, or an interval such as `[0.2,0.5]`",
        false => "a number of at least 0",
    };
    // Intervals may contain blanks, as Storm writes them.
    whole_token_of(what, value::token, move |text| {
        value::bounds(text, model_type)
    })
}

/// Parses an action or nothing, then the end of the line.
fn strict_end(line: &[u8]) -> Parsed<'_, Option<Token<&[u8]>>> {
    let (at, _) = blanks(line)?;
    if at.is_empty() {
        return Ok((at, None));
    }
    let named = whole_token("an action or the end of the line", action);
    let (left, (token, ())) = (named, line_end("the end of the line")).parse(at)?;
    Ok((left, Some(token).filter(|token| !token.value.is_empty())))
}

/// As [`strict_end`], but any other text is ignored.
fn loose_end(line: &[u8]) -> Parsed<'_, Option<Token<&[u8]>>> {
    strict_end(line).or(Ok((b"", None)))
}

/// Adds a note to the error for a line that is a whole row, as PRISM writes with `-exportrows`: a
/// state, and for each branch a value, a colon and a target.
pub(crate) fn note_row(fault: Box<Fault>, line: &[u8]) -> Box<Fault> {
    let is_number = |word: &[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_digit);
    let is_branch = |word: &[u8]| {
        let colon = word.iter().position(|&byte| byte == b':');
        colon.is_some_and(|at| {
            word[..at].iter().any(u8::is_ascii_digit) && is_number(&word[at + 1..])
        })
    };
    let words = line.split(|&byte| is_blank(byte));
    let mut words = words.filter(|word| !word.is_empty());
    match words.next().is_some_and(is_number) && words.next().is_some_and(is_branch) {
        true => fault.note(
            "this is a whole row, as PRISM writes with `-exportrows`, which is not read: export \
             the model without that option, so that each line is one branch",
        ),
        false => fault,
    }
}

/// Parses the counts of PRISM's header. The caller checks their number.
pub(crate) fn header(line: &[u8]) -> Parsed<'_, Vec<Token<u64>>> {
    let (left, first) = natural(HEADER, u64::MAX)(line)?;
    let others = natural("a number or the end of the header", u64::MAX);
    let (left, mut counts) = until_line_end(others)(left)?;
    counts.insert(0, first);
    Ok((left, counts))
}

/// A description of the beginning of a transitions file, for errors.
pub(crate) const HEADER: &str =
    "a header of two to four numbers, or one of the words dtmc, ctmc, mdp";

/// The first word of a Storm file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TypeWord<'a>(pub(crate) &'a [u8]);

/// Parses the first word of a line, whatever follows it.
pub(crate) fn type_word(line: &[u8]) -> Parsed<'_, Token<TypeWord<'_>>> {
    let word = |text| match action(text) {
        Ok(word) if !word.is_empty() => Ok(TypeWord(word)),
        _ => Err(ErrorKind::Syntax),
    };
    whole_token(HEADER, word)(line)
}

/// Parses a line that consists of one word.
pub(crate) fn type_line(line: &[u8]) -> Parsed<'_, ()> {
    let (line, _) = type_word(line)?;
    line_end("the end of the line")(line)
}

/// The initial state and, in a POMDP, its observation.
pub(crate) type InitialState = (Token<u32>, Option<Token<u32>>);

/// Parses a line `- - s -` with an initial state, and with its `observation` if it has one. Returns
/// nothing if the line begins with something else.
pub(crate) fn initial_state_line(
    line: &[u8],
    observation: bool,
) -> Parsed<'_, Option<InitialState>> {
    let dash = || {
        whole_token("a dash", |text| match text {
            b"-" => Ok(()),
            _ => Err(ErrorKind::Syntax),
        })
    };
    let Ok((left, _)) = dash()(line) else {
        return Ok((line, None));
    };
    let mut parser = (dash(), index("an initial state"), dash());
    let (left, (_, state, _)) = parser.parse(left)?;
    let (left, seen) = match observation {
        true => index("an observation").map(Some).parse(left)?,
        false => (left, None),
    };
    let (left, ()) = line_end("the end of the line")(left)?;
    Ok((left, Some((state, seen))))
}

/// Returns the source state at the beginning of a line, whatever follows it. Returns nothing if the
/// line does not begin with a number and a blank. The end of a state is determined by this both
/// when the input is divided into chunks and when a wrong line is explained, so that an error does
/// not depend on the chunks.
pub(crate) fn source_of(line: &[u8]) -> Option<u32> {
    let (left, source) = index("a source state")(line).ok()?;
    left.first()
        .copied()
        .is_some_and(is_blank)
        .then_some(source.value)
}
