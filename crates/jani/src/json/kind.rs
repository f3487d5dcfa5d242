//! [`Kind`]: the kinds of JSON values.

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Bool(bool),
    Number,
    String,
    Array,
    /// Names and values in turn.
    Object,
}
