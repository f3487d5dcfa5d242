//! maxend as a library for C and C++: `libmaxend_c`, with the header `include/maxend.h`, and a
//! wrapper for C++ around that, `include/maxend.hpp`. `docs/capi.md` says how to use them.
//!
//! Whatever can fail returns a [`Status`](error::Status) and takes a pointer to where an error is
//! put. No panic leaves a function: it becomes an error too. Handles are opaque, and each kind has
//! a function that frees it.
//!
//! This crate reads models and decomposes graphs as `maxend::library` does, which the package for
//! Python uses too; it only says so in C.

#![allow(unsafe_code, reason = "callers in C pass pointers")]
#![allow(
    clippy::too_many_arguments,
    reason = "arrays of C do not know their lengths"
)]

pub mod components;
pub mod error;
pub mod graph;
pub mod model;
pub mod run;
pub mod version;

mod given;
mod lent;
mod text;
