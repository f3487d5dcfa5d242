//! An LTS inside an EXP file. It has the Aldebaran format, but blanks, line ends and comments may
//! be anywhere after the header.

use super::lexer::{mark, quoted, skip};
use crate::aut::header;
use crate::error::ErrorKind;
use crate::lts::{Listed, Lts, Names};
use crate::tokens::{Parsed, Unexpected, state};
use parse_error::STATE_SLACK;

/// Parses an LTS that begins with the word `des` at `text`.
pub(super) fn lts(text: &[u8]) -> Parsed<'_, Lts> {
    let (mut left, header) = header(text, false)?;
    if header.initial.len() > 1 {
        let kind = ErrorKind::UnsupportedOperator {
            operator: "des with probabilities".to_owned(),
        };
        return Err(Unexpected::new(text, 3, kind).stop());
    }
    let (num_states, bytes) = (header.num_states.value, text.len() as u64);
    let claimed = u64::from(num_states);
    let limit = bytes + STATE_SLACK;
    if claimed > limit {
        let kind = ErrorKind::UnbackedStates {
            claimed,
            bytes,
            limit,
        };
        return Err(Unexpected::new(text, text.len() - left.len(), kind).stop());
    }
    let mut names = Names::default();
    let mut listed = Listed::default();
    loop {
        let (at, ()) = skip(left)?;
        if !at.starts_with(b"(") {
            break;
        }
        let (rest, (source, label, target)) = transition(at, num_states)?;
        left = rest;
        listed.sources.push(source);
        listed.labels.push(names.number(label));
        listed.branches.push(target);
    }
    let found = listed.sources.len() as u64;
    if found != header.num_transitions.value {
        let kind = ErrorKind::CountMismatch {
            header: header.num_transitions.value,
            found,
        };
        let place = header.num_transitions.span(text.len());
        let unexpected = Unexpected::new(&text[place.offset..], place.length, kind);
        return Err(unexpected.stop());
    }
    let names = names.list.into_iter().map(str::to_owned).collect();
    Ok((left, Lts::new(num_states, header.initial, names, &[listed])))
}

fn transition(text: &[u8], num_states: u32) -> Parsed<'_, (u32, &str, u32)> {
    let (text, ()) = mark(text, "(")?;
    let (text, ()) = skip(text)?;
    let (text, source) = state("a source state", num_states)(text)?;
    let (text, ()) = mark(text, ",")?;
    let (text, ()) = skip(text)?;
    let (text, label) = match text.first() {
        Some(b'"') => quoted(text)?,
        _ => balanced(text)?,
    };
    let (text, ()) = mark(text, ",")?;
    let (text, ()) = skip(text)?;
    let (text, target) = state("a target state", num_states)(text)?;
    let (text, ()) = mark(text, ")")?;
    Ok((text, (source, label, target)))
}

/// Parses a label without quotation marks, which ends at the first comma that is not in
/// parentheses, on the same line.
fn balanced(text: &[u8]) -> Parsed<'_, &str> {
    let mut depth = 0_u32;
    let mut end = 0;
    for &byte in text {
        match byte {
            b',' if depth == 0 => break,
            b'\n' => break,
            b'(' => depth += 1,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            _ => {}
        }
        end += 1;
    }
    let label = text[..end].trim_ascii_end();
    let kind = match std::str::from_utf8(label) {
        Ok("") => ErrorKind::EmptyLabel,
        Ok(label) => return Ok((&text[end..], label)),
        Err(_) => ErrorKind::NotUtf8,
    };
    let unexpected = Unexpected::new(text, label.len().max(1), kind);
    Err(unexpected.expecting("a label").stop())
}
