//! Labels files (`.lab`): the labels of states, in PRISM's and Storm's formats.
//!
//! ```text
//! PRISM   0="init" 1="deadlock" 2="goal"      Storm   #DECLARATION
//!         0: 0                                        init deadlock goal
//!         7: 1 2                                      #END
//!                                                     0 init
//!                                                     7 deadlock goal
//! ```

use std::collections::HashMap;
use std::io::{self, Write};

use parse_error::{OutOfMemory, check_room, push};

use crate::dialect::Dialect;
use crate::error::{Checked, Error, ErrorKind, Fault, FileKind, Span};
use crate::grammar::{self, Declaration, Line, Token};
use crate::line_file::{LineFile, check_room_for_words, name_in};
use crate::options::ReadOptions;
use crate::text::{FULL, push_number};

/// The labels of a model's states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    dialect: Dialect,
    names: Vec<String>,
    /// The states that have each label, in ascending order.
    states: Vec<Vec<u32>>,
}

impl Labels {
    /// Makes labels that are to be written. Each has the states that have it, in ascending order.
    #[must_use]
    pub fn new(dialect: Dialect, labels: impl IntoIterator<Item = (String, Vec<u32>)>) -> Self {
        let (names, states) = labels.into_iter().unzip();
        Self {
            dialect,
            names,
            states,
        }
    }

    /// Returns the format from which the labels were read.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Returns the names, in the order of their declaration.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the names and their states, in the order of declaration.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &[u32])> {
        let names = self.names.iter().map(String::as_str);
        names.zip(self.states.iter().map(Vec::as_slice))
    }

    /// Returns the states that have a label, in ascending order; `None` if the label is not
    /// declared.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u32]> {
        self.iter()
            .find(|(known, _)| *known == name)
            .map(|(_, states)| states)
    }

    /// Returns the initial states, which have the label `init`.
    #[must_use]
    pub fn initial_states(&self) -> &[u32] {
        self.get("init").unwrap_or_default()
    }

    /// Returns the states that have the label `deadlock`.
    #[must_use]
    pub fn deadlocks(&self) -> &[u32] {
        self.get("deadlock").unwrap_or_default()
    }

    /// Writes the labels.
    ///
    /// # Errors
    ///
    /// Errors of the output, and [`io::ErrorKind::InvalidInput`] for names that the format cannot
    /// express.
    pub fn write(&self, mut out: impl Write, dialect: Dialect) -> io::Result<()> {
        self.check_names(dialect)?;
        match dialect {
            Dialect::Prism => {
                let declare = |(number, name): (usize, &String)| format!("{number}=\"{name}\"");
                let declared: Vec<_> = self.names.iter().enumerate().map(declare).collect();
                writeln!(out, "# Labels\n{}", declared.join(" "))?;
            }
            Dialect::Storm => writeln!(out, "#DECLARATION\n{}\n#END", self.names.join(" "))?,
        }
        self.write_states(&mut out, dialect)?;
        out.flush()
    }

    /// Returns whether the format can express a label of this name.
    #[must_use]
    pub fn can_hold(name: &str, dialect: Dialect) -> bool {
        match dialect {
            Dialect::Prism => !name.contains(['"', '\n', '\r']),
            Dialect::Storm => {
                !name.is_empty() && !name.contains(char::is_whitespace) && name != "#END"
            }
        }
    }

    fn check_names(&self, dialect: Dialect) -> io::Result<()> {
        let fits = |name: &String| Self::can_hold(name, dialect);
        if self.names.is_empty() && dialect == Dialect::Prism {
            let reason = "a labels file of PRISM declares at least one label";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        match self.names.iter().find(|name| !fits(name)) {
            None => Ok(()),
            Some(name) => {
                let reason = format!("label {name:?} cannot be written in the {dialect} format");
                Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
            }
        }
    }

    /// Writes a line for each state that has a label, by merging the lists of all labels.
    fn write_states(&self, out: &mut impl Write, dialect: Dialect) -> io::Result<()> {
        let mut left: Vec<_> = self
            .states
            .iter()
            .map(|states| states.iter().peekable())
            .collect();
        let mut text = Vec::new();
        while let Some(state) = left
            .iter_mut()
            .filter_map(|states| states.peek().copied())
            .min()
        {
            push_number(&mut text, *state);
            if dialect == Dialect::Prism {
                text.push(b':');
            }
            for (number, states) in left.iter_mut().enumerate() {
                if states.next_if(|&next| next == state).is_some() {
                    text.push(b' ');
                    match dialect {
                        Dialect::Prism => push_number(&mut text, number),
                        Dialect::Storm => text.extend_from_slice(self.names[number].as_bytes()),
                    }
                }
            }
            text.push(b'\n');
            if text.len() >= FULL {
                out.write_all(&text)?;
                text.clear();
            }
        }
        out.write_all(&text)
    }
}

/// Reads a labels file in either format. If `num_states` is given, every state must be below it.
///
/// # Errors
///
/// The error with the earliest position in the file.
pub fn read_labels(
    input: &[u8],
    num_states: Option<u32>,
    options: &ReadOptions<'_>,
) -> Result<Labels, Error> {
    let bound = num_states.unwrap_or(u32::MAX).min(options.max_states);
    let mut reader = LabelsReader {
        file: LineFile {
            kind: FileKind::Labels,
            input,
            options,
        },
        bound,
        labels: Labels::new(Dialect::Prism, []),
        numbers: HashMap::new(),
        last_state: None,
    };
    match reader.read() {
        Ok(()) => Ok(reader.labels),
        Err(fault) => Err(fault.locate(input)),
    }
}

/// The first line of Storm's declarations.
const STORM_START: &[u8] = b"#DECLARATION";
const STORM_END: &[u8] = b"#END";

struct LabelsReader<'i> {
    file: LineFile<'i>,
    /// All states must be below this bound.
    bound: u32,
    labels: Labels,
    /// The indices of the labels, by name.
    numbers: HashMap<&'i [u8], usize>,
    last_state: Option<u32>,
}

impl<'i> LabelsReader<'i> {
    fn read(&mut self) -> Checked<()> {
        let states_start = self.read_declarations()?;
        let file = self.file;
        file.options.advance(states_start)?;
        file.for_each_line(states_start, |line| self.read_line(line))
    }

    /// Reads the declarations. Returns the start of the lines of states.
    fn read_declarations(&mut self) -> Checked<usize> {
        let Some(line) = self.file.first_line(Some(STORM_START))? else {
            return Err(self.file.truncated("`0=\"init\"` or `#DECLARATION`"));
        };
        if line.text.trim_ascii() == STORM_START {
            self.labels.dialect = Dialect::Storm;
            return self.read_storm_names(line.next);
        }
        if line.text.trim_ascii_start().starts_with(b"(") {
            return Err(self.file.refuse(line, FileKind::States));
        }
        for declared in grammar::parse_line(grammar::prism_declarations, line.text, line.start)? {
            self.declare_numbered(line, declared)?;
        }
        Ok(line.next)
    }

    fn read_storm_names(&mut self, start: usize) -> Checked<usize> {
        for line in grammar::lines(self.file.input, start) {
            if line.text.trim_ascii() == STORM_END {
                return Ok(line.next);
            }
            check_room_for_words(line.text)?;
            let names = grammar::parse_line(grammar::words, line.text, line.start)?;
            if self.is_of_state(&names) {
                return Err(
                    Fault::new(line.span(), ErrorKind::Syntax).expecting("`#END` before it")
                );
            }
            for name in names {
                self.declare(name.value, name.span(line.text, line.start))?;
            }
        }
        Err(self.file.truncated("`#END`"))
    }

    /// Returns whether a line among Storm's declarations is the line of a state: it begins with a
    /// number, and has labels that are declared. Otherwise, `0 init` would be read as two names,
    /// the second of which is declared twice.
    fn is_of_state(&self, words: &[Token<&[u8]>]) -> bool {
        words.split_first().is_some_and(|(state, labels)| {
            state.value.iter().all(u8::is_ascii_digit)
                && labels
                    .iter()
                    .any(|label| self.numbers.contains_key(label.value))
        })
    }

    fn declare_numbered(&mut self, line: Line<'i>, declared: Declaration<'i>) -> Checked<()> {
        let expected = self.labels.names.len();
        if u64::from(declared.number.value) != expected as u64 {
            let place = declared.number.span(line.text, line.start);
            let fault = Fault::new(place, ErrorKind::Syntax);
            return Err(fault.expecting(format!("`{expected}=`, as labels are numbered from 0")));
        }
        self.declare(
            declared.name.value,
            declared.name.span(line.text, line.start),
        )
    }

    fn declare(&mut self, name: &'i [u8], place: Span) -> Checked<()> {
        let text = name_in(name, place)?;
        check_room_sometimes(self.labels.names.len())?;
        let bytes = (2 * self.numbers.capacity() * size_of::<(&[u8], usize)>()) as u64;
        let room = self.numbers.try_reserve(1);
        room.map_err(|_| OutOfMemory { bytes })?;
        if self.numbers.insert(name, self.labels.names.len()).is_some() {
            let name = text.to_owned();
            return Err(Fault::new(place, ErrorKind::DuplicateName { name }));
        }
        push(&mut self.labels.names, text.to_owned())?;
        Ok(push(&mut self.labels.states, Vec::new())?)
    }

    fn read_line(&mut self, line: Line<'i>) -> Checked<()> {
        match self.labels.dialect {
            Dialect::Prism => {
                let (state, numbers) =
                    grammar::parse_line(grammar::numbered_labels, line.text, line.start)?;
                self.check_state(line, state)?;
                numbers.iter().try_for_each(|number| {
                    let known = number.value as usize;
                    let place = number.span(line.text, line.start);
                    self.add(state.value, Some(known), &number.value.to_string(), place)
                })
            }
            Dialect::Storm => {
                let (state, names) =
                    grammar::parse_line(grammar::named_labels, line.text, line.start)?;
                self.check_state(line, state)?;
                names.iter().try_for_each(|name| {
                    let known = self.numbers.get(name.value).copied();
                    let text = String::from_utf8_lossy(name.value);
                    self.add(state.value, known, &text, name.span(line.text, line.start))
                })
            }
        }
    }

    fn check_state(&mut self, line: Line<'_>, token: Token<u32>) -> Checked<()> {
        let (state, place) = (token.value, token.span(line.text, line.start));
        if let Some(previous) = self.last_state.filter(|&previous| state <= previous) {
            let fault = Fault::new(place, ErrorKind::StateDecreases { previous, state });
            return Err(fault.expecting(format!("a state above {previous}")));
        }
        if state >= self.bound {
            let num_states = self.bound;
            let fault = Fault::new(place, ErrorKind::StateOutOfRange { state, num_states });
            return Err(fault.expecting(format!("a state below {num_states}")));
        }
        self.last_state = Some(state);
        Ok(())
    }

    fn add(&mut self, state: u32, label: Option<usize>, name: &str, place: Span) -> Checked<()> {
        let Some(label) = label.filter(|&label| label < self.labels.names.len()) else {
            let name = name.to_owned();
            return Err(Fault::new(place, ErrorKind::UndeclaredLabel { name }));
        };
        let states = &mut self.labels.states[label];
        if states.last() == Some(&state) {
            let name = self.labels.names[label].clone();
            return Err(Fault::new(place, ErrorKind::RepeatedLabel { state, name }));
        }
        if states.is_empty() {
            check_room_sometimes(label)?;
        }
        Ok(push(states, state)?)
    }
}

/// Checks whether there is room for the names and states of some labels, for every thousandth one.
fn check_room_sometimes(label: usize) -> Result<(), OutOfMemory> {
    match label % 1024 {
        0 => check_room(&[]),
        _ => Ok(()),
    }
}
