//! Explores the states of a system, breadth first and in parallel, and keeps them as a graph.
//!
//! A [`System`] has packed states and says, of each, which choices it has and where they lead.
//! [`explore()`] finds all states that can be reached and returns an [`Exploration`]: the
//! [`MdpGraph`](mdp_graph::MdpGraph), the packed states, and on request the action of each choice and
//! the probability of each branch.
//!
//! ```
//! use explore::{Choices, Options, System, explore};
//! use std::convert::Infallible;
//! use std::ops::ControlFlow;
//!
//! /// A counter that a coin drives up, and that can be reset.
//! struct Counter;
//!
//! impl System for Counter {
//!     type Scratch = ();
//!     type Error = Infallible;
//!
//!     fn words(&self) -> usize {
//!         1
//!     }
//!
//!     fn scratch(&self) {}
//!
//!     fn initial_states(
//!         &self,
//!         (): &mut (),
//!         found: &mut dyn FnMut(&[u64]) -> ControlFlow<()>,
//!     ) -> Result<(), Infallible> {
//!         let _ = found(&[0]);
//!         Ok(())
//!     }
//!
//!     fn successors(&self, (): &mut (), state: &[u64], choices: &mut Choices) -> Result<(), Infallible> {
//!         let [count] = *state else { unreachable!("one word a state") };
//!         if count < 9 {
//!             choices.begin(1);
//!             choices.branch(&[count], 0.5);
//!             choices.branch(&[count + 1], 0.5);
//!         }
//!         choices.begin(2);
//!         choices.branch(&[0], 1.0);
//!         Ok(())
//!     }
//! }
//!
//! let found = explore(&Counter, &Options::default())?;
//! assert_eq!(found.graph.num_states(), 10);
//! assert_eq!(found.graph.num_choices(), 19);
//! assert_eq!(found.states.get(mdp_graph::StateId(7)), [7]);
//! # Ok::<(), explore::Error<Infallible>>(())
//! ```
//!
//! # Numbers of states
//!
//! States are numbered as a sequential search with a first-in-first-out queue finds them: the initial
//! states in their order, then for each state in turn its choices in order, and their branches in
//! order. Neither the number of threads nor timing changes a number.
//!
//! # How it works
//!
//! The states that were found and not yet expanded are a queue, and any run of states at its front can
//! be expanded at once, as long as what they find is numbered in the order in which the sequential search
//! would have found it. So the queue is taken batch by batch, and a batch goes through phases, in each of
//! which threads write only what they own:
//!
//! | phase | each thread owns | what it does |
//! | --- | --- | --- |
//! | expand | chunks of the batch | calls the system; sends each target to the shard that its hash names |
//! | look up | shards of the hash set | finds the targets, chunk after chunk; a new one gets a provisional number |
//! | number | chunks | walks its branches in order, and numbers the states that it is first to see |
//! | patch | shards | replaces the provisional numbers in its table |
//! | write | chunks | replaces those in its branches; its rows are copied while the next batch is expanded |
//!
//! Hence no locks, no atomics and no unsafe code, and nothing to sort. A short batch goes through the
//! same phases on the calling thread alone.
//!
//! This crate knows nothing of modelling languages, files or devices.

#![forbid(unsafe_code)]

mod choices;
mod chunk;
mod error;
mod explorer;
mod options;
mod rows;
mod shard;
mod states;
mod system;

pub use choices::Choices;
pub use error::Error;
pub use explorer::{Exploration, explore};
pub use options::{Limits, Observer, Options, Progress, Silent};
pub use states::States;
pub use system::{NO_ACTION, System};
