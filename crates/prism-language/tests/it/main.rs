//! All tests of the crate from outside, in one program.

mod descent;
mod errors;
mod expressions;
mod grammar;
mod initial;
mod many_commands;
mod models;
mod mutations;
mod oracle;
mod random_models;
mod random_text;
mod samples;
mod semantics;
mod support;
mod unbounded;
mod unending;
