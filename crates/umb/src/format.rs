//! Names and numbers that the format defines.

/// The path of the index.
pub(crate) const INDEX: &str = "index.json";

/// The version of the format that this crate reads and writes.
pub const FORMAT_VERSION: u32 = 1;
