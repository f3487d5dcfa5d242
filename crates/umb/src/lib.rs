//! Reader and writer of the Unified Markov Binary format (UMB).
//!
//! Probabilistic model checkers (PRISM 4.10, Storm 2.0, Modest) exchange models as `.umb` files.
//! Such a file is a tar archive, plain or compressed, that consists of an index in JSON and of
//! arrays of numbers. This crate reads and writes them for DTMCs, CTMCs, MDPs, labelled transition
//! systems, partially observable MDPs (POMDPs), turn-based stochastic games, Markov automata, and
//! DTMCs and MDPs with intervals of probabilities.
//!
//! An archive is a slice of bytes; for a plain archive, this may be a memory map. Arrays are used
//! in place, and reading takes one pass over those that describe the structure of the model:
//!
//! ```
//! use umb::{Compression, Indices, Model, ModelType, ReadOptions, Umb, UmbWriter};
//!
//! // From state 0 a coin leads to 1 or 2, which stay where they are.
//! let model = Model {
//!     initial_states: &[0],
//!     choice_offsets: Indices::U32(&[0, 1, 2, 3]),
//!     branch_offsets: Indices::U32(&[0, 2, 3, 4]),
//!     targets: Indices::U32(&[1, 2, 1, 2]),
//!     probabilities: Some(&[0.5, 0.5, 1.0, 1.0]),
//!     ..Model::new(ModelType::Mdp)
//! };
//! let mut file = Vec::new();
//! UmbWriter::new(&model)?.write(&mut file, Compression::None)?;
//!
//! let umb = Umb::read(&file, &ReadOptions::default())?;
//! assert_eq!((umb.num_states(), umb.num_choices(), umb.num_branches()), (3, 3, 4));
//! let coin = umb.choices_of(0).next().expect("state 0 has a choice");
//! assert_eq!(coin.targets(), [1, 2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A branch may have probability 0, and is then no edge: [`Choice::likely_targets`] leaves it out.
//!
//! A compressed archive must be decompressed before it is read, for instance by the crate
//! `decompress`. If it is not, the error says so.
//!
//! # What is read, and when
//!
//! [`Umb::read`] checks and keeps what every user needs: the index, the initial states, the maps
//! from states to choices and from choices to branches, targets and probabilities. Everything else
//! is read on request: [actions](Umb::choice_actions), [annotations](Umb::annotation) (atomic
//! propositions, rewards and others), [values of variables](Umb::valuations), [exit
//! rates](Umb::exit_rates).
//!
//! | part of a model | reading | writing |
//! | --- | --- | --- |
//! | states, choices, branches | [`Umb`] | [`Model`] |
//! | actions | [`Actions`] | [`UmbWriter::choice_actions`] |
//! | annotations | [`Values`] | [`UmbWriter::annotate`] |
//! | variables | [`Valuations`] | [`UmbWriter::state_valuations`] |
//!
//! [`UmbWriter::copy_of`] copies an archive with all of its contents, so that a result can be added
//! to a model as an annotation.
//!
//! The rates of CTMCs and Markov automata are products: [`exit_rate`] and [`probability`] choose
//! numbers whose products are exactly the rates, if there are such numbers.
//!
//! If no process has the whole model in memory, an [`Outline`] describes it, and the processes that
//! have its arrays [write them](write_files), or [pieces](Pieces) of them.
//!
//! # What is checked
//!
//! A model that is read without an error is valid: the version of the format and the type of the
//! model are known; each entry has the size that the index demands; offsets start at 0, do not
//! decrease, and end at the number of elements to which they refer; targets are states; each choice
//! has a branch with a probability above 0, and in an LTS only one; probabilities sum to 1. An
//! [`Error`] names the entry and the element that is wrong:
//!
//! ```
//! # use umb::*;
//! let model = Model {
//!     choice_offsets: Indices::U64(&[0, 1]),
//!     branch_offsets: Indices::U64(&[0, 1]),
//!     targets: Indices::U64(&[7]),
//!     ..Model::new(ModelType::Lts)
//! };
//! let error = UmbWriter::new(&model).unwrap_err();
//! let message = "branch-to-target.bin, element 0: 7 is out of range: expected a state below 1";
//! assert_eq!(error.to_string(), message);
//! ```
//!
//! Memory is bounded by the size of the archive, not by the numbers in its index; see
//! [`MAX_UNBACKED`] and [`MAX_UNNAMED_PLAYERS`]. An index takes several times as much memory as it
//! has bytes; [`ReadOptions::max_memory`] limits it.
//!
//! # What is not supported
//!
//! Models of other types (CTMDPs, and intervals or observations in models other than DTMCs and
//! MDPs), annotations whose values are intervals or distributions, and variables of more than 64
//! bits are not supported. The error names the feature.
//!
//! # Source
//!
//! The [specification](https://github.com/pmc-tools/umb) of January 2026, format version 1, and the
//! paper "UMB: A Unified Markov Binary Format", arXiv 2606.17811.
//!
//! This crate does not know about files, graphs or devices: it reads bytes, and returns numbers.

#![forbid(unsafe_code)]

mod annotations;
mod archive;
mod bits;
mod check;
mod described;
mod entity;
mod error;
mod format;
mod index;
mod index_error;
mod index_memory;
mod numbers;
mod offsets;
mod packed;
mod pieces;
mod preview;
mod rates;
mod read;
mod rows;
mod strings;
mod tar_fault;
mod valuations;
mod value_type;
mod values;
mod write;

pub use annotations::{AnnotationInfo, Annotations};
pub use archive::is_tar;
pub use bits::Bits;
pub use entity::Entity;
pub use error::{Error, ErrorKind};
pub use format::FORMAT_VERSION;
pub use index::{
    Field, FileData, Index, ModelData, Time, TransitionSystem, ValuationClass, ValuationInfo,
    Variable,
};
pub use model_type::ModelType;
pub use model_type::SUM_TOLERANCE;
pub use numbers::{Fractions, Numbers};
pub use offsets::Offsets;
pub use parse_error::ArchiveKind;
pub use pieces::Pieces;
pub use preview::Preview;
pub use rates::{exit_rate, probability};
pub use read::{Choice, MAX_UNBACKED, MAX_UNNAMED_PLAYERS, ReadOptions, Umb};
pub use strings::{Actions, Strings};
pub use valuations::{Valuations, Value};
pub use value_type::{Kind, ValueType};
pub use values::Values;
pub use write::{
    Compression, Content, Domain, File, Indices, Model, Outline, UmbWriter, write_files,
};
