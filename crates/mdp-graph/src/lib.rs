//! The graph of a Markov decision process, and partitions of its states.
//!
//! A model has states, each with an ordered list of choices; a choice is a distribution over target
//! states. Only the *supports* of these distributions decide which states can be reached, and where
//! a strategy can stay. So a graph holds no probabilities: [`MdpGraph`] stores state → choices →
//! branches as two levels of compressed sparse rows (CSR), and every branch in it has a probability
//! above 0.
//!
//! # From arrays to a graph
//!
//! If you have the three arrays, [`MdpGraph::from_parts`] takes them as they are, checks them, and
//! copies nothing:
//!
//! ```
//! use mdp_graph::{ChoiceId, Components, MdpGraph, StateId};
//!
//! // State 0 may stay (choice 0) or go on to 1 or 2 (choice 1); 1 returns to 0 (choice 2); 2 stays
//! // (choice 3). The first array says at which choice each state begins, and the second at which
//! // branch each choice begins; the last element is the number of all choices, or of all branches.
//! let choices_of_states = vec![0, 2, 3, 4];
//! let branches_of_choices = vec![0, 1, 3, 4, 5];
//! let targets = [0, 1, 2, 0, 2].map(StateId).to_vec();
//! let graph = MdpGraph::from_parts(choices_of_states, branches_of_choices, targets)?;
//! assert_eq!(graph.targets(ChoiceId(1)), [StateId(1), StateId(2)]);
//!
//! // Its maximal end components are {0} and {2}. Equal marks: the same one; NONE: in none.
//! let mecs = Components::from_mec_marks(vec![0, Components::NONE, 2]);
//! let members = mecs.members();
//! let states: Vec<&[StateId]> = mecs.ids().map(|id| members.states(id)).collect();
//! assert_eq!(states, [[StateId(0)], [StateId(2)]]);
//! let retained: Vec<ChoiceId> = mecs.retained_choices(&graph, StateId(0)).collect();
//! assert_eq!(retained, [ChoiceId(0)]); // choice 1 may leave {0}
//! # Ok::<(), mdp_graph::BuildError>(())
//! ```
//!
//! This crate finds no components itself. The crate `decompose` does: `decompose::mec(&graph,
//! &Options::default())` returns the [`Components`] above. Its front page has the complete example.
//!
//! # What there is
//!
//! | what | type | shape |
//! | --- | --- | --- |
//! | the model | [`MdpGraph`] | `n + 1` choice offsets, `c + 1` branch offsets, `m` targets |
//! | choices merged, duplicate edges removed | [`Digraph`] | `n + 1` offsets, at most `m` targets |
//! | for each state, the choices that may lead to it | [`ChoiceTranspose`] | `n + 1` offsets, `m` choices |
//! | a set of components | [`Components`] | one number per state |
//! | each component as one state | [`Quotient`] | a graph, and one number per state and per choice |
//! | where the branches of each state are | [`StateRows`] | `n + 1` offsets |
//! | the arrays of a graph, which a [`Lender`] may own | [`Array`] | any length |
//! | data structures of searches | [`BitSet`], [`SharedBits`], [`Table`], [`Stack`], [`mod@sweep`] | one bit or number per state |
//!
//! # From choices to a graph
//!
//! If you read a model choice by choice, on several threads, you have no arrays yet. Then each
//! thread pushes its choices into a [`ChunkBuilder`], and [`assemble`] joins the [`Chunk`]s in
//! parallel. It can also add self-loops to deadlocks:
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
//! This crate does not know about files, devices or algorithms.

#![forbid(unsafe_code)]

mod array;
mod bits;
mod bottom;
mod build_error;
mod builder;
mod checks;
mod choice_transpose;
mod components;
mod counted;
mod digraph;
mod first_states;
mod graph;
mod ids;
mod memory;
mod numbering;
mod objective;
mod partition;
mod quotient;
mod reach;
mod repeated;
mod retain;
mod rows;
mod shared_bits;
mod sizes;
mod state_rows;
pub mod sweep;
mod table;
mod threads;
mod transpose;
mod unchecked_rows;
mod weak;
mod wide;

pub use array::{Array, Lender};
pub use bits::BitSet;
pub use build_error::{BuildError, MAX_COUNT};
pub use builder::{Built, Chunk, ChunkBuilder, Deadlocks, assemble};
pub use choice_transpose::ChoiceTranspose;
pub use components::{ComponentKind, Components, Members, SizeClass};
pub use counted::{counted, grouped};
pub use digraph::Digraph;
pub use graph::MdpGraph;
pub use ids::{BranchId, ChoiceId, ComponentId, StateId};
pub use memory::{OutOfMemory, check_room};
pub use objective::Objective;
pub use partition::Partition;
pub use quotient::{Quotient, StayPolicy};
pub use rows::Rows;
pub use shared_bits::{SharedBits, ascending, descending};
pub use state_rows::StateRows;
pub use table::{Stack, Table, free_unused, unused_bytes};
pub use threads::{on_threads, useful_threads};
pub use transpose::transpose;
pub use unchecked_rows::{Index, UncheckedRows};
