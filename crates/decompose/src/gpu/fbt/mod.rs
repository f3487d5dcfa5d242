//! The papers' engine: forward-backward search with trimming, by A. Wijs, J.-P. Katoen and D.
//! Bošnački, *GPU-based graph decomposition into strongly connected and maximal end components*
//! (CAV 2014) and *Efficient GPU algorithms for parallel decomposition of graphs into strongly
//! connected and maximal end components* (FMSD 2016).
//!
//! | the papers | here |
//! | --- | --- |
//! | `FBT`, `BFBT` (2016, Algorithms 1 and 2) | `driver.rs`, whose loops read like them |
//! | the kernels (Algorithms 3 to 6) | `shaders/fbt/`, recorded by `passes.rs` |
//! | MEC decomposition (2.3, 2.4, 6) | `mec.rs`, the loop of rounds; choices are removed too |
//! | the sets U, attractors (Algorithm 7) | `shaders/fbt/mec_*`, recorded by `mec_passes.rs` |
//! | `offsets`, `trans`, segments (5.1) | [`warp_segments`], which `upload.rs` puts on a device |
//! | `F_{i,j}`, `-nh`, warp-aggregation, sets J | [`FbtOptions`](super::FbtOptions) |
//!
//! Searches find the states of a region level by level, in all regions at the same time.

mod driver;
mod find;
mod mec;
mod mec_passes;
mod passes;
mod rows;
mod state;
#[cfg(test)]
mod tests;
mod upload;

pub(super) use driver::FbtRun;
pub use driver::Statistics;
pub use upload::FbtGraph;
