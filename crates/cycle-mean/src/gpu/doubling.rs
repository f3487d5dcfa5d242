//! Evaluates a policy by pointer doubling.

use super::passes::Passes;
use ::gpu::kernels::cycle_mean::{Cycles, Leaders, StartSums, Sum, Walk};
use ::gpu::{LoopTicket, Recording, Repeat};

/// How often an iteration of either loop doubles the ways along a policy.
pub(super) const PER_ITERATION: u64 = 2;

/// Records the evaluation of a policy: the loops that find leaders, and that sum up.
pub(super) fn evaluate(
    passes: &Passes<'_>,
    recording: &mut Recording,
    iteration: u32,
) -> [LoopTicket; 2] {
    let walks = find_leaders(passes, recording, iteration);
    let sums = sum_up(passes, recording, iteration);
    let buffers = passes.buffers;
    let cycles = Cycles {
        edges: passes.edges(),
        wide_edges: passes.wide_edges(),
        choices: &buffers.choices,
        next_states: &buffers.next_states,
        leaders: &buffers.leaders,
        sums: &buffers.sums[0],
        high_times: passes.high_times(0),
        cycles: passes.cycles(),
        params: passes.params(iteration),
        wide: passes.wide(),
    };
    recording.dispatch(&cycles, passes.over_states());
    passes.vote(recording, iteration);
    [walks, sums]
}

fn find_leaders(passes: &Passes<'_>, recording: &mut Recording, iteration: u32) -> LoopTicket {
    let buffers = passes.buffers;
    let params = passes.params(iteration);
    let [even, odd] = &buffers.walks;
    let how = Repeat::over("walks", passes.shape.states.into());
    recording.repeat(how, |body| {
        for (from_walks, to_walks) in [(even, odd), (odd, even)] {
            body.dispatch(&Walk {
                from_walks,
                to_walks,
                params,
            });
        }
        body.dispatch(&Leaders {
            walks: even,
            next_states: &buffers.next_states,
            leaders: &buffers.leaders,
            params,
        });
    })
}

fn sum_up(passes: &Passes<'_>, recording: &mut Recording, iteration: u32) -> LoopTicket {
    let buffers = passes.buffers;
    let params = passes.params(iteration);
    let start = StartSums {
        edges: passes.edges(),
        wide_edges: passes.wide_edges(),
        choices: &buffers.choices,
        next_states: &buffers.next_states,
        leaders: &buffers.leaders,
        sums: &buffers.sums[0],
        high_times: passes.high_times(0),
        params,
        wide: passes.wide(),
    };
    recording.dispatch(&start, passes.over_states());
    let how = Repeat::over("sums", passes.shape.states.into());
    recording.repeat(how, |body| {
        for (from, to) in [(0, 1), (1, 0)] {
            body.dispatch(&Sum {
                from_sums: &buffers.sums[from],
                leaders: &buffers.leaders,
                to_sums: &buffers.sums[to],
                from_high_times: passes.high_times(from),
                to_high_times: passes.high_times(to),
                params,
                wide: passes.wide(),
                tell: to == 0,
            });
        }
    })
}
