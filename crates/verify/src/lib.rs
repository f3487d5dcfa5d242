//! Examines compute kernels in the form in which they are shipped: the intermediate representation
//! (IR) that naga, the shader compiler of wgpu, makes from their WGSL.
//!
//! - [`lint`] examines a kernel without running it. It finds barriers in control flow that is not
//!   uniform, loops that wait for another workgroup, communication through storage without atomic
//!   operations, and recursion.
//! - [`run`] interprets kernels and checks for data races. It runs a single dispatch under a chosen
//!   scheduler, or the whole host loop of a program, through [`gpu::Executor`].
//! - [`race`] asks an SMT solver whether any two invocations of a dispatch race.
//! - [`monotone`] finds the kernels that only lower words, or only raise them, to values that are
//!   monotone in these words, as the theorem of `proofs/Monotone.v` requires.
//! - [`mod@mutate`] makes small changes to a kernel, most of which introduce an error. They test
//!   whether the other modules find errors.
//! - [`small`] enumerates small graphs as inputs of host loops.
//!
//! [`gpu::kernels::ALL`] lists the kernels: all variants of all shaders. This crate does not know
//! what they compute.

#![forbid(unsafe_code)]

pub mod lint;
pub mod monotone;
pub mod mutate;
mod program;
mod promise;
pub mod race;
pub mod run;
pub mod small;
mod syntax;

pub use program::{Error, Place, Program};
