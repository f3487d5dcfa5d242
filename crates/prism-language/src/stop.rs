//! The reasons why the successors of a state cannot be computed, and their conversion to errors.

use crate::code::Failure;
use crate::error::{BadValue, Error, ErrorKind, Fault};
use crate::program::Program;
use crate::variables::Variable;
use model_type::ModelType;

/// The reason why a state has no successors. It is small, because it is returned from the innermost
/// loop.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stop {
    Failure(Failure),
    OutOfRange {
        computed: u32,
        command: u32,
        value: i64,
    },
    Sum {
        command: u32,
        sum: f64,
    },
    Weight {
        branch: u32,
        command: u32,
        value: f64,
    },
    /// The bounds of an interval, if the lower one is above the upper one.
    Interval {
        branch: u32,
        command: u32,
        bounds: [f64; 2],
    },
    /// The sums of the lower and of the upper bounds of the intervals of a command.
    Intervals {
        command: u32,
        sums: [f64; 2],
    },
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl Program {
    /// Converts a stop to an error, with the state.
    #[cold]
    pub(crate) fn explain(&self, stop: &Stop, state: &[u64]) -> Error {
        let module = |command: u32| {
            let module = self.commands[command as usize].module;
            self.modules[module].clone()
        };
        let mut command_of = None;
        let mut fault = match *stop {
            Stop::Failure(failure) => self.failed(failure),
            Stop::Sum { command, sum } => {
                let module = module(command);
                let span = self.commands[command as usize].span;
                Fault::new(span, ErrorKind::BadSum { module, sum })
            }
            Stop::Interval {
                branch,
                command,
                bounds: [low, high],
            } => {
                command_of = Some(command);
                let module = module(command);
                let kind = ErrorKind::EmptyInterval { module, low, high };
                Fault::new(self.branches[branch as usize].span, kind)
            }
            Stop::Intervals {
                command,
                sums: [low, high],
            } => {
                let module = module(command);
                let kind = ErrorKind::BadIntervals { module, low, high };
                Fault::new(self.commands[command as usize].span, kind)
            }
            Stop::Weight {
                branch,
                command,
                value,
            } => {
                command_of = Some(command);
                let kind = self.bad_weight(command, value, module(command));
                Fault::new(self.branches[branch as usize].span, kind)
            }
            Stop::OutOfRange {
                computed,
                command,
                value,
            } => {
                command_of = Some(command);
                let computed = &self.computed[computed as usize];
                let variable = &self.variables[usize::from(computed.slot)];
                let kind = outside(variable, value, module(command));
                Fault::new(computed.span, kind)
            }
        };
        if let Some(command) = command_of {
            fault = fault.note_at(self.commands[command as usize].span, "in this command");
        }
        self.locate(*fault.note(format!("in state {}", self.show(state))))
    }

    /// Returns the error for a weight of a command that is not valid.
    fn bad_weight(&self, command: u32, value: f64, module: String) -> ErrorKind {
        let what = match self.model_type {
            ModelType::Ctmc => "rate",
            _ if self.commands[command as usize].is_markovian => "rate",
            _ => "probability",
        };
        ErrorKind::BadWeight {
            what,
            module,
            value,
            fault: fault_of(value),
        }
    }
}

/// Returns the error for a value that a variable cannot have.
fn outside(variable: &Variable, value: i64, module: String) -> ErrorKind {
    let name = variable.name().to_owned();
    match variable.is_bounded() {
        true => ErrorKind::OutOfRange {
            module,
            variable: name,
            value,
            low: variable.low(),
            high: variable.high(),
        },
        false => ErrorKind::ValueTooWide {
            variable: name,
            value,
            bits: variable.bits(),
        },
    }
}

fn fault_of(value: f64) -> BadValue {
    if value.is_nan() {
        BadValue::NotANumber
    } else if value < 0.0 {
        BadValue::Negative
    } else {
        BadValue::Infinite
    }
}
