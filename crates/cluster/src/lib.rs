//! Explores and decomposes models that several workers hold together, none of them the whole, on
//! [timely dataflow](https://github.com/TimelyDataflow/timely-dataflow).
//!
//! A worker is a thread of one of several processes, on one machine or many. It owns a range of the
//! states and holds a [`Part`]: their choices, by numbers of 32 bits of its own, and the *ghosts*,
//! states of others that these choices lead to. Numbers in the whole model have 64 bits.
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
//! All that workers say to each other goes through [`Net`]: batches at a timestamp of timely's, and
//! a probe that says when no worker can send any more at it. Between two such supersteps a worker
//! is ordinary code on ordinary arrays. Exchange, progress tracking, serialization, threads and the
//! loops that read and write sockets are timely's. Only what its start-up cannot do stands before
//! it: [`Meeting`] connects the processes after a hello that proves a shared token and compares
//! what has to be the same, and what timely gets as connections says which process is gone when one
//! breaks.
//!
//! # Algorithms
//!
//! | file | what is found |
//! | --- | --- |
//! | `explore.rs` | the states of a system, with the numbers of a sequential search |
//! | `sweeps.rs` | states that lead nowhere but to decided ones, by sweeps over all parts |
//! | `giant.rs` | a component that is a large part of what is left, likewise |
//! | `outline.rs` | what a part decides alone: its graph, with all that is outside as one state |
//! | `skeleton.rs` | what is left, with what the part connects by itself as one node |
//! | `contract.rs` | the same for MECs, with their choices, to be sent to one worker |
//! | `gather.rs` | what is left of all parts, decomposed by one worker, if it has room for it |
//! | `peel.rs` | nodes that nothing leads to, or that lead nowhere: trimming to a fixpoint |
//! | `reach.rs` | the SCC of the node of the largest degree, forward and backward at once |
//! | `colour.rs` | all other SCCs, several in a round |
//! | `scc.rs`, `mec.rs` | the loops around them |
//! | `produce.rs` | a [`Certificate`] for an answer: `levels.rs` and `eliminate.rs` |
//! | `check.rs` | whether an answer is right, by its certificate; shares nothing with all of the above |
//! | `check_states.rs` | whether explored states are right, by their parts and packed states |
//!
//! **Sweeps come first.** A sweep looks at the choices of a part in the order in which they are in
//! memory, and keeps a bit for each state and ghost. A state all of whose choices lead to decided
//! states, or back to itself, is decided. A set that a pivot reaches, by choices without a decided
//! target, and that reaches the pivot by such, is an end component; no larger one has it, as
//! nothing else can be reached. For SCCs all edges between undecided states count, and what reaches
//! the pivot and is reached is one, whatever else is reached. Between two rounds of sweeps, all
//! workers know of their ghosts what the owners know, so that all mean the same choices. Sweeps end
//! when they decide little, and most models are decided by then.
//!
//! **A part decides many of its states alone.** Let *P* be the states of a part that are undecided,
//! and *P + o* their graph with one more state *o* for all others: a branch that leaves *P* leads
//! to *o*, and *o* has for each *entry*, a state of *P* that others lead to, a choice that leads
//! there alone. Let *C* be an SCC, or an end component, of the model with states in *P* and
//! outside. The states of *C* in *P*, with *o*, are strongly connected in *P + o*: a path of *C*
//! that runs through the outside runs through *o* there, and comes back by an entry. Choices that
//! stay in *C* stay in that set, as those of *o* do which lead to its entries. So it is within one
//! SCC, or one MEC, of *P + o*: the one that has *o*. Hence an SCC or MEC of *P + o* without *o*
//! has no state of such a *C*, and none of a larger one within *P*; it is one of the model. A state
//! in no MEC of *P + o* is in none of the model. What stays undecided is the component that has
//! *o*.
//!
//! **Contraction keeps components.** What is strongly connected by branches of the part alone is
//! within one SCC of the model, so making it one node merges no two SCCs, and an SCC of the model
//! is one of the skeleton with its nodes expanded. Only edges to ghosts cross between workers; a
//! search sends a message for each ghost that it reaches, not for each branch.
//!
//! **One worker does the rest** once that is little: nodes, their choices and where these lead are
//! sent to worker 0, which decomposes them like any model and sends the answer back. For MECs, a
//! node is an end component that a part has by itself. Its own choices become one that leads back,
//! and of others the targets in it are left out: a choice of a state in a MEC leads to that state
//! without leaving. [`Tuning`] says how much is little; by default, half of a worker's share of the
//! model. So a path that weaves between workers takes a few dozen supersteps, unless it is too long
//! for that; then it takes one a branch.
//!
//! **MECs** take rounds, for as long as more than that is left. In each, parts decide alone; a
//! decided state, or one without a choice, kills the choices of others that may lead to it, in
//! waves (attractors), of which a round has a few; then the SCCs of what is left are found, and
//! choices that may leave theirs are killed. An SCC of which no choice was killed is a MEC. A round
//! that decides nothing kills a choice, so there is an end.
//!
//! # Memory
//!
//! Every array of a worker is as long as its states, its branches or its boundary: ghosts, and
//! entries with those who have them as ghosts.

#![forbid(unsafe_code)]

mod alone;
mod certificate;
mod check;
mod check_states;
mod classes;
mod collect;
mod colour;
mod contract;
mod edges;
mod eliminate;
mod error;
mod explore;
mod gather;
mod giant;
mod hello;
mod hosts;
mod labels;
mod levels;
mod live;
mod mec;
mod meet;
mod names;
mod net;
mod numbering;
mod outline;
mod part;
mod peel;
mod processes;
mod produce;
mod progress;
mod ranges;
mod reach;
mod relay;
mod scc;
mod skeleton;
mod start;
mod sweeps;
mod tally;
mod tuning;
mod undecided;
mod violation;
mod watch;
mod words;

pub use certificate::Certificate;
pub use check::check;
pub use check_states::check_states;
pub use collect::collect;
pub use error::{Error, agree};
pub use explore::{ExploreOptions, States, explore, explore_with_states};
pub use hosts::{Hosts, HostsError};
pub use labels::Labels;
pub use mec::mec;
pub use meet::Meeting;
pub use net::{Inbox, Messages, Net, Outbox};
pub use numbering::{component_numbers, words_of};
pub use part::{Part, PartBuilder, part_of};
pub use processes::on_processes;
pub use produce::produce;
pub use progress::Progress;
pub use ranges::{MOST_PER_WORKER, Ranges};
pub use relay::relay;
pub use scc::scc;
pub use start::{Loss, on_threads, on_threads_until};
pub use tally::Tally;
pub use tuning::Tuning;
pub use violation::Violation;
