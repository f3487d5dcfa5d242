//! Readers and writers of the explicit model files of PRISM and Storm.

#![forbid(unsafe_code)]

mod error;
mod grammar;
mod model_type;
mod options;
mod transitions;

pub use error::{BadValue, Counted, Error, ErrorKind, FileKind, Position};
pub use model_type::{Dialect, ModelType, UnknownName};
pub use options::{ReadOptions, STATE_SLACK};
pub use transitions::{
    Choice, ChunkInfo, HeaderCounts, Preamble, SUM_TOLERANCE, TransitionsInfo, TypeSource, Visited,
    Visitor, visit_in_order, visit_transitions,
};
