//! Reads the lines of one chunk, in order. Each line is read by the fast path or the grammar, and
//! then checked against earlier lines. A line that is wrong is read again, to find the place and
//! the kind of the error.

use std::collections::HashSet;

use super::choice::{OpenChoice, SumRule, index_of, key, state_of};
use super::cut::Chunk;
use super::fast::{self, DataLine};
use super::observed::Observed;
use super::preamble::{Opening, check_claim, check_later_heading, out_of_range};
use super::visitor::Visitor;
use crate::dialect::Dialect;
use crate::error::{Checked, ErrorKind, Fault, Span};
use crate::grammar::{self, Fields, Line, Token};
use crate::options::ReadOptions;
use model_type::ModelType;

/// The number of bytes between two checks of the interrupt.
const PIECE: usize = 1 << 18;

/// The counts of a chunk.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Totals {
    pub(super) choices: u64,
    pub(super) branches: u64,
    pub(super) zero_branches: u64,
    /// The number of states that are needed for the indices in the lines.
    pub(super) states_needed: u32,
    /// Whether the values of some state do not sum to 1, if the sum is only noted.
    pub(super) unnormalised: bool,
}

impl Totals {
    pub(super) fn add(&mut self, other: &Self) {
        self.choices += other.choices;
        self.branches += other.branches;
        self.zero_branches += other.zero_branches;
        self.states_needed = self.states_needed.max(other.states_needed);
        self.unnormalised |= other.unnormalised;
    }
}

/// Reads one chunk into a visitor.
pub(super) struct ChunkReader<'i, V> {
    input: &'i [u8],
    opening: &'i Opening,
    options: &'i ReadOptions<'i>,
    sums: SumRule,
    open: OpenChoice<'i>,
    /// The smallest [`key`] that may come next: that of the next choice, or of the first choice of
    /// a later state.
    floor: u64,
    totals: Totals,
    observations: Option<Observed>,
    visitor: V,
}

impl<'i, V: Visitor> ChunkReader<'i, V> {
    pub(super) fn new(
        input: &'i [u8],
        opening: &'i Opening,
        options: &'i ReadOptions<'i>,
        sums: SumRule,
        visitor: V,
    ) -> Self {
        Self {
            input,
            opening,
            options,
            sums,
            open: OpenChoice::default(),
            floor: 0,
            totals: Totals::default(),
            observations: Observed::new(&opening.preamble),
            visitor,
        }
    }

    /// Reads all lines of the chunk.
    pub(super) fn read(&mut self, chunk: Chunk) -> Checked<()> {
        if let Some(previous) = chunk.previous {
            self.floor = key(previous, u32::MAX).saturating_add(1);
        }
        let shape = self.opening.shape;
        let mut at = chunk.start;
        while at < chunk.end {
            let start = at;
            let pause = chunk.end.min(at.saturating_add(PIECE));
            at = match (shape.choice, shape.value) {
                _ if shape.observation => self.read_observed_lines(at, pause)?,
                (true, _) if shape.model_type.has_intervals() => {
                    self.read_interval_lines::<true>(at, pause)?
                }
                (false, _) if shape.model_type.has_intervals() => {
                    self.read_interval_lines::<false>(at, pause)?
                }
                (true, true) => self.read_lines::<true, true>(at, pause)?,
                (true, false) => self.read_lines::<true, false>(at, pause)?,
                (false, _) => self.read_lines::<false, true>(at, pause)?,
            };
            self.options.advance(at - start)?;
        }
        self.finish_choice()
    }

    pub(super) fn into_parts(self) -> (Totals, Option<Observed>, V) {
        (self.totals, self.observations, self.visitor)
    }

    /// As [`read_lines`](Self::read_lines), for lines with observations, which the fast path does
    /// not accept.
    fn read_observed_lines(&mut self, mut at: usize, end: usize) -> Checked<usize> {
        while at < end {
            at = self.read_line_slowly::<true, true>(at)?;
        }
        Ok(at)
    }

    /// Reads lines from `at` on until one starts at or after `end`. Returns the start of that line.
    fn read_lines<const CHOICE: bool, const VALUE: bool>(
        &mut self,
        mut at: usize,
        end: usize,
    ) -> Checked<usize> {
        while at < end {
            at = match fast::data_line::<CHOICE, VALUE>(self.input, at) {
                Some((line, next)) => {
                    self.accept::<CHOICE, VALUE>(line, at)?;
                    next
                }
                None => self.read_line_slowly::<CHOICE, VALUE>(at)?,
            };
        }
        Ok(at)
    }

    /// As [`read_lines`](Self::read_lines), for lines with intervals.
    fn read_interval_lines<const CHOICE: bool>(
        &mut self,
        mut at: usize,
        end: usize,
    ) -> Checked<usize> {
        while at < end {
            at = match fast::interval_line::<CHOICE>(self.input, at) {
                Some((line, next)) => {
                    self.accept::<CHOICE, true>(line, at)?;
                    next
                }
                None => self.read_line_slowly::<CHOICE, true>(at)?,
            };
        }
        Ok(at)
    }

    #[inline(never)]
    fn read_line_slowly<const CHOICE: bool, const VALUE: bool>(
        &mut self,
        at: usize,
    ) -> Checked<usize> {
        let line = Line::at(self.input, at);
        if line.is_idle() {
            check_later_heading(line).map_err(|fault| self.explain_unreadable(line, fault))?;
            return Ok(line.next);
        }
        match self.parse(line) {
            Ok(fields) => self.accept::<CHOICE, VALUE>(plain(&fields), at)?,
            Err(fault) => return Err(self.explain_unreadable(line, fault)),
        }
        Ok(line.next)
    }

    /// Accepts a data line that starts at `at`.
    #[inline(always)]
    fn accept<const CHOICE: bool, const VALUE: bool>(
        &mut self,
        line: DataLine<'i>,
        at: usize,
    ) -> Checked<()> {
        let line_key = key(line.source, line.choice);
        let bound = self.opening.state_bound;
        if line_key != self.open.key || self.open.is_empty() {
            self.finish_choice()?;
            let follows = line_key == self.floor || (line.choice == 0 && line_key >= self.floor);
            if !follows || line.source >= bound {
                return Err(self.explain(at, Self::bad_start));
            }
            let action = if CHOICE { line.action } else { None };
            self.open.begin(line_key, at, action);
            self.floor = line_key + 1;
            self.totals.states_needed = self.totals.states_needed.max(line.source + 1);
        } else if CHOICE && (!VALUE || line.action != self.open.action) {
            return Err(self.explain(at, Self::bad_continuation));
        }
        if line.target >= bound {
            return Err(self.explain(at, Self::bad_target));
        }
        self.totals.states_needed = self.totals.states_needed.max(line.target + 1);
        if let Some(observed) = &mut self.observations
            && !observed.note(line.target, line.observation)
        {
            return Err(self.explain(at, Self::bad_observation));
        }
        self.open.push(line.target, line.value);
        if self.opening.shape.model_type.has_intervals() {
            self.open.push_lower(line.lower);
        }
        if !CHOICE {
            self.open.push_action(line.action);
        }
        Ok(())
    }

    /// Checks the choice whose lines have all been read, if there is one, and passes it to the
    /// visitor.
    #[inline(always)]
    fn finish_choice(&mut self) -> Checked<()> {
        if self.open.is_empty() {
            return Ok(());
        }
        self.check_duplicates()?;
        let dropped = self.open.drop_zeros();
        if dropped > 0 {
            self.totals.zero_branches += dropped as u64;
            let (state, index) = (state_of(self.open.key), index_of(self.open.key));
            self.visitor.dropped(state, index, &self.open.dropped);
            if self.open.is_empty() {
                return self.accept_nothing();
            }
        }
        if !self.open.fits(self.sums) {
            if self.sums != SumRule::Note {
                return Err(self.blame_choice(self.open.bad_sum(self.sums)));
            }
            self.totals.unnormalised = true;
        }
        self.totals.choices += 1;
        self.totals.branches += self.open.targets.len() as u64;
        self.visitor.choice(self.open.as_choice());
        self.open.clear();
        Ok(())
    }

    /// Accepts a choice all of whose branches have value 0, in a CTMC. The state then has no
    /// choice, and is absorbing, as in PRISM's language.
    #[cold]
    fn accept_nothing(&mut self) -> Checked<()> {
        match (self.opening.preamble.model_type, self.sums) {
            (ModelType::Ctmc, _) => Ok(()),
            // The values do not sum to 1, so this is a CTMC.
            (_, SumRule::Note) => {
                self.totals.unnormalised = true;
                Ok(())
            }
            _ => Err(self.blame_choice(self.open.all_zero())),
        }
    }

    #[inline(always)]
    fn check_duplicates(&mut self) -> Checked<()> {
        if self.open.has_duplicate() {
            return Err(self.blame_duplicate());
        }
        Ok(())
    }

    fn parse(&self, line: Line<'i>) -> Checked<Fields<'i>> {
        let parser = grammar::data_line(self.opening.shape);
        grammar::parse_line(parser, line.text, line.start).map_err(|mut fault| {
            let cut_off = line.next == self.input.len() && !self.input.ends_with(b"\n");
            let missing = fault.span.is_some_and(|place| place.length == 0);
            if cut_off && missing {
                fault.kind = ErrorKind::Truncated;
            }
            grammar::note_row(fault, line.text)
        })
    }

    /// Returns the error for a line that cannot be read. If the line clearly belongs to another
    /// state, it ends the open choice, whose errors come first. A duplicate branch is an error in
    /// either case.
    fn explain_unreadable(&mut self, line: Line<'i>, fault: Box<Fault>) -> Box<Fault> {
        let other_state =
            grammar::source_of(line.text).is_some_and(|source| source != state_of(self.open.key));
        let earlier = match other_state {
            true => self.finish_choice(),
            false => self.check_duplicates(),
        };
        earlier.err().unwrap_or(fault)
    }

    /// Returns an error at the first line of the open choice.
    #[cold]
    fn blame_choice(&self, kind: ErrorKind) -> Box<Fault> {
        Fault::new(Line::at(self.input, self.open.start).span(), kind)
    }

    /// Returns an error at the first line of the open choice that has the target of an earlier
    /// line.
    #[cold]
    fn blame_duplicate(&self) -> Box<Fault> {
        let mut seen = HashSet::new();
        for line in grammar::lines(self.input, self.open.start) {
            let Ok(fields) = self.parse(line) else {
                continue; // a comment
            };
            let action = fields.action.map(|token| token.value);
            let distinct = action.filter(|_| !self.opening.shape.choice);
            let target = fields.target.value;
            if !seen.insert((target, distinct)) {
                let (state, choice) = (state_of(self.open.key), index_of(self.open.key));
                let kind = ErrorKind::DuplicateBranch {
                    state,
                    choice,
                    target,
                };
                return Fault::new(fields.target.span(line.text, line.start), kind);
            }
        }
        // This is not reached if the lines are those of the choice. Otherwise, the first line gets
        // the error.
        self.blame_choice(ErrorKind::Syntax)
    }

    /// Reads a data line that [`accept`](Self::accept) refused again. Returns the error that `why`
    /// finds in it.
    #[cold]
    fn explain(
        &self,
        at: usize,
        why: fn(&Self, Line<'_>, &Fields<'_>) -> Box<Fault>,
    ) -> Box<Fault> {
        let line = Line::at(self.input, at);
        match self.parse(line) {
            Ok(fields) => why(self, line, &fields),
            Err(fault) => fault,
        }
    }

    /// Returns the reason why a line cannot start a choice here.
    fn bad_start(&self, line: Line<'_>, fields: &Fields<'_>) -> Box<Fault> {
        let state = fields.source.value;
        let previous = self.floor.checked_sub(1).map(state_of);
        if let Some(previous) = previous.filter(|&previous| state < previous) {
            let place = fields.source.span(line.text, line.start);
            let fault = Fault::new(place, ErrorKind::StateDecreases { previous, state });
            return fault.expecting(format!("state {previous} or a later one"));
        }
        let expected = match previous {
            Some(previous) if state == previous => u64::from(index_of(self.floor - 1)) + 1,
            _ => 0,
        };
        let unexpected = |choice: &Token<u32>| u64::from(choice.value) != expected;
        match fields.choice.filter(unexpected) {
            Some(choice) => {
                let place = choice.span(line.text, line.start);
                let kind = ErrorKind::ChoiceOrder {
                    state,
                    found: choice.value,
                };
                Fault::new(place, kind).expecting(format!("choice {expected}"))
            }
            None => self.out_of_bound(line, fields.source),
        }
    }

    /// Returns the reason why a line cannot continue the open choice.
    fn bad_continuation(&self, line: Line<'_>, fields: &Fields<'_>) -> Box<Fault> {
        let (state, choice) = (state_of(self.open.key), index_of(self.open.key));
        if let (None, Some(token)) = (fields.value, fields.choice) {
            let place = token.span(line.text, line.start);
            let fault = Fault::new(place, ErrorKind::LtsChoice { state, choice });
            return fault.expecting(format!("choice {}", u64::from(choice) + 1));
        }
        let end = line.start + line.text.trim_ascii_end().len();
        let behind = Span {
            offset: end,
            length: 0,
        };
        let place = fields
            .action
            .map_or(behind, |token| token.span(line.text, line.start));
        let fault = Fault::new(place, ErrorKind::TwoActions { state, choice });
        match self.open.action {
            Some(action) => {
                fault.expecting(format!("`{}`, as above", String::from_utf8_lossy(action)))
            }
            None => fault.expecting("no action, as above"),
        }
    }

    fn bad_target(&self, line: Line<'_>, fields: &Fields<'_>) -> Box<Fault> {
        self.out_of_bound(line, fields.target)
    }

    fn bad_observation(&self, line: Line<'_>, fields: &Fields<'_>) -> Box<Fault> {
        let (Some(observed), Some(token)) = (&self.observations, fields.observation) else {
            return self.blame_choice(ErrorKind::Syntax);
        };
        observed.blame(
            fields.target.value,
            token.value,
            token.span(line.text, line.start),
        )
    }

    fn out_of_bound(&self, line: Line<'_>, index: Token<u32>) -> Box<Fault> {
        let place = index.span(line.text, line.start);
        if self.opening.preamble.dialect == Dialect::Prism {
            return out_of_range(place, index.value, self.opening.state_bound);
        }
        let claim = check_claim(u64::from(index.value) + 1, self.input, self.options);
        let limit = u64::from(self.opening.state_bound).saturating_sub(1);
        Fault::new(
            place,
            claim.err().unwrap_or(ErrorKind::NumberTooLarge { limit }),
        )
    }
}

/// Returns the values of a parsed line, without their places.
pub(super) fn plain<'a>(fields: &Fields<'a>) -> DataLine<'a> {
    DataLine {
        source: fields.source.value,
        choice: fields.choice.map_or(0, |token| token.value),
        target: fields.target.value,
        value: fields.value.map_or(1.0, |token| token.value.upper),
        lower: fields.value.map_or(1.0, |token| token.value.lower),
        observation: fields.observation.map_or(0, |token| token.value),
        action: fields.action.map(|token| token.value),
    }
}
