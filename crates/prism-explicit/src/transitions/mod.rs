//! Transitions files (`.tra`): the streaming reader, and the model built on it.
//!
//! ```text
//! preamble.rs   the lines before the first data line: dialect, type, counts, initial states
//! cut.rs        the body cut into chunks, at line ends where the source state changes
//! fast.rs       one common data line, at speed; any other line goes to crate::grammar
//! chunk.rs      the lines of one chunk, in order; every line that is wrong is explained here
//! choice.rs     the lines of one choice: what must hold of them together
//! visit.rs      all chunks, in parallel or in order, and what must hold of the whole file
//! model.rs      a typed model in memory
//! write.rs      choices as lines again
//! ```

mod choice;
mod chunk;
mod cut;
mod fast;
mod lines;
mod model;
mod observed;
mod preamble;
#[cfg(test)]
mod tests;
mod visit;
mod visitor;
mod write;
mod write_options;

pub use choice::Choice;
pub use lines::{LineFormat, TransitionsBlock};
pub use model::{ChoiceRef, Transitions, read_transitions};
pub use observed::Observations;
pub use preamble::{HeaderCounts, Preamble, TypeSource};
pub use visit::{ChunkInfo, TransitionsInfo, Visited, visit_in_order, visit_transitions};
pub use visitor::Visitor;
pub use write::TransitionsWriter;
pub use write_options::WriteOptions;
