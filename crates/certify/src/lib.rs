//! Certificates which prove that a set of components is right. They are checked in linear time, by
//! code that does not search.
//!
//! An answer is a [`Components`]: the strongly connected components (SCCs) or the maximal end
//! components (MECs) of an [`MdpGraph`]. [`produce()`] makes a [`Certificate`] for it, and
//! [`Certificate::check`] compares model, answer and certificate. The check is
//!
//! - *sound*: every answer that it accepts is right, whatever the certificate contains and whoever
//!   made it;
//! - *complete*: each right answer has a certificate that is accepted, and `produce` finds it;
//! - *linear*: it makes one pass over the branches, with any number of threads; each thread takes
//!   one bit per state.
//!
//! [`produce_observed`] and [`Certificate::check_observed`] report their progress to an
//! [`Observer`], which can stop them.
//!
//! [`check_cycle_means`] checks answers to another question in the same way: the optimal means or
//! ratios of the cycles of each component. [`check_distances`] checks the answer of a breadth-first
//! search, and [`check_exploration`] the states that a system can reach.
//!
//! Proofs are in `docs/certificates.md`. The check uses no part of the engine that found the
//! answer, and no part of the code that produces certificates.
//!
//! ```
//! use mdp_graph::{ChunkBuilder, Components, Deadlocks, StateId, assemble};
//!
//! // State 0 may stay, or move on to state 1, which never comes back.
//! let mut chunk = ChunkBuilder::default();
//! chunk.push_choice(StateId(0), &[StateId(0)]);
//! chunk.push_choice(StateId(0), &[StateId(1)]);
//! let graph = assemble(2, vec![chunk.finish()], Deadlocks::Keep)?.graph;
//!
//! let right = Components::from_mec_marks(vec![0, Components::NONE]);
//! let certificate = certify::produce(&graph, &right)?;
//! certificate.check(&graph, &right)?;
//!
//! let wrong = Components::from_mec_marks(vec![0, 0]);
//! let violation = certify::certify(&graph, &wrong).unwrap_err();
//! assert_eq!(violation.obligation(), "M2");
//! assert_eq!(
//!     violation.to_string(),
//!     "M2: state 1, in the component of state 0, has no choice that stays there"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate does not know about files or devices, or how an answer was found.

#![forbid(unsafe_code)]

mod bottom;
mod certificate;
mod check;
mod cycle_mean;
mod distances;
mod exploration;
mod observer;
mod produce;
mod violation;

pub use bottom::check_bottom;
pub use certificate::Certificate;
pub use cycle_mean::{ClaimedMeans, ClaimedOptimum, MeanViolation, check_cycle_means};
pub use distances::{ClaimedDistances, DistanceViolation, check_distances};
pub use exploration::{
    ClaimedExploration, ExplorationError, ExplorationViolation, SuccessorCheck, check_exploration,
};
pub use observer::{Error, Observer};
pub use produce::{produce, produce_observed};
pub use violation::Violation;

use mdp_graph::{Components, MdpGraph};

/// Produces a certificate for an answer, and checks it.
///
/// # Errors
/// The first obligation that the answer violates.
pub fn certify(graph: &MdpGraph, components: &Components) -> Result<(), Violation> {
    produce(graph, components)?.check(graph, components)
}
