//! [`Json`]: a parsed text as a list of its values.

use super::kind::Kind;

/// A value and its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) start: u32,
    pub(super) end: u32,
    /// The number of entries of this value and all values in it.
    pub(super) size: u32,
}

/// A parsed JSON text.
#[derive(Debug, Clone)]
pub(crate) struct Json<'t> {
    pub(super) text: &'t str,
    pub(super) entries: Vec<Entry>,
}
