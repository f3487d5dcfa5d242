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
//! `docs/cluster.md` describes how these steps follow one another, and proves that their answers
//! are right.
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
pub use explore::{ExploreOptions, Numbering, States, explore, explore_with_states};
pub use net::{Inbox, Messages, Net, Outbox, Progress, Tuning};
pub use part::{Part, PartBuilder, part_of};
pub use ranges::{MAX_PER_WORKER, Ranges};
pub use search::{mec, scc};
pub use workers::{
    Hosts, HostsError, Rendezvous, WorkerFailure, on_processes, on_threads, on_threads_until,
};
