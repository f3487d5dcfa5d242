//! Comments, and the headings among them. Since 2026, PRISM begins a file with a comment that names
//! its kind. If a `.sta` file is given in place of a `.tra` file, its heading shows this.

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::char;
use nom::combinator::{opt, rest, value};
use nom::sequence::{delimited, preceded};

use super::{blanks, is_blank};
use crate::error::FileKind;

/// The contents of a heading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Section<'a> {
    /// The kind of file that it starts.
    pub(crate) kind: FileKind,
    /// The model type in brackets, as it is written, in the heading of transitions.
    pub(crate) model_type: Option<&'a [u8]>,
}

/// Returns the text after the `#` of a comment line; `None` if the line is not a comment.
pub(crate) fn comment(line: &[u8]) -> Option<&[u8]> {
    let parsed: Result<_, nom::Err<_>> = (blanks, char('#'), blanks, rest).parse(line);
    parsed
        .ok()
        .map(|(_, (_, _, _, text))| text.trim_ascii_end())
}

/// Parses the text of a comment as a heading. Other comments, such as `3 5 0.5`, are not headings.
pub(crate) fn section(text: &[u8]) -> Option<Section<'_>> {
    let bracketed = delimited(
        char('('),
        take_while1(|b| b != b')' && !is_blank(b)),
        char(')'),
    );
    let transitions = preceded(tag("Transitions"), opt(preceded(blanks, bracketed)))
        .map(|model_type| (FileKind::Transitions, model_type));
    let others = alt((
        value(FileKind::States, tag("States")),
        value(FileKind::Labels, tag("Labels")),
        value(FileKind::Observations, tag("Observations")),
        value(FileKind::StateRewards, tag("State rewards")),
        value(FileKind::TransitionRewards, tag("Transition rewards")),
        value(FileKind::StateRewards, (tag("Reward structure \""), rest)),
        value(FileKind::StateRewards, tag("Reward structure")),
    ))
    .map(|kind| (kind, None));
    let (left, (kind, model_type)) = alt((transitions, others)).parse(text).ok()?;
    left.is_empty().then_some(Section { kind, model_type })
}
