//! [`Certificate`]: three numbers for each state of a worker, with which all workers together check
//! an answer in a few supersteps.

mod check;
mod check_states;
mod classes;
mod eliminate;
mod levels;
mod produce;
mod violation;

pub use check::check;
pub use check_states::check_states;
pub use produce::produce;
pub use violation::Violation;

/// A certificate that the components of an answer are correct, for the states of one worker.
///
/// The *classes* of an answer are its components, and each state that is in none, as a separate
/// class. A choice is *retained* if all of its targets are in the class of its state. The *root* of
/// a component is the state whose number is the label of the component. Edges are those of all
/// choices for SCCs, and those of retained choices for MECs.
///
/// | obligation | |
/// | --- | --- |
/// | S0, M1 | a component's root is its smallest state, and all of its states have the same rank |
/// | S1, M3 | to each state but the root leads an edge from a state of its component with a smaller `forward` number |
/// | S2, M3 | from each state but the root leads an edge to a state of its component with a smaller `backward` number |
/// | S3 | an edge that leaves its component leads to one of a smaller rank |
/// | M2 | each state of a component has a retained choice |
/// | M4 | no choice of a state in no component has that state as its only target |
/// | O1 | a choice that is not retained has a target of a smaller rank |
///
/// Consider the edges of S1 against their direction, or those of S2 along it. Along such a path the
/// numbers decrease, so the path ends, and it can only end at the root. So a component is strongly
/// connected. By S3, no path returns to an SCC that it has left.
///
/// By O1, each end component lies in one class: if it had states in several, let K be one of these
/// with the smallest rank. The end component is strongly connected, so it has a choice that leaves
/// K and stays in the end component. This choice has a target of a smaller rank than K, in
/// contradiction to the choice of K. With M2 to M4, the components are the MECs. The reference for
/// one machine, `docs/certificates.md`, proves the same with a total order instead of ranks, and
/// shows that correct answers have such an order; the positions in it, counted from the end, are
/// ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The rank of each state's class. Ranks are only compared, so any numbers are sound.
    pub ranks: Vec<u64>,
    /// For the obligations S1 and M3.
    pub forward: Vec<u64>,
    /// For the obligations S2 and M3.
    pub backward: Vec<u64>,
}
