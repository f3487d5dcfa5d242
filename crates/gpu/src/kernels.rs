//! The kernels in `shaders/`: a pass type for each, the structs they share with the host, and the
//! table of all variants. Written by the build script.

// bytemuck's derives implement its unsafe traits, after checking what these ask for.
#![allow(unsafe_code)]
// Shaders' heads speak of WGSL: `checks[direction]` is no link.
#![allow(rustdoc::broken_intra_doc_links)]
// The index of a variant is written as a sum, whatever its parts.
#![allow(clippy::identity_op)]

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
