//! Readers and writers of labelled transition systems, and of networks of them.
//!
//! Tools for concurrent systems exchange labelled transition systems (LTSs) in the Aldebaran format
//! (`.aut`), and describe how LTSs run in parallel in CADP's language EXP (`.exp`). This crate
//! reads and writes both.
//!
//! | file | read | write | in memory |
//! | --- | --- | --- | --- |
//! | `.aut` | [`read_aut`] | [`AutWriter`], [`Lts::write_aut`] | [`Lts`] |
//! | `.exp` | [`read_exp`] | [`Behaviour::write_exp`] | [`Behaviour`] |
//!
//! # The Aldebaran format
//!
//! The first line has the initial state, the number of transitions and the number of states; each
//! further line is a transition:
//!
//! ```
//! use lts_formats::{ReadOptions, read_aut};
//!
//! let text = b"des (0, 3, 2)
//! (0, \"SEND !1\", 1)
//! (1, i, 1)
//! (1, ack(0,1), 0)
//! ";
//! let lts = read_aut(text, &ReadOptions::default())?;
//! assert_eq!((lts.num_states(), lts.num_transitions()), (2, 3));
//! let labels: Vec<&str> = lts.transitions_of(1).map(|transition| transition.label()).collect();
//! assert_eq!(labels, ["i", "ack(0,1)"]);
//! # Ok::<(), lts_formats::Error>(())
//! ```
//!
//! A label that begins with a quotation mark ends at the last quotation mark of the line, and any
//! other label at the last comma, so both kinds may contain commas and parentheses. Blanks, tabs,
//! blank lines and CRLF are accepted. [`INTERNAL`] and `tau` name the internal action
//! ([`is_internal`]).
//!
//! mCRL2's probabilistic form is accepted: the initial state, and the target of each transition,
//! may be a distribution `s₀ p₀ s₁ p₁ … sₖ`. The fractions pᵢ must be above 0, and the last state
//! has the remaining probability. Fractions are written with numbers below 2^128; a probability
//! that needs larger ones is refused. Such a model [is probabilistic](Lts::is_probabilistic), that
//! is, a Markov decision process.
//!
//! Sources: the manual page `aut` of CADP (version of 2014), and mCRL2's page *Formats for labelled
//! transition systems*.
//!
//! # The language EXP
//!
//! A [`Behaviour`] is an LTS, in a file or inline, or is built from behaviours by operators. The
//! following part of EXP 2.0 is supported:
//!
//! ```text
//! behaviour = "file.aut" | file.aut                            an LTS in a file
//!           | des (i, m, n) (s, label, t) ...                  an LTS, written out
//!           | par using vector, ... in behaviour || ... end par
//!           | par vector, ... in behaviour || ... end par      the same
//!           | [label | gate] par [label, ... in] behaviour || ... end par
//!           | [total | gate] hide [all but] label, ... in behaviour end hide
//!           | [single] total rename label -> label, ... in behaviour end rename
//!           | ( behaviour )
//! vector    = part * part * ... -> label                       a part for each behaviour
//! part      = label | _                                        _: not involved
//! label     = a word, or any text in quotation marks
//! ```
//!
//! Comments are enclosed in `(*` and `*)`, or extend from `--` to the end of the line. Any other
//! operator of EXP is refused with an error that names it. So are regular expressions, which EXP
//! permits as labels of `hide` and `rename`: there, each of the characters `. * [ ] \ ^ $` needs a
//! backslash before it.
//!
//! ```
//! use lts_formats::{Behaviour, Synchronisation, read_exp};
//!
//! let text = br#"
//! (* a traffic light, and a pedestrian *)
//! par using
//!     start * continue -> crossing,
//!     prepare * _ -> prepare
//! in "light.aut" || "pedestrian.aut"
//! end par
//! "#;
//! let Behaviour::Parallel(network) = read_exp(text)? else { panic!("a composition") };
//! assert_eq!(network.branches.len(), 2);
//! let Synchronisation::Vectors(vectors) = &network.synchronisation else { panic!("vectors") };
//! assert_eq!(vectors[1].parts[1], None);
//! # Ok::<(), lts_formats::Error>(())
//! ```
//!
//! Source: the manual page `exp` of CADP. The crate `lts-network` defines the semantics of a
//! behaviour.
//!
//! # Errors and limits
//!
//! An [`Error`] names the first place that is wrong, and says what was expected there:
//!
//! ```
//! use lts_formats::{ErrorKind, ReadOptions, read_aut};
//!
//! let error = read_aut(b"des (0, 1, 2)\n(0, a, 5)\n", &ReadOptions::default()).unwrap_err();
//! assert_eq!(error.kind(), &ErrorKind::StateOutOfRange { state: 5, num_states: 2 });
//! let message = "line 2, column 8: state 5 is out of range: expected a state below 2, found `5`";
//! assert_eq!(error.to_string(), message);
//! ```
//!
//! Memory is bounded by the size of the file; see [`STATE_SLACK`]. The nesting of behaviours has a
//! depth of at most [`MAX_DEPTH`].
//!
//! This crate does not know about files, graphs or devices: it reads bytes, and returns data.

#![forbid(unsafe_code)]

mod aut;
mod error;
mod exp;
mod labels;
mod lts;
mod options;
mod tokens;

pub use aut::{AutBlock, AutWriter, has_fraction, read_aut};
pub use error::{ArchiveKind, Error, ErrorKind, Position};
pub use exp::{
    Behaviour, Hide, MAX_DEPTH, Matching, Parallel, ProcessFile, Rename, Synchronisation, Vector,
    read_exp,
};
pub use labels::{INTERNAL, gate, is_internal};
pub use lts::{Lts, TransitionRef};
pub use options::ReadOptions;
pub use parse_error::STATE_SLACK;
