//! Evaluates a policy by pointer doubling.

use super::passes::{Passes, Repeated};
use ::gpu::kernels::cycle_mean::{Cycles, Leaders, StartSums, Sum, Walk};
use ::gpu::{LoopHandle, Recording, Repeat};

/// The number of times that an iteration of either loop doubles the walks along a policy.
pub(super) const PER_ITERATION: u64 = 2;

/// The expected numbers of iterations of the loops that evaluate a policy.
#[derive(Clone, Copy)]
pub(super) struct Expected {
    pub(super) walks: u64,
    pub(super) sums: u64,
    /// The expected number of levels of the search for the best cycle.
    pub(super) levels: u32,
}

impl Expected {
    /// Returns the numbers for a policy whose longest way to a leader has `steps` steps, if the
    /// last search had this many levels. Walks have to go around each cycle, which is one step
    /// longer than the way from the state after its leader. There is one additional level, because
    /// levels in which nothing is found take little time.
    pub(super) fn of_way(steps: u32, level: u32) -> Self {
        let doublings = |steps: u64| u64::from(steps.max(1).next_power_of_two().ilog2());
        let iterations = |steps| doublings(steps).div_ceil(PER_ITERATION).max(1);
        Self {
            walks: iterations(u64::from(steps) + 1),
            sums: iterations(steps.into()),
            levels: level + 2,
        }
    }

    /// Returns the greater of both, number by number.
    pub(super) fn max(self, other: Self) -> Self {
        Self {
            walks: self.walks.max(other.walks),
            sums: self.sums.max(other.sums),
            levels: self.levels.max(other.levels),
        }
    }
}

/// Records the evaluation of a policy: the loops that find leaders, and those that compute sums.
pub(super) fn evaluate_in_loops(
    passes: &Passes<'_>,
    recording: &mut Recording,
    iteration: u32,
) -> [LoopHandle; 2] {
    let walks = find_leaders(passes, recording, iteration);
    let sums = sum_up(passes, recording, iteration);
    finish(passes, recording, iteration);
    [walks, sums]
}

/// Records the same without loops, with as many passes as are expected to be enough. So the host
/// does not wait for the device until all passes are done. The kernels report if there are too few.
pub(super) fn evaluate_as_expected(
    expected: Expected,
    passes: &Passes<'_>,
    recording: &mut Recording,
    iteration: u32,
) {
    for _ in 0..expected.walks {
        for walk in walks(passes, iteration) {
            recording.dispatch(&walk, passes.over_states());
        }
    }
    recording.dispatch(
        &leaders(passes, iteration, Repeated::AsExpected),
        passes.over_states(),
    );
    start_sums(passes, recording, iteration);
    for _ in 0..expected.sums {
        for sum in sums(passes, iteration, Repeated::AsExpected) {
            recording.dispatch(&sum, passes.over_states());
        }
    }
    finish(passes, recording, iteration);
}

/// Records the passes that follow when leaders and sums are known.
fn finish(passes: &Passes<'_>, recording: &mut Recording, iteration: u32) {
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
        wide: passes.is_wide(),
    };
    recording.dispatch(&cycles, passes.over_states());
    passes.vote(recording, iteration);
}

/// Records the loop that finds the leaders of all states.
fn find_leaders(passes: &Passes<'_>, recording: &mut Recording, iteration: u32) -> LoopHandle {
    let how = Repeat::over("walks", passes.shape.states.into());
    recording.repeat(how, |body| {
        for walk in walks(passes, iteration) {
            body.dispatch(&walk);
        }
        body.dispatch(&leaders(passes, iteration, Repeated::InLoop));
    })
}

/// Returns two doublings of the walks along a policy.
fn walks<'a>(passes: &Passes<'a>, iteration: u32) -> [Walk<'a>; 2] {
    let [even, odd] = &passes.buffers.walks;
    let params = passes.params(iteration);
    [(even, odd), (odd, even)].map(|(from_walks, to_walks)| Walk {
        from_walks,
        to_walks,
        params,
    })
}

/// Returns the pass that finds the leaders of the states whose walks are long enough.
fn leaders<'a>(passes: &Passes<'a>, iteration: u32, repeated: Repeated) -> Leaders<'a> {
    let buffers = passes.buffers;
    Leaders {
        walks: &buffers.walks[0],
        next_states: &buffers.next_states,
        leaders: &buffers.leaders,
        params: passes.params(iteration),
        tell: repeated.is_loop(),
    }
}

/// Records the loop that computes the sums of all states.
fn sum_up(passes: &Passes<'_>, recording: &mut Recording, iteration: u32) -> LoopHandle {
    start_sums(passes, recording, iteration);
    let how = Repeat::over("sums", passes.shape.states.into());
    recording.repeat(how, |body| {
        for sum in sums(passes, iteration, Repeated::InLoop) {
            body.dispatch(&sum);
        }
    })
}

/// Records the pass that sets the sums to those of one step.
fn start_sums(passes: &Passes<'_>, recording: &mut Recording, iteration: u32) {
    let buffers = passes.buffers;
    let start = StartSums {
        edges: passes.edges(),
        wide_edges: passes.wide_edges(),
        choices: &buffers.choices,
        next_states: &buffers.next_states,
        leaders: &buffers.leaders,
        sums: &buffers.sums[0],
        high_times: passes.high_times(0),
        changed: &buffers.changed,
        params: passes.params(iteration),
        wide: passes.is_wide(),
    };
    recording.dispatch(&start, passes.over_states());
}

/// Returns two doublings of the ways with sums. In a loop, the second one asks for the next
/// iteration.
fn sums<'a>(passes: &'a Passes<'_>, iteration: u32, repeated: Repeated) -> [Sum<'a>; 2] {
    let buffers = passes.buffers;
    [(0, 1), (1, 0)].map(|(from, to)| Sum {
        from_sums: &buffers.sums[from],
        leaders: &buffers.leaders,
        to_sums: &buffers.sums[to],
        from_high_times: passes.high_times(from),
        to_high_times: passes.high_times(to),
        params: passes.params(iteration),
        wide: passes.is_wide(),
        tell: repeated.is_loop() && to == 0,
    })
}
