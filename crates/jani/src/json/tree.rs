//! [`Json`]: a parsed text, as the list of its values.

use super::kind::Kind;

/// A value, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) start: u32,
    pub(super) end: u32,
    /// The number of entries that it has with all that is in it.
    pub(super) size: u32,
}

/// A text of JSON that was read.
#[derive(Debug, Clone)]
pub(crate) struct Json<'t> {
    pub(super) text: &'t str,
    pub(super) entries: Vec<Entry>,
}
