//! Reads the lines before the first data line. They determine the dialect, the type of the model,
//! the shape of the data lines, and the bound on state indices.

use crate::dialect::Dialect;
use crate::error::{Checked, ErrorKind, Fault, FileKind, Span, check_encoding};
use crate::grammar::{self, Line, Shape, Token};
use crate::options::ReadOptions;
use model_type::ModelType;
use parse_error::STATE_SLACK;

/// The source of the type of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeSource {
    /// [`ReadOptions::model_type`].
    Option,
    /// The file: a comment `# Transitions (MDP)`, or Storm's first word.
    Header,
    /// The number of counts in the header, and the data lines.
    Content,
}

/// The counts in PRISM's header, as they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeaderCounts {
    /// The number of states.
    pub states: u32,
    /// The number of choices of all states; `None` if the header of a chain has two numbers.
    pub choices: Option<u64>,
    /// The number of lines.
    pub transitions: u64,
    /// The number of observations, if the header of a POMDP has four numbers.
    pub observations: Option<u32>,
}

/// The information before the first data line.
///
/// The counts are not checked yet: a reader must not allocate memory based on them alone. The
/// number of states is bounded by the size of the file; see [`STATE_SLACK`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Preamble {
    /// The dialect of the file.
    pub dialect: Dialect,
    /// The type of the model. A DTMC whose type is determined [by content](TypeSource::Content) may
    /// turn out to be a CTMC once all lines have been read.
    pub model_type: ModelType,
    /// The source of the type.
    pub type_source: TypeSource,
    /// The counts in the header; `None` in Storm's dialect, which has none.
    pub counts: Option<HeaderCounts>,
    /// The initial states, from lines `- - s -`, in order.
    pub initial_states: Vec<u32>,
    /// The observations of these states, in a POMDP.
    pub(super) initial_observations: Vec<u32>,
}

/// The preamble, and further information for reading the body.
pub(super) struct Opening {
    pub(super) preamble: Preamble,
    /// The position at which the data lines start.
    pub(super) body: usize,
    pub(super) shape: Shape,
    /// The bound of all state indices: the number of states in the header or, without a header, the
    /// limit.
    pub(super) state_bound: u32,
    /// The places of the counts in the header, for errors.
    pub(super) count_spans: Vec<Span>,
}

/// The first line that is neither a comment nor blank.
enum Head {
    Counts(Vec<(u64, Span)>),
    Word(ModelType, Span),
}

/// Reads everything up to the first data line.
pub(super) fn open(input: &[u8], options: &ReadOptions<'_>) -> Checked<Opening> {
    check_encoding(input, FileKind::Transitions)?;
    let mut type_comment = None;
    let mut at = grammar::text_start(input);
    let line = loop {
        let line = next_line(input, at, &mut type_comment)?.ok_or_else(|| no_header(input))?;
        if !line.is_idle() {
            break line;
        }
        at = line.next;
    };
    match head(line)? {
        Head::Word(word, span) => open_storm(input, line.next, word, span, options),
        Head::Counts(counts) => open_prism(input, line.next, &counts, type_comment, options),
    }
}

fn no_header(input: &[u8]) -> Box<Fault> {
    let end = Span {
        offset: input.len(),
        length: 0,
    };
    Fault::new(end, ErrorKind::Truncated).expecting(grammar::HEADER)
}

/// Returns the line at `at`; nothing at the end of the input. If a comment is a heading, it is
/// checked, and its type is recorded.
fn next_line<'a>(
    input: &'a [u8],
    at: usize,
    type_comment: &mut Option<ModelType>,
) -> Checked<Option<Line<'a>>> {
    if at == input.len() {
        return Ok(None);
    }
    let line = Line::at(input, at);
    if let Some(named) = check_heading(line)? {
        *type_comment = Some(named);
    }
    Ok(Some(line))
}

/// Refuses headings of other files. Returns the type in a heading `# Transitions (TYPE)`.
fn check_heading(line: Line<'_>) -> Checked<Option<ModelType>> {
    let Some(section) = grammar::comment(line.text).and_then(grammar::section) else {
        return Ok(None);
    };
    if section.kind != FileKind::Transitions {
        let (wanted, found) = (FileKind::Transitions, section.kind);
        return Err(Fault::new(
            line.span(),
            ErrorKind::OtherFile { wanted, found },
        ));
    }
    let Some(name) = section.model_type else {
        return Ok(None);
    };
    let name = String::from_utf8_lossy(name);
    match name.parse() {
        Ok(known) if HELD.contains(&known) => Ok(Some(known)),
        _ => Err(unsupported(line.span(), &name)),
    }
}

/// Refuses headings of other files after the counts, where they begin the other sections of a
/// combined file.
pub(super) fn check_later_heading(line: Line<'_>) -> Checked<()> {
    let combined = |mut fault: Box<Fault>| {
        if let ErrorKind::OtherFile { found, .. } = &mut fault.kind {
            *found = FileKind::Combined;
        }
        fault
    };
    check_heading(line).map(drop).map_err(combined)
}

fn unsupported(place: Span, name: &str) -> Box<Fault> {
    let kind = ErrorKind::UnsupportedType {
        name: name.to_owned(),
    };
    Fault::new(place, kind).expecting("one of DTMC, CTMC, MDP, LTS, POMDP, IDTMC, IMDP")
}

fn head(line: Line<'_>) -> Checked<Head> {
    let first = line.text.trim_ascii_start();
    let other = match first {
        [b'(', ..] => Some(FileKind::States),
        [b'0', b'=', ..] => Some(FileKind::Labels),
        _ if first.starts_with(b"@") => Some(FileKind::Drn),
        _ => None,
    };
    if let Some(found) = other {
        let wanted = FileKind::Transitions;
        return Err(Fault::new(
            line.span(),
            ErrorKind::OtherFile { wanted, found },
        ));
    }
    if first.first().is_some_and(u8::is_ascii_alphabetic) {
        return storm_word(line);
    }
    let counts = grammar::parse_line(grammar::header, line.text, line.start)?;
    let place = |count: Token<u64>| (count.value, count.span(line.text, line.start));
    Ok(Head::Counts(counts.into_iter().map(place).collect()))
}

fn storm_word(line: Line<'_>) -> Checked<Head> {
    let token = grammar::parse_line(grammar::type_word, line.text, line.start)?;
    let span = token.span(line.text, line.start);
    let word = String::from_utf8_lossy(token.value.0);
    match word.parse() {
        Ok(known) if STORM.contains(&known) => {
            grammar::parse_line(grammar::type_line, line.text, line.start)?;
            Ok(Head::Word(known, span))
        }
        _ if OTHER_TYPES.contains(&&*word.to_ascii_lowercase()) => {
            let fault = unsupported(span, &word.to_ascii_uppercase());
            Err(fault.expecting("one of the words dtmc, ctmc, mdp"))
        }
        _ => Err(Fault::new(span, ErrorKind::Syntax).expecting(grammar::HEADER)),
    }
}

/// The types of models that these files may have.
const HELD: [ModelType; 7] = [
    ModelType::Dtmc,
    ModelType::Ctmc,
    ModelType::Mdp,
    ModelType::Lts,
    ModelType::Pomdp,
    ModelType::Idtmc,
    ModelType::Imdp,
];

/// The types of models that files in Storm's dialect may have.
const STORM: [ModelType; 3] = [ModelType::Dtmc, ModelType::Ctmc, ModelType::Mdp];

/// Words for model types that are not supported, or not supported in Storm's dialect.
const OTHER_TYPES: [&str; 8] = ["lts", "ma", "pomdp", "smg", "idtmc", "imdp", "ctmdp", "pta"];

fn open_storm(
    input: &[u8],
    body: usize,
    word: ModelType,
    place: Span,
    options: &ReadOptions<'_>,
) -> Checked<Opening> {
    let asked = options.model_type;
    let model_type = asked.unwrap_or(word);
    let same_lines = STORM.contains(&model_type)
        && model_type.is_nondeterministic() == word.is_nondeterministic();
    if !same_lines {
        let held = if word == ModelType::Mdp {
            "an MDP"
        } else {
            "a Markov chain"
        };
        return Err(Fault::new(
            place,
            ErrorKind::TypeConflict {
                asked: model_type,
                held,
            },
        ));
    }
    let by_size = u32::try_from(input.len() as u64 + STATE_SLACK).unwrap_or(u32::MAX);
    Ok(Opening {
        preamble: Preamble {
            dialect: Dialect::Storm,
            model_type,
            type_source: if asked.is_some() {
                TypeSource::Option
            } else {
                TypeSource::Header
            },
            counts: None,
            initial_states: Vec::new(),
            initial_observations: Vec::new(),
        },
        body,
        shape: Shape {
            model_type,
            choice: model_type.is_nondeterministic(),
            value: true,
            observation: false,
            loose_end: true,
        },
        state_bound: by_size.min(options.max_states),
        count_spans: Vec::new(),
    })
}

fn open_prism(
    input: &[u8],
    after_header: usize,
    counts: &[(u64, Span)],
    type_comment: Option<ModelType>,
    options: &ReadOptions<'_>,
) -> Checked<Opening> {
    let whole = counts_span(counts);
    let (choices, observations) = further_counts(counts)?;
    let states = claimed_states(counts[0], input, options)?;
    let bounds = (states, observations);
    let (body, initial_states, initial_observations) = initial_states(input, after_header, bounds)?;
    let (model_type, type_source) = match (options.model_type, type_comment) {
        (Some(asked), _) => (asked, TypeSource::Option),
        (None, Some(named)) => (named, TypeSource::Header),
        (None, None) => {
            let by_content = by_content(input, body, choices.is_some(), observations.is_some());
            (by_content, TypeSource::Content)
        }
    };
    if !HELD.contains(&model_type)
        || model_type.is_nondeterministic() != choices.is_some()
        || model_type.has_observations() != observations.is_some()
    {
        return Err(type_conflict(whole, model_type, counts.len()));
    }
    let transitions = counts[TRANSITIONS.min(counts.len() - 1)].0;
    Ok(Opening {
        preamble: Preamble {
            dialect: Dialect::Prism,
            model_type,
            type_source,
            counts: Some(HeaderCounts {
                states,
                choices,
                transitions,
                observations,
            }),
            initial_states,
            initial_observations,
        },
        body,
        shape: Shape {
            model_type,
            choice: choices.is_some(),
            value: model_type != ModelType::Lts,
            observation: observations.is_some(),
            loose_end: false,
        },
        state_bound: states,
        count_spans: counts.iter().map(|&(_, span)| span).collect(),
    })
}

/// Returns the numbers of choices and of observations, if a header has them.
fn further_counts(counts: &[(u64, Span)]) -> Checked<(Option<u64>, Option<u32>)> {
    match *counts {
        [_, _] => Ok((None, None)),
        [_, (choices, _), _] => Ok((Some(choices), None)),
        [_, (choices, _), _, (seen, place)] => {
            Ok((Some(choices), Some(claimed_observations(seen, place)?)))
        }
        _ => {
            let fault = Fault::new(counts_span(counts), ErrorKind::Syntax);
            Err(fault.expecting(
                "two to four numbers: states, choices (not of chains), transitions, observations \
                 (POMDP only)",
            ))
        }
    }
}

/// Returns the error for a header that counts choices although models of this type have none, or
/// vice versa.
fn type_conflict(whole: Span, asked: ModelType, counts: usize) -> Box<Fault> {
    let held = match counts {
        2 => "a Markov chain (two numbers in the header)",
        3 if asked.has_observations() => {
            "choices without observations (three numbers in the header, of four)"
        }
        3 => "choices (three numbers in the header)",
        _ => "observations (four numbers in the header)",
    };
    Fault::new(whole, ErrorKind::TypeConflict { asked, held })
}

/// The index of the number of transitions in a header that counts choices.
pub(super) const TRANSITIONS: usize = 2;

fn claimed_observations(claimed: u64, place: Span) -> Checked<u32> {
    u32::try_from(claimed).map_err(|_| {
        let limit = u32::MAX.into();
        Fault::new(place, ErrorKind::NumberTooLarge { limit })
    })
}

fn counts_span(counts: &[(u64, Span)]) -> Span {
    let (first, last) = (counts[0].1, counts[counts.len() - 1].1);
    Span {
        offset: first.offset,
        length: last.offset + last.length - first.offset,
    }
}

fn claimed_states(
    (claimed, place): (u64, Span),
    input: &[u8],
    options: &ReadOptions<'_>,
) -> Checked<u32> {
    check_claim(claimed, input, options).map_err(|kind| Fault::new(place, kind))?;
    Ok(u32::try_from(claimed).unwrap_or(u32::MAX))
}

/// Checks that a file may claim this many states.
pub(super) fn check_claim(
    claimed: u64,
    input: &[u8],
    options: &ReadOptions<'_>,
) -> Result<(), ErrorKind> {
    let limit = u64::from(options.max_states);
    let bytes = input.len() as u64;
    if claimed > limit {
        return Err(ErrorKind::TooManyStates { claimed, limit });
    }
    let limit = bytes + STATE_SLACK;
    if claimed > limit {
        return Err(ErrorKind::UnbackedStates {
            claimed,
            bytes,
            limit,
        });
    }
    Ok(())
}

/// Returns the states in the lines `- - s -` after the header, with their observations, and the
/// start of the data lines.
fn initial_states(
    input: &[u8],
    after_header: usize,
    (num_states, num_observations): (u32, Option<u32>),
) -> Checked<(usize, Vec<u32>, Vec<u32>)> {
    let (mut initial, mut observations) = (Vec::new(), Vec::new());
    let is_observed = num_observations.is_some();
    for line in grammar::lines(input, after_header) {
        if line.is_idle() {
            check_later_heading(line)?;
            continue;
        }
        let parser = |text| grammar::initial_state_line(text, is_observed);
        let Some((token, seen)) = grammar::parse_line(parser, line.text, line.start)? else {
            return Ok((line.start, initial, observations));
        };
        let state = token.value;
        if state >= num_states {
            let place = token.span(line.text, line.start);
            return Err(out_of_range(place, state, num_states));
        }
        if let (Some(seen), Some(count)) = (seen, num_observations) {
            if seen.value >= count {
                let place = seen.span(line.text, line.start);
                return Err(unknown_observation(place, seen.value, count));
            }
            observations.push(seen.value);
        }
        initial.push(state);
    }
    Ok((input.len(), initial, observations))
}

pub(super) fn out_of_range(place: Span, state: u32, num_states: u32) -> Box<Fault> {
    let fault = Fault::new(place, ErrorKind::StateOutOfRange { state, num_states });
    match num_states {
        0 => fault.expecting("no line, as the header says that there are no states"),
        _ => fault.expecting(format!("a state below {num_states}")),
    }
}

pub(super) fn unknown_observation(place: Span, observation: u32, count: u32) -> Box<Fault> {
    let kind = ErrorKind::ObservationOutOfRange { observation, count };
    Fault::new(place, kind).expecting(format!("an observation below {count}"))
}

/// Returns the type of a model whose file does not declare it. If there are choices and no
/// observations, it is an LTS if the fourth field of the first data line is not a number. As in
/// PRISM, only the first lines are searched for intervals, because a file with intervals has them
/// in all lines.
fn by_content(input: &[u8], body: usize, choices: bool, observations: bool) -> ModelType {
    const FIRST: usize = 6;
    let mut lines = grammar::lines(input, body).filter(|line| !line.is_idle());
    let value = if choices { 3 } else { 2 };
    let is_interval = |line: Line<'_>| field(line.text, value).is_some_and(|v| v.starts_with(b"["));
    let has_intervals = lines.clone().take(FIRST).any(is_interval);
    match (choices, observations) {
        (true, true) => ModelType::Pomdp,
        (true, false) if has_intervals => ModelType::Imdp,
        (false, _) if has_intervals => ModelType::Idtmc,
        (true, false) => match lines.next() {
            Some(line) if !has_value(line.text) => ModelType::Lts,
            _ => ModelType::Mdp,
        },
        (false, _) => ModelType::Dtmc,
    }
}

/// Returns field `number` of a line, counted from 0.
fn field(line: &[u8], number: usize) -> Option<&[u8]> {
    let fields = line.split(|&byte| grammar::is_blank(byte));
    fields.filter(|field| !field.is_empty()).nth(number)
}

fn has_value(line: &[u8]) -> bool {
    field(line, 3).is_some_and(|fourth| !grammar::is_action(fourth) || grammar::is_special(fourth))
}
