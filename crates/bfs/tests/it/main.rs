//! Tests that compare searches with an oracle, with each other, and with their certificate, and
//! tests of the kernels under the interpreter.

mod certificate;
mod common;
mod deep;
mod gpu;
mod interpreter;
mod oracle;
