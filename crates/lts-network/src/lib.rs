//! Networks of labelled transition systems, compiled to a system that can be explored.
//!
//! A [`Behaviour`](lts_formats::Behaviour) of EXP says how processes run in parallel.
//! [`Network::compile`] makes a [`Network`] of it, which computes the transitions of a state of the
//! whole system from those of the processes. It is a [`System`](explore::System):
//! [`explore()`](explore::explore) finds all states that can be reached, on all cores.
//!
//! ```
//! use explore::{Options, explore};
//! use lts_network::Network;
//!
//! let text = br#"
//! par using a * b -> "both", c * _ -> c
//! in des (0, 2, 2) (0, a, 1) (1, c, 0)
//! || des (0, 1, 2) (0, b, 1)
//! end par
//! "#;
//! let behaviour = lts_formats::read_exp(text)?;
//! let network = Network::compile(&behaviour, |file| Err(format!("no file {}", file.path)))?;
//! let found = explore(&network, &Options::default())?;
//! assert_eq!((found.graph.num_states(), found.deadlocks), (3, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a behaviour does
//!
//! A state of the system is a vector of states, one for each process. A *rule* says which processes
//! take part in a transition of the system, with which of their labels, and what the label of that
//! transition is. The operators are flattened into rules from the inside out:
//!
//! | behaviour | its rules |
//! | --- | --- |
//! | an LTS | one for each label, of this process alone |
//! | `par using` vectors | one for each way to choose rules with the labels of a vector; internal ones stay |
//! | `par` labels | one for each way to choose rules with a named label, of all behaviours; others stay |
//! | `hide` | the same, but some results are the internal action |
//! | `total rename` | the same, with other results |
//!
//! A transition whose label is in no rule never happens; [`Network::remarks`] says so. The
//! transitions of a state are a set: those with the same label and the same target are one.
//!
//! # Encoding
//!
//! As in section 3.1 of Wijs and Bošnački, *GPUexplore: many-core on-the-fly state space
//! exploration using GPUs* (TACAS 2014): states of processes are packed into words of 32 bits, none
//! of them across two words, and [at most 8](MAX_WORDS) words. Transitions of a process are
//! independent of the others, or depend on rules. The paper asks that all parts of a rule have the
//! same label, so that a bit for each process says all of it; here rules are rewritten so that this
//! holds, and a transition whose label takes part in rules of several such labels is listed under
//! each.
//!
//! The order of transitions, which decides the numbers of states, is: by process; the process's
//! independent transitions in the order of its file; then the rules of which it is the first
//! participant, in the order of the rules; then the targets of the participants, those of the last
//! one changing first.

#![forbid(unsafe_code)]

mod encode;
mod error;
mod flatten;
mod layout;
mod network;
mod steps;
mod successors;
mod words;

pub use error::{CompileError, Remark};
pub use layout::{Field, MAX_WORDS};
pub use network::Network;
pub use steps::StepTables;
pub use successors::{Scratch, Visitor};
pub use words::WordTables;
