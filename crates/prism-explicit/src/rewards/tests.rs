//! Tests that compare the parallel reader of rewards files with a naive one, which reads line by
//! line with the grammar.

use super::read::Reader;
use super::{Refused, RewardedTransition, read_state_rewards, read_transition_rewards};
use crate::error::{Checked, Error, ErrorKind, Fault, FileKind, Span};
use crate::grammar;
use crate::options::ReadOptions;
use model_type::Reward;
use proptest::prelude::*;

const NUM_STATES: u32 = 12;

/// A line that was passed on: its indices and its reward.
type Passed = (Vec<u32>, Reward);

/// Reads all lines, one after another. `each` gets the indices with their places, and the place of
/// the line.
fn naively(
    reader: &Reader<'_>,
    names: &'static [&'static str],
    counts: usize,
    mut each: impl FnMut(&[(u32, Span)], Span, Reward) -> Checked<()>,
) -> Checked<Option<String>> {
    let (start, stated) = reader.read_counts(counts)?;
    let mut lines = 0;
    reader.file().for_each_line(start, |line| {
        let (tokens, reward) =
            grammar::parse_line(grammar::reward_line(names), line.text, line.start)?;
        lines += 1;
        let placed = |token: &grammar::Token<u32>| (token.value, token.span(line.text, line.start));
        let indices: Vec<_> = tokens.iter().map(placed).collect();
        for &(state, place) in [&indices[0], &indices[indices.len() - 1]] {
            if state >= NUM_STATES {
                let num_states = NUM_STATES;
                let kind = ErrorKind::StateOutOfRange { state, num_states };
                let fault = Fault::new(place, kind);
                return Err(fault.expecting(format!("a state below {num_states}")));
            }
        }
        each(&indices, line.span(), reward.value)
    })?;
    reader.check_count(stated, lines)?;
    Ok(reader.name())
}

fn states_naively(input: &[u8], passed: &mut Vec<Passed>) -> Result<Option<String>, Error> {
    let options = ReadOptions::default();
    let reader = Reader::new(FileKind::StateRewards, input, NUM_STATES, &options);
    let mut previous = None;
    let read = naively(&reader, &["a state"], 2, |indices, _, reward| {
        let (state, place) = indices[0];
        if let Some(previous) = previous.filter(|&previous| state <= previous) {
            let fault = Fault::new(place, ErrorKind::StateDecreases { previous, state });
            return Err(fault.expecting(format!("a state above {previous}")));
        }
        previous = Some(state);
        passed.push((vec![state], reward));
        Ok(())
    });
    read.map_err(|fault| fault.locate(input))
}

/// What a caller says of a transition: some do not exist, and none may have two rewards in a row.
fn opinion(of: RewardedTransition, passed: &[Passed]) -> Result<(), Refused> {
    let indices = [of.state, of.choice, of.target];
    match passed.last() {
        _ if of.state == 7 && of.target == 5 => Err(Refused::Unknown),
        Some((last, _)) if last[..] == indices => Err(Refused::Twice),
        _ => Ok(()),
    }
}

fn transitions_naively(
    input: &[u8],
    has_choices: bool,
    passed: &mut Vec<Passed>,
) -> Result<Option<String>, Error> {
    let options = ReadOptions::default();
    let reader = Reader::new(FileKind::TransitionRewards, input, NUM_STATES, &options);
    let (names, counts): (&'static [&'static str], _) = match has_choices {
        true => (&["a source state", "a choice index", "a target state"], 3),
        false => (&["a source state", "a target state"], 2),
    };
    let read = naively(&reader, names, counts, |indices, place, reward| {
        let (state, target) = (indices[0].0, indices[indices.len() - 1].0);
        let choice = if has_choices { indices[1].0 } else { 0 };
        let of = RewardedTransition {
            state,
            choice,
            target,
        };
        let kind = match opinion(of, passed) {
            Ok(()) => {
                passed.push((vec![state, choice, target], reward));
                return Ok(());
            }
            Err(Refused::Unknown) => ErrorKind::NoTransition {
                state,
                choice,
                target,
            },
            Err(Refused::Twice) => ErrorKind::RepeatedReward {
                state,
                choice,
                target,
            },
        };
        Err(Fault::new(place, kind))
    });
    read.map_err(|fault| fault.locate(input))
}

/// Returns the same lines of a text with `counts` before them, if the counts are known.
fn with_header(counts: &str, lines: &[String], claimed: i64) -> String {
    let is_data = |line: &&String| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let count = lines.iter().filter(is_data).count() as i64 + claimed;
    format!(
        "# Reward structure \"r\"\n{counts} {count}\n{}",
        lines.concat()
    )
}

/// The numbers of lines, most of which are as programs write them.
fn line(indices: usize) -> impl Strategy<Value = String> {
    let index = prop_oneof![
        20 => (0..NUM_STATES).prop_map(|index| index.to_string()),
        1 => "[0-9]{1,10}",
        1 => "[-+0-9x]{0,3}",
    ];
    let reward = prop_oneof![
        "[0-9]{1,3}(\\.[0-9]{1,3})?",
        "-?[0-9]{1,17}(\\.[0-9]{1,18})?([eE]-?[0-9]{1,3})?",
        "-?[0-9]{1,3}/[0-9]{1,3}",
        any::<f64>().prop_map(|value| value.to_string()),
    ];
    let blank = prop_oneof![30 => Just(" "), 1 => Just("  "), 1 => Just("\t"), 1 => Just("")];
    let end = prop_oneof![30 => Just("\n"), 2 => Just("\r\n"), 2 => Just(" \n"), 1 => Just(" x\n")];
    let data = (prop::collection::vec((index, blank), indices), reward, end);
    let data = data.prop_map(|(indices, reward, end)| {
        let indices = indices.into_iter().map(|(index, blank)| index + blank);
        indices.collect::<String>() + &reward + end
    });
    prop_oneof![
        40 => data,
        1 => Just("\n".to_owned()),
        1 => Just("# a comment\n".to_owned()),
        1 => Just("# State labels\n".to_owned()),
        1 => Just("# Labels\n".to_owned()),
    ]
}

/// Lines of this many indices, sometimes in the order of their first index, which may be without
/// the end of the last one.
fn lines(indices: usize) -> impl Strategy<Value = Vec<String>> {
    let lines = prop::collection::vec(line(indices), 0..14);
    (lines, any::<bool>(), any::<bool>()).prop_map(|(mut lines, sorted, whole)| {
        let first = |line: &String| {
            line.split(' ')
                .next()
                .and_then(|index| index.parse::<u64>().ok())
        };
        if sorted {
            lines.sort_by_key(first);
            lines.dedup_by_key(|line| first(line));
        }
        if let Some(last) = lines.last_mut().filter(|_| !whole) {
            last.pop();
        }
        lines
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn both_paths_agree_on_states(
        lines in lines(1),
        claimed in -1..2_i64,
        chunk_bytes in 1..60_usize,
    ) {
        let text = with_header(&NUM_STATES.to_string(), &lines, claimed / 2);
        let mut expected = Vec::new();
        let outcome = states_naively(text.as_bytes(), &mut expected);
        let mut found = Vec::new();
        let options = ReadOptions { chunk_bytes, ..ReadOptions::default() };
        let each = |state, reward| found.push((vec![state], reward));
        let read = read_state_rewards(text.as_bytes(), NUM_STATES, &options, each);
        prop_assert_eq!(read, outcome);
        prop_assert_eq!(bits(&found), bits(&expected));
    }

    #[test]
    fn both_paths_agree_on_transitions(
        (has_choices, lines) in any::<bool>().prop_flat_map(|has_choices| {
            (Just(has_choices), lines(if has_choices { 3 } else { 2 }))
        }),
        chunk_bytes in 1..60_usize,
    ) {
        let counts = if has_choices { "12 30" } else { "12" };
        let text = with_header(counts, &lines, 0);
        let mut expected = Vec::new();
        let outcome = transitions_naively(text.as_bytes(), has_choices, &mut expected);
        let mut found = Vec::new();
        let options = ReadOptions { chunk_bytes, ..ReadOptions::default() };
        let each = |of: RewardedTransition, reward| {
            opinion(of, &found)?;
            found.push((vec![of.state, of.choice, of.target], reward));
            Ok(())
        };
        let num_choices = has_choices.then_some(30..=30);
        let read =
            read_transition_rewards(text.as_bytes(), NUM_STATES, num_choices, &options, each);
        prop_assert_eq!(read, outcome);
        prop_assert_eq!(bits(&found), bits(&expected));
    }
}

/// Returns the same lines as text, with the bits of doubles, so that 0 is not -0.
fn bits(lines: &[Passed]) -> Vec<String> {
    let line = |(indices, reward): &Passed| match *reward {
        Reward::Decimal(value) => format!("{indices:?} {value} {:x}", value.to_bits()),
        Reward::Fraction(over, under) => format!("{indices:?} {over}/{under}"),
    };
    lines.iter().map(line).collect()
}
