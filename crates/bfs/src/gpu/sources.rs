//! The sources of a search on a device.

use ::gpu::kernels::MarkParams;
use ::gpu::kernels::bfs::MarkSources;
use ::gpu::{Buffer, Groups, Recording};
use mdp_graph::StateId;

/// Returns the given sources in ascending order, without duplicates.
pub(super) fn distinct(sources: &[StateId], states: u32) -> Vec<u32> {
    let mut distinct = StateId::as_numbers(sources).to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let are_states = distinct.last().is_none_or(|&last| last < states);
    assert!(are_states, "a source is no state of the graph");
    distinct
}

/// Records steps that set the word of each of `sources` to `value`.
pub(super) fn mark(
    recording: &mut Recording,
    sources: &Buffer<u32>,
    words: &Buffer<u32>,
    value: u32,
) {
    if sources.is_empty() {
        return;
    }
    let pass = MarkSources {
        sources,
        words,
        params: MarkParams { value },
    };
    recording.dispatch(&pass, Groups::Over(sources.len()));
}
