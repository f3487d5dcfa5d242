//! Searches compared with an oracle, with each other, and with their certificate; and the kernels
//! under the interpreter.

mod certificate;
mod common;
mod deep;
mod gpu;
mod interpreter;
mod oracle;
