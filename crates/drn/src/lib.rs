//! Reader and writer of DRN, the explicit text format of the model checker Storm.
//!
//! Benchmark sets of probabilistic models, and tools around [Storm](https://www.stormchecker.org),
//! exchange models as DRN (`.drn`): one text file with states, labels, rewards, choices, and the
//! values of variables. This crate reads and writes it, for DTMCs, CTMCs, MDPs, Markov automata and
//! POMDPs.
//!
//! | to do | with | in memory |
//! | --- | --- | --- |
//! | read | [`visit`] | what your [`Visitor`] keeps |
//! | read | [`read()`] | [`Model`] |
//! | read the header alone | [`read_header`] | [`Header`] |
//! | write | [`DrnWriter`], [`Model::write`] | – |
//!
//! # The format
//!
//! ```
//! use drn::{ReadOptions, read};
//!
//! let text = b"// a comment
//! @type: MDP
//! @value_type: double
//! @parameters
//!
//! @reward_models
//! time
//! @nr_states
//! 2
//! @nr_choices
//! 3
//! @model
//! state 0 [1] init
//! //[!done\t& x=0]
//! \taction toss [0.5]
//! \t\t0 : 0.5
//! \t\t1 : 0.5
//! \taction __NOLABEL__ [0]
//! \t\t1 : 1
//! state 1 [0] goal \"a label in quotation marks\"
//! \taction 0
//! \t\t1 : 1
//! ";
//! let model = read(text, &ReadOptions::default())?;
//! let [first, second] = &model.states[..] else { panic!("two states") };
//! assert_eq!(first.valuation.as_deref(), Some("!done\t& x=0"));
//! assert_eq!(first.choices[0].action.as_deref(), Some("toss"));
//! assert_eq!(first.choices[0].targets, [0, 1]);
//! assert_eq!(first.choices[0].values, [0.5, 0.5]);
//! assert_eq!(second.labels, ["goal", "a label in quotation marks"]);
//! assert_eq!(second.choices[0].action, None);
//! # Ok::<(), drn::Error>(())
//! ```
//!
//! The header has a line `@type:` and a line `@value_type:`. The value type is `double` (the
//! default), `rational`, or in DTMCs and MDPs `double-interval` or `rational-interval`, whose
//! values may be intervals such as `[0.2, 0.5]`. The other lines of the header are keywords, whose
//! values are on the next line. States ascend from 0 without gaps. After the number of a state come
//!
//! - `!2.5`, the exit rate: in CTMCs, whose values are rates, and in Markov automata, whose values
//!   are probabilities;
//! - `{3}`, the observation, in POMDPs;
//! - `[1, 0.5]`, a reward for each reward model, or nothing;
//! - the labels, in quotation marks if they have blanks;
//!
//! and after `action` come the name or the number of the action, and its rewards. `__NOLABEL__`
//! stands for an action without a name, and so does the index of an action among those of its
//! state. A comment `//[...]` after the line of a state has the values of its variables, which
//! [`assignments`] parses. Any other line that begins with `//` is an ordinary comment, except for
//! `// labels of no state: a b` in the header, which lists labels that would otherwise be lost.
//! Numbers are decimals, fractions, or placeholders such as `$p`, whose values are listed below
//! `@placeholders`. Lines may begin and end with blanks, and end with CRLF.
//!
//! Sources: the files that Storm 2.0 (stormpy) writes, and those that it accepts.
//!
//! # What is checked
//!
//! A file that is read without an error is a valid model: its counts agree with its header; states
//! are in order, and targets in range; values are finite and at least 0; probabilities sum to 1,
//! and the rates of a CTMC to its exit rates, up to [`SUM_TOLERANCE`]; a choice has at least one
//! branch with a value above 0 (branches with value 0 are dropped and counted). For intervals, the
//! lower bounds of a choice sum to at most 1, and the upper bounds to at least 1. Storm checks only
//! a few of these. Like Storm, this crate treats a state without an action as a deadlock, and
//! accepts branches of a choice with equal targets, whose values are added. Parametric models are
//! refused with an error that says so, and so are stochastic games, because the format cannot
//! express players. An [`Error`] names the first place in the file that is wrong. It does not
//! depend on the chunk size or the number of threads:
//!
//! ```
//! use drn::{ErrorKind, ReadOptions, read};
//!
//! let text = b"@type: DTMC\n@nr_states\n1\n@model\nstate 0\n\taction 0\n\t\t5 : 1\n";
//! let error = read(text, &ReadOptions::default()).unwrap_err();
//! assert_eq!(error.kind(), &ErrorKind::StateOutOfRange { state: 5, num_states: 1 });
//! let message = "line 7, column 3: state 5 is out of range: expected a state below 1, found `5`";
//! assert_eq!(error.to_string(), message);
//! ```
//!
//! Memory is bounded by the size of the file: a header that claims more states than the file can
//! contain is refused before memory is allocated for them.
//!
//! This crate does not know about files, graphs or devices: it reads bytes, and returns numbers.

#![forbid(unsafe_code)]

mod error;
mod model;
mod options;
mod parts;
mod read;
mod valuation;
mod write;

pub use error::{ArchiveKind, BadValue, Error, ErrorKind, Position};
pub use model::{Model, ModelChoice, ModelState, read};
pub use model_type::{Reward, SUM_TOLERANCE};
pub use options::ReadOptions;
pub use parts::{Choice, Header, ModelType, State};
pub use read::{ChunkInfo, Visited, Visitor, read_header, visit};
pub use valuation::{Assignment, Value, assignments, push_assignment};
pub use write::{DrnWriter, is_action, is_label, is_reward_model, is_variable};
