//! The reader.
//!
//! ```text
//! header.rs      the lines before the states
//! cut.rs         the states cut into chunks
//! branch.rs      the common line, at speed; any other line goes to chunk.rs
//! chunk.rs       the lines of a chunk, to a visitor
//! state_line.rs  the line of a state; labels.rs, words.rs and number.rs: the parts of lines
//! visit.rs       all chunks, in parallel
//! ```

mod branch;
mod chunk;
mod cut;
mod header;
mod labels;
mod number;
mod state_line;
mod visit;
mod visitor;
mod words;

pub use visit::{ChunkInfo, Visited, read_header, visit};
pub use visitor::Visitor;
