//! Evaluates a policy step by step, by the kernels of Barnat, Bauch, Brim and Češka (2011,
//! Algorithm 3). In contrast to the paper's Algorithm 3, each component has its own best cycle
//! (section 3.3), and a state gets its value as soon as it is marked.

use super::passes::Passes;
use ::gpu::kernels::cycle_mean::{CountEntries, Eliminate, Identify, Marked, Propagate};
use ::gpu::{Buffer, LoopHandle, Recording, Repeat};

/// Records the evaluation of a policy: the loop that eliminates states outside cycles, and the loop
/// that propagates values.
pub(super) fn evaluate(
    passes: &Passes<'_>,
    entries: &Buffer<u32>,
    recording: &mut Recording,
    iteration: u32,
) -> [LoopHandle; 2] {
    let buffers = passes.buffers;
    let params = passes.params(iteration);
    let (next_states, leaders) = (&buffers.next_states, &buffers.leaders);
    let count = CountEntries {
        next_states,
        leaders,
        entries,
        params,
    };
    recording.fill(entries, 0);
    recording.dispatch(&count, passes.over_states());
    let how = Repeat::over("elimination", passes.shape.states.into());
    let elimination = recording.repeat(how, |body| {
        body.dispatch(&Eliminate {
            next_states,
            leaders,
            entries,
            params,
        });
    });
    let identify = Identify {
        edges: passes.edges(),
        wide_edges: passes.wide_edges(),
        choices: &buffers.choices,
        leaders,
        cycles: passes.cycles(),
        params,
        wide: passes.is_wide(),
    };
    recording.dispatch(&identify, passes.over_states());
    // There are no sums here, so leaders get the value 0, and all other states get none.
    passes.vote(recording, iteration);
    let how = Repeat::over("propagation", passes.shape.states.into());
    let propagation = recording.repeat(how, |body| {
        body.dispatch(&Propagate {
            rows: &buffers.rows,
            edges: passes.edges(),
            wide_edges: passes.wide_edges(),
            choices: &buffers.choices,
            scales: &buffers.scales,
            values: &buffers.values,
            levels: &buffers.levels,
            params,
            wide: passes.is_wide(),
        });
    });
    let marked = Marked {
        levels: &buffers.levels,
        params,
    };
    recording.dispatch(&marked, passes.over_states());
    [elimination, propagation]
}
