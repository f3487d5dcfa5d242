//! Readers and writers of the explicit model files of PRISM and Storm.
//!
//! Probabilistic model checkers exchange models as text: a transitions file (`.tra`) has a line for
//! each branch of each choice of each state, and further files have the values of variables
//! (`.sta`) and the labels (`.lab`) of states. PRISM and Storm have different dialects, and cannot
//! read each other's files. This crate reads and writes both dialects for DTMCs, CTMCs, MDPs and
//! labelled transition systems, and PRISM's dialect for partially observable MDPs and interval
//! models.
//!
//! | file | read | write | in memory |
//! | --- | --- | --- | --- |
//! | `.tra` | [`visit_transitions`], [`visit_in_order`], [`read_transitions`] | [`TransitionsWriter`], [`Transitions::write`] | [`Transitions`], or what your [`Visitor`] keeps |
//! | `.sta` | [`read_states`] | [`States::write`], [`write_states`] | [`States`] |
//! | `.obs` | [`read_observations`] | [`write_observations`] | [`States`] |
//! | `.lab` | [`read_labels`] | [`Labels::write`] | [`Labels`] |
//! | `.pexp` | [`sections()`], and the readers above and below | – | [`Sections`] |
//! | `.srew` | [`read_state_rewards`] | [`write_state_rewards`] | what your closure keeps |
//! | `.trew` | [`read_transition_rewards`] | [`write_transition_rewards`] | what your closure keeps |
//!
//! Compressed files must be decompressed before they are read, for instance by the crate
//! `decompress`. If the input of a reader is compressed, the error says so.
//!
//! # Two ways into a transitions file
//!
//! A [`Visitor`] receives one checked choice after another, and keeps what it needs. The file is
//! read in chunks, in parallel, each with a separate visitor:
//!
//! ```
//! use prism_explicit::{Choice, ReadOptions, Visitor, visit_transitions};
//!
//! /// The largest number of branches of a choice.
//! struct Widest(usize);
//!
//! impl Visitor for Widest {
//!     fn choice(&mut self, choice: Choice<'_>) {
//!         self.0 = self.0.max(choice.targets.len());
//!     }
//! }
//!
//! let text = b"3 3 4
//! 0 0 1 0.5 toss
//! 0 0 2 0.5 toss
//! 1 0 0 1
//! 2 0 2 1
//! ";
//! let visited = visit_transitions(text, &ReadOptions::default(), |_, _| Widest(0))?;
//! assert_eq!(visited.info.num_states, 3);
//! assert_eq!(visited.chunks.iter().map(|chunk| chunk.0).max(), Some(2));
//! # Ok::<(), prism_explicit::Error>(())
//! ```
//!
//! [`read_transitions`] returns the whole model:
//!
//! ```
//! # let text = b"3 3 4\n0 0 1 0.5 toss\n0 0 2 0.5 toss\n1 0 0 1\n2 0 2 1\n";
//! use prism_explicit::{ReadOptions, read_transitions};
//!
//! let model = read_transitions(text, &ReadOptions::default())?;
//! let toss = model.choices_of(0).next().expect("state 0 has a choice");
//! assert_eq!((toss.action(), toss.targets()), (Some("toss"), &[1, 2][..]));
//! # Ok::<(), prism_explicit::Error>(())
//! ```
//!
//! The files beside it are read into tables. If the number of states is given, they are checked
//! against it:
//!
//! ```
//! use prism_explicit::{ReadOptions, read_labels, read_states};
//!
//! let options = ReadOptions::default();
//! let states = read_states(b"(x,done)\n0:(0,false)\n1:(4,true)\n", Some(2), &options)?;
//! assert_eq!(states.variables(), ["x", "done"]);
//! let last = states.row(1).expect("there are two states");
//! assert_eq!(last.to_string(), "(4,true)");
//!
//! let labels = read_labels(b"0=\"init\" 1=\"goal\"\n0: 0\n1: 1\n", Some(2), &options)?;
//! assert_eq!(labels.initial_states(), [0]);
//! assert_eq!(labels.get("goal"), Some(&[1][..]));
//! # Ok::<(), prism_explicit::Error>(())
//! ```
//!
//! # What is checked
//!
//! A file that is read without an error is a valid model: its counts agree with its header; indices
//! are in range; states ascend, and the choices of each state are numbered 0, 1, 2, ...; no branch
//! is given twice; values are finite and at least 0; probabilities sum to 1 up to
//! [`SUM_TOLERANCE`], and intervals allow a sum of 1; a choice has at least one branch with a value
//! above 0 (branches with value 0 are dropped and counted; a state of a CTMC all of whose rates are
//! 0 has no choice). Blanks, tabs, CRLF, comments and blank lines are allowed anywhere. An
//! [`Error`] names the first place in the file that is wrong. It does not depend on the chunk size
//! or the number of threads:
//!
//! ```
//! use prism_explicit::{ErrorKind, ReadOptions, read_transitions};
//!
//! let error = read_transitions(b"2 1 1\n0 0 5 1\n", &ReadOptions::default()).unwrap_err();
//! assert_eq!(error.kind(), &ErrorKind::StateOutOfRange { state: 5, num_states: 2 });
//! let message = "line 2, column 5: state 5 is out of range: expected a state below 2, found `5`";
//! assert_eq!(error.to_string(), message);
//! ```
//!
//! Memory is bounded by the size of the file, not by the numbers in its header; see [`STATE_SLACK`]
//! and [`ReadOptions::max_states`].
//!
//! # How it is read
//!
//! The grammar is written with [nom](https://docs.rs/nom). A hand-written fast path handles the
//! most frequent lines. It accepts a line only if the grammar would give the same result.
//!
//! This crate does not know about files, graphs or devices: it reads bytes, and returns numbers.

#![forbid(unsafe_code)]

mod dialect;
mod error;
mod fast;
mod fractions;
mod grammar;
mod labels;
mod line_file;
mod options;
mod rewards;
mod sections;
mod states;
mod text;
mod transitions;

pub use dialect::{Dialect, UnknownDialect};
pub use error::{ArchiveKind, BadValue, Counted, Error, ErrorKind, FileKind, Position};
pub use fractions::{Fraction, fractions};
pub use labels::{Labels, read_labels};
pub use model_type::{ModelType, Reward, SUM_TOLERANCE};
pub use options::ReadOptions;
pub use parse_error::{OutOfMemory, STATE_SLACK};
pub use rewards::{
    Refused, RewardedTransition, RewardsBlock, is_reward_structure, read_state_rewards,
    read_transition_rewards, write_state_rewards, write_state_rewards_heading,
    write_transition_rewards, write_transition_rewards_heading,
};
pub use sections::{RewardSections, Sections, is_combined, sections};
pub use states::{
    Column, Row, States, Value, is_variable, push_row, read_observations, read_states,
    write_observations, write_states,
};
pub use transitions::{
    Choice, ChoiceRef, ChunkInfo, HeaderCounts, LineFormat, Observations, Preamble, Transitions,
    TransitionsBlock, TransitionsInfo, TransitionsWriter, TypeSource, Visited, Visitor,
    WriteOptions, read_transitions, visit_in_order, visit_transitions,
};
