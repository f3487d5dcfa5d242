//! maxend as a library for C and C++: `libmaxend_c`, with the header `include/maxend.h`, and a
//! wrapper for C++ around that, `include/maxend.hpp`. `docs/capi.md` says how to use them.
//!
//! Functions that can fail return a [`Status`](error::Status), and take a pointer to a place for an
//! error. No panic leaves a function: it is converted to an error. Handles are opaque, and each
//! kind has a function that frees it.
//!
//! This crate reads models and decomposes graphs by `maxend::library`, like the package for Python.
//! It only adds the interface in C.

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

mod borrowed;
mod from_c;
mod text;
