//! The line of a state, such as `state 3 !2.5 [1, 0] init goal`, and the lists of rewards, which
//! the lines of actions have, too.

use super::header::{Opening, Placeholder, Placeholders};
use super::labels::read_labels;
use super::number::{Bounds, interval, natural, reward, weight};
use super::words::{Words, span};
use crate::error::{Checked, ErrorKind, Fault, Span};
use model_type::Reward;
use parse_error::push;

/// The parts of the line of a state that are single numbers. Its lists are in vectors of the
/// caller.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) exit_rate: Option<f64>,
    pub(super) observation: Option<u32>,
}

/// Reads the number of a state, at the beginning of its line.
pub(super) fn number(words: &mut Words<'_>) -> Checked<(u64, Span)> {
    let expected = "the number of the state";
    let (place, word) = words.word();
    match natural(word, u64::MAX) {
        Ok(number) => Ok((number, place)),
        Err(kind) => Err(Fault::new(place, kind).expecting(expected)),
    }
}

/// Reads the rest of the line of a state, after its number.
pub(super) fn rest<'i>(
    mut words: Words<'i>,
    opening: &Opening<'i>,
    rewards: &mut Vec<Reward>,
    labels: &mut Vec<&'i str>,
) -> Checked<Head> {
    let model_type = opening.header.model_type;
    let mut head = Head {
        exit_rate: None,
        observation: None,
    };
    if model_type.has_exit_rates() {
        head.exit_rate = Some(exit_rate(&mut words, opening)?);
    }
    if model_type.has_observations() {
        head.observation = Some(observation(&mut words)?);
    }
    read_rewards(&mut words, opening, rewards)?;
    read_labels(&mut words, labels)?;
    Ok(head)
}

fn exit_rate(words: &mut Words<'_>, opening: &Opening<'_>) -> Checked<f64> {
    let (place, word) = words.word();
    let wrong = |kind| Fault::new(place, kind).expecting("an exit rate such as `!2.5`");
    let token = word
        .strip_prefix(b"!")
        .ok_or_else(|| wrong(ErrorKind::Syntax))?;
    let rate = resolve(token, &opening.placeholders).and_then(weight);
    rate.map_err(wrong)
}

fn observation(words: &mut Words<'_>) -> Checked<u32> {
    let expected = "an observation such as `{2}`";
    if !words.rest().starts_with(b"{") {
        let (place, _) = words.word();
        return Err(Fault::new(place, ErrorKind::Syntax).expecting(expected));
    }
    let (place, braced) = words.up_to(b'}', "`}`")?;
    let number = natural(braced[1..braced.len() - 1].trim_ascii(), u32::MAX.into());
    match number {
        Ok(number) => Ok(number as u32),
        Err(kind) => Err(Fault::new(place, kind).expecting(expected)),
    }
}

/// Reads rewards such as `[1, 0.5]`, if there are any.
pub(super) fn read_rewards(
    words: &mut Words<'_>,
    opening: &Opening<'_>,
    rewards: &mut Vec<Reward>,
) -> Checked<()> {
    if !words.rest().starts_with(b"[") {
        return Ok(());
    }
    let (place, list) = words.up_to(b']', "`]`")?;
    let list = &list[1..list.len() - 1];
    let mut start = place.offset + 1;
    for item in list.split(|&byte| byte == b',') {
        let token = item.trim_ascii();
        let offset = start + (item.len() - item.trim_ascii_start().len());
        start += item.len() + 1;
        let value = resolve(token, &opening.placeholders).map_err(|kind| {
            let place = span(offset..offset + token.len());
            Fault::new(place, kind).expecting("a reward")
        })?;
        push(rewards, value)?;
    }
    let (expected, found) = (opening.header.reward_models.len(), rewards.len());
    match expected == found {
        true => Ok(()),
        false => Err(Fault::new(
            place,
            ErrorKind::RewardCount { expected, found },
        )),
    }
}

/// Parses a number, or returns the value of a placeholder.
pub(super) fn resolve(token: &[u8], placeholders: &Placeholders<'_>) -> Result<Reward, ErrorKind> {
    if !token.starts_with(b"$") {
        return reward(token);
    }
    match placeholders.get(token) {
        Some(Placeholder::Number(number)) => Ok(*number),
        Some(Placeholder::Interval(_)) => Err(ErrorKind::Interval),
        None => Err(ErrorKind::UnknownPlaceholder),
    }
}

/// Parses an interval or a number, or returns the value of a placeholder.
pub(super) fn resolve_bounds(
    token: &[u8],
    placeholders: &Placeholders<'_>,
) -> Result<Bounds, ErrorKind> {
    match (token, placeholders.get(token)) {
        ([b'[' | b'(', ..], _) => interval(token),
        (_, Some(Placeholder::Interval(bounds))) => Ok(*bounds),
        _ => {
            let value = resolve(token, placeholders).and_then(weight)?;
            Ok(Bounds {
                lower: value,
                upper: value,
            })
        }
    }
}
