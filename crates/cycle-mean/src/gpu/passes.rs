//! Howard's algorithm as passes over the buffers, except for the evaluation of policies, which has
//! two forms.

use super::upload::{Buffers, Edges, Shape};
use ::gpu::kernels::HowardParams;
use ::gpu::kernels::cycle_mean::{Best, Cheapest, Connect, Improve, Scale, Start, Value};
use ::gpu::{Buffer, Condition, Groups, LoopHandle, ReadHandle, Recording, Repeat};

/// The data for recording the passes of a policy.
pub(super) struct Passes<'a> {
    pub(super) buffers: &'a Buffers,
    pub(super) shape: Shape,
    /// The maximum number of levels of a search for the best cycle.
    pub(super) most_levels: u32,
    /// The number of the attempt, if a policy is evaluated with as many passes as are expected to
    /// be enough; 0 if loops evaluate it.
    pub(super) attempt: u32,
}

/// The way in which passes are repeated until nothing changes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeated {
    /// In a loop on the device. The last pass of an iteration may ask for another one.
    InLoop,
    /// As often as is expected to be enough.
    AsExpected,
}

impl Repeated {
    pub(super) fn is_loop(self) -> bool {
        self == Self::InLoop
    }
}

/// The rows that a pass handles.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowLength {
    /// Rows that one invocation handles.
    Short,
    /// Longer rows, each of which a workgroup handles.
    Long,
}

impl RowLength {
    fn is_long(self) -> bool {
        self == Self::Long
    }
}

/// Handles for the results of the passes of a policy.
pub(super) struct PolicyHandles {
    /// The loop of the search for the best cycle, if there is one. Its last record has workgroups
    /// in x if some states have not been led to the best cycle of their component.
    pub(super) levels: Option<LoopHandle>,
    /// The number of the policy that resulted from the last change, the last attempt that had too
    /// few passes, the length of the longest way, and the number of levels.
    pub(super) changed: ReadHandle<u32>,
}

impl Passes<'_> {
    pub(super) fn params(&self, iteration: u32) -> HowardParams {
        HowardParams {
            states: self.shape.states,
            components: self.shape.components,
            iteration,
            long_rows: self.shape.long_rows,
            most_levels: self.most_levels,
            attempt: self.attempt,
            level: 0,
            levels: 0,
        }
    }

    pub(super) fn edges(&self) -> Option<&Buffer<[u32; 2]>> {
        match &self.buffers.edges {
            Edges::Narrow(edges) => Some(edges),
            Edges::Wide(_) => None,
        }
    }

    pub(super) fn wide_edges(&self) -> Option<&Buffer<[u32; 4]>> {
        match &self.buffers.edges {
            Edges::Narrow(_) => None,
            Edges::Wide(edges) => Some(edges),
        }
    }

    pub(super) fn is_wide(&self) -> bool {
        self.wide_edges().is_some()
    }

    pub(super) fn high_times(&self, which: usize) -> Option<&Buffer<u32>> {
        self.buffers.high_times.as_ref().map(|both| &both[which])
    }

    /// Returns one invocation for each state.
    pub(super) fn over_states(&self) -> Groups {
        Groups::Over(self.shape.states.into())
    }

    /// Returns the lengths of rows that occur: short ones and, if there are any, long ones.
    fn lengths(&self) -> impl Iterator<Item = RowLength> {
        let long = (self.shape.long_rows > 0).then_some(RowLength::Long);
        [RowLength::Short].into_iter().chain(long)
    }

    /// Returns the workgroups that handle all rows of a length.
    fn groups_of(&self, length: RowLength) -> Groups {
        match length {
            RowLength::Short => self.over_states(),
            RowLength::Long => {
                Groups::Fixed([self.shape.long_rows.min(::gpu::MAX_WORKGROUPS), 1, 1])
            }
        }
    }

    /// Records the choice of the first policy.
    pub(super) fn cheapest(&self, recording: &mut Recording) {
        for length in self.lengths() {
            let cheapest = Cheapest {
                rows: &self.buffers.rows,
                edges: self.edges(),
                wide_edges: self.wide_edges(),
                choices: &self.buffers.choices,
                params: self.params(0),
                wide: self.is_wide(),
                long: length.is_long(),
            };
            recording.dispatch(&cheapest, self.groups_of(length));
        }
    }

    /// Records the first steps of all states along a policy.
    pub(super) fn start(&self, recording: &mut Recording, iteration: u32) {
        let buffers = self.buffers;
        let start = Start {
            rows: &buffers.rows,
            edges: self.edges(),
            wide_edges: self.wide_edges(),
            choices: &buffers.choices,
            changed: &buffers.changed,
            next_states: &buffers.next_states,
            walks: &buffers.walks[0],
            best: &buffers.best,
            params: self.params(iteration),
            wide: self.is_wide(),
        };
        recording.dispatch(&start, self.over_states());
    }

    /// Records the passes that lead all states to the best cycles of their components, and then
    /// improve a policy that was evaluated.
    pub(super) fn lead_and_improve_in_loop(
        &self,
        recording: &mut Recording,
        iteration: u32,
    ) -> PolicyHandles {
        let levels = self.connect(recording, iteration);
        recording.when(Condition::Without(levels, 0), |recording| {
            self.improve(recording, iteration);
        });
        self.handles(recording, Some(levels))
    }

    /// Records the same with this many levels, without a loop.
    pub(super) fn lead_and_improve_as_expected(
        &self,
        recording: &mut Recording,
        iteration: u32,
        levels: u32,
    ) -> PolicyHandles {
        self.keep_choices(recording);
        for level in 1..=levels {
            let params = HowardParams {
                level,
                levels,
                ..self.params(iteration)
            };
            for length in self.lengths() {
                let connect = self.connecting(params, length, Repeated::AsExpected);
                recording.dispatch(&connect, self.groups_of(length));
            }
        }
        self.improve(recording, iteration);
        self.handles(recording, None)
    }

    /// Records that the results of a policy are read.
    fn handles(&self, recording: &mut Recording, levels: Option<LoopHandle>) -> PolicyHandles {
        let last = u64::from(self.shape.components);
        PolicyHandles {
            levels,
            changed: recording.read(&self.buffers.changed, last..last + 4),
        }
    }

    /// Records that the choices from before the search for the best cycle are restored.
    pub(super) fn take_back(&self, recording: &mut Recording) {
        let buffers = self.buffers;
        let states = 0..u64::from(self.shape.states);
        recording.copy(&buffers.kept_choices, states, &buffers.choices, 0);
    }

    /// Records that the choices from before the search for the best cycle are kept.
    fn keep_choices(&self, recording: &mut Recording) {
        let buffers = self.buffers;
        let states = 0..u64::from(self.shape.states);
        recording.copy(&buffers.choices, states, &buffers.kept_choices, 0);
    }

    /// Records the selection of the best cycles, whose weights and times are known, and the scaling
    /// of the edges of their components.
    pub(super) fn vote(&self, recording: &mut Recording, iteration: u32) {
        let buffers = self.buffers;
        let params = self.params(iteration);
        let vote = Best {
            rows: &buffers.rows,
            leaders: &buffers.leaders,
            cycles: self.cycles(),
            best: &buffers.best,
            params,
        };
        let scale = Scale {
            best: &buffers.best,
            cycles: self.cycles(),
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
            changed: &buffers.changed,
            params,
            wide: self.is_wide(),
        };
        recording
            .dispatch(&vote, self.over_states())
            .dispatch(&scale, Groups::Over(self.shape.components.into()))
            .dispatch(&value, self.over_states());
    }

    /// Returns the weights and times of cycles, by their leaders. They are in a buffer that
    /// doubling has used before.
    pub(super) fn cycles(&self) -> &Buffer<[u32; 4]> {
        &self.buffers.sums[1]
    }

    /// Records the search for the best cycles as a loop.
    fn connect(&self, recording: &mut Recording, iteration: u32) -> LoopHandle {
        self.keep_choices(recording);
        let how = Repeat::over("levels", self.shape.states.into()).fresh([0, 0, 1]);
        recording.repeat(how, |body| {
            for length in self.lengths() {
                let params = self.params(iteration);
                body.dispatch(&self.connecting(params, length, Repeated::InLoop));
            }
        })
    }

    /// Returns a level of the search for the best cycle.
    fn connecting(
        &self,
        params: HowardParams,
        length: RowLength,
        repeated: Repeated,
    ) -> Connect<'_> {
        let buffers = self.buffers;
        Connect {
            rows: &buffers.rows,
            edges: self.edges(),
            wide_edges: self.wide_edges(),
            scales: &buffers.scales,
            values: &buffers.values,
            levels: &buffers.levels,
            choices: &buffers.choices,
            changed: (!repeated.is_loop()).then_some(&buffers.changed),
            params,
            wide: self.is_wide(),
            long: length.is_long(),
            tell: repeated.is_loop(),
        }
    }

    /// Records the improvement of a policy whose values are known.
    fn improve(&self, recording: &mut Recording, iteration: u32) {
        let buffers = self.buffers;
        for length in self.lengths() {
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
                wide: self.is_wide(),
                long: length.is_long(),
            };
            recording.dispatch(&improve, self.groups_of(length));
        }
    }
}
