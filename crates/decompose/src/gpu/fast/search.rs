//! The loop of the fast engine, recorded and run.
//!
//! Knows which buffers it takes and how it starts; which part follows which is decided on the device.

use super::host::Budget;
use super::profile::{FINISH, INIT, Measured, PIVOT, Profile, SIGN};
use super::rows::DeviceRows;
use super::tuning::Tuning;
use super::{DONE, FALLEN, FastGraph, layout};
use crate::gpu::Target;
use crate::gpu::needs::can_search_headed;
use crate::{Error, Observer};
use ::gpu::kernels::{FastParams, fast};
use ::gpu::{Body, Buffer, Control, Gpu, LoopRecord, LoopTicket, Recording, Repeat};
use std::ops::ControlFlow;

/// How many states there are for a workgroup at least.
const EACH: u32 = 128;
/// What a state's row takes in `shaders/layout/heads.wgsl`.
const HEAD_BYTES: u64 = 32;

/// The word of a record that says how many states were live when pivots were last chosen (`shared/fast/turn.wgsl`).
const LIVE: usize = 9;

/// Which parts of the decomposition to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stages {
    /// Peel, once.
    Peel,
    /// Search, without peeling anything.
    Search,
    /// Everything.
    All,
}

impl Stages {
    /// As `shared/fast/turn.wgsl` has it.
    fn bits(self) -> u32 {
        match self {
            Self::Peel => 1,
            Self::Search => 2,
            Self::All => 3,
        }
    }
}

/// From where on a loop goes, and how far.
struct Leg {
    stages: Stages,
    /// What the record says that it begins with, as `shared/fast/turn.wgsl` has it.
    words: [u32; LoopRecord::WORDS],
    most_rounds: u32,
}

impl Leg {
    fn first(stages: Stages, most_rounds: u32) -> Self {
        Self {
            stages,
            words: [0; LoopRecord::WORDS],
            most_rounds,
        }
        .then(INIT)
    }

    /// What comes behind the last iteration of a loop.
    fn after(self, last: LoopRecord, part: u32) -> Self {
        Self {
            words: last.words,
            ..self
        }
        .then(part)
    }

    fn then(mut self, part: u32) -> Self {
        self.words[3] = part;
        self
    }
}

/// What a search writes to on the device (`shaders/shared/fast/`).
#[derive(Debug)]
pub(super) struct SearchState {
    states: u32,
    pub(super) regions: Buffer<u32>,
    degrees: Buffer<u32>,
    reached: Buffer<u32>,
    pivots: Buffer<u32>,
    queue: Buffer<u32>,
    /// Rows left to all workgroups: two halves.
    heavy: Buffer<[u32; 2]>,
    /// For each part the edges that were looked at, if somebody asks.
    touched: Buffer<u32>,
    /// For each state the key of another one.
    signatures: Buffer<u32>,
}

impl SearchState {
    pub(super) fn new(
        gpu: &Gpu,
        states: u32,
        heavy_rows: u32,
        has_choices: bool,
    ) -> Result<Self, Error> {
        let n = u64::from(states);
        // Those of pivots, and those of signatures; then the first candidate.
        let regions = if has_choices { 4 * n } else { 3 * n } + 2;
        Ok(Self {
            states,
            regions: gpu.zeroed("regions", n)?,
            degrees: gpu.zeroed("degrees", 2 * n)?,
            reached: gpu.zeroed("reached", n.div_ceil(16))?,
            pivots: gpu.zeroed("pivots", regions)?,
            queue: gpu.zeroed("queue", 3 * n)?,
            heavy: heavy_buffer(gpu, heavy_rows)?,
            touched: gpu.zeroed("touched edges", Profile::EDGE_WORDS)?,
            signatures: gpu.zeroed("signatures", n)?,
        })
    }
}

fn heavy_buffer(gpu: &Gpu, rows: u32) -> Result<Buffer<[u32; 2]>, Error> {
    Ok(gpu.zeroed("heavy rows", 2 * u64::from(rows.max(1)))?)
}

/// How many rows are left to all workgroups, in an iteration, at most.
pub(super) fn heavy_rows(rows: [&DeviceRows; 2], tuning: &Tuning) -> u32 {
    rows.iter()
        .map(|rows| rows.longer_than(tuning.heavy_degree))
        .sum()
}

/// A search under way: who watches it, how long it may take, and what it has taken.
struct UnderWay<'a> {
    observer: &'a dyn Observer,
    budget: Budget,
    /// Whether maximal end components are searched.
    has_choices: bool,
    profile: &'a mut Profile,
}

impl UnderWay<'_> {
    /// How many states have no answer yet, at most. A state that is in a strongly connected component
    /// has one only if that is what is searched.
    fn undecided(&self) -> u32 {
        let live = self.profile.live_states.filter(|_| !self.has_choices);
        live.unwrap_or(self.profile.states())
    }

    /// Takes note of further iterations. Breaks the loop off if nobody wants the answer any more, or
    /// if the host finds the rest sooner.
    fn go_on(&mut self, progress: ::gpu::Progress<'_>) -> ControlFlow<()> {
        self.profile.add(progress.records);
        let total = self.profile.states();
        if progress.is_compiling {
            self.observer.compiling();
        } else if let Some(live) = self.profile.live_states {
            self.observer
                .progress(u64::from(total - live), total.into());
        }
        if self.observer.is_cancelled() {
            return ControlFlow::Break(());
        }
        if !progress.is_compiling && self.budget.is_spent(self.undecided()) {
            self.profile.is_left_to_host = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// A pass of a loop, with what all of them bind, and what it calls otherwise.
macro_rules! pass {
    ($pass:ident of $graph:ident, $shard:expr, $leg:expr, $measured:expr; $($own:ident: $value:expr),*) => {
        fast::$pass {
            offsets: &$graph.forward.offsets,
            targets: $graph.forward.targets($shard),
            back_offsets: &$graph.backward.offsets,
            back_targets: $graph.backward.targets($shard),
            regions: &$graph.state.regions,
            reached: &$graph.state.reached,
            pivots: &$graph.state.pivots,
            queue: &$graph.state.queue,
            heavy: &$graph.state.heavy,
            params: $graph.params($shard, $leg),
            touched_edges: ($measured == Measured::TimesAndEdges).then_some(&$graph.state.touched),
            counted: $measured == Measured::TimesAndEdges,
            $($own: $value),*
        }
    };
}

impl FastGraph<'_> {
    /// Shares out work in another way.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device has no room for it.
    pub fn tune(&mut self, tuning: &Tuning) -> Result<(), Error> {
        self.tuning = tuning.bounded();
        let rows = heavy_rows([&self.forward, &self.backward], &self.tuning);
        self.state.heavy = heavy_buffer(&self.gpu, rows)?;
        self.lay_out_heads()
    }

    /// Lays out the heads of rows if they pay, and there is room for them.
    pub(super) fn lay_out_heads(&mut self) -> Result<(), Error> {
        self.heads = None;
        let limits = self.gpu.limits();
        let binding = limits.max_binding_bytes.min(limits.max_buffer_bytes);
        let target = match self.choices {
            Some(_) => Target::Mecs,
            None => Target::Sccs,
        };
        let pays = self.edges_a_state() < u64::from(self.tuning.heads);
        let fits = 2 * HEAD_BYTES * u64::from(self.state.states) <= binding
            && can_search_headed(self.gpu.info(), target);
        if !pays || !fits || self.num_shards() > 1 {
            return Ok(());
        }
        match layout::heads(&self.gpu, [&self.forward, &self.backward]) {
            Err(Error::Gpu(::gpu::Error::OutOfMemory { .. })) => Ok(()),
            Err(error) => Err(error),
            Ok(heads) => {
                self.heads = Some(heads);
                Ok(())
            }
        }
    }

    fn edges_a_state(&self) -> u64 {
        self.forward.num_edges() / u64::from(self.state.states.max(1))
    }

    /// Searches until every state is in a component. Measured, it takes longer.
    pub(super) fn search(
        &self,
        stages: Stages,
        observer: &dyn Observer,
        measured: Measured,
    ) -> Result<Profile, Error> {
        let mut profile = Profile::new(self.state.states, measured);
        profile.dispatches = self.num_shards() as u32;
        if self.state.states == 0 {
            return Ok(profile);
        }
        if observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let mut under_way = UnderWay {
            observer,
            budget: self.budget(stages),
            has_choices: self.choices.is_some(),
            profile: &mut profile,
        };
        let is_done =
            stages == Stages::All && self.may_be_whole() && self.search_whole(&mut under_way)?;
        if !is_done {
            self.search_by_rounds(stages, &mut under_way)?;
        }
        Ok(profile)
    }

    /// What a search may take before the host finishes it; parts of one are never left to the host.
    fn budget(&self, stages: Stages) -> Budget {
        let host = self.tuning.host_nanoseconds;
        let host = host.filter(|_| stages == Stages::All);
        Budget::new(host, self.state.states, self.forward.num_edges())
    }

    /// Takes the whole graph for one component. Whether it is one, or the host is to go on.
    fn search_whole(&self, under_way: &mut UnderWay<'_>) -> Result<bool, Error> {
        let measured = under_way.profile.measured;
        let mut recording = self.start(measured);
        let leg = Leg::first(Stages::All, self.tuning.most_rounds);
        let how = self.how("fast search of all", &leg);
        let ticket = self.repeat(&mut recording, how, |shard, body| {
            body.dispatch(&self.whole(shard, &leg, measured));
        });
        let Some((part, _)) = self.run(&recording, ticket, under_way)? else {
            return Ok(true);
        };
        let profile = &mut *under_way.profile;
        profile.rounds += u64::from(part == FINISH);
        profile.has_begun = part == FINISH;
        Ok(part == FINISH)
    }

    /// Searches in rounds, and divides regions by signatures whenever there have been many.
    fn search_by_rounds(&self, stages: Stages, under_way: &mut UnderWay<'_>) -> Result<(), Error> {
        under_way.profile.has_begun = true;
        let measured = under_way.profile.measured;
        let mut recording = self.start(measured);
        if let Some(choices) = &self.choices {
            recording.fill(&choices.removed, 0).copy(
                &choices.all,
                0..choices.all.len(),
                &choices.retained,
                0,
            );
        }
        let mut leg = Leg::first(stages, self.tuning.most_rounds);
        let mut live = None;
        loop {
            let how = self.how("fast search", &leg);
            let ticket = self.repeat(&mut recording, how, |shard, body| {
                body.dispatch(&self.step(shard, &leg, measured));
            });
            let Some((next, last)) = self.run(&recording, ticket, under_way)? else {
                return Ok(());
            };
            if next != PIVOT {
                return Ok(());
            }
            if self.choices.is_none() {
                has_decided(&mut live, last.words[LIVE])?;
            }
            leg = leg.after(last, SIGN);
            recording = self.recording(measured);
            let how = self.how("division by signatures", &leg);
            let ticket = self.repeat(&mut recording, how, |shard, body| {
                body.dispatch(&self.refine(shard, &leg, measured));
            });
            let Some((next, last)) = self.run(&recording, ticket, under_way)? else {
                return Ok(());
            };
            leg = leg.after(last, next);
            if next == PIVOT {
                // They do not settle: it is worth less to try again.
                leg.most_rounds = leg.most_rounds.saturating_mul(2);
            }
            recording = self.recording(measured);
        }
    }

    /// Whether it is worth trying if the graph is one component. The more edges there are, the likelier it is, and the wider
    /// is the search.
    fn may_be_whole(&self) -> bool {
        self.edges_a_state() >= u64::from(self.tuning.whole)
    }

    /// Nothing is reached.
    fn start(&self, measured: Measured) -> Recording {
        let mut recording = self.recording(measured);
        recording
            .fill(&self.state.reached, 0)
            .fill(&self.state.pivots, 0);
        recording
    }

    /// No edges are counted.
    fn recording(&self, measured: Measured) -> Recording {
        let mut recording = Recording::new();
        if measured == Measured::TimesAndEdges {
            recording.fill(&self.state.touched, 0);
        }
        recording
    }

    /// How a leg is repeated.
    fn how(&self, name: &str, leg: &Leg) -> Repeat {
        let groups = self.state.states.div_ceil(EACH);
        Repeat::groups(name, [groups.min(self.tuning.most_groups), 1, 1])
            .words(leg.words)
            .ahead()
            .alike()
    }

    /// Records a loop, of a dispatch for each shard.
    fn repeat(
        &self,
        recording: &mut Recording,
        how: Repeat,
        mut shards: impl FnMut(usize, &mut Body),
    ) -> LoopTicket {
        recording.repeat(how, |_, body| {
            for shard in 0..self.num_shards() {
                shards(shard, body);
            }
        })
    }

    /// Runs a loop to its end. Returns the part that would come next, and the record with which it
    /// ended; or nothing, if the host is to go on.
    fn run(
        &self,
        recording: &Recording,
        ticket: LoopTicket,
        under_way: &mut UnderWay<'_>,
    ) -> Result<Option<(u32, LoopRecord)>, Error> {
        let time_passes = under_way.profile.measured != Measured::Nothing;
        let first = under_way.profile.steps.as_ref().map_or(0, Vec::len);
        let mut between = |progress: ::gpu::Progress<'_>| under_way.go_on(progress);
        let mut control = Control {
            observer: Some(&mut between),
            time_passes,
        };
        let run = self.gpu.run_with(recording, &mut control);
        under_way.budget.end_loop();
        let outcome = match run {
            Err(::gpu::Error::Cancelled) if under_way.profile.is_left_to_host => return Ok(None),
            outcome => outcome?,
        };
        let profile = &mut *under_way.profile;
        let last = outcome[ticket].last;
        let next = profile.end(last);
        profile.iterations += outcome[ticket].iterations;
        profile.submissions += outcome.submissions;
        profile.add_times(first, &outcome.dispatch_times);
        if profile.measured == Measured::TimesAndEdges {
            profile.add_edges(&self.gpu.read(&self.state.touched)?);
        }
        Ok(Some((next, last)))
    }

    fn params(&self, shard: usize, leg: &Leg) -> FastParams {
        let tuning = &self.tuning;
        FastParams {
            rows: [self.forward.range(shard), self.backward.range(shard)],
            states: self.state.states,
            capacity: self.state.queue.len() as u32,
            heavy_capacity: (self.state.heavy.len() / 2) as u32,
            stages: leg.stages.bits(),
            leads: u32::from(shard == 0),
            share: tuning.share,
            most_groups: tuning.most_groups,
            hops: tuning.hops,
            search_hops: tuning.search_hops,
            most_rounds: leg.most_rounds,
            spreads: tuning.spreads,
            narrow: tuning.narrow,
            handover: tuning.handover,
            heavy_degree: tuning.heavy_degree,
            by_degree: u32::from(tuning.by_degree),
            number_bits: u32::BITS - self.state.states.leading_zeros(),
            whole_mark: self.choices.as_ref().map_or(DONE, |_| DONE | FALLEN),
        }
    }

    fn whole(&self, shard: usize, leg: &Leg, measured: Measured) -> fast::Whole<'_> {
        pass!(Whole of self, shard, leg, measured;)
    }

    fn step(&self, shard: usize, leg: &Leg, measured: Measured) -> fast::Step<'_> {
        let choices = self.choices.as_ref();
        pass!(Step of self, shard, leg, measured;
            degrees: &self.state.degrees,
            edge_choices: self.forward.choices(shard),
            back_edge_choices: self.backward.choices(shard),
            removed: choices.map(|choices| &choices.removed),
            absent: choices.map(|choices| &choices.absent),
            retained: choices.map(|choices| &choices.retained),
            choices: choices.is_some(),
            heads: self.heads.as_ref(),
            headed: self.heads.is_some()
        )
    }

    fn refine(&self, shard: usize, leg: &Leg, measured: Measured) -> fast::Refine<'_> {
        let choices = self.choices.as_ref();
        fast::Refine {
            offsets: &self.forward.offsets,
            targets: self.forward.targets(shard),
            back_offsets: &self.backward.offsets,
            back_targets: self.backward.targets(shard),
            regions: &self.state.regions,
            degrees: &self.state.degrees,
            queue: &self.state.queue,
            heavy: &self.state.heavy,
            signatures: &self.state.signatures,
            edge_choices: self.forward.choices(shard),
            back_edge_choices: self.backward.choices(shard),
            absent: choices.map(|choices| &choices.absent),
            retained: choices.map(|choices| &choices.retained),
            choices: choices.is_some(),
            params: self.params(shard, leg),
            touched_edges: (measured == Measured::TimesAndEdges).then_some(&self.state.touched),
            counted: measured == Measured::TimesAndEdges,
        }
    }
}

/// A loop has ended after many rounds, in each of which the component of a pivot was decided at least. Between two such
/// ends fewer states are live each time; `known` is what there was the last time.
fn has_decided(known: &mut Option<u32>, live: u32) -> Result<(), Error> {
    match known.replace(live) {
        Some(before) if live >= before => Err(Error::NoProgress {
            search: "the worklist search",
            left: live,
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_that_decide_nothing_are_the_last() {
        let mut known = None;
        for live in [100, 99, 3] {
            assert_eq!(has_decided(&mut known, live), Ok(()));
        }
        insta::assert_snapshot!(
            has_decided(&mut known, 3).unwrap_err(),
            @"the worklist search is stuck: a round has decided none of 3 states; the device computes wrongly"
        );
    }
}
