//! Howard's algorithm as passes over the buffers: one policy after the other.

use super::upload::{Buffers, Edges, Shape};
use ::gpu::kernels::HowardParams;
use ::gpu::kernels::cycle_mean::{
    Best, Cheapest, Connect, Cycles, Improve, Leaders, Scale, Start, StartSums, Sum, Value, Walk,
};
use ::gpu::{Buffer, Condition, Groups, LoopTicket, Recording, Repeat, Ticket};

/// What a policy's passes are recorded with.
pub(super) struct Passes<'a> {
    pub(super) buffers: &'a Buffers,
    pub(super) shape: Shape,
    /// How many levels a search for the best cycle may take.
    pub(super) most_levels: u32,
}

/// What will be known of a policy once its passes have run.
pub(super) struct Tickets {
    /// Doublings of walks and sums, two an iteration.
    pub(super) walks: LoopTicket,
    pub(super) sums: LoopTicket,
    /// Ended in y, if not all states were led to the best cycle of their component.
    pub(super) levels: LoopTicket,
    /// The number of the last policy that a change has led to.
    pub(super) changed: Ticket<u32>,
}

impl Passes<'_> {
    fn params(&self, iteration: u32) -> HowardParams {
        HowardParams {
            states: self.shape.states,
            components: self.shape.components,
            iteration,
            long_rows: self.shape.long_rows,
            most_levels: self.most_levels,
            padding_0: 0,
            padding_1: 0,
            padding_2: 0,
        }
    }

    fn edges(&self) -> Option<&Buffer<[u32; 2]>> {
        match &self.buffers.edges {
            Edges::Narrow(edges) => Some(edges),
            Edges::Wide(_) => None,
        }
    }

    fn wide_edges(&self) -> Option<&Buffer<[u32; 4]>> {
        match &self.buffers.edges {
            Edges::Narrow(_) => None,
            Edges::Wide(edges) => Some(edges),
        }
    }

    fn wide(&self) -> bool {
        self.wide_edges().is_some()
    }

    fn high_times(&self, which: usize) -> Option<&Buffer<u32>> {
        self.buffers.high_times.as_ref().map(|both| &both[which])
    }

    /// An invocation a state.
    fn over_states(&self) -> Groups {
        Groups::Over(self.shape.states.into())
    }

    /// Whether there are long rows, once for those and once for all others.
    fn lengths(&self) -> impl Iterator<Item = bool> {
        [false, true]
            .into_iter()
            .take(1 + usize::from(self.shape.long_rows > 0))
    }

    fn groups_of(&self, long: bool) -> Groups {
        match long {
            true => Groups::Fixed([self.shape.long_rows.min(::gpu::MAX_WORKGROUPS), 1, 1]),
            false => self.over_states(),
        }
    }

    /// Records the choice of the first policy.
    pub(super) fn cheapest(&self, recording: &mut Recording) {
        for long in self.lengths() {
            let cheapest = Cheapest {
                rows: &self.buffers.rows,
                edges: self.edges(),
                wide_edges: self.wide_edges(),
                choices: &self.buffers.choices,
                params: self.params(0),
                wide: self.wide(),
                long,
            };
            recording.dispatch(&cheapest, self.groups_of(long));
        }
    }

    /// Records the evaluation of a policy and its improvement.
    pub(super) fn policy(&self, recording: &mut Recording, iteration: u32) -> Tickets {
        let walks = self.find_leaders(recording, iteration);
        let sums = self.sum_up(recording, iteration);
        self.choose_best(recording, iteration);
        let levels = self.connect(recording, iteration);
        recording.when(Condition::Without(levels, 0), |recording| {
            self.improve(recording, iteration);
        });
        let last = u64::from(self.shape.components);
        Tickets {
            walks,
            sums,
            levels,
            changed: recording.read(&self.buffers.changed, last..last + 1),
        }
    }

    fn find_leaders(&self, recording: &mut Recording, iteration: u32) -> LoopTicket {
        let buffers = self.buffers;
        let params = self.params(iteration);
        let [even, odd] = &buffers.walks;
        let start = Start {
            rows: &buffers.rows,
            edges: self.edges(),
            wide_edges: self.wide_edges(),
            choices: &buffers.choices,
            changed: &buffers.changed,
            next_states: &buffers.next_states,
            walks: even,
            best: &buffers.best,
            params,
            wide: self.wide(),
        };
        recording.dispatch(&start, self.over_states());
        let how = Repeat::over("walks", self.shape.states.into());
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

    fn sum_up(&self, recording: &mut Recording, iteration: u32) -> LoopTicket {
        let buffers = self.buffers;
        let params = self.params(iteration);
        let start = StartSums {
            edges: self.edges(),
            wide_edges: self.wide_edges(),
            choices: &buffers.choices,
            next_states: &buffers.next_states,
            leaders: &buffers.leaders,
            sums: &buffers.sums[0],
            high_times: self.high_times(0),
            params,
            wide: self.wide(),
        };
        recording.dispatch(&start, self.over_states());
        let how = Repeat::over("sums", self.shape.states.into());
        recording.repeat(how, |body| {
            for (from, to) in [(0, 1), (1, 0)] {
                body.dispatch(&Sum {
                    from_sums: &buffers.sums[from],
                    leaders: &buffers.leaders,
                    to_sums: &buffers.sums[to],
                    from_high_times: self.high_times(from),
                    to_high_times: self.high_times(to),
                    params,
                    wide: self.wide(),
                    tell: to == 0,
                });
            }
        })
    }

    fn choose_best(&self, recording: &mut Recording, iteration: u32) {
        let buffers = self.buffers;
        let params = self.params(iteration);
        // What the doubling has used on the way.
        let cycles = &buffers.sums[1];
        let measure = Cycles {
            edges: self.edges(),
            wide_edges: self.wide_edges(),
            choices: &buffers.choices,
            next_states: &buffers.next_states,
            leaders: &buffers.leaders,
            sums: &buffers.sums[0],
            high_times: self.high_times(0),
            cycles,
            params,
            wide: self.wide(),
        };
        let vote = Best {
            rows: &buffers.rows,
            leaders: &buffers.leaders,
            cycles,
            best: &buffers.best,
            params,
        };
        let scale = Scale {
            best: &buffers.best,
            cycles,
            changed: &buffers.changed,
            scales: &buffers.scales,
            params,
        };
        let value = Value {
            rows: &buffers.rows,
            leaders: &buffers.leaders,
            sums: &buffers.sums[0],
            high_times: self.high_times(0),
            scales: &buffers.scales,
            values: &buffers.values,
            levels: &buffers.levels,
            params,
            wide: self.wide(),
        };
        recording
            .dispatch(&measure, self.over_states())
            .dispatch(&vote, self.over_states())
            .dispatch(&scale, Groups::Over(self.shape.components.into()))
            .dispatch(&value, self.over_states());
    }

    fn connect(&self, recording: &mut Recording, iteration: u32) -> LoopTicket {
        let buffers = self.buffers;
        let states = 0..u64::from(self.shape.states);
        recording.copy(&buffers.choices, states, &buffers.kept_choices, 0);
        let how = Repeat::over("levels", self.shape.states.into()).fresh([0, 0, 1]);
        recording.repeat(how, |body| {
            for long in self.lengths() {
                body.dispatch(&Connect {
                    rows: &buffers.rows,
                    edges: self.edges(),
                    wide_edges: self.wide_edges(),
                    scales: &buffers.scales,
                    values: &buffers.values,
                    levels: &buffers.levels,
                    choices: &buffers.choices,
                    params: self.params(iteration),
                    wide: self.wide(),
                    long,
                });
            }
        })
    }

    fn improve(&self, recording: &mut Recording, iteration: u32) {
        let buffers = self.buffers;
        for long in self.lengths() {
            let improve = Improve {
                rows: &buffers.rows,
                edges: self.edges(),
                wide_edges: self.wide_edges(),
                scales: &buffers.scales,
                values: &buffers.values,
                leaders: &buffers.leaders,
                choices: &buffers.choices,
                changed: &buffers.changed,
                params: self.params(iteration),
                wide: self.wide(),
                long,
            };
            recording.dispatch(&improve, self.groups_of(long));
        }
    }
}
