//! Converts errors of the readers to diagnostics, with the text or archive in which they occurred.

use super::{Diagnostic, Excerpt, Note, Place};
use crate::error::Error;
use crate::input::Input;
use crate::memory;
use lts_network::Network;
use parse_error::Position;
use prism_explicit::ModelType;
use prism_language::Program;
use std::convert::Infallible;
use std::fmt;

impl Diagnostic {
    /// Returns the diagnostic of an error in a text.
    pub(crate) fn in_text<K: fmt::Display>(input: &Input, error: &parse_error::Error<K>) -> Self {
        let diagnostic = match error.position() {
            Some(position) => Self::new(error.kind().to_string())
                .at(input, position)
                .expectation(error.expected(), error.found()),
            None => Self::of_file(&input.name, error.message()),
        };
        error.notes().iter().fold(diagnostic, |diagnostic, note| {
            let place = note.position.map(|position| place(input, position));
            diagnostic.with(note.text.clone(), place)
        })
    }

    /// Returns the reason why a model in PRISM's language could not be explored; `None` if the user
    /// asked to stop. `max_memory` is the limit of the command line.
    pub(crate) fn exploration(
        input: &Input,
        program: &Program,
        error: &explore::Error<prism_language::Error>,
        max_memory: Option<u64>,
    ) -> Option<Self> {
        let whole = Self::of_file(&input.name, error);
        match error {
            explore::Error::System(error) => {
                use prism_language::ErrorKind::{BadIntervals, BadSum};
                let is_sum = matches!(error.kind(), BadSum { .. } | BadIntervals { .. });
                Some(Self::in_text(input, error).any_sum(is_sum))
            }
            explore::Error::Cancelled { .. } => None,
            explore::Error::TooManyStates { .. } => Some(whole.note("--max-states is the limit")),
            explore::Error::MemoryLimit { .. } => {
                Some(whole.note(memory::exploration_limit_source(max_memory)))
            }
            explore::Error::InState {
                state,
                action,
                error,
            } => {
                let limit = Self::exploration(input, program, error, max_memory)?;
                Some(limit.in_step(program, state, *action))
            }
            _ => Some(whole),
        }
    }

    /// Adds the step during which a limit was exceeded. Actions are numbered from 1.
    fn in_step(self, program: &Program, state: &[u64], action: u32) -> Self {
        let size = program.step_size(&mut program.scratch(), state);
        let number = (action as usize).checked_sub(1);
        let action = match number.and_then(|number| program.actions().get(number)) {
            Some(name) => format!("under action `{name}`"),
            None => "without an action".to_owned(),
        };
        self.note(format!(
            "met in one step, {action}: the state has {} and {}",
            counted(size.choices, "choice", "choices"),
            counted(size.branches, "branch", "branches"),
        ))
        .note(format!("in state {}", program.show(state)))
    }

    /// Adds the place in `input` where another file names this one.
    pub(crate) fn named_at(self, input: &Input, position: Position) -> Self {
        match self.place {
            None => self.at(input, position),
            Some(_) => {
                let place = place(input, position);
                self.with("the process is named here".to_owned(), Some(place))
            }
        }
    }

    /// Returns the reason why a network could not be explored; `None` if the user asked to stop.
    /// `max_memory` is the limit of the command line.
    pub(crate) fn network_exploration(
        input: &Input,
        network: &Network,
        error: &explore::Error<Infallible>,
        max_memory: Option<u64>,
    ) -> Option<Self> {
        let whole = Self::of_file(&input.name, error);
        match error {
            explore::Error::Cancelled { .. } => None,
            explore::Error::TooManyStates { .. } => Some(whole.note("--max-states is the limit")),
            explore::Error::MemoryLimit { .. } => {
                Some(whole.note(memory::exploration_limit_source(max_memory)))
            }
            explore::Error::InState { state, error, .. } => {
                let limit = Self::network_exploration(input, network, error, max_memory)?;
                Some(limit.note(format!("met in one step, of state {}", network.show(state))))
            }
            explore::Error::Deadlock { first, state, .. } => {
                Some(whole.note(format!("state {first} is {}", network.show(state))))
            }
            _ => Some(whole),
        }
    }

    /// Returns the diagnostic of an error in an archive.
    pub(crate) fn archive(input: &Input, error: &umb::Error) -> Self {
        let file = input.name.clone();
        let Some(entry) = error.entry() else {
            return Self::of_file(&file, error.message());
        };
        use umb::ErrorKind::{BadIntervals, BadSum};
        let is_sum = matches!(error.kind(), BadSum { .. } | BadIntervals { .. });
        let mut diagnostic = Self::new(error.message()).any_sum(is_sum);
        diagnostic.place = Some(Place::Entry {
            file,
            entry: entry.to_owned(),
            element: error.element(),
        });
        diagnostic
    }

    fn at(mut self, input: &Input, position: Position) -> Self {
        self.place = Some(place(input, position));
        self
    }

    /// Adds a line with what was expected and what was found.
    fn expectation(self, expected: Option<&str>, found: Option<&str>) -> Self {
        match (expected, found) {
            (None, _) => self,
            (Some(expected), None) => self.note(format!("expected {expected}")),
            (Some(expected), Some(found)) => {
                self.note(format!("expected {expected}, found {found}"))
            }
        }
    }

    /// If the error is about a sum of probabilities, adds the option that allows any sum.
    pub(crate) fn any_sum(self, is_about_sum: bool) -> Self {
        match is_about_sum {
            true => self.note("`--allow-any-sum` accepts any sum"),
            false => self,
        }
    }

    fn with(mut self, text: String, place: Option<Place>) -> Self {
        self.notes.push(Note { text, place });
        self
    }
}

fn place(input: &Input, position: Position) -> Place {
    Place::Text(match input.added {
        Some(added) if position.offset >= added.bytes_before => {
            let position = Position {
                offset: position.offset - added.bytes_before,
                line: position.line - added.lines_before,
                ..position
            };
            Excerpt::at(added.option, &input[added.bytes_before..], position)
        }
        _ => Excerpt::at(&input.name, input, position),
    })
}

/// Formats a number and its noun. The largest number of the type stands for all larger numbers.
fn counted(count: u128, one: &str, many: &str) -> String {
    match u64::try_from(count) {
        Ok(count) => report::counted(count, one, many),
        Err(_) if count == u128::MAX => format!("more than 10^38 {many}"),
        Err(_) => format!("{count} {many}"),
    }
}

impl Error {
    /// Returns the error of the reader of explicit files: an error in `input`, or that Ctrl-C was
    /// pressed.
    pub(crate) fn explicit(input: &Input, error: &prism_explicit::Error) -> Self {
        match error.kind() {
            prism_explicit::ErrorKind::Interrupted => Self::Cancelled,
            prism_explicit::ErrorKind::Interval { model_type }
                if matches!(model_type, ModelType::Mdp | ModelType::Dtmc) =>
            {
                let note = format!("`--type i{}` reads interval models", model_type.name());
                Diagnostic::in_text(input, error).note(note).into()
            }
            kind => {
                use prism_explicit::ErrorKind::{BadIntervals, BadSum};
                let is_sum = matches!(kind, BadSum { .. } | BadIntervals { .. });
                Diagnostic::in_text(input, error).any_sum(is_sum).into()
            }
        }
    }
}
