//! The lines of rewards files (`.srew`, `.trew`).
//!
//! ```text
//! header = n k | n m | n c m        states, (choices,) lines
//! line   = s r                      a state's
//!        | s t r                    a transition's, of a DTMC or CTMC
//!        | s i t r                  a transition's, of an MDP
//! ```

use nom::Parser;

use super::value::reward;
use super::{Parsed, Token, index, line_end, natural, until_line_end, whole_token};
use model_type::Reward;

/// The indices on a line, and the reward after them.
type RewardLine = (Vec<Token<u32>>, Token<Reward>);

/// Parses the numbers of a header.
pub(crate) fn reward_header(line: &[u8]) -> Parsed<'_, Vec<Token<u64>>> {
    until_line_end(natural("a count", u64::MAX))(line)
}

/// Parses a line: this many indices, the first of which is a state, and the reward.
pub(crate) fn reward_line<'a>(
    names: &'static [&'static str],
) -> impl FnMut(&'a [u8]) -> Parsed<'a, RewardLine> {
    move |line| {
        let mut left = line;
        let mut indices = Vec::with_capacity(names.len());
        for name in names {
            let (rest, token) = index(name)(left)?;
            indices.push(token);
            left = rest;
        }
        let number = whole_token("a reward", reward);
        let (left, (number, ())) = (number, line_end("the end of the line")).parse(left)?;
        Ok((left, (indices, number)))
    }
}
