//! EXP: behaviours, their grammar, and writing them.

mod ast;
mod grammar;
mod inline;
mod lexer;
mod write;

pub use ast::{Behaviour, Hide, Matching, Parallel, ProcessFile, Rename, Synchronisation, Vector};
pub use grammar::{MAX_DEPTH, read_exp};
