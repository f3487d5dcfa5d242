//! A range of states, read line by line into a visitor.

use super::branch;
use super::header::Opening;
use super::number::{Bounds, natural};
use super::state_line::{self, Head, resolve_bounds};
use super::visitor::Visitor;
use super::words::{Line, Words, text};
use crate::error::{Checked, ErrorKind, Fault, Span};
use crate::options::ReadOptions;
use crate::parts::{Choice, ModelType, State};
use model_type::Reward;
use model_type::SUM_TOLERANCE;
use parse_error::{OutOfMemory, push};
use std::ops::Range;

/// The number of bytes between two checks of the interrupt.
const PIECE: usize = 1 << 18;

/// The name that stands for an action without a name.
const NO_LABEL: &[u8] = b"__NOLABEL__";

/// The counts of a chunk.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Totals {
    pub(super) states: u64,
    pub(super) choices: u64,
    pub(super) branches: u64,
    pub(super) deadlocks: u64,
    pub(super) zero_branches: u64,
    /// The first state, and the position of its number.
    pub(super) first: Option<(u64, Span)>,
}

/// The state whose lines are being read.
#[derive(Debug, Clone, Copy)]
struct OpenState {
    number: u32,
    head: Head,
    /// The number of its choices so far.
    choices: u32,
    /// Whether the state was passed to the visitor.
    is_told: bool,
}

/// Reads one chunk into a visitor.
pub(super) struct ChunkReader<'i, V> {
    input: &'i [u8],
    opening: &'i Opening<'i>,
    options: &'i ReadOptions<'i>,
    model_type: ModelType,
    state: Option<OpenState>,
    labels: Vec<&'i str>,
    rewards: Vec<Reward>,
    valuation: Option<&'i str>,
    /// The line that begins the choice to which branches belong, if there is one.
    choice: Option<Span>,
    action: Option<&'i str>,
    choice_rewards: Vec<Reward>,
    targets: Vec<u32>,
    values: Vec<f64>,
    /// The lower bounds, if values are intervals.
    lower: Vec<f64>,
    /// The number of branches of the choice that have value 0.
    zeros: u64,
    totals: Totals,
    visitor: V,
}

impl<'i, V: Visitor> ChunkReader<'i, V> {
    pub(super) fn new(
        input: &'i [u8],
        opening: &'i Opening<'i>,
        options: &'i ReadOptions<'i>,
        visitor: V,
    ) -> Self {
        Self {
            input,
            opening,
            options,
            model_type: opening.header.model_type,
            state: None,
            labels: Vec::new(),
            rewards: Vec::new(),
            valuation: None,
            choice: None,
            action: None,
            choice_rewards: Vec::new(),
            targets: Vec::new(),
            values: Vec::new(),
            lower: Vec::new(),
            zeros: 0,
            totals: Totals::default(),
            visitor,
        }
    }

    /// Reads all lines of the chunk. If this fails, the counts are still correct up to the error.
    pub(super) fn read(&mut self, chunk: Range<usize>) -> Checked<()> {
        let mut at = chunk.start;
        while at < chunk.end {
            let start = at;
            let pause = chunk.end.min(at.saturating_add(PIECE));
            while at < pause {
                at = match branch::branch(self.input, at).filter(|_| self.choice.is_some()) {
                    Some((target, value, next)) if target < self.opening.header.num_states => {
                        self.push(target, value, value)?;
                        next
                    }
                    _ => self.line(at)?,
                };
            }
            self.options.advance(at - start)?;
        }
        self.finish_state()
    }

    pub(super) fn into_parts(self) -> (Totals, V) {
        (self.totals, self.visitor)
    }

    #[inline(always)]
    fn push(&mut self, target: u32, lower: f64, value: f64) -> Result<(), OutOfMemory> {
        match value > 0.0 {
            true => {
                push(&mut self.targets, target)?;
                push(&mut self.values, value)?;
                if self.opening.header.has_intervals {
                    push(&mut self.lower, lower)?;
                }
            }
            false => self.zeros += 1,
        }
        Ok(())
    }

    /// Reads a line of any kind, and returns the start of the next one.
    fn line(&mut self, at: usize) -> Checked<usize> {
        let line = Line::at(self.input, at);
        let mut words = line.words(0);
        match line.text() {
            b"" => {}
            [b'/', b'/', comment @ ..] => self.comment(line, comment)?,
            [b'0'..=b'9', ..] => self.branch(line)?,
            _ => match words.word() {
                (_, b"state") => self.state(words)?,
                (place, b"action") => self.action(place, words)?,
                (place, _) => {
                    let fault = Fault::new(place, ErrorKind::Syntax);
                    let expected = match self.state {
                        Some(_) => "`state`, `action` or a branch such as `1 : 0.5`",
                        None => "`state`",
                    };
                    return Err(fault.expecting(expected));
                }
            },
        }
        Ok(line.next)
    }

    /// Reads a comment, which may have the values of variables if it follows the line of a state.
    fn comment(&mut self, line: Line<'i>, comment: &'i [u8]) -> Checked<()> {
        let is_early = self.state.is_some_and(|state| !state.is_told) && self.choice.is_none();
        let listed = comment.strip_prefix(b"[");
        let listed = listed.and_then(|comment| comment.strip_suffix(b"]"));
        if let Some(listed) = listed.filter(|_| is_early && self.valuation.is_none()) {
            self.valuation = Some(text(line.span(), listed)?);
        }
        Ok(())
    }

    fn state(&mut self, mut words: Words<'i>) -> Checked<()> {
        self.finish_state()?;
        let (number, place) = state_line::number(&mut words)?;
        let expected = match self.totals.first {
            None => {
                self.totals.first = Some((number, place));
                number
            }
            Some((first, _)) => first + self.totals.states,
        };
        check_order(expected, number, place)?;
        let num_states = self.opening.header.num_states;
        if number >= num_states.into() {
            return Err(out_of_range(place, number, num_states));
        }
        self.labels.clear();
        self.rewards.clear();
        self.valuation = None;
        let (rewards, labels) = (&mut self.rewards, &mut self.labels);
        let head = state_line::rest(words, self.opening, rewards, labels)?;
        self.totals.states += 1;
        self.state = Some(OpenState {
            number: number as u32,
            head,
            choices: 0,
            is_told: false,
        });
        Ok(())
    }

    fn action(&mut self, place: Span, mut words: Words<'i>) -> Checked<()> {
        self.begin_choice(place)?;
        let index = self.state.map_or(0, |state| state.choices);
        let (place, name) = words.word();
        self.action = match name {
            b"" => {
                let fault = Fault::new(place, ErrorKind::Syntax);
                return Err(fault.expecting("the name of the action, or its number"));
            }
            NO_LABEL => None,
            name if natural(name, u32::MAX.into()) == Ok(index.into()) => None,
            name => Some(text(place, name)?),
        };
        state_line::read_rewards(&mut words, self.opening, &mut self.choice_rewards)?;
        words.end()
    }

    /// Begins a choice at the line that contains `place`.
    fn begin_choice(&mut self, place: Span) -> Checked<()> {
        self.finish_choice()?;
        let Some(state) = &self.state else {
            let fault = Fault::new(place, ErrorKind::Syntax);
            return Err(fault.expecting("`state`"));
        };
        if state.choices > 0 && !self.model_type.is_nondeterministic() {
            let (state, model_type) = (state.number, self.model_type);
            return Err(Fault::new(
                place,
                ErrorKind::SecondAction { state, model_type },
            ));
        }
        self.tell_state();
        self.choice = Some(place);
        Ok(())
    }

    /// Reads a branch that the fast path does not accept.
    fn branch(&mut self, line: Line<'i>) -> Checked<()> {
        let digits = line.text().iter().take_while(|byte| byte.is_ascii_digit());
        let mut words = line.words(0);
        let (place, target) = words.take(digits.count());
        // As in Storm, the only choice of a state does not need an action.
        if self.choice.is_none() {
            self.begin_choice(line.span())?;
        }
        let num_states = self.opening.header.num_states;
        let target = natural(target, u64::MAX)
            .map_err(|kind| Fault::new(place, kind).expecting("a target state"))?;
        if !words.rest().starts_with(b":") {
            let (place, _) = words.word();
            return Err(Fault::new(place, ErrorKind::Syntax).expecting("` : ` and a probability"));
        }
        if target >= num_states.into() {
            return Err(out_of_range(place, target, num_states));
        }
        words.take(1);
        let (place, token) = words.value();
        let value = resolve_bounds(token, &self.opening.placeholders);
        let bounds = value.and_then(|bounds| self.check_bounds(bounds, token));
        let Bounds { lower, upper } = bounds
            .map_err(|kind| Fault::new(place, kind.clone()).expecting(self.value_name(&kind)))?;
        words.end()?;
        Ok(self.push(target as u32, lower, upper)?)
    }

    /// Refuses intervals that the header does not announce.
    fn check_bounds(&self, bounds: Bounds, token: &[u8]) -> Result<Bounds, ErrorKind> {
        let is_point = bounds.lower == bounds.upper && !matches!(token, [b'[' | b'(', ..]);
        match is_point || self.opening.header.has_intervals {
            true => Ok(bounds),
            false => Err(ErrorKind::Interval),
        }
    }

    /// Returns the description of the value that was expected in a branch.
    fn value_name(&self, kind: &ErrorKind) -> &'static str {
        match self.model_type {
            ModelType::Ctmc => "a rate",
            _ if self.opening.header.has_intervals => {
                "a probability, or an interval such as `[0.2, 0.5]`"
            }
            other if *kind == ErrorKind::Interval && other.may_have_intervals() => {
                "a probability; intervals need `@value_type: double-interval`"
            }
            _ => "a probability",
        }
    }

    fn tell_state(&mut self) {
        let Some(state) = &mut self.state else {
            return;
        };
        if !state.is_told {
            state.is_told = true;
            self.visitor.state(State {
                number: state.number,
                exit_rate: state.head.exit_rate,
                observation: state.head.observation,
                rewards: &self.rewards,
                labels: &self.labels,
                valuation: self.valuation,
            });
        }
    }

    fn finish_state(&mut self) -> Checked<()> {
        self.finish_choice()?;
        self.tell_state();
        if self.state.take().is_some_and(|state| state.choices == 0) {
            self.totals.deadlocks += 1;
        }
        Ok(())
    }

    /// Checks the choice whose lines have all been read, if there is one, and passes it to the
    /// visitor.
    fn finish_choice(&mut self) -> Checked<()> {
        let (Some(place), Some(state)) = (self.choice.take(), &mut self.state) else {
            return Ok(());
        };
        let zeros = std::mem::take(&mut self.zeros);
        self.totals.zero_branches += zeros;
        if !self.targets.is_empty() {
            let checked = match self.opening.header.has_intervals {
                true => check_bounds(&self.lower, &self.values, self.options),
                false => check_sum(&self.values, self.model_type, state.head, self.options),
            };
            checked.map_err(|kind| Fault::new(place, kind))?;
            self.visitor.choice(Choice {
                state: state.number,
                index: state.choices,
                action: self.action,
                rewards: &self.choice_rewards,
                targets: &self.targets,
                values: &self.values,
                lower: &self.lower,
            });
            state.choices += 1;
            self.totals.choices += 1;
            self.totals.branches += self.targets.len() as u64;
        } else {
            check_nothing(zeros, self.model_type).map_err(|kind| Fault::new(place, kind))?;
        }
        self.action = None;
        self.choice_rewards.clear();
        self.targets.clear();
        self.values.clear();
        self.lower.clear();
        Ok(())
    }
}

/// Checks that a state is the next one.
pub(super) fn check_order(expected: u64, found: u64, place: Span) -> Checked<()> {
    match expected == found {
        true => Ok(()),
        false => Err(Fault::new(place, ErrorKind::StateOrder { expected, found })),
    }
}

fn out_of_range(place: Span, state: u64, num_states: u32) -> Box<Fault> {
    let kind = ErrorKind::StateOutOfRange { state, num_states };
    let fault = Fault::new(place, kind);
    match num_states {
        0 => fault.expecting("no state"),
        _ => fault.expecting(format!("a state below {num_states}")),
    }
}

/// Checks that the values of a choice have the right sum.
fn check_sum(
    values: &[f64],
    model_type: ModelType,
    head: Head,
    options: &ReadOptions<'_>,
) -> Result<(), ErrorKind> {
    if !options.check_sums {
        return Ok(());
    }
    let sum: f64 = values.iter().sum();
    match (model_type, head.exit_rate) {
        (ModelType::Ctmc, Some(exit_rate)) => {
            match (sum - exit_rate).abs() <= SUM_TOLERANCE * sum.max(exit_rate) {
                true => Ok(()),
                false => Err(ErrorKind::BadExitRate { sum, exit_rate }),
            }
        }
        _ if (sum - 1.0).abs() <= SUM_TOLERANCE => Ok(()),
        _ => Err(ErrorKind::BadSum { sum }),
    }
}

/// Checks that the intervals of a choice contain a distribution.
fn check_bounds(lower: &[f64], upper: &[f64], options: &ReadOptions<'_>) -> Result<(), ErrorKind> {
    let (low, high): (f64, f64) = (lower.iter().sum(), upper.iter().sum());
    match !options.check_sums || low <= 1.0 + SUM_TOLERANCE && high >= 1.0 - SUM_TOLERANCE {
        true => Ok(()),
        false => Err(ErrorKind::BadIntervals { low, high }),
    }
}

/// Checks that a choice may have no branch with a value above 0. Storm writes a state of a Markov
/// chain that has no choice like this, and a state whose rates are all 0 is absorbing.
fn check_nothing(zeros: u64, model_type: ModelType) -> Result<(), ErrorKind> {
    match (zeros, model_type) {
        (0, ModelType::Dtmc) | (_, ModelType::Ctmc) => Ok(()),
        (0, _) => Err(ErrorKind::NoBranch),
        _ => Err(ErrorKind::AllZero),
    }
}
