//! Rewards files (`.srew`, `.trew`): the rewards of states and transitions, in PRISM's format.
//!
//! ```text
//! # Reward structure "steps"        # Reward structure "steps"
//! # State rewards                   # Transition rewards
//! 4 2                               4 5 2                  (4 3 for a Markov chain's three)
//! 0 1                               0 0 1 0.5              (0 1 0.5)
//! 3 2.5                             0 0 2 0.5              (0 2 0.5)
//! ```

use model_type::Reward;
use std::io::{self, Write};
use std::ops::RangeInclusive;

use crate::error::{Checked, Error, ErrorKind, Fault, FileKind, Span};
use crate::grammar::{self, Line, Token};
use crate::line_file::LineFile;
use crate::options::ReadOptions;
use crate::text::{FULL, ValueTexts, push_decimal, push_number};

/// A transition that has a reward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RewardedTransition {
    /// The state of the transition.
    pub state: u32,
    /// The index of the choice among those of its state, from 0. It is 0 in a Markov chain.
    pub choice: u32,
    /// The target of the transition.
    pub target: u32,
}

/// The reason why the caller, who knows the model, refuses the reward of a transition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// The model has no such transition.
    Unknown,
    /// The transition has a reward already.
    Twice,
}

/// Reads a file of state rewards, for a model of this many states. `each` is called with each state
/// and its reward, in ascending order. Returns the name of the reward structure, if the file has
/// one.
///
/// # Errors
///
/// The error with the earliest position in the file.
pub fn read_state_rewards(
    input: &[u8],
    num_states: u32,
    options: &ReadOptions<'_>,
    mut each: impl FnMut(u32, Reward),
) -> Result<Option<String>, Error> {
    let reader = Reader::new(FileKind::StateRewards, input, num_states, options);
    let mut previous = None;
    let read = reader.read(&["a state"], 2, |_, indices, reward| {
        let (state, place) = indices[0];
        if let Some(previous) = previous.filter(|&previous| state <= previous) {
            let fault = Fault::new(place, ErrorKind::StateDecreases { previous, state });
            return Err(fault.expecting(format!("a state above {previous}")));
        }
        previous = Some(state);
        each(state, reward);
        Ok(())
    });
    read.map_err(|fault| fault.locate(input))
}

/// Reads a file of transition rewards, for a model of this many states. Unless the model is a
/// Markov chain, `num_choices` is its number of choices, which the header gives, and lines have the
/// index of a choice. It is a range, because programs may or may not count the self-loops that
/// deadlocks are given. `each` is called with each transition and its reward. Returns the name of
/// the reward structure, if the file has one.
///
/// # Errors
///
/// The error with the earliest position in the file; [`ErrorKind::NoTransition`] and
/// [`ErrorKind::RepeatedReward`] if `each` refuses a transition.
pub fn read_transition_rewards(
    input: &[u8],
    num_states: u32,
    num_choices: Option<RangeInclusive<u64>>,
    options: &ReadOptions<'_>,
    mut each: impl FnMut(RewardedTransition, Reward) -> Result<(), Refused>,
) -> Result<Option<String>, Error> {
    let has_choices = num_choices.is_some();
    let reader = Reader {
        num_choices,
        ..Reader::new(FileKind::TransitionRewards, input, num_states, options)
    };
    let (names, counts): (&[&str], _) = match has_choices {
        true => (&["a source state", "a choice index", "a target state"], 3),
        false => (&["a source state", "a target state"], 2),
    };
    let read = reader.read(names, counts, |line, indices, reward| {
        let transition = RewardedTransition {
            state: indices[0].0,
            choice: if has_choices { indices[1].0 } else { 0 },
            target: indices[indices.len() - 1].0,
        };
        let RewardedTransition {
            state,
            choice,
            target,
        } = transition;
        let refused = |refused| match refused {
            Refused::Unknown => ErrorKind::NoTransition {
                state,
                choice,
                target,
            },
            Refused::Twice => ErrorKind::RepeatedReward {
                state,
                choice,
                target,
            },
        };
        let outcome = each(transition, reward);
        outcome.map_err(|why| Fault::new(line.span(), refused(why)))
    });
    read.map_err(|fault| fault.locate(input))
}

/// An index and its place.
type Index = (u32, Span);

struct Reader<'i> {
    file: LineFile<'i>,
    num_states: u32,
    /// The number of choices in the header, if it has one.
    num_choices: Option<RangeInclusive<u64>>,
}

impl<'i> Reader<'i> {
    fn new(kind: FileKind, input: &'i [u8], num_states: u32, options: &'i ReadOptions<'i>) -> Self {
        let file = LineFile {
            kind,
            input,
            options,
        };
        Self {
            file,
            num_states,
            num_choices: None,
        }
    }

    /// Reads all lines, each with these indices and a reward, after a header of `counts` numbers.
    fn read(
        &self,
        names: &'static [&'static str],
        counts: usize,
        mut each: impl FnMut(Line<'i>, &[Index], Reward) -> Checked<()>,
    ) -> Checked<Option<String>> {
        let Some(header) = self.file.first_line(None)? else {
            return Err(self.file.truncated("a header with the number of states"));
        };
        let stated = self.read_header(header, counts)?;
        let mut lines = 0u64;
        self.file.options.advance(header.next)?;
        self.file.for_each_line(header.next, |line| {
            let (tokens, reward) =
                grammar::parse_line(grammar::reward_line(names), line.text, line.start)?;
            lines += 1;
            let span = |token: &Token<u32>| (token.value, token.span(line.text, line.start));
            let indices: Vec<Index> = tokens.iter().map(span).collect();
            // The caller checks the index of the choice, because it knows the model.
            let states = [indices[0], indices[indices.len() - 1]];
            states
                .iter()
                .try_for_each(|&state| self.check_state(state))?;
            each(line, &indices, reward.value)
        })?;
        if lines != stated.value {
            let what = crate::Counted::Rewards;
            let (header_count, found) = (stated.value, lines);
            let kind = ErrorKind::CountMismatch {
                what,
                header: header_count,
                found,
            };
            return Err(Fault::new(stated.span(header.text, header.start), kind));
        }
        Ok(self.name())
    }

    /// Checks the numbers of the header. Returns the last one, the number of lines.
    fn read_header(&self, line: Line<'i>, counts: usize) -> Checked<Token<u64>> {
        let numbers = grammar::parse_line(grammar::reward_header, line.text, line.start)?;
        let (Some(states), Some(&last)) = (numbers.first(), numbers.last()) else {
            return Err(Fault::new(line.span(), ErrorKind::Syntax));
        };
        if numbers.len() != counts {
            let expected = match (self.file.kind, counts) {
                (FileKind::StateRewards, _) => "the numbers of states and of rewards",
                (_, 2) => "the numbers of states and of rewards, as for a Markov chain",
                _ => "the numbers of states, of choices and of rewards, as for an MDP",
            };
            return Err(Fault::new(line.span(), ErrorKind::Syntax).expecting(expected));
        }
        if states.value != u64::from(self.num_states) {
            let kind = ErrorKind::OtherModel {
                header: states.value,
                model: self.num_states,
            };
            return Err(Fault::new(states.span(line.text, line.start), kind));
        }
        self.check_choices(line, &numbers)?;
        Ok(last)
    }

    /// Checks the number of choices in the header, which is the second of three numbers.
    fn check_choices(&self, line: Line<'i>, numbers: &[Token<u64>]) -> Checked<()> {
        let (Some(expected), [_, choices, _]) = (&self.num_choices, numbers) else {
            return Ok(());
        };
        if expected.contains(&choices.value) {
            return Ok(());
        }
        let kind = ErrorKind::OtherChoices {
            header: choices.value,
            model: *expected.end(),
        };
        Err(Fault::new(choices.span(line.text, line.start), kind))
    }

    fn check_state(&self, (state, place): Index) -> Checked<()> {
        let num_states = self.num_states;
        if state < num_states {
            return Ok(());
        }
        let fault = Fault::new(place, ErrorKind::StateOutOfRange { state, num_states });
        Err(fault.expecting(format!("a state below {num_states}")))
    }

    /// Returns the name in the comment `Reward structure "name"`, which comes before the header. A
    /// name has no quotation marks or line ends.
    fn name(&self) -> Option<String> {
        let lines = grammar::lines(self.file.input, grammar::text_start(self.file.input));
        let comments = lines.map_while(|line| line.is_idle().then_some(line.text));
        let mut texts = comments.filter_map(grammar::comment);
        texts.find_map(|text| {
            let name = text
                .strip_prefix(b"Reward structure \"")?
                .strip_suffix(b"\"")?;
            let name = std::str::from_utf8(name).ok()?;
            let is_name = !name.is_empty() && !name.contains(['"', '\r']);
            is_name.then(|| name.to_owned())
        })
    }
}

/// Writes a file of state rewards. Rewards that are 0 are left out.
///
/// # Errors
///
/// Errors of the output.
pub fn write_state_rewards(
    mut out: impl Write,
    name: Option<&str>,
    rewards: &[f64],
) -> io::Result<()> {
    let earning = || {
        rewards
            .iter()
            .enumerate()
            .filter(|&(_, reward)| *reward != 0.0)
    };
    write_headings(&mut out, name, "State rewards")?;
    writeln!(out, "{} {}", rewards.len(), earning().count())?;
    let mut lines = RewardLines::new();
    for (state, &reward) in earning() {
        push_number(&mut lines.text, state);
        lines.end(&mut out, reward)?;
    }
    lines.finish(out)
}

/// Writes a file of transition rewards. `counts` are the numbers of states and, unless the model is
/// a Markov chain, of choices. `lines` returns all transitions that have a reward, and may be
/// called more than once.
///
/// # Errors
///
/// Errors of the output.
pub fn write_transition_rewards<I: Iterator<Item = (RewardedTransition, f64)>>(
    mut out: impl Write,
    name: Option<&str>,
    counts: (u32, Option<u64>),
    lines: impl Fn() -> I,
) -> io::Result<()> {
    let (num_states, num_choices) = counts;
    write_headings(&mut out, name, "Transition rewards")?;
    let choices = num_choices.map_or_else(String::new, |choices| format!(" {choices}"));
    writeln!(out, "{num_states}{choices} {}", lines().count())?;
    let mut text = RewardLines::new();
    for (transition, reward) in lines() {
        let RewardedTransition {
            state,
            choice,
            target,
        } = transition;
        push_number(&mut text.text, state);
        if num_choices.is_some() {
            text.text.push(b' ');
            push_number(&mut text.text, choice);
        }
        text.text.push(b' ');
        push_number(&mut text.text, target);
        text.end(&mut out, reward)?;
    }
    text.finish(out)
}

/// Lines that are collected before they are written.
struct RewardLines {
    text: Vec<u8>,
    rewards: ValueTexts,
}

impl RewardLines {
    fn new() -> Self {
        Self {
            text: Vec::new(),
            rewards: ValueTexts::new(push_decimal),
        }
    }

    /// Ends a line with a reward.
    fn end(&mut self, out: &mut impl Write, reward: f64) -> io::Result<()> {
        self.text.push(b' ');
        self.rewards.push(&mut self.text, reward);
        self.text.push(b'\n');
        if self.text.len() >= FULL {
            out.write_all(&self.text)?;
            self.text.clear();
        }
        Ok(())
    }

    fn finish(self, mut out: impl Write) -> io::Result<()> {
        out.write_all(&self.text)?;
        out.flush()
    }
}

/// Returns whether the name of a reward structure can be written: it must be one line without
/// quotation marks.
#[must_use]
pub fn is_reward_structure(name: &str) -> bool {
    !name.contains(['"', '\n', '\r'])
}

fn write_headings(out: &mut impl Write, name: Option<&str>, what: &str) -> io::Result<()> {
    let name = name.unwrap_or_default();
    if !is_reward_structure(name) {
        let reason = format!("reward structure {name:?} cannot be written");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    writeln!(out, "# Reward structure \"{name}\"\n# {what}")
}
