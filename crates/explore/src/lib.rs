//! Explores the states of a system, breadth first and in parallel, and keeps them as a graph.
//!
//! A [`System`] has packed states and says, of each, which choices it has and where they lead.
//! [`explore()`] finds all states that can be reached and returns an [`Exploration`]: the
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
//! States are numbered as a sequential search with a first-in-first-out queue finds them: the
//! initial states in their order, then for each state in turn its choices in order, and their
//! branches in order. Neither the number of threads nor timing changes a number.
//!
//! With a [`Goal`], the search ends when it has found what is looked for.
//!
//! # How it works
//!
//! The states that were found and not yet expanded are a queue, and any run of states at its front
//! can be expanded at once, as long as what they find is numbered in the order in which the
//! sequential search would have found it. So the queue is taken batch by batch, a batch is cut into
//! chunks, and these go through phases:
//!
//! | phase | what a thread does with a chunk |
//! | --- | --- |
//! | expand | calls the system, and writes down choices and targets; meanwhile the rows of the batch before are copied |
//! | look up | finds the targets in a set that all threads share; a new state is filed under the place of the branch that led to it, and of several branches the first one stays |
//! | sort out | tells the branches that are first to lead to a state from those that are not |
//! | number | numbers the states that are met first in the chunk, behind those of the chunks before |
//! | number the rest | looks at the other branches again, whose states now have numbers |
//!
//! The last three have to do with new states alone. A short batch is one chunk for the calling
//! thread, and needs none of them: it meets new states in order. The set is a table of atomic
//! words, each of which says all that is to be known of a state; there are no locks and no unsafe
//! code, and nothing to sort.
//!
//! This crate knows nothing of modelling languages, files or devices.

#![forbid(unsafe_code)]

// The systems of tests are shared with those outside of the crate.
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
pub use expander::{Expander, NoRow, Row};
pub use exploration::Exploration;
pub use explorer::explore;
pub use goal::{Goal, News};
pub use options::{Limits, Observer, Options, Progress, Silent};
pub use states::States;
pub use system::{InitialStates, NO_ACTION, System};
