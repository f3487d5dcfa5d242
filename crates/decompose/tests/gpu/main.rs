//! Tests that the GPU engines, in all variants, find the components that the CPU finds, and leave
//! the graph on the device as it was.

mod agreement;
#[path = "../common/mod.rs"]
#[allow(dead_code)]
mod common;
mod device;
mod hubs;
mod interface;
mod limits;
mod lost;
mod mecs;
mod models;
mod resident;
mod sccs;
mod variants;
mod worklist;
