//! Readers and writers of the explicit model files of PRISM and Storm.

#![forbid(unsafe_code)]

mod error;
mod grammar;
mod gzip;
mod labels;
mod model_type;
mod options;
mod states;
mod transitions;

pub use error::{BadValue, Counted, Error, ErrorKind, FileKind, Position};
pub use gzip::{DecompressOptions, decompress};
pub use labels::{Labels, read_labels};
pub use model_type::{Dialect, ModelType, UnknownName};
pub use options::{ReadOptions, STATE_SLACK};
pub use states::{Column, Row, States, Value, read_states};
pub use transitions::{
    Choice, ChoiceRef, ChunkInfo, HeaderCounts, Preamble, SUM_TOLERANCE, Transitions,
    TransitionsInfo, TransitionsWriter, TypeSource, Visited, Visitor, WriteOptions,
    read_transitions, visit_in_order, visit_transitions,
};
