//! Explores the states of a system, breadth-first and in parallel, and stores them as a graph.
//!
//! A [`System`] has packed states, and computes the choices and targets of a given state.
//! [`explore()`] finds all reachable states, and returns an [`Exploration`]: the
//! [`MdpGraph`](mdp_graph::MdpGraph), the packed states, and on request the action of each choice
//! and the probability of each branch.
//!
//! ```
//! use explore::{Choices, InitialStates, Options, System, explore};
//! use std::convert::Infallible;
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
//!         initial: &mut InitialStates<'_, '_>,
//!     ) -> Result<(), Infallible> {
//!         initial.add(&[0]);
//!         Ok(())
//!     }
//!
//!     fn successors(
//!         &self,
//!         (): &mut (),
//!         state: &[u64],
//!         choices: &mut Choices<'_>,
//!     ) -> Result<(), Infallible> {
//!         let [count] = *state else { unreachable!("one word per state") };
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
//! States are numbered in the order in which a sequential search with a first-in-first-out queue
//! finds them. This search finds the initial states in their order, and then, for each state in
//! turn, the targets of its choices and branches in order. The numbers do not depend on the number
//! of threads or on timing.
//!
//! With a [`Goal`], the search ends when the goal is met.
//!
//! # How it works
//!
//! The states that were found and not yet expanded form a queue. Any run of states at its front can
//! be expanded in parallel, provided that new states are then numbered in the order of the
//! sequential search. So the search takes states from the queue batch by batch, and cuts each batch
//! into chunks. The chunks go through these phases:
//!
//! | phase | what a thread does with a chunk |
//! | --- | --- |
//! | expand | calls the system, and stores choices and targets; at the same time, the rows of the previous batch are copied |
//! | look up | finds the targets in a set that all threads share; a new state is stored with the place of the branch that led to it; if there are several such branches, the first one is kept |
//! | sort out | separates the branches that are the first to lead to a new state from all others |
//! | number | numbers the states that the chunk is the first to reach, after those of earlier chunks |
//! | number the rest | visits the other branches again, whose states now have numbers |
//!
//! The last three phases handle only new states. A short batch is a single chunk for the calling
//! thread. It does not need these phases, because this thread meets new states in order. The set is
//! a table of atomic words, and one word holds everything about a state. Nothing is sorted, and
//! threads do not compete for a lock.
//!
//! This crate does not know about modelling languages, files or devices.

#![forbid(unsafe_code)]

// The unit tests use the systems of the integration tests, which name this crate.
#[cfg(test)]
extern crate self as explore;

mod buffer;
mod choices;
mod chunk;
mod counts;
mod describe;
mod error;
mod expander;
mod exploration;
mod explorer;
mod goal;
mod options;
mod rows;
mod set;
mod states;
mod system;

pub use choices::Choices;
pub use describe::describe;
pub use error::Error;
pub use expander::{ExpandError, Expander, Row};
pub use exploration::Exploration;
pub use explorer::explore;
pub use goal::{Discoveries, Goal};
pub use options::{Limits, Observer, Options, Progress, Silent};
pub use states::States;
pub use system::{InitialStates, NO_ACTION, System};
