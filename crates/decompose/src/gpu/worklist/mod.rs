//! The worklist engine: SCCs by trimming and forward-backward search, with work in proportion to
//! the edges; and MECs.
//!
//! The papers' searches scan all states once a level, and a level is a dispatch. Here states wait
//! in a queue, and a workgroup follows what it finds for many hops before it spills what is left:
//! neither trimming nor reachability needs levels. The decomposition is a single loop on the device
//! (`shaders/worklist/step.wgsl`), so that the host is not asked between its phases. After many
//! rounds, or where little is found for long, the loop is interrupted, and
//! `shaders/worklist/colouring.wgsl` divides the regions.
//!
//! Rounds: every region, at first the whole graph, is split by the searches from a pivot of its own
//! into the pivot's component and up to three regions (L. Fleischer, B. Hendrickson, A. Pınar: *On
//! identifying strongly connected components in parallel*, 2000). Between rounds, states that are
//! components by themselves are trimmed (W. McLendon et al.: *Finding strongly connected components
//! in distributed graphs*, 2005). Degrees, which are updated from round to round, say which ones:
//! an edge that a split cuts is found from a state that one search alone has reached. Where there
//! are many rounds, or long paths, regions are divided by colours, the largest key that reaches a
//! state (S. Orzan: *On distributed verification and verified distribution*, 2004).

mod control;
mod csr;
mod driver;
mod host_fallback;
mod input;
mod mec;
mod passes;
mod profile;
mod resident;
mod rows;
mod slow;
mod state;
mod tuning;
mod upload;

pub use control::Stages;
pub use profile::{PhaseCost, Profile, Step};
pub use resident::ResidentScc;
pub use tuning::Tuning;
pub use upload::{WorklistGraph, WorklistMdp};
