//! The device layer: typed compute passes, recorded over named buffers, run on any GPU that wgpu reaches.
//!
//! **Algorithms never see wgpu.** They make [`Buffer`]s, write down a [`Recording`] of passes, transfers
//! and loops, and hand it to a [`Gpu`]; what stands behind it is an [`Executor`], of which wgpu's is the
//! one here, and an interpreter of the same WGSL could be another. This crate in turn knows nothing of
//! what it computes.
//!
//! # Kernels
//!
//! A kernel is a file in the workspace's `shaders/`, one entry point each. The build script expands its
//! `#import`s and `#ifdef`s for every combination of its flags, validates each variant with naga, and
//! writes a type for it into [`kernels`]: a field for each buffer, for the parameters, for each constant
//! and flag. A missing buffer, a wrong element type or a misplaced parameter does not compile.
//!
//! # Loops
//!
//! A host that asks after each level of a search whether there is another one waits for the bus each
//! time. [`Recording::repeat`] hands over many iterations at once. Each is sized by a small record that
//! the iteration before wrote on the device, and one that nobody asked for has no workgroups:
//!
//! ```no_run
//! use gpu::{Gpu, Groups, Recording, Repeat, Request};
//! use gpu::kernels::{BfsParams, test::BfsLevel};
//!
//! // A path of four states: 0 -> 1 -> 2 -> 3.
//! let gpu = Gpu::open(&Request::any())?;
//! let offsets = gpu.upload("offsets", &[0_u32, 1, 2, 3, 3])?;
//! let targets = gpu.upload("targets", &[1_u32, 2, 3])?;
//! let distances = gpu.zeroed::<u32>("distances", 4)?;
//!
//! let mut search = Recording::new();
//! search.fill(&distances, u32::MAX).write(&distances, 0, &[0]);
//! let levels = search.repeat(Repeat::over("search", 4), |_, level| {
//!     level.dispatch(&BfsLevel {
//!         offsets: &offsets,
//!         targets: &targets,
//!         distances: &distances,
//!         params: BfsParams { first_state: 0, end_state: 4, first_edge: 0 },
//!         counted: false,
//!     });
//! });
//! let found = search.read(&distances, 0..4);
//!
//! let outcome = gpu.run(&search)?;
//! assert_eq!(outcome.get(found), [0, 1, 2, 3]);
//! assert_eq!(outcome[levels].iterations, 4); // the last one finds that nothing is left
//! # Ok::<(), gpu::Error>(())
//! ```
//!
//! A loop's kernel imports `loop`, reads `loop_now`, and calls `loop_again(count.x)` where it finds that
//! another iteration is needed. Kernels of a loop stride over their items, because the workgroups of a
//! record are at most 65,535. Any other loop, say one that goes on only while two searches both
//! do, is a matter of what a fresh record holds: see [`Repeat::fresh`]. Where the kernel decides by itself how many
//! workgroups have something to do, no record has to size them, which saves some microseconds an iteration: see
//! [`Repeat::alike`].
//!
//! # One submission for many loops
//!
//! What is recorded behind a loop need not wait for the host to see the loop end: an executor may foresee how many
//! iterations it takes, and submit what follows too, sized so that nothing of it runs if the loop goes on for
//! longer. Hence a recording may hold several rounds of an algorithm: [`Recording::stop_if_zero`] leaves out those
//! behind the last, and [`Recording::when`] tells cases apart by how a loop ended.
//!
//! # Large arrays
//!
//! A buffer fits one binding. Larger arrays are [cut] between rows into [`Shard`]s, each dispatched
//! on its own; [`Request::max_binding_bytes`] makes bindings small, so that tests see many.
//!
//! # Invariants
//!
//! - Every location that more than one invocation of a dispatch may touch, one of them writing, is atomic
//!   in the WGSL. A pass that binds one buffer twice, once to write, is refused.
//! - No kernel depends on the size of a subgroup, nor on the progress of another workgroup.
//! - Indices and loops of kernels are checked as they run, but for kernels whose head says `checks: debug`: in release builds
//!   these are not ([`Checks`]).
//! - Limits are checked before memory is taken; [`Error`]s are values, and carry both numbers.
//! - Only `wgpu_executor` names wgpu.

mod adapter;
mod buffer;
mod environment;
mod error;
mod executor;
mod gpu;
mod kernel;
mod leave;
mod memory;
mod outcome;
mod recording;
mod repeat;
mod sharded;
mod wgpu_executor;

pub use adapter::{AdapterInfo, AdapterKind, Limits, Request};
pub use buffer::{AnyBuffer, Buffer, BufferId};
pub use environment::quiet_drivers;
pub use error::{Error, Result};
pub use executor::Executor;
pub use gpu::{Gpu, adapters};
pub use kernel::{BufferSlot, Call, Checks, Kernel, Lines, ParamsSlot, Pass};
pub use leave::leave;
pub use outcome::{
    Control, DispatchTime, LoopOutcome, LoopRecord, Observer, Outcome, PassTime, Progress,
};
pub use recording::{
    Condition, Dispatch, Gate, Groups, LoopTicket, MAX_WORKGROUPS, Recording, Step, Ticket,
};
pub use repeat::{Body, Repeat, Repeated, Start};
pub use sharded::{Piece, Shard, cut};

/// The kernels in `shaders/`: a pass type each, the structs they share with the host, and the table of
/// all variants. Written by the build script.
pub mod kernels {
    // bytemuck's derives implement its unsafe traits, after checking what these ask for.
    #![allow(unsafe_code)]
    // Shaders' heads speak of WGSL: `checks[direction]` is no link.
    #![allow(rustdoc::broken_intra_doc_links)]
    // The index of a variant is written as a sum, whatever its parts.
    #![allow(clippy::identity_op)]
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}
