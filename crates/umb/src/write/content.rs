//! [`Content`]: describes a file of an archive whose content is elsewhere.

/// The contents of a file of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// The writer of the archive has the contents.
    Known,
    /// The values of variables in each state, as many bytes for each as this number says. The
    /// writer computes them, state by state.
    StateValuations,
    /// The number of choices before each state, and the number of all choices, in 64 bits each.
    ChoiceOffsets,
    /// One bit for each state, set if it is initial, in words of 64 bits.
    InitialStates,
    /// The exit rate of each state.
    ExitRates,
    /// The number of branches before each choice, and the number of all branches, in 64 bits each.
    BranchOffsets,
    /// The target of each branch, in 64 bits.
    Targets,
    /// The probability of each branch.
    Probabilities,
    /// One bit for each state, set if time passes in it, in words of 64 bits.
    MarkovianStates,
    /// The player of each state, in 32 bits.
    Players,
    /// The action of each choice, in 32 bits.
    ChoiceActions,
    /// The values of an annotation, by the number that the caller gave to the array: 64 bits for
    /// each value, or one bit for each truth value, in words of 64 bits.
    Values(usize),
}
