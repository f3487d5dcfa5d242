//! The values of one variable: a column of a states file.

use crate::grammar::Scalar;
use parse_error::{OutOfMemory, check_room, reserve};
use std::fmt;

/// The values of one variable in all states.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Column {
    /// Truth values.
    Bool(Vec<bool>),
    /// Numbers that all fit into 32 bits, as in PRISM.
    Int(Vec<i32>),
    /// Numbers of which some do not fit into 32 bits.
    Wide(Vec<i64>),
}

/// The value of one variable in one state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i64),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
        }
    }
}

impl From<Scalar> for Value {
    fn from(scalar: Scalar) -> Self {
        match scalar {
            Scalar::Bool(value) => Self::Bool(value),
            Scalar::Int(value) => Self::Int(value),
        }
    }
}

impl Column {
    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Bool(values) => values.len(),
            Self::Int(values) => values.len(),
            Self::Wide(values) => values.len(),
        }
    }

    /// Returns whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value in a state; `None` if there are not so many values.
    #[must_use]
    pub fn get(&self, state: usize) -> Option<Value> {
        match self {
            Self::Bool(values) => values.get(state).copied().map(Value::Bool),
            Self::Int(values) => values.get(state).map(|&value| Value::Int(value.into())),
            Self::Wide(values) => values.get(state).copied().map(Value::Int),
        }
    }

    /// Appends a value, as [`push`](Self::push), if there is enough memory.
    ///
    /// # Errors
    ///
    /// If there is no room. The column is then as before.
    pub fn try_push(&mut self, value: Value) -> Result<bool, OutOfMemory> {
        match (&mut *self, value) {
            (Self::Int(values), Value::Int(value)) if i32::try_from(value).is_err() => {
                check_room(&[size_of::<i64>() * (values.len() + 1)])?;
            }
            (column, _) => column.reserve(1)?,
        }
        Ok(self.push(value))
    }

    /// Appends a value. Returns false if the column has the other type.
    pub fn push(&mut self, value: Value) -> bool {
        match (&mut *self, value) {
            (Self::Bool(values), Value::Bool(value)) => values.push(value),
            (Self::Wide(values), Value::Int(value)) => values.push(value),
            (Self::Int(values), Value::Int(value)) => match i32::try_from(value) {
                Ok(value) => values.push(value),
                Err(_) => {
                    let widened = values.iter().map(|&value| value.into());
                    *self = Self::Wide(widened.chain([value]).collect());
                }
            },
            _ => return false,
        }
        true
    }

    /// Makes room for more values.
    pub(super) fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        match self {
            Self::Bool(values) => reserve(values, more),
            Self::Int(values) => reserve(values, more),
            Self::Wide(values) => reserve(values, more),
        }
    }

    /// Appends the values of a column of the same type.
    pub(super) fn append(&mut self, column: Self) {
        match (self, column) {
            (Self::Bool(values), Self::Bool(new)) => values.extend(new),
            (Self::Int(values), Self::Int(new)) => values.extend(new),
            (Self::Wide(values), Self::Wide(new)) => values.extend(new),
            _ => debug_assert!(false, "the columns have different types"),
        }
    }
}
