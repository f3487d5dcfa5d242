//! The device layer: typed compute passes, recorded over named buffers, which run on any GPU that
//! wgpu supports.
//!
//! **Algorithms never see wgpu.** They make [`Buffer`]s, write a [`Recording`] of passes, transfers
//! and loops, and pass it to a [`Gpu`], which runs it on an [`Executor`]. The executor here uses
//! wgpu; the crate `verify` has another one, which interprets the kernels. This crate does not know
//! what the passes compute.
//!
//! # Kernels
//!
//! A kernel is a file in the workspace's `shaders/`, with one entry point. The build script expands
//! its `#import`s and `#ifdef`s for every combination of its flags, validates each variant with
//! naga, and writes a type for it into [`kernels`], with a field for each buffer, for the
//! parameters, and for each constant and flag. A missing buffer, a wrong element type or a
//! misplaced parameter does not compile.
//!
//! # Adding a kernel
//!
//! 1. **Write `shaders/FOLDER/NAME.wgsl`.** The folder becomes a module of [`kernels`], and the
//!    name a type: `shaders/basic/fill.wgsl` is [`kernels::basic::Fill`].
//!
//!    ```wgsl
//!    //! Sets every word of `target_words` to a value.
//!    //!
//!    //! Owns `target_words`: each word is written by one invocation.
//!    #import lib/grid
//!
//!    const SIZE = 256u;
//!
//!    struct FillParams {
//!        value: u32,
//!    }
//!
//!    @group(0) @binding(0) var<storage, read_write> target_words: array<u32>;
//!    @group(0) @binding(1) var<uniform> params: FillParams;
//!
//!    @compute @workgroup_size(SIZE)
//!    fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
//!        let n = arrayLength(&target_words);
//!        for (var i = grid_index(grid, local, SIZE); i < n; i += grid_stride(grid, SIZE)) {
//!            target_words[i] = params.value;
//!        }
//!    }
//!    ```
//!
//!    - The `//!` lines at the top become the documentation of the type. They say what the kernel
//!      does, and which buffers it owns, reads and shares. `//! flags: A, B` there declares
//!      variants, one for each subset of the flags; `#ifdef A` chooses lines.
//!    - Storage buffers and at most one uniform are in group 0. The element of a buffer is a word,
//!      a vector or a struct. Structs have no implicit padding: declare padding as a field. Two
//!      kernels that use the same name for a struct declare the same struct.
//!    - `override NAME: u32` is a constant that the host sets. It becomes a field in lower case.
//!    - `#import lib/grid` inserts `shaders/lib/grid.wgsl`, whose functions say where an invocation
//!      is in the dispatch. A kernel must be right for any number of workgroups.
//!    - If several invocations may access a location, and one of them writes, the location is
//!      atomic. No kernel relies on the size of subgroups, or on the progress of another workgroup.
//!
//! 2. **Build.** `cargo build` says which file, line and variant is wrong.
//! 3. **Record it**, and compare its result with that of the CPU in a test:
//!
//!    ```no_run
//!    use gpu::kernels::{FillParams, basic::Fill};
//!    use gpu::{Gpu, Groups, Recording, Request};
//!
//!    let gpu = Gpu::open(&Request::any())?;
//!    let words = gpu.zeroed::<u32>("words", 1000)?;
//!    let mut recording = Recording::new();
//!    let fill = Fill {
//!        target_words: &words,
//!        params: FillParams { value: 7 },
//!    };
//!    recording.dispatch(&fill, Groups::Over(words.len()));
//!    let read = recording.read(&words, 0..3);
//!    assert_eq!(gpu.run(&recording)?.get(read), [7; 3]);
//!    # Ok::<(), gpu::Error>(())
//!    ```
//!
//! # Loops
//!
//! If a host asks after each level of a search whether there is another level, it waits for the bus
//! each time. Instead, [`Recording::repeat`] submits many iterations at once. A small record on the
//! device, which the previous iteration wrote, sets the number of workgroups of each iteration.
//! Iterations after the end of the loop have no workgroups:
//!
//! ```no_run
//! use gpu::{Gpu, Recording, Repeat, Request};
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
//! let levels = search.repeat(Repeat::over("search", 4), |level| {
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
//! A kernel of a loop imports `lib/loop`, reads `loop_now`, and calls `loop_again(count.x)` when it
//! finds that another iteration is needed. A record has at most 65,535 workgroups, so each of its
//! invocations may handle several items (`grid_stride`). The value to which records are reset
//! decides when a loop ends ([`Repeat::fresh`]): one may, for example, continue only while both of
//! two searches do. If kernels find out by themselves how many workgroups have work, no record has
//! to set the size of dispatches, which saves some microseconds per iteration
//! ([`Repeat::fixed_grid`]).
//!
//! # Several rounds in one recording
//!
//! A recording may hold several rounds of an algorithm. [`Recording::stop_if_zero`] skips the
//! rounds after the last one, and [`Recording::when`] distinguishes cases by how a loop ended. The
//! host waits for each loop and each condition, with three exceptions: a loop that has few
//! iterations in any case ([`Repeat::unwatched`]); a word that is read together with the end of the
//! loop before it ([`Recording::repeat_then`]); and, in a recording that can be started again at
//! any time, a loop that took equally many iterations in the last two runs ([`Repeat::presumed`]).
//!
//! # Large arrays
//!
//! A buffer fits one binding. Larger arrays are [cut] between rows into [`Shard`]s, each with its
//! own dispatch. If single rows are long, [`row_entries`] gives their entries to several
//! workgroups.
//!
//! # Invariants
//!
//! - A pass that binds the same buffer twice, and writes to it, is refused.
//! - A kernel states what its host promises ([`Promise`]). Debug builds check these promises at
//!   each dispatch, as far as the host can.
//! - Indices and loops of kernels are checked as they run, except for kernels whose head says
//!   `checks: debug`: release builds do not check these ([`Checks`]).
//! - Any number of threads may open and close devices at the same time: they take turns, because
//!   NVIDIA's driver may hang otherwise.
//! - Limits are checked before memory is allocated. An [`Error`] contains the need and the limit.
//! - Only `wgpu_executor` names wgpu.
//! - No two files use each other, directly or through others.

mod adapter;
mod buffer;
mod call;
mod environment;
mod error;
mod executor;
mod exit;
mod gpu;
mod groups;
mod handle;
mod host_memory;
mod kernel;
pub mod kernels;
mod outcome;
mod prefix_sums;
mod promise;
mod record;
mod recording;
mod repeat;
pub mod row_entries;
mod run_options;
mod sharded;
mod step;
mod wgpu_executor;

pub use adapter::{AdapterInfo, AdapterKind, Limits, Request};
pub use buffer::{AnyBuffer, Buffer, BufferId, DeviceMemory};
pub use call::{Call, Pass};
pub use environment::quiet_drivers;
pub use error::{Error, Result};
pub use executor::{Executor, Zeroing};
pub use exit::exit;
pub use gpu::{Gpu, adapters};
pub use groups::{Groups, MAX_WORKGROUPS};
pub use handle::{LoopHandle, ReadHandle};
pub use kernel::{BufferSlot, Checks, Kernel, Lines, ParamsSlot};
pub use outcome::{DispatchTime, LoopOutcome, Outcome, PassTime};
pub use prefix_sums::prefix_sums;
pub use promise::{Atom, Comparison, Entries, Promise, PromiseKind, Relation, Sum};
pub use record::LoopRecord;
pub use recording::Recording;
pub use repeat::{Body, LoopOptions, Repeat, Repeated};
pub use run_options::{Observer, Progress, RunOptions};
pub use sharded::{Piece, Shard, cut, try_cut};
pub use step::{Condition, Dispatch, Guard, Step};
