//! Networks of labelled transition systems, compiled to a system that can be explored.
//!
//! A [`Behaviour`](lts_formats::Behaviour) of EXP describes how processes run in parallel.
//! [`Network::compile`] compiles it to a [`Network`], which computes the transitions of a state of
//! the whole system from those of the processes. A network is a [`System`](explore::System), so
//! [`explore()`](explore::explore) finds all reachable states, on all cores.
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
//! # The semantics of a behaviour
//!
//! A state of the system is a vector of states, one for each process. A *rule* has the processes
//! that take part in a transition of the system, each with one of its labels, and the label of this
//! transition. The operators are flattened into rules, from the innermost to the outermost:
//!
//! | behaviour | its rules |
//! | --- | --- |
//! | an LTS | one rule for each label, with this process alone |
//! | `par using` vectors | one rule for each combination of rules with the labels of a vector; internal rules are kept |
//! | `par` labels | one rule for each combination of rules of all behaviours with a named label; all other rules are kept |
//! | `hide` | the same rules, but some have the internal action as their label |
//! | `total rename` | the same rules with other labels |
//!
//! A transition whose label is in no rule never happens; [`Network::remarks`] reports this, and
//! labels that an operator names but no behaviour has. The transitions of a state are a set:
//! transitions with the same label and the same target are merged.
//!
//! # Encoding
//!
//! As in section 3.1 of Wijs and Bošnački, *GPUexplore: many-core on-the-fly state space
//! exploration using GPUs* (TACAS 2014), states of processes are packed into [at most 8](MAX_WORDS)
//! words of 32 bits, and none of them is divided between two words. Each transition of a process
//! either is independent of the other processes, or takes part in rules. The paper requires that
//! all parts of a rule have the same label, so that one bit for each process describes the rule.
//! Here rules are rewritten so that this holds. If the label of a transition then takes part in
//! rules with several labels, the transition is listed under each of them.
//!
//! The order of transitions determines the numbers of states. Transitions are ordered by process.
//! For each process, its independent transitions come first, in the order of its file. Then come
//! the rules of which it is the first participant, in the order of the rules. For each rule come
//! the combinations of targets of its participants, where the last participant changes fastest.

#![forbid(unsafe_code)]

mod encode;
mod error;
mod flatten;
mod iterations;
mod layout;
mod network;
mod room;
mod steps;
mod successors;
mod words;

pub use error::{CompileError, Purpose, Remark};
pub use layout::{Field, MAX_WORDS};
pub use network::Network;
pub use steps::StepTables;
pub use successors::{Scratch, Visitor};
pub use words::WordTables;
