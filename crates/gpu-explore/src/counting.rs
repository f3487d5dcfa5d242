//! Counts states level by level, if their order within a level does not matter. Successors are
//! computed once, and each iteration has a single dispatch.

use crate::buffers::Buffers;
use crate::step_buffers::StepBuffers;
use explore::Progress;
use gpu::kernels::{ExploreParams, explore as kernels};
use gpu::{LoopRecord, Recording, Repeat};

/// Returns the record of the first iteration, for a search that has found this many deadlocks, and
/// whose current level ends at this state.
pub(crate) fn first_record(
    reached: &Progress,
    deadlocks: u64,
    level: u32,
    limit: u32,
) -> [u32; LoopRecord::WORDS] {
    let mut words = [0; LoopRecord::WORDS];
    let mut set = |word: u32, value: u64| words[word as usize] = value as u32;
    set(kernels::LEVEL_KNOWN, reached.states);
    set(kernels::LEVEL_EXPANDED, reached.expanded);
    set(kernels::LEVEL_TRANSITIONS, reached.branches);
    set(kernels::LEVEL_TRANSITIONS_HIGH, reached.branches >> 32);
    set(kernels::LEVEL_DEADLOCKS, deadlocks);
    set(kernels::LEVEL_START, reached.expanded);
    set(kernels::LEVEL_END, level.into());
    set(kernels::LEVEL_LIMIT, limit.into());
    words
}

/// Records batches until the search stops: the pass `expand`, with this many workgroups, and with
/// this record of the first iteration.
pub(crate) fn record(
    recording: &mut Recording,
    expand: &kernels::Expand<'_>,
    workgroups: u32,
    first: [u32; LoopRecord::WORDS],
) {
    let repeat = Repeat::groups("counting", [workgroups, 1, 1]);
    recording.repeat(repeat.words(first).fixed_grid(), |body| {
        body.dispatch(expand);
    });
}

/// Returns the pass that expands a batch. States have this many words.
pub(crate) fn expand<'a>(
    buffers: &'a Buffers,
    steps: &'a StepBuffers,
    params: ExploreParams,
    words: u32,
) -> kernels::Expand<'a> {
    kernels::Expand {
        control: &buffers.control,
        groups: &steps.groups,
        rows: &steps.rows,
        steps: &steps.steps,
        states: &buffers.states,
        slots: &buffers.slots,
        params,
        words,
    }
}
