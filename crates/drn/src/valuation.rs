//! The values of a state's variables, which Storm writes in a comment after the state: `//[!b &
//! x=1]`, with a tab before each `&`.

use std::fmt::{self, Write as _};

/// The value of a variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// Anything else, such as a fraction, as it is written.
    Other(&'a str),
}

/// A variable and its value. Storm 2.0 omits the name of a variable that is true.
pub type Assignment<'a> = (Option<&'a str>, Value<'a>);

/// Returns the variables of a valuation with their values, in order.
///
/// ```
/// use drn::{Value, assignments};
///
/// let mut all = assignments("!b\t& \t& x=-1");
/// assert_eq!(all.next(), Some((Some("b"), Value::Bool(false))));
/// assert_eq!(all.next(), Some((None, Value::Bool(true))));
/// assert_eq!(all.next(), Some((Some("x"), Value::Int(-1))));
/// ```
pub fn assignments(valuation: &str) -> impl Iterator<Item = Assignment<'_>> {
    valuation.split('&').map(|part| {
        let part = part.trim();
        match (part.split_once('='), part.strip_prefix('!')) {
            (Some((name, value)), _) => {
                let (name, value) = (name.trim_end(), value.trim_start());
                let value = value.parse().map_or(Value::Other(value), Value::Int);
                (Some(name), value)
            }
            (None, Some(name)) => (Some(name), Value::Bool(false)),
            (None, None) => (
                Some(part).filter(|name| !name.is_empty()),
                Value::Bool(true),
            ),
        }
    })
}

/// Appends a variable and its value to a valuation that is being written.
pub fn push_assignment(valuation: &mut String, name: &str, value: Value<'_>) {
    if !valuation.is_empty() {
        valuation.push_str("\t& ");
    }
    // Writing to a string cannot fail.
    let _: fmt::Result = match value {
        Value::Bool(true) => write!(valuation, "{name}"),
        Value::Bool(false) => write!(valuation, "!{name}"),
        Value::Int(value) => write!(valuation, "{name}={value}"),
        Value::Other(value) => write!(valuation, "{name}={value}"),
    };
}
