//! The search: runs batches on the device until it stops, and handles the reason for the stop.

mod goal;
mod room;

use crate::buffers::{Buffers, SearchMode};
use crate::counts::Counts;
use crate::examined::Examined;
use crate::generator::{Generator, Kind};
use crate::options::Tuning;
use crate::passes::Passes;
use crate::resident::{DeviceOrHost, DeviceRows, Resident};
use crate::rows::{HostRows, too_many_branches, widen};
use crate::watch::Watch;
use crate::{Error, Options, counting};
use explore::{Exploration, Progress, States};
use gpu::kernels::ExploreParams;
use gpu::kernels::explore as kernels;
use gpu::{Gpu, LoopRecord, PassTime, Recording};
use mdp_graph::{Deadlocks, StateId};
use rayon::prelude::*;

/// The number of states that are copied to the host at a time.
const STATES_AT_A_TIME: u64 = 1 << 24;

/// A search in progress.
pub(crate) struct Search<'a> {
    gpu: &'a Gpu,
    options: &'a Options<'a>,
    tuning: Tuning,
    /// The number of words of a state.
    words: u32,
    mode: SearchMode,
    params: ExploreParams,
    buffers: Buffers,
    rows: Rows,
    num_initial: u32,
    /// If states are only counted: the first state after the current level.
    level: u32,
    reached: Progress,
    deadlocks: u64,
    first_deadlock: u32,
    watch: Watch<'a>,
    /// The part of the search that the host has examined, if there is a goal.
    examined: Option<Examined<'a>>,
    /// The times of all passes, if the caller asks for them.
    times: Option<Vec<PassTime>>,
}

/// The rows of states.
#[derive(Debug)]
enum Rows {
    /// They are not kept.
    None,
    Host(HostRows),
    Device(DeviceRows),
}

/// The place where the caller wants rows to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    Nothing,
    OnHost,
    OnDevice,
}

/// The state of a search when the device stopped.
struct Stopped {
    control: Vec<u32>,
}

impl Stopped {
    fn at(&self, word: u32) -> u64 {
        self.control[word as usize].into()
    }
}

impl<'a> Search<'a> {
    /// Begins a search, which keeps rows as `keep` says.
    pub(crate) fn begin(
        gpu: &'a Gpu,
        generator: &Generator,
        options: &'a Options<'a>,
        keep: Keep,
    ) -> Result<Self, Error> {
        let watch = Watch::new(options.explore.observer);
        let is_network = generator.kind == Kind::Network;
        let mode = SearchMode {
            kind: generator.kind,
            // If a choice may have several branches, choices are counted while rows are written.
            keeps_rows: keep != Keep::Nothing || !is_network && generator.drops,
            keeps_actions: keep == Keep::OnHost && is_network && options.explore.actions,
            drops_repeated: generator.drops,
            only_counts: keep == Keep::Nothing && generator.steps.is_some() && may_reorder(options),
        };
        let num_initial = generator.num_initial();
        let tuning = generator.bounded(options.tuning);
        let (buffers, params) = Buffers::new(gpu, generator, &tuning, mode)?;
        let mut search = Self {
            gpu,
            options,
            tuning,
            words: generator.state_words,
            mode,
            params: ExploreParams {
                self_loops: u32::from(options.explore.deadlocks == Deadlocks::SelfLoop),
                ..params
            },
            buffers,
            rows: match keep {
                Keep::Nothing => Rows::None,
                Keep::OnHost => Rows::Host(HostRows::new(mode)),
                Keep::OnDevice => Rows::Device(DeviceRows::new(gpu, mode, tuning.resident)?),
            },
            num_initial,
            level: num_initial,
            reached: Progress::default(),
            deadlocks: 0,
            first_deadlock: u32::MAX,
            watch,
            examined: match (keep, options.explore.goal) {
                (Keep::OnHost, Some(goal)) => Some(Examined::new(goal, generator.state_words)),
                _ => None,
            },
            times: None,
        };
        search.reached.states = num_initial.into();
        search.check_states(num_initial.into())?;
        search.bound_states();
        let slots = match tuning.tight {
            true => tuning.slots.into(),
            false => search.slots_for(tuning.states.into()),
        };
        search.new_table(slots)?;
        Ok(search)
    }

    /// Finds all states, and their transitions.
    pub(crate) fn explore(mut self) -> Result<Exploration, Error> {
        self.run()?;
        self.refuse_deadlocks()?;
        self.bring_rows()?;
        self.into_exploration()
    }

    /// Finds all states, and their transitions, which stay on the device if there is room.
    pub(crate) fn explore_resident(mut self) -> Result<DeviceOrHost, Error> {
        self.run()?;
        self.refuse_deadlocks()?;
        let choices = self.reached.choices;
        let graph = match &self.rows {
            Rows::Device(rows) => {
                self.check_memory(4 * (self.reached.states + choices + 2))?;
                rows.finish(self.gpu, choices)
            }
            _ => return Ok(DeviceOrHost::OnHost(self.into_exploration()?)),
        };
        match graph {
            Ok(graph) => Ok(DeviceOrHost::OnDevice(Resident {
                graph,
                num_initial: self.num_initial as usize,
                deadlocks: self.deadlocks,
            })),
            Err(error) if is_lack_of_room(&error) => {
                self.bring_rows()?;
                Ok(DeviceOrHost::OnHost(self.into_exploration()?))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the states and transitions that were found. The rows must be on the host.
    fn into_exploration(mut self) -> Result<Exploration, Error> {
        let mut packed = match &mut self.examined {
            Some(examined) => std::mem::take(&mut examined.states),
            None => Vec::new(),
        };
        self.take_states(&mut packed)?;
        let states = States::from_packed((self.words as usize).div_ceil(2), packed);
        let rows = match std::mem::replace(&mut self.rows, Rows::None) {
            Rows::Host(rows) => rows,
            Rows::None | Rows::Device(_) => HostRows::new(self.mode),
        };
        let mut found = rows.finish(states, self.num_initial as usize, self.deadlocks)?;
        if self.mode.kind == Kind::Network && self.options.explore.probabilities {
            found.probabilities = Some(vec![1.0; found.graph.num_branches()]);
        }
        Ok(found)
    }

    /// Counts all states.
    pub(crate) fn count(mut self) -> Result<Counts, Error> {
        self.run()?;
        self.refuse_deadlocks()?;
        Ok(self.counts())
    }

    /// Counts all states, and times the passes.
    pub(crate) fn profile(mut self) -> Result<(Counts, Vec<PassTime>), Error> {
        self.times = Some(Vec::new());
        self.run()?;
        let times = self.times.take().unwrap_or_default();
        Ok((self.counts(), times))
    }

    fn counts(&self) -> Counts {
        Counts {
            states: self.reached.states,
            choices: self.reached.choices,
            transitions: self.reached.branches,
            deadlocks: self.deadlocks,
        }
    }

    /// Runs batches, and handles each reason for a stop, until the search ends.
    fn run(&mut self) -> Result<(), Error> {
        loop {
            self.check_memory(0)?;
            if self.options.explore.observer.is_cancelled() {
                let reached = self.reached;
                return Err(explore::Error::Cancelled { reached }.into());
            }
            let stopped = self.advance()?;
            tracing::debug!(
                "stopped for {} with {} of {} states expanded",
                stopped.at(kernels::STOP),
                self.reached.expanded,
                self.reached.states
            );
            match self.serve(&stopped) {
                Err(error) if is_of_batch(&error) && self.examined.is_some() => {
                    // The goal may be met before the error.
                    self.drain(&stopped)?;
                    if self.is_met()? {
                        return Ok(());
                    }
                    self.shorten(&stopped, error)?;
                }
                served => served?,
            }
            let stop = stopped.control[kernels::STOP as usize];
            // In these cases the host has all rows.
            let is_met = matches!(stop, kernels::FINISHED | kernels::DRAIN) && self.is_met()?;
            if is_met || stop == kernels::FINISHED {
                return Ok(());
            }
            let running = [kernels::RUNNING];
            self.gpu
                .write(&self.buffers.control, kernels::STOP.into(), &running)?;
        }
    }

    /// Handles the reason for which the device stopped.
    fn serve(&mut self, stopped: &Stopped) -> Result<(), Error> {
        match stopped.control[kernels::STOP as usize] {
            kernels::FINISHED | kernels::DRAIN => self.with_room(|search| search.drain(stopped)),
            kernels::OVERFLOW => self.with_room(Self::enlarge_table),
            kernels::FULL => {
                let needed = stopped.at(kernels::NEEDED);
                self.with_room(|search| search.grow_states(needed))
            }
            kernels::NARROW => {
                // Rows are taken once, even if the rest is repeated.
                self.with_room(|search| search.drain(stopped))?;
                let needed = stopped.at(kernels::NEEDED);
                self.with_room(|search| search.grow_candidates(needed))
            }
            kernels::BROKEN => {
                let state = StateId(stopped.control[kernels::NEEDED as usize]);
                let packed = self.take_state(state)?;
                Err(Error::Broken { state, packed })
            }
            _ => Err(Error::TooManyToCompare {
                count: stopped.at(kernels::NEEDED),
                limit: self.tuning.compared.into(),
            }),
        }
    }

    /// Runs a step that can be repeated. If it fails for lack of memory, moves the rows on the
    /// device to the host, and repeats it once.
    fn with_room(&mut self, step: impl Fn(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        match step(self) {
            Err(error) if is_lack_of_room(&error) && self.bring_rows()? => step(self),
            done => done,
        }
    }

    /// Moves the rows on the device to the host, to free memory on the device. Returns whether
    /// there were any.
    fn bring_rows(&mut self) -> Result<bool, Error> {
        let Rows::Device(rows) = &self.rows else {
            return Ok(false);
        };
        tracing::warn!("the device has no room for the graph, which is brought to the host");
        let rows = rows.to_host(self.gpu, self.mode)?;
        self.rows = Rows::Host(rows);
        Ok(true)
    }

    /// Runs batches until the device stops.
    fn advance(&mut self) -> Result<Stopped, Error> {
        let mut recording = Recording::new();
        self.record(&mut recording);
        let control = recording.read(&self.buffers.control, 0..kernels::CONTROL_WORDS.into());
        let tallies = recording.read(&self.buffers.tallies, 0..kernels::TALLIES.into());
        let outcome = self.run_watched(&recording)?;
        let (control, tallies) = (outcome.get(control), outcome.get(tallies));
        self.deadlocks = tallies[kernels::DEADLOCKS as usize].into();
        self.first_deadlock = tallies[kernels::FIRST_DEADLOCK as usize];
        let stopped = Stopped { control };
        if self.mode.only_counts {
            self.deadlocks = stopped.at(kernels::NO_SUCCESSORS);
            self.level = stopped.control[kernels::LEVEL as usize];
        }
        let transitions =
            stopped.at(kernels::TRANSITIONS) | stopped.at(kernels::TRANSITIONS_HIGH) << 32;
        self.reached = Progress {
            states: stopped.at(kernels::KNOWN_STATES),
            expanded: stopped.at(kernels::END),
            // If a choice may have several branches, choices are counted while rows are written.
            choices: match self.mode.has_choices() {
                true => tallies[kernels::CHOICES as usize].into(),
                false => transitions,
            },
            branches: transitions,
            bytes: self.bytes(),
        };
        Ok(stopped)
    }

    /// Records batches until the search stops.
    fn record(&self, recording: &mut Recording) {
        let (buffers, params) = (&self.buffers, self.params);
        let workgroups = self.tuning.workgroups;
        match &buffers.steps {
            Some(steps) => {
                let limit = self.tuning.batch;
                let first =
                    counting::first_record(&self.reached, self.deadlocks, self.level, limit);
                let expand = counting::expand(buffers, steps, params, self.words);
                counting::record(recording, &expand, workgroups, first);
            }
            None => {
                let passes = Passes {
                    buffers,
                    params: self.with_checks_of_goal(params),
                    words: self.words,
                    mode: self.mode,
                };
                passes.record(recording, workgroups);
            }
        }
    }

    /// Runs a recording under an observer.
    fn run_watched(&mut self, recording: &Recording) -> Result<gpu::Outcome, Error> {
        let bytes = self.bytes();
        let update = |reached: &mut Progress, record: &LoopRecord| {
            *reached = progress_of(record).unwrap_or(*reached);
            reached.bytes = bytes;
        };
        let (reached, is_timed) = (self.reached, self.times.is_some());
        let outcome = self
            .watch
            .run(self.gpu, recording, is_timed, reached, update)?;
        if let Some(times) = &mut self.times {
            add_times(times, &outcome.times);
        }
        Ok(outcome)
    }

    /// Takes the rows that wait on the device, or discards them if they are not kept.
    fn drain(&mut self, stopped: &Stopped) -> Result<(), Error> {
        let end = stopped.at(kernels::END);
        let count = end - stopped.at(kernels::ROWS_FROM);
        let transitions = stopped.at(kernels::ROW_END);
        let more = match &self.rows {
            Rows::None => 0,
            Rows::Host(rows) => rows.more_bytes(count, transitions),
            Rows::Device(rows) => rows.more_bytes(count, transitions),
        };
        self.check_memory(more)?;
        let Some(from) = &self.buffers.rows else {
            return Ok(());
        };
        match &mut self.rows {
            // Choices are counted in 32 bits.
            Rows::None => too_many_branches(self.reached.branches)?,
            Rows::Device(rows) => rows.take(self.gpu, from, count, transitions)?,
            Rows::Host(rows) => {
                if let Err(missing) = rows.check_room(count, transitions) {
                    let reached = self.reached;
                    return Err(explore::Error::OutOfMemory { missing, reached }.into());
                }
                rows.take(self.gpu, from, count, transitions)?;
            }
        }
        let control = &self.buffers.control;
        let empty = [0, 0, end as u32];
        Ok(self.gpu.write(control, kernels::ROW_BEGIN.into(), &empty)?)
    }

    /// Copies the states to the host that `packed` lacks. `packed` contains the first states.
    fn take_states(&self, packed: &mut Vec<u64>) -> Result<(), Error> {
        let (words, count) = (self.words as usize, self.reached.states);
        let packed_words = words.div_ceil(2);
        let known = (packed.len() / packed_words) as u64;
        let bytes = (count - known) as usize * packed_words * 8;
        self.check_memory(bytes as u64)?;
        mdp_graph::check_room("the states and the graph", &[bytes]).map_err(|missing| {
            let reached = self.reached;
            explore::Error::OutOfMemory { missing, reached }
        })?;
        packed.reserve((count - known) as usize * packed_words);
        for first in (known..count).step_by(STATES_AT_A_TIME as usize) {
            let end = (first + STATES_AT_A_TIME).min(count);
            let range = first * words as u64..end * words as u64;
            let narrow = self.gpu.read_range(&self.buffers.states, range)?;
            packed.par_extend(widen(&narrow, words));
        }
        Ok(())
    }

    /// Returns an error if there are deadlocks, and deadlocks are an error.
    fn refuse_deadlocks(&self) -> Result<(), Error> {
        if self.deadlocks == 0 || self.options.explore.deadlocks != Deadlocks::Refuse {
            return Ok(());
        }
        let first = StateId(self.first_deadlock);
        Err(Error::Ended(explore::Error::Deadlock {
            first,
            count: self.deadlocks,
            state: self.take_state(first)?,
        }))
    }

    /// Copies a packed state to the host.
    fn take_state(&self, state: StateId) -> Result<Vec<u64>, Error> {
        let (state, words) = (u64::from(state.0), u64::from(self.words));
        let range = state * words..(state + 1) * words;
        let state = self.gpu.read_range(&self.buffers.states, range)?;
        Ok(widen(&state, self.words as usize))
    }
}

/// Returns whether states may have any order within a level. They may not if deadlocks are an
/// error, because the message names the first deadlock.
fn may_reorder(options: &Options<'_>) -> bool {
    options.explore.deadlocks != Deadlocks::Refuse
}

/// Returns whether a shorter batch may succeed after this error.
fn is_of_batch(error: &Error) -> bool {
    use explore::Error as E;
    matches!(
        error,
        Error::Broken { .. } | Error::Ended(E::TooManyStates { .. })
    )
}

/// Returns whether the device lacks memory.
pub(crate) fn is_lack_of_room(error: &Error) -> bool {
    use gpu::Error as E;
    matches!(
        error,
        Error::Gpu(E::OutOfMemory { .. } | E::LimitExceeded { .. })
    )
}

/// Adds times to the sums of the same passes.
fn add_times(sums: &mut Vec<PassTime>, times: &[PassTime]) {
    for time in times {
        match sums.iter_mut().find(|sum| sum.name == time.name) {
            Some(sum) => {
                sum.calls += time.calls;
                sum.nanoseconds += time.nanoseconds;
            }
            None => sums.push(time.clone()),
        }
    }
}

/// Returns the progress of the search at the beginning of an iteration, if it is known.
fn progress_of(record: &LoopRecord) -> Option<Progress> {
    let [states, expanded, low, high, ..] = record.words.map(u64::from);
    let transitions = low | high << 32;
    (states > 0).then_some(Progress {
        states,
        expanded,
        choices: transitions,
        branches: transitions,
        bytes: 0,
    })
}
