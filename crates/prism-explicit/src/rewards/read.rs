//! Reads rewards files. All threads read parts of the text at the same time, and the caller gets
//! their lines in order.

use std::ops::RangeInclusive;

use model_type::Reward;
use parse_error::read_in_order;

use super::chunk::{self, Chunk, Entry};
use super::transition::RewardedTransition;
use crate::error::{Checked, Error, ErrorKind, Fault, FileKind};
use crate::grammar::{self, Line, Token};
use crate::line_file::{LineFile, cut};
use crate::options::ReadOptions;

/// The reason why the caller, who knows the model, refuses the reward of a transition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// The model has no such transition.
    Unknown,
    /// The transition has a reward already.
    Twice,
}

/// Reads a file of state rewards, for a model of this many states, in parallel on the current rayon
/// thread pool. `each` is called with each state and its reward, in ascending order. Returns the
/// name of the reward structure, if the file has one.
///
/// # Errors
///
/// The error with the earliest position in the file.
pub fn read_state_rewards(
    input: &[u8],
    num_states: u32,
    options: &ReadOptions<'_>,
    mut each: impl FnMut(u32, Reward) + Send,
) -> Result<Option<String>, Error> {
    let reader = Reader::new(FileKind::StateRewards, input, num_states, options);
    let mut previous = None;
    let read = reader.read::<1>(2, |([state], reward)| match previous {
        Some(previous) if state <= previous => Err(Problem::Decreases { previous }),
        _ => {
            previous = Some(state);
            each(state, reward);
            Ok(())
        }
    });
    read.map_err(|fault| fault.locate(input))
}

/// Reads a file of transition rewards, for a model of this many states, in parallel on the current
/// rayon thread pool. Unless the model is a Markov chain, `num_choices` is its number of choices,
/// which the header gives, and lines have the index of a choice. It is a range, because programs
/// may or may not count the self-loops that deadlocks are given. `each` is called with each
/// transition and its reward, in the order of the file. Returns the name of the reward structure,
/// if the file has one.
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
    mut each: impl FnMut(RewardedTransition, Reward) -> Result<(), Refused> + Send,
) -> Result<Option<String>, Error> {
    let has_choices = num_choices.is_some();
    let reader = Reader {
        num_choices,
        ..Reader::new(FileKind::TransitionRewards, input, num_states, options)
    };
    let mut each = |state, choice, target, reward| {
        let transition = RewardedTransition {
            state,
            choice,
            target,
        };
        each(transition, reward).map_err(|refused| Problem::Refused(transition, refused))
    };
    let read = match has_choices {
        true => reader.read::<3>(3, |([state, choice, target], reward)| {
            each(state, choice, target, reward)
        }),
        false => reader.read::<2>(2, |([state, target], reward)| {
            each(state, 0, target, reward)
        }),
    };
    read.map_err(|fault| fault.locate(input))
}

/// The reason why a line that can be read is wrong.
enum Problem {
    /// Its state is not above that of the line before it.
    Decreases { previous: u32 },
    /// The caller refuses it.
    Refused(RewardedTransition, Refused),
}

impl Problem {
    /// Returns the fault of this line.
    fn in_line(self, line: Line<'_>) -> Box<Fault> {
        match self {
            Self::Decreases { previous } => match chunk::parse::<1>(line) {
                Ok(([state], _)) => {
                    let kind = ErrorKind::StateDecreases {
                        previous,
                        state: state.value,
                    };
                    let fault = Fault::new(chunk::place(line, state), kind);
                    fault.expecting(format!("a state above {previous}"))
                }
                Err(fault) => fault,
            },
            Self::Refused(transition, refused) => {
                let RewardedTransition {
                    state,
                    choice,
                    target,
                } = transition;
                let kind = match refused {
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
                Fault::new(line.span(), kind)
            }
        }
    }
}

pub(super) struct Reader<'i> {
    file: LineFile<'i>,
    num_states: u32,
    /// The number of choices in the header, if it has one.
    num_choices: Option<RangeInclusive<u64>>,
}

impl<'i> Reader<'i> {
    pub(super) fn new(
        kind: FileKind,
        input: &'i [u8],
        num_states: u32,
        options: &'i ReadOptions<'i>,
    ) -> Self {
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

    #[cfg(test)]
    pub(super) fn file(&self) -> LineFile<'i> {
        self.file
    }

    /// Reads all lines, each with `N` indices and a reward, after a header of `counts` numbers.
    fn read<const N: usize>(
        &self,
        counts: usize,
        each: impl FnMut(Entry<N>) -> Result<(), Problem> + Send,
    ) -> Checked<Option<String>> {
        let (start, stated) = self.read_counts(counts)?;
        let lines = self.read_lines(start, each)?;
        self.check_count(stated, lines)?;
        Ok(self.name())
    }

    /// Reads all lines from byte `start` on, and passes them to the caller in order. Returns their
    /// number.
    fn read_lines<const N: usize>(
        &self,
        start: usize,
        mut each: impl FnMut(Entry<N>) -> Result<(), Problem> + Send,
    ) -> Checked<u64> {
        /// The most bytes of a part. Lines take a few times as much memory as their text.
        const PART: usize = 1 << 19;
        let LineFile { input, options, .. } = self.file;
        let parts = cut(input, start, options.chunk_bytes.min(PART));
        let mut lines = 0;
        let read = |part| Chunk::<N>::read(self.file, part, self.num_states);
        let is_faulty = |chunk: &Chunk<N>| chunk.fault.is_some();
        read_in_order(parts, read, is_faulty, |chunk| {
            for (number, &entry) in chunk.entries.iter().enumerate() {
                each(entry).map_err(|why| why.in_line(chunk.line_of(input, number)))?;
            }
            lines += chunk.entries.len() as u64;
            chunk.fault.map_or(Ok(()), Err)
        })?;
        Ok(lines)
    }

    /// Reads the header, which has this many numbers. Returns the start of the next line, and the
    /// last number, that of lines.
    pub(super) fn read_counts(&self, counts: usize) -> Checked<(usize, (Line<'i>, Token<u64>))> {
        let Some(header) = self.file.first_line(None)? else {
            return Err(self.file.truncated("a header with the number of states"));
        };
        let stated = self.read_header(header, counts);
        let stated = stated.map_err(|fault| match self.is_of_storm(header.text, counts) {
            true => fault.note("Storm's files of rewards, which have no header, are not read"),
            false => fault,
        })?;
        self.file.options.advance(header.next)?;
        Ok((header.next, (header, stated)))
    }

    /// Returns whether a line that should be a header of `counts` numbers looks like the first line
    /// of a file of Storm's: the reward of a state or of a branch.
    fn is_of_storm(&self, line: &[u8], counts: usize) -> bool {
        let mut words = line
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        let (first, second) = (words.next(), words.next());
        let is_count = |word: &[u8]| word.iter().all(u8::is_ascii_digit);
        let length = 2 + words.count();
        first.is_some_and(is_count)
            && match self.file.kind {
                FileKind::StateRewards => {
                    length == 2 && (first == Some(b"0") || !second.is_some_and(is_count))
                }
                _ => length == counts + 1,
            }
    }

    /// Checks that there are as many lines as the header says.
    pub(super) fn check_count(&self, stated: (Line<'i>, Token<u64>), lines: u64) -> Checked<()> {
        let (header, stated) = stated;
        if lines == stated.value {
            return Ok(());
        }
        let kind = ErrorKind::CountMismatch {
            what: crate::Counted::Rewards,
            header: stated.value,
            found: lines,
        };
        Err(Fault::new(stated.span(header.text, header.start), kind))
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

    /// Returns the name in the comment `Reward structure "name"`, which comes before the header. A
    /// name has no quotation marks or line ends.
    pub(super) fn name(&self) -> Option<String> {
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
