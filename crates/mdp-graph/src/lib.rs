//! The graph of a Markov decision process, and partitions of its states.
//!
//! A model has states, each with an ordered list of choices; a choice is a distribution over
//! target states. Which states can be left, reached or kept depends on the *supports* of these
//! distributions alone, so a graph holds no probabilities: [`MdpGraph`] stores
//! state → choices → branches as two levels of compressed sparse rows (CSR), and every branch
//! in it has a probability above 0.
//!
//! | what | type | shape |
//! | --- | --- | --- |
//! | the model | [`MdpGraph`] | `n + 1` choice offsets, `c + 1` branch offsets, `m` targets |
//! | choices merged, duplicate edges removed | [`Digraph`] | `n + 1` offsets, at most `m` targets |
//! | for each state, the choices that may lead to it | [`ChoiceTranspose`] | `n + 1` offsets, `m` choices |
//! | the rows as devices read them | [`segments::Layout`] | `n + 1` offsets, the entries with padding |
//! | a set of components | [`Components`] | one number a state |
//! | what searches need besides | [`BitSet`], [`SharedBits`], [`Table`], [`Stack`] | one bit or number a state |
//!
//! Graphs are made from [`Chunk`]s: each thread of a reader pushes its choices into a
//! [`ChunkBuilder`], and [`assemble`] joins the chunks in parallel.
//!
//! ```
//! use mdp_graph::{assemble, ChunkBuilder, Deadlocks, StateId};
//!
//! let mut chunk = ChunkBuilder::default();
//! chunk.push_choice(StateId(0), &[StateId(0), StateId(1)]);
//! chunk.push_choice(StateId(0), &[StateId(0)]);
//! let built = assemble(2, vec![chunk.finish()], Deadlocks::SelfLoop)?;
//!
//! assert_eq!(built.deadlocks, 1); // state 1 had no choice: it got a self-loop
//! assert_eq!(built.graph.num_choices(), 3);
//! assert_eq!(built.graph.successors(StateId(1)), [StateId(1)]);
//! # Ok::<(), mdp_graph::BuildError>(())
//! ```
//!
//! This crate knows nothing of files, devices or algorithms.

#![forbid(unsafe_code)]

mod bits;
mod builder;
mod choice_transpose;
mod components;
mod digraph;
mod graph;
mod ids;
mod naming;
pub mod segments;
mod shared_bits;
mod table;
mod transpose;

pub use bits::BitSet;
pub use builder::{BuildError, Built, Chunk, ChunkBuilder, Deadlocks, assemble};
pub use choice_transpose::ChoiceTranspose;
pub use components::{ComponentKind, Components, Members};
pub use digraph::Digraph;
pub use graph::MdpGraph;
pub use ids::{BranchId, ChoiceId, ComponentId, StateId};
pub use shared_bits::{SharedBits, ascending, descending};
pub use table::{Stack, Table};
