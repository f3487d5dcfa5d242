//! States files (`.sta`): the values of the model's variables in each state.
//!
//! ```text
//! (s,ready)
//! 0:(0,false)
//! 1:(4,true)
//! ```

mod column;
mod plain;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Write};

use crate::error::{Checked, Error, ErrorKind, Fault, FileKind};
use crate::grammar::{self, Line, Scalar, Token};
use crate::line_file::{LineFile, name_in};
use crate::options::ReadOptions;
use crate::text::{FULL, push_number};
pub use column::{Column, Value};

/// The values of a model's variables: a table with one column for each variable, and one row for
/// each state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct States {
    variables: Vec<String>,
    columns: Vec<Column>,
    num_states: u32,
}

impl States {
    /// Makes a table from the values of variables; `None` if the number of values of a variable is
    /// not `num_states`.
    #[must_use]
    pub fn new(
        num_states: u32,
        variables: impl IntoIterator<Item = (String, Column)>,
    ) -> Option<Self> {
        let (variables, columns): (_, Vec<Column>) = variables.into_iter().unzip();
        let fits = |column: &Column| column.len() == num_states as usize;
        columns.iter().all(fits).then_some(Self {
            variables,
            columns,
            num_states,
        })
    }

    /// Returns the names of the variables.
    #[must_use]
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// Returns the columns, in the order of the variables.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Returns the number of rows, one for each state.
    #[must_use]
    pub fn num_states(&self) -> u32 {
        self.num_states
    }

    /// Returns the values of a state; `None` if there is no such state.
    #[must_use]
    pub fn row(&self, state: u32) -> Option<Row<'_>> {
        (state < self.num_states).then_some(Row {
            states: self,
            state,
        })
    }

    /// Returns the values of all states, in order.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.num_states).map(|state| Row {
            states: self,
            state,
        })
    }

    /// Writes the file, as [`write_states`] does.
    ///
    /// # Errors
    ///
    /// Errors of the output.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        write_states(out, &self.variables, self.rows().map(Row::values))
    }
}

/// Returns whether the name of a variable can be written: it must be one line without `,` and `)`,
/// and without blanks around it.
#[must_use]
pub fn is_variable(name: &str) -> bool {
    let is_taken = |c: char| c.is_control() || c == ',' || c == ')';
    !name.is_empty() && name.trim() == name && !name.contains(is_taken)
}

/// Writes a states file, with the heading that PRISM writes since 2026: one row for each state,
/// with the values of the variables in order.
///
/// # Errors
///
/// Errors of the output.
pub fn write_states(
    mut out: impl Write,
    variables: &[String],
    rows: impl IntoIterator<Item = impl IntoIterator<Item = Value>>,
) -> io::Result<()> {
    writeln!(out, "# States")?;
    write_rows(&mut out, variables, rows)
}

/// Writes an observations file, which has a row for each observation, with the values of the
/// observables.
///
/// # Errors
///
/// Errors of the output.
pub fn write_observations(
    mut out: impl Write,
    observables: &[String],
    rows: impl IntoIterator<Item = impl IntoIterator<Item = Value>>,
) -> io::Result<()> {
    writeln!(out, "# Observations")?;
    write_rows(&mut out, observables, rows)
}

fn write_rows(
    out: &mut impl Write,
    names: &[String],
    rows: impl IntoIterator<Item = impl IntoIterator<Item = Value>>,
) -> io::Result<()> {
    writeln!(out, "({})", names.join(","))?;
    let mut text = Vec::new();
    for (state, row) in rows.into_iter().enumerate() {
        push_row(&mut text, state, row);
        if text.len() >= FULL {
            out.write_all(&text)?;
            text.clear();
        }
    }
    out.write_all(&text)?;
    out.flush()
}

/// Appends the line of a state (or of an observation) in a states file: its number, and the values
/// of the variables in order. So several threads can make the rows of a file, which begins as
/// [`write_states`] writes it without rows.
pub fn push_row(text: &mut Vec<u8>, state: usize, values: impl IntoIterator<Item = Value>) {
    push_number(text, state);
    text.extend_from_slice(b":(");
    for (number, value) in values.into_iter().enumerate() {
        if number > 0 {
            text.push(b',');
        }
        match value {
            Value::Bool(true) => text.extend_from_slice(b"true"),
            Value::Bool(false) => text.extend_from_slice(b"false"),
            Value::Int(value) => push_number(text, value),
        }
    }
    text.extend_from_slice(b")\n");
}

/// The values of one state. `Display` prints them as in the file: `(4,true)`.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    states: &'a States,
    state: u32,
}

impl<'a> Row<'a> {
    /// Returns the values, in the order of the variables.
    pub fn values(self) -> impl Iterator<Item = Value> + 'a {
        let state = self.state as usize;
        self.states
            .columns
            .iter()
            .filter_map(move |column| column.get(state))
    }
}

impl fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (number, value) in self.values().enumerate() {
            if number > 0 {
                f.write_str(",")?;
            }
            value.fmt(f)?;
        }
        f.write_str(")")
    }
}

/// Reads a states file, in parallel on the current rayon thread pool. If `num_states` is given, it
/// must be the number of rows.
///
/// # Errors
///
/// The error with the earliest position in the file. A wrong number of rows is found last.
pub fn read_states(
    input: &[u8],
    num_states: Option<u32>,
    options: &ReadOptions<'_>,
) -> Result<States, Error> {
    read_rows(FileKind::States, input, num_states, options)
}

/// Reads an observations file (`.obs`), which has the format of a states file: the values of
/// observables in each of `count` observations.
///
/// # Errors
///
/// As [`read_states`].
pub fn read_observations(
    input: &[u8],
    count: Option<u32>,
    options: &ReadOptions<'_>,
) -> Result<States, Error> {
    read_rows(FileKind::Observations, input, count, options)
}

fn read_rows(
    kind: FileKind,
    input: &[u8],
    num_states: Option<u32>,
    options: &ReadOptions<'_>,
) -> Result<States, Error> {
    let mut reader = StatesReader::new(kind, input, num_states, options);
    match reader.read() {
        Ok(()) => Ok(reader.states),
        Err(fault) => Err(fault.locate(input)),
    }
}

struct StatesReader<'i> {
    file: LineFile<'i>,
    num_states: Option<u32>,
    /// The names that the header declares.
    names: HashSet<String>,
    states: States,
}

impl<'i> StatesReader<'i> {
    fn new(
        kind: FileKind,
        input: &'i [u8],
        num_states: Option<u32>,
        options: &'i ReadOptions<'i>,
    ) -> Self {
        Self {
            file: LineFile {
                kind,
                input,
                options,
            },
            num_states,
            names: HashSet::new(),
            states: States {
                variables: Vec::new(),
                columns: Vec::new(),
                num_states: 0,
            },
        }
    }

    fn read(&mut self) -> Checked<()> {
        let rows_start = self.read_variables()?;
        let second = self.read_first_row(rows_start)?;
        if !self.read_plain_rows(second)? {
            let file = self.file;
            file.for_each_line(second, |line| self.read_row(line))?;
        }
        self.check_count()
    }

    fn check_count(&self) -> Checked<()> {
        match self.num_states {
            Some(expected) if expected != self.states.num_states => {
                let missing = format!("rows up to state {}", expected - 1);
                Err(self.file.truncated(missing))
            }
            _ => Ok(()),
        }
    }

    /// Reads up to the first row, which shows the types of the variables. Returns the place after
    /// it.
    fn read_first_row(&mut self, start: usize) -> Checked<usize> {
        let file = self.file;
        for line in grammar::lines(file.input, start) {
            match line.is_idle() {
                true => file.check_heading(line)?,
                false => {
                    self.read_row(line)?;
                    file.options.advance(line.next)?;
                    return Ok(line.next);
                }
            }
        }
        Ok(file.input.len())
    }

    /// Reads the rows from `start` on in parallel. Returns whether all of them are plain and are
    /// those that are expected.
    fn read_plain_rows(&mut self, start: usize) -> Checked<bool> {
        let LineFile { input, options, .. } = self.file;
        let max_states = options.max_states.min(self.num_states.unwrap_or(u32::MAX));
        let States {
            columns,
            num_states,
            ..
        } = &mut self.states;
        let read = plain::read(columns, *num_states, input, start, max_states, options)?;
        if let Some(all) = read {
            *num_states = all;
        }
        Ok(read.is_some())
    }

    fn read_variables(&mut self) -> Checked<usize> {
        let Some(line) = self.file.first_line(None)? else {
            return Err(self.file.truncated("the variables, as `(x,y)`"));
        };
        if line.text.trim_ascii_start().starts_with(b"0=") {
            return Err(self.file.refuse(line, FileKind::Labels));
        }
        for name in grammar::parse_line(grammar::variables, line.text, line.start)? {
            self.declare(name, line)?;
        }
        Ok(line.next)
    }

    fn declare(&mut self, token: Token<&[u8]>, line: Line<'_>) -> Checked<()> {
        let place = token.span(line.text, line.start);
        let name = name_in(token.value, place)?;
        if !self.names.insert(name.to_owned()) {
            let name = name.to_owned();
            return Err(Fault::new(place, ErrorKind::DuplicateName { name }));
        }
        self.states.variables.push(name.to_owned());
        self.states.columns.push(Column::Bool(Vec::new())); // until the first row shows its type
        Ok(())
    }

    fn read_row(&mut self, line: Line<'_>) -> Checked<()> {
        let (state, values) = grammar::parse_line(grammar::row, line.text, line.start)?;
        self.check_row(line, state, values.len())?;
        for (column, token) in values.iter().enumerate() {
            let target = &mut self.states.columns[column];
            if state.value == 0 && matches!(token.value, Scalar::Int(_)) {
                *target = Column::Int(Vec::new());
            }
            if !target.try_push(token.value.into())? {
                let variable = self.states.variables[column].clone();
                let place = token.span(line.text, line.start);
                let fault = Fault::new(place, ErrorKind::MixedTypes { variable });
                return Err(match token.value {
                    Scalar::Bool(_) => fault.expecting("a whole number, as in row 0"),
                    Scalar::Int(_) => fault.expecting("true or false, as in row 0"),
                });
            }
        }
        self.states.num_states += 1;
        Ok(())
    }

    fn check_row(&self, line: Line<'_>, state: Token<u32>, values: usize) -> Checked<()> {
        let place = state.span(line.text, line.start);
        let expected = self.states.num_states;
        if let Some(num_states) = self.num_states.filter(|&bound| state.value >= bound) {
            let kind = ErrorKind::StateOutOfRange {
                state: state.value,
                num_states,
            };
            return Err(Fault::new(place, kind).expecting(format!("a state below {num_states}")));
        }
        if state.value >= self.file.options.max_states {
            let limit = self.file.options.max_states.into();
            let claimed = u64::from(state.value) + 1;
            return Err(Fault::new(
                place,
                ErrorKind::TooManyStates { claimed, limit },
            ));
        }
        if state.value != expected {
            let kind = ErrorKind::RowOrder {
                expected,
                found: state.value,
            };
            return Err(Fault::new(place, kind));
        }
        let arity = self.states.variables.len();
        if values != arity {
            let (state, expected, found) = (state.value, arity as u64, values as u64);
            return Err(Fault::new(
                line.span(),
                ErrorKind::WrongArity {
                    state,
                    expected,
                    found,
                },
            ));
        }
        Ok(())
    }
}
