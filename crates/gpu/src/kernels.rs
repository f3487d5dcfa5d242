//! The kernels in `shaders/`: a pass type for each, the structs they share with the host, and the
//! table of all variants. Written by the build script.

// The derives of bytemuck implement its unsafe traits, after checking their requirements.
#![allow(unsafe_code)]
// The documentation of shaders contains WGSL: `checks[direction]` is no link.
#![allow(rustdoc::broken_intra_doc_links)]
// The index of a variant is generated as a sum, even if some of its terms are 0.
#![allow(clippy::identity_op)]

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
