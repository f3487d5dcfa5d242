//! [`Objective`]: which of the values of a model are optimal.

/// Whether the least or the greatest value is sought, among all cycles or among all strategies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// The least value.
    Min,
    /// The greatest value.
    Max,
}
