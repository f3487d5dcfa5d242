//! Explores and decomposes models that are divided among several workers, none of which holds the
//! whole model, on [timely dataflow](https://github.com/TimelyDataflow/timely-dataflow).
//!
//! A worker is a thread of one of several processes, on one machine or many. It owns a range of the
//! states, and holds a [`Part`]: the choices of these states, and the *ghosts*, which are the
//! states of other workers to which these choices lead. In a part, states and ghosts have local
//! numbers of 32 bits. Numbers in the whole model have 64 bits.
//!
//! ```
//! use cluster::{on_threads, part_of, mec};
//! use mdp_graph::MdpGraph;
//! use std::sync::Arc;
//!
//! // A cycle of four states, one of which may leave it for a fifth.
//! let choices = [vec![vec![1]], vec![vec![2]], vec![vec![3], vec![4]], vec![vec![0]], vec![]];
//! let graph = Arc::new(MdpGraph::from_choices(&choices)?);
//! let labels = on_threads(2, move |net| {
//!     let part = part_of(&graph, 0, net)?;
//!     Ok::<_, cluster::Error>(mec(&part, net)?.iter().collect::<Vec<_>>())
//! })?;
//! let labels: Vec<_> = labels.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
//! assert_eq!(labels, [Some(0), Some(0), Some(0), Some(0), None]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Supersteps
//!
//! All communication between workers goes through [`Net`]: batches with a timestamp of timely, and
//! a probe that says when no worker can send with this timestamp any more. Between two such
//! supersteps, a worker runs ordinary code on ordinary arrays. timely provides the exchange of
//! data, progress tracking, serialization, threads, and the loops that read and write sockets. This
//! crate adds what the start-up of timely lacks: [`Rendezvous`] connects the processes after a
//! handshake that proves a shared token and compares what has to be the same, and the connections
//! that timely gets report which process is gone when one breaks.
//!
//! # Algorithms
//!
//! | file | what it finds or checks |
//! | --- | --- |
//! | `explore.rs` | the states of a system, with the numbers of a sequential search |
//! | `search/sweeps.rs` | states that lead only to decided states, by sweeps over all parts |
//! | `search/sweeps/giant.rs` | a component that is a large part of the undecided states, by sweeps |
//! | `search/local.rs` | the states that a part decides alone, from its graph with one state for everything outside |
//! | `search/condensation.rs` | the graph of the undecided states, with each set that the part connects by itself as one node |
//! | `search/contract.rs` | the same for MECs, with choices, in a form that can be sent to one worker |
//! | `search/gather.rs` | the components of the undecided states of all parts, by one worker, if it has room |
//! | `search/scc/trim.rs` | nodes without predecessors or without successors: trimming to a fixpoint |
//! | `search/scc/reach.rs` | the SCC of the node of the largest degree, forward and backward at once |
//! | `search/scc/colour.rs` | all other SCCs, several in a round |
//! | `search/scc.rs`, `search/mec.rs` | the loops around these steps |
//! | `certificate/produce.rs` | a [`Certificate`] for an answer: `levels.rs` and `eliminate.rs` |
//! | `certificate/check.rs` | whether an answer is right, by its certificate; shares no code with the files above |
//! | `certificate/check_states.rs` | whether explored states are right, by their parts and packed states |
//!
//! **Sweeps come first.** A sweep goes through the choices of a part in the order of memory, and
//! keeps one bit for each state and ghost. A state is decided if all of its choices lead to decided
//! states or back to itself. Let S be the set that a pivot reaches by choices without a decided
//! target. If all of S reaches the pivot by such choices, S is an end component. It is maximal,
//! because nothing else can be reached from it. For SCCs, all edges between undecided states count;
//! the states that the pivot reaches and that reach the pivot are an SCC, whatever else the pivot
//! reaches. Between two rounds of sweeps, each worker learns from the owners which of its ghosts
//! are decided, so that all workers use the same choices. Sweeps end when they decide few states.
//! By then, most models are decided.
//!
//! **A part decides many of its states alone.** Let *P* be the states of a part that are undecided,
//! and *P + o* their graph with one more state *o* for all others. In this graph, a branch that
//! leaves *P* leads to *o*. An *entry* is a state of *P* to which other states lead; for each
//! entry, *o* has a choice that leads only to it. Let *C* be an SCC, or an end component, of the
//! model with states in *P* and outside. The states of *C* in *P*, with *o*, are strongly connected
//! in *P + o*: a path of *C* that runs through the outside runs through *o* there, and comes back
//! by an entry. Choices that stay in *C* stay in this set, and so do the choices of *o* that lead
//! to its entries. So the set is within one SCC, or one MEC, of *P + o*, namely the one that
//! contains *o*. Hence an SCC or MEC of *P + o* without *o* contains no state of such a *C*, and is
//! not part of a larger one within *P*; so it is an SCC or MEC of the model. A state in no MEC of
//! *P + o* is in none of the model. Only the states in the component of *o* stay undecided.
//!
//! **Contraction keeps components.** A set that branches of the part alone connect strongly is
//! within one SCC of the model. So contracting it to one node merges no two SCCs, and the SCCs of
//! the model are those of the condensation with their nodes expanded. Only edges to ghosts cross
//! between workers. A search sends one message for each ghost that it reaches, not for each branch.
//!
//! **One worker decomposes the rest** once it is small enough: all nodes, their choices and their
//! targets are sent to worker 0, which decomposes them like any model and sends the answer back.
//! For MECs, a node is an end component that a part has by itself. The choices that stay in the
//! node become one choice that leads back to it. From its other choices, the targets in the node
//! are left out, because they lead back to the node without leaving it. [`Tuning`] has the limit,
//! which is by default half of a worker's share of the model. So a path that alternates between
//! workers takes a few dozen supersteps, unless the rest exceeds the limit; then it takes one
//! superstep per branch.
//!
//! **MECs** take several rounds, as long as the rest exceeds the limit. In each round, parts first
//! decide states alone. Then a decided state, or a state without a choice, removes the choices of
//! other states that may lead to it, in a few waves (attractors). Then the SCCs of the undecided
//! states are found, and choices that may leave their SCC are removed. An SCC that lost no choice
//! is a MEC. A round that decides no state removes a choice, so the rounds end.
//!
//! # Memory
//!
//! The length of every array of a worker is the number of its states, of its branches, or of the
//! elements of its boundary. The boundary consists of its ghosts, and of its entries with the
//! workers that have them as ghosts.

#![forbid(unsafe_code)]

mod answer;
mod certificate;
mod error;
mod explore;
mod net;
mod part;
mod ranges;
mod search;
mod workers;

pub use answer::{ComponentLabels, Statistics, collect, component_numbers, relay, words_of};
pub use certificate::{Certificate, Violation, check, check_states, produce};
pub use error::{Error, SystemError, agree};
pub use explore::{ExploreOptions, States, explore, explore_with_states};
pub use net::{Inbox, Messages, Net, Outbox, Progress, Tuning};
pub use part::{Part, PartBuilder, part_of};
pub use ranges::{MAX_PER_WORKER, Ranges};
pub use search::{mec, scc};
pub use workers::{
    Hosts, HostsError, Rendezvous, WorkerFailure, on_processes, on_threads, on_threads_until,
};
