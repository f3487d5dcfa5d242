//! The worklist engine: SCCs and MECs by trimming and forward-backward search, with work
//! proportional to the number of edges.
//!
//! The papers' engine scans all states in each level, and each level is a dispatch. Neither
//! trimming nor reachability needs levels. So here states wait in a queue, and a workgroup follows
//! the states that it finds for many hops before it spills the rest. The decomposition is a single
//! loop on the device (`shaders/worklist/step.wgsl`), which does not wait for the host between
//! phases. After many rounds, or after many iterations that find few states, the loop is
//! interrupted, and `shaders/worklist/colouring.wgsl` divides the regions.
//!
//! Rounds: every region, at first the whole graph, is split by the searches from a pivot of its own
//! into the pivot's component and up to three regions (L. Fleischer, B. Hendrickson, A. Pınar: *On
//! identifying strongly connected components in parallel*, 2000). Between rounds, states that are
//! components by themselves are trimmed (W. McLendon et al.: *Finding strongly connected components
//! in distributed graphs*, 2005). Degrees, which each round updates, tell which states these are:
//! an edge that a split cuts is found from a state that only one search has reached. If there are
//! many rounds or long paths, regions are divided by colours; the colour of a state is the largest
//! key of a state that reaches it (S. Orzan: *On distributed verification and verified
//! distribution*, 2004).

mod csr;
mod driver;
mod functional;
mod host_fallback;
mod input;
mod loop_control;
mod mec;
mod monitor;
mod one_component;
mod passes;
mod profile;
mod resident;
mod round_pace;
mod rows;
mod state;
mod tuning;
mod upload;

#[doc(hidden)]
pub use loop_control::Stages;
pub(super) use one_component::Found;
pub use profile::{PhaseCost, Profile, Step};
pub use tuning::Tuning;
pub use upload::WorklistGraph;
