//! [`Content`]: describes a file of an archive whose content is elsewhere.

/// What a file of an archive holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// The writer of the archive has it.
    Known,
    /// The values of variables in each state, this many bytes for each. The writer makes them,
    /// state by state.
    StateValuations,
    /// The number of choices before each state, and of all, in 64 bits.
    ChoiceOffsets,
    /// Whether each state is initial, in words of 64 bits.
    InitialStates,
    /// The exit rate of each state.
    ExitRates,
    /// The number of branches before each choice, and of all, in 64 bits.
    BranchOffsets,
    /// The target of each branch, in 64 bits.
    Targets,
    /// The probability of each branch.
    Probabilities,
    /// Whether time passes in each state, in words of 64 bits.
    MarkovianStates,
    /// The player of each state, in 32 bits.
    Players,
    /// The action of each choice, in 32 bits.
    ChoiceActions,
    /// Values of an annotation, by the number that its caller gave it: 64 bits for each, or a bit
    /// for each truth value, in words of 64 bits.
    Values(usize),
}
