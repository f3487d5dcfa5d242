//! Examines compute kernels as they are shipped, on the intermediate representation (IR) that
//! wgpu's shader compiler, naga, makes of their WGSL.
//!
//! - [`lint`] looks at a kernel without running it: barriers in control flow that is not uniform,
//!   loops that wait for another workgroup, plain communication through storage, recursion.
//! - [`run`] interprets kernels: one dispatch under a scheduler of one's choice, with a check for
//!   data races, or a whole program's host loop, through [`gpu::Executor`].
//! - [`race`] asks an SMT solver whether any two invocations of a dispatch race.
//! - [`monotone`] says which kernels only lower words to values that are monotone in them, as the
//!   theorem of `proofs/Monotone.v` needs.
//! - [`mod@mutate`] makes small changes of a kernel, most of which are wrong, to see whether the
//!   others notice.
//! - [`small`] enumerates small graphs, on which host loops can be run.
//!
//! Kernels are found in [`gpu::kernels::ALL`], all variants of all shaders. This crate knows
//! nothing of what they compute.

#![forbid(unsafe_code)]

pub mod lint;
pub mod monotone;
pub mod mutate;
mod program;
mod promise;
pub mod race;
pub mod run;
pub mod small;

pub use program::{Error, Place, Program};
