//! The result of looking up a vector in the table.

/// It was stored now.
const IS_NEW = 0u;
/// It was there.
const IS_OLD = 1u;
/// There is no room for it.
const IS_HOMELESS = 2u;

struct Placed {
    outcome: u32,
    /// The place where it is stored.
    at: u32,
}
