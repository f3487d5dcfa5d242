//! The header: everything up to the line `@model`.

use super::labels::read_labels;
use super::number::{Bounds, interval, natural, reward};
use super::words::{Line, Words, span, text};
use crate::error::{BOM, Checked, ErrorKind, Fault, Span};
use crate::options::ReadOptions;
use crate::parts::{Header, ModelType, UNUSED_LABELS};
use model_type::Reward;
use std::collections::HashMap;

/// The least size of a state in bytes: `state 0` and the end of the line.
const STATE_BYTES: u64 = 8;

/// The names and values of placeholders. Names begin with `$`.
pub(super) type Placeholders<'i> = HashMap<&'i [u8], Placeholder>;

/// The value of a placeholder.
#[derive(Debug, Clone, Copy)]
pub(super) enum Placeholder {
    Number(Reward),
    Interval(Bounds),
}

/// The header, and positions in it.
#[derive(Debug)]
pub(super) struct Opening<'i> {
    pub(super) header: Header,
    pub(super) placeholders: Placeholders<'i>,
    /// The position at which the states begin.
    pub(super) body: usize,
    /// The positions of the numbers of states and of choices.
    pub(super) states_place: Span,
    pub(super) choices_place: Span,
}

/// The keywords of the header.
const TYPE: &str = "@type";
const VALUE_TYPE: &str = "@value_type";
const PARAMETERS: &str = "@parameters";
const PLACEHOLDERS: &str = "@placeholders";
const REWARD_MODELS: &str = "@reward_models";
const NUM_STATES: &str = "@nr_states";
const NUM_CHOICES: &str = "@nr_choices";
const MODEL: &str = "@model";

const KEYWORDS: [&str; 8] = [
    TYPE,
    VALUE_TYPE,
    PARAMETERS,
    PLACEHOLDERS,
    REWARD_MODELS,
    NUM_STATES,
    NUM_CHOICES,
    MODEL,
];

struct Reader<'i> {
    input: &'i [u8],
    at: usize,
    /// The keywords that were found so far.
    seen: Vec<&'static str>,
    model_type: Option<ModelType>,
    values: Values,
    /// The position of the type of the values.
    values_place: Option<Span>,
    placeholders: Placeholders<'i>,
    reward_models: Vec<String>,
    unused_labels: Vec<String>,
    num_states: Option<(u64, Span)>,
    num_choices: Option<(u64, Span)>,
}

/// The type of the values.
#[derive(Debug, Clone, Copy, Default)]
struct Values {
    is_rational: bool,
    has_intervals: bool,
}

/// Reads the header, and checks that the file can contain as many states as the header claims.
pub(super) fn open<'i>(input: &'i [u8], options: &ReadOptions<'_>) -> Checked<Opening<'i>> {
    if let Some((place, archive)) = parse_error::ArchiveKind::find(input) {
        return Err(Fault::new(place, ErrorKind::Compressed { archive }));
    }
    if let Some(encoding) = parse_error::wide_encoding(input) {
        return Err(Fault::placeless(ErrorKind::WideEncoding { encoding }));
    }
    if parse_error::has_carriage_returns_only(input) {
        return Err(Fault::placeless(ErrorKind::CarriageReturns));
    }
    let mut reader = Reader {
        input,
        at: if input.starts_with(BOM) { BOM.len() } else { 0 },
        seen: Vec::new(),
        model_type: None,
        values: Values::default(),
        values_place: None,
        placeholders: HashMap::new(),
        reward_models: Vec::new(),
        unused_labels: Vec::new(),
        num_states: None,
        num_choices: None,
    };
    let model = reader.read()?;
    reader.conclude(model, options)
}

fn is_idle(line: Line<'_>) -> bool {
    line.text().is_empty() || line.text().starts_with(b"//")
}

impl<'i> Reader<'i> {
    /// Reads up to `@model`, and returns its position.
    fn read(&mut self) -> Checked<Span> {
        loop {
            let line = self.significant("a line of the header, such as `@type: MDP`")?;
            let mut words = line.words(0);
            let rest = words.rest();
            let end = match rest.iter().position(|byte| !is_keyword_byte(*byte)) {
                // The line does not begin with a keyword: its first word is marked.
                Some(0) => rest.iter().position(u8::is_ascii_whitespace),
                end => end,
            };
            let (place, name) = words.take(end.unwrap_or(rest.len()));
            let keyword = self.keyword(place, name)?;
            match keyword {
                TYPE => self.model_type = Some(model_type(&mut words)?),
                VALUE_TYPE => {
                    let (place, values) = values(&mut words)?;
                    (self.values, self.values_place) = (values, Some(place));
                }
                _ => words.end()?,
            }
            match keyword {
                PARAMETERS => self.parameters()?,
                PLACEHOLDERS => self.read_placeholders()?,
                REWARD_MODELS => self.read_reward_models()?,
                NUM_STATES => self.num_states = Some(self.count("the number of states")?),
                NUM_CHOICES => self.num_choices = Some(self.count("the number of choices")?),
                MODEL => return Ok(place),
                _ => {}
            }
        }
    }

    /// Returns the next line that is neither empty nor a comment.
    fn significant(&mut self, expected: &'static str) -> Checked<Line<'i>> {
        while self.at < self.input.len() {
            let line = self.line();
            if !is_idle(line) {
                return Ok(line);
            }
            if line.text().starts_with(UNUSED_LABELS.as_bytes()) {
                self.read_unused_labels(line.words(UNUSED_LABELS.len()));
            }
        }
        let end = span(self.input.len()..self.input.len());
        Err(Fault::new(end, ErrorKind::Truncated).expecting(expected))
    }

    /// Returns the next line.
    fn line(&mut self) -> Line<'i> {
        let line = Line::at(self.input, self.at);
        self.at = line.next;
        line
    }

    /// Reads the labels that no state has. A comment that does not follow this format is an
    /// ordinary comment.
    fn read_unused_labels(&mut self, mut words: Words<'i>) {
        let mut labels = Vec::new();
        if read_labels(&mut words, &mut labels).is_ok() {
            self.unused_labels = labels.into_iter().map(str::to_owned).collect();
        }
    }

    fn keyword(&mut self, place: Span, name: &[u8]) -> Checked<&'static str> {
        let known = KEYWORDS.iter().find(|known| known.as_bytes() == name);
        let Some(&keyword) = known else {
            let fault = Fault::new(place, ErrorKind::Syntax).expecting("a keyword of the header");
            let name = String::from_utf8_lossy(name);
            return Err(fault.suggest(&name, KEYWORDS));
        };
        if self.seen.contains(&keyword) {
            return Err(Fault::new(place, ErrorKind::Repeated { keyword }));
        }
        self.seen.push(keyword);
        Ok(keyword)
    }

    /// Returns the line of values after a keyword, which may be empty or missing.
    fn list(&mut self) -> Option<Line<'i>> {
        let line = Line::at(self.input, self.at);
        if self.at == self.input.len() || line.text().starts_with(b"@") {
            return None;
        }
        self.at = line.next;
        Some(line)
    }

    fn parameters(&mut self) -> Checked<()> {
        let Some(line) = self.list() else {
            return Ok(());
        };
        match line.text() {
            b"" => Ok(()),
            _ => Err(Fault::new(line.span(), ErrorKind::Parameters)),
        }
    }

    /// Reads the names of the reward models. Each is followed by a blank; the name may be empty.
    fn read_reward_models(&mut self) -> Checked<()> {
        let start = self.at;
        let Some(line) = self.list() else {
            return Ok(());
        };
        let whole = &self.input[start..line.next];
        let whole = whole.strip_suffix(b"\n").unwrap_or(whole);
        let whole = whole.strip_suffix(b"\r").unwrap_or(whole);
        let list = text(line.span(), whole)?;
        let list = list.strip_suffix([' ', '\t']).unwrap_or(list);
        if !whole.is_empty() {
            let names = list.split([' ', '\t']);
            self.reward_models = names.map(str::to_owned).collect();
        }
        Ok(())
    }

    fn read_placeholders(&mut self) -> Checked<()> {
        loop {
            let start = self.at;
            let line = self.significant("a placeholder such as `$p : 0.5`, or a keyword")?;
            if !line.text().starts_with(b"$") {
                self.at = start;
                return Ok(());
            }
            let mut words = line.words(0);
            let (place, name) = words.word();
            let (colon, word) = words.word();
            if word != b":" {
                return Err(Fault::new(colon, ErrorKind::Syntax).expecting("` : ` and a number"));
            }
            let (value_place, value) = words.value();
            let read = match value {
                [b'[' | b'(', ..] => interval(value).map(Placeholder::Interval),
                _ => reward(value).map(Placeholder::Number),
            };
            let expected = "a number, or an interval such as `[0.2, 0.5]`";
            let value = read.map_err(|kind| Fault::new(value_place, kind).expecting(expected))?;
            words.end()?;
            if self.placeholders.insert(name, value).is_some() {
                let fault = Fault::new(place, ErrorKind::Syntax);
                return Err(fault.expecting("a placeholder that has no value yet"));
            }
        }
    }

    fn count(&mut self, expected: &'static str) -> Checked<(u64, Span)> {
        let mut words = self.significant(expected)?.words(0);
        let (place, word) = words.word();
        let number =
            natural(word, u64::MAX).map_err(|kind| Fault::new(place, kind).expecting(expected))?;
        words.end()?;
        Ok((number, place))
    }

    fn conclude(self, model: Span, options: &ReadOptions<'_>) -> Checked<Opening<'i>> {
        let missing = |keyword| Fault::new(model, ErrorKind::Missing { keyword });
        let model_type = self.model_type.ok_or_else(|| missing(TYPE))?;
        let (claimed, states_place) = self.num_states.ok_or_else(|| missing(NUM_STATES))?;
        let bytes = (self.input.len() - self.at) as u64;
        let limit = u64::from(options.max_states);
        let kind = match claimed {
            _ if claimed > limit => Some(ErrorKind::TooManyStates { claimed, limit }),
            // The end of the last line may be missing.
            _ if claimed > bytes.div_ceil(STATE_BYTES) => {
                Some(ErrorKind::UnbackedStates { claimed, bytes })
            }
            _ => None,
        };
        if let Some(kind) = kind {
            return Err(Fault::new(states_place, kind));
        }
        let place = self.values_place.unwrap_or(model);
        if self.values.has_intervals && !model_type.may_have_intervals() {
            let why = ": only DTMCs and MDPs can have intervals";
            let name = match self.values.is_rational {
                true => "rational-interval",
                false => "double-interval",
            };
            let name = name.as_bytes();
            return Err(unsupported(place, "the type of values", name, why));
        }
        Ok(Opening {
            header: Header {
                model_type,
                is_rational: self.values.is_rational,
                has_intervals: self.values.has_intervals,
                reward_models: self.reward_models,
                unused_labels: self.unused_labels,
                num_states: claimed as u32,
                num_choices: self.num_choices.map(|(number, _)| number),
            },
            placeholders: self.placeholders,
            body: self.at,
            states_place,
            choices_place: self.num_choices.map_or(model, |(_, place)| place),
        })
    }
}

fn is_keyword_byte(byte: u8) -> bool {
    byte == b'@' || byte == b'_' || byte.is_ascii_alphanumeric()
}

/// Returns the value after a keyword and a colon.
fn after_colon<'i>(words: &mut Words<'i>) -> Checked<(Span, &'i [u8])> {
    if !words.rest().starts_with(b":") {
        let (place, _) = words.word();
        return Err(Fault::new(place, ErrorKind::Syntax).expecting("a colon"));
    }
    words.take(1);
    let length = words.rest().len();
    Ok(words.take(length))
}

fn model_type(words: &mut Words<'_>) -> Checked<ModelType> {
    let (place, name) = after_colon(words)?;
    let named = |known: &ModelType| known.name().as_bytes() == name;
    if let Some(known) = ModelType::ALL.into_iter().find(named) {
        return Ok(known);
    }
    if name == b"SMG" {
        return Err(unsupported(
            place,
            "the type",
            name,
            ": the format does not say whose turn it is",
        ));
    }
    let names = ModelType::ALL.map(ModelType::name);
    let [others @ .., last] = &names;
    let fault = Fault::new(place, ErrorKind::Syntax);
    let name = String::from_utf8_lossy(name).into_owned();
    let fault = fault.expecting(format!("{} or {last}", others.join(", ")));
    Err(fault.suggest(&name, names))
}

fn values(words: &mut Words<'_>) -> Checked<(Span, Values)> {
    let (place, name) = after_colon(words)?;
    let (is_rational, has_intervals) = match name {
        b"double" => (false, false),
        b"rational" => (true, false),
        b"double-interval" => (false, true),
        b"rational-interval" => (true, true),
        b"parametric" => return Err(unsupported(place, "the type of values", name, "")),
        _ => {
            let expected = "double, rational, double-interval or rational-interval";
            return Err(Fault::new(place, ErrorKind::Syntax).expecting(expected));
        }
    };
    let values = Values {
        is_rational,
        has_intervals,
    };
    Ok((place, values))
}

fn unsupported(place: Span, what: &'static str, name: &[u8], why: &'static str) -> Box<Fault> {
    let name = String::from_utf8_lossy(name).into_owned();
    Fault::new(place, ErrorKind::Unsupported { what, name, why })
}
