//! [`Kind`]: the kinds of JSON values.

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Bool(bool),
    Number,
    String,
    Array,
    /// An object, which alternates between names and values.
    Object,
}
