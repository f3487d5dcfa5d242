//! The fast engine: SCCs by peeling and forward-backward search, with work in proportion to the edges; and MECs.
//!
//! The papers' searches scan all states once a level, and a level is a
//! dispatch. Here states wait in a queue, and a workgroup follows what it finds for many hops before it hands
//! over what is left: neither peeling nor reachability needs levels. The decomposition is a single loop on
//! the device (`shaders/worklist/step.wgsl` says how), so that the host is not asked between its parts. After many rounds it is
//! broken off, for what `shaders/worklist/colouring.wgsl` does.
//!
//! Rounds: every region, at first the whole graph, is split by the searches from a pivot of its own into the
//! pivot's component and up to three regions (L. Fleischer, B. Hendrickson, A. Pınar: *On Identifying
//! Strongly Connected Components in Parallel*, 2000). Between rounds, states that are components of their own
//! are peeled off (W. McLendon et al.: *Finding strongly connected components in distributed graphs*, 2005),
//! by counters of edges that are kept up to date from round to round: an edge that a split cuts is found from
//! a state that was reached by one search alone, in one direction. Where rounds are many, regions are divided by the largest
//! state that reaches a state (S. Orzan: *On Distributed Verification and Verified Distribution*, 2004).

mod csr;
mod driver;
mod host_fallback;
mod mec;
mod passes;
mod profile;
mod resume;
mod rows;
mod state;
mod tuning;
mod upload;

pub use profile::{Part, Profile, Step};
pub use resume::Stages;
pub use tuning::Tuning;
pub use upload::{WorklistGraph, WorklistMdp};
