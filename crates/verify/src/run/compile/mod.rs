//! Compiles naga's IR to the operations of the interpreter.
//!
//! A function that takes pointers is compiled once for each call, and any other function once. This
//! ends because no function calls itself.
//!
//! ```text
//! compiler.rs      a kernel: registers, shared variables, inputs, and the bodies of functions
//! builder.rs       one function while it is compiled
//! statements.rs    its statements: memory, other invocations, calls
//! flow.rs          its branches and loops
//! expressions.rs   its expressions
//! pointers.rs      the pointers in it
//! pointer.rs       where a pointer leads
//! types.rs         sizes and offsets of types
//! ```

mod builder;
mod compiler;
mod expressions;
mod flow;
mod pointer;
mod pointers;
mod statements;
mod types;

use super::code::Code;
use crate::program::Program;
use compiler::{Compiler, Result};

/// Compiles a kernel.
///
/// # Errors
/// [`Error::Unsupported`](crate::Error::Unsupported).
pub fn compile(program: &Program) -> Result<Code> {
    let mut compiler = Compiler::new(program)?;
    let clears = compiler.declare()?;
    let entry = compiler.entry(clears)?;
    compiler.link(entry)
}
