//! Host fallback: the CPU finishes a search that takes the device too long.
//!
//! On some graphs a search on a device takes many rounds, or many narrow levels, each of which
//! decides few states. The time that the host would need for the rest is estimated beforehand
//! ([`Problem::rest_on_cpu`]), with the time to download the graph, if only the device has it. The
//! host takes over when the search has taken this long, unless the search would end sooner at its
//! pace in the last quarter of its time. If a search comes to a halt, the host notices at most a
//! quarter of this time later. So device and host together take at most about twice as long as the
//! host alone. If the rounds of a search show that it would take many times as long as the host,
//! the search is left to the host much sooner ([`RoundPace`]).
//!
//! The host may take over at the end of any iteration. The states that are decided by then make up
//! whole components. So the missing components are those of the graph that the other states induce.
//! For end components, choices with a decided target are also left out: each decided state is in no
//! end component, or in a maximal one, which meets no other.

use super::round_pace::RoundPace;
use super::state::UNDECIDED;
use crate::cost::{EdgeSample, Problem};
use crate::gpu::graph_location::{GraphLocation, HostGraph};
use crate::{ComponentSearch, Device, Error, Observer, Options, Phase, cpu};
use mdp_graph::{
    ChunkBuilder, ComponentKind, Components, Deadlocks, Digraph, MdpGraph, StateId, assemble,
};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The number of undecided states that a thread renumbers at a time.
const RENUMBER_CHUNK: usize = 1 << 14;

/// The minimum time of a search that is left to the host.
const MIN_TIME: Duration = Duration::from_millis(2);

/// Stands for the new number of a decided state.
const DECIDED: u32 = u32::MAX;

/// The approximate time in which a number of a graph is copied to the host. Most of it is spent
/// allocating memory.
const DOWNLOAD_PER_NUMBER: Duration = Duration::from_nanos(2);

/// Measures the time of a search, and compares it with the time that the host would take.
#[derive(Debug)]
pub(super) struct Budget {
    /// The problem that the host would take over, and its number of cores.
    problem: Problem,
    cores: usize,
    /// The time before the host can begin.
    download: Duration,
    /// The time that a search may take, as a percentage of the time that the host would take for
    /// the rest. With 0, the search is left to the host at once; with `None`, never.
    percent: Option<u32>,
    /// The time of earlier loops.
    spent: Duration,
    /// The time when the first iterations of the current loop were done. The time before that may
    /// have been spent compiling its kernel.
    since: Option<Instant>,
    pace: Pace,
}

impl Budget {
    /// Makes the budget of a search that may take this percentage of the host's time. The host
    /// needs `download` before it can begin.
    pub(super) fn new(problem: Problem, download: Duration, percent: Option<u32>) -> Self {
        Self {
            problem,
            cores: mdp_graph::useful_threads(),
            download,
            percent,
            spent: Duration::ZERO,
            since: None,
            pace: Pace::default(),
        }
    }

    /// Returns whether anything is left to the host.
    pub(super) fn is_limited(&self) -> bool {
        self.percent.is_some()
    }

    /// Records further iterations of the loop, after which this many states are live and these
    /// rounds have ended. Returns whether the host should finish the rest.
    pub(super) fn is_spent(&mut self, live: u32, rounds: &RoundPace) -> bool {
        let since = *self.since.get_or_insert_with(Instant::now);
        self.ends_after(self.spent + since.elapsed(), live, rounds)
    }

    /// Returns whether the host should finish the rest of a search that has taken this long, after
    /// which this many states are live and these rounds have ended.
    fn ends_after(&mut self, spent: Duration, live: u32, rounds: &RoundPace) -> bool {
        let Some(percent) = self.percent else {
            return false;
        };
        if percent == 0 {
            return true;
        }
        let rest = self.download + self.problem.rest_on_cpu(live.into(), self.cores);
        let left = rest.as_nanos() * u128::from(percent) / 100;
        // In the time of a download, many searches end although this was not expected.
        if spent >= self.download && rounds.is_slow(spent, live, left) {
            return true;
        }
        let left = left.max(MIN_TIME.as_nanos());
        self.pace.note(spent, live);
        spent.as_nanos() >= left && self.pace.rest(spent, live).is_none_or(|rest| rest > left)
    }

    /// Records the end of the loop.
    pub(super) fn end_loop(&mut self) {
        if let Some(since) = self.since.take() {
            self.spent += since.elapsed();
        }
    }
}

/// The recent pace of a search.
#[derive(Debug, Default)]
struct Pace {
    /// The number of states that were live, and when: in the last quarter of the time, and once
    /// before it.
    live_at: VecDeque<(Duration, u32)>,
}

impl Pace {
    fn note(&mut self, spent: Duration, live: u32) {
        self.live_at.push_back((spent, live));
        while self
            .live_at
            .get(1)
            .is_some_and(|&(at, _)| at <= spent * 3 / 4)
        {
            self.live_at.pop_front();
        }
    }

    /// Returns the number of nanoseconds that the live states will take at this pace; `None` if the
    /// pace is 0.
    fn rest(&self, spent: Duration, live: u32) -> Option<u128> {
        let &(at, before) = self.live_at.front()?;
        let decided = u128::from(before.saturating_sub(live));
        ((spent - at).as_nanos() * u128::from(live)).checked_div(decided)
    }
}

impl GraphLocation<'_> {
    /// Returns approximately the time in which the graph is copied to the host.
    pub(super) fn download_time(self) -> Duration {
        let Self::OnDevice(graph, _) = self else {
            return Duration::ZERO;
        };
        let numbers = [
            graph.num_states(),
            graph.num_choices(),
            graph.num_branches(),
        ];
        let numbers: usize = numbers.iter().sum();
        DOWNLOAD_PER_NUMBER * u32::try_from(numbers).unwrap_or(u32::MAX)
    }

    /// Decides what is left, as [`HostGraph::finish`] does. A graph that is on the device is first
    /// copied to the host.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; those of [`DeviceGraph::download`](crate::gpu::DeviceGraph::download).
    pub(super) fn finish(self, marks: &mut [u32], observer: &dyn Observer) -> Result<u64, Error> {
        let (graph, kind) = match self {
            Self::OnHost(graph) => return graph.finish(marks, observer),
            Self::OnDevice(graph, kind) => (graph, kind),
        };
        if !marks.contains(&UNDECIDED) {
            return Ok(0);
        }
        let graph = graph.download()?;
        match kind {
            ComponentKind::Mec => HostGraph::Choices(&graph).finish(marks, observer),
            ComponentKind::Scc | ComponentKind::Bscc => {
                HostGraph::Edges(&Digraph::new(&graph)).finish(marks, observer)
            }
        }
    }
}

impl HostGraph<'_> {
    /// Finds the components of the states that are marked as [`UNDECIDED`], and marks them: by the
    /// smallest state of the component, which is the mark of no other one, or
    /// [`Components::NONE`]. Returns how many states these were. If they are most states, all are
    /// searched and marked, since that takes less than to take the others out.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(super) fn finish(self, marks: &mut [u32], observer: &dyn Observer) -> Result<u64, Error> {
        let undecided: Vec<u32> = (0..marks.len() as u32)
            .into_par_iter()
            .filter(|&state| marks[state as usize] == UNDECIDED)
            .collect();
        if undecided.is_empty() {
            return Ok(0);
        }
        let count = undecided.len() as u64;
        // The whole graph is there already.
        let undecided = match undecided.len() > marks.len() / 4 * 3 {
            true => (0..marks.len() as u32).collect(),
            false => undecided,
        };
        observer.phase(Phase::Finish);
        observer.left_to_host(count);
        let observer = Rest {
            decided: marks.len() as u64 - count,
            total: marks.len() as u64,
            observer,
        };
        let options = Options {
            search: ComponentSearch::Auto,
            device: Device::Cpu,
            observer: &observer,
        };
        let rest = match undecided.len() == marks.len() {
            true => self.whole(),
            false => Cow::Owned(self.induced(marks.len(), &undecided)),
        };
        let components = match self {
            Self::Edges(_) => cpu::scc(&rest, &options)?,
            Self::Choices(_) => cpu::mec(&rest, &options)?,
        };
        for (i, &state) in undecided.iter().enumerate() {
            let label = components.smallest_of(StateId::from_index(i));
            marks[state as usize] = label.map_or(Components::NONE, |s| undecided[s.index()]);
        }
        Ok(count)
    }

    /// Returns the problem that the host would have to solve.
    pub(super) fn problem(self) -> Problem {
        let sample = match self {
            Self::Edges(graph) => {
                let row = |state: u64| graph.successors(StateId(state as u32)).iter();
                EdgeSample::of_rows(graph.num_states() as u64, |state| {
                    row(state).map(|target| u64::from(target.0))
                })
            }
            Self::Choices(graph) => EdgeSample::of(graph),
        };
        Problem {
            kind: self.kind(),
            states: self.num_states() as u64,
            branches: self.num_edges() as u64,
            sample,
        }
    }

    /// Returns the whole graph.
    fn whole(&self) -> Cow<'_, MdpGraph> {
        match self {
            Self::Choices(graph) => Cow::Borrowed(graph),
            Self::Edges(graph) => Cow::Owned(one_choice_a_state(graph)),
        }
    }

    /// Returns the graph that the `undecided` ones of `num_states` states induce, renumbered in
    /// their order.
    fn induced(self, num_states: usize, undecided: &[u32]) -> MdpGraph {
        let mut numbers = vec![DECIDED; num_states];
        for (number, &state) in undecided.iter().enumerate() {
            numbers[state as usize] = number as u32;
        }
        let blocks = undecided.par_chunks(RENUMBER_CHUNK).enumerate();
        let chunks = blocks.map(|(block, states)| {
            let mut chunk = ChunkBuilder::default();
            let mut targets = Vec::new();
            for (i, &state) in states.iter().enumerate() {
                let from = StateId::from_index(block * RENUMBER_CHUNK + i);
                self.push_state(StateId(state), from, &numbers, &mut targets, &mut chunk);
            }
            chunk.finish()
        });
        let chunks = chunks.collect();
        assemble(undecided.len() as u32, chunks, Deadlocks::Keep)
            .expect("a part of a graph is a graph")
            .graph
    }

    /// Appends the edges that remain of a state, which has the number `from` in the induced graph.
    fn push_state(
        self,
        state: StateId,
        from: StateId,
        numbers: &[u32],
        targets: &mut Vec<StateId>,
        chunk: &mut ChunkBuilder,
    ) {
        let number = |target: &StateId| numbers[target.index()];
        match self {
            Self::Edges(graph) => {
                let left = graph.successors(state).iter().map(number);
                targets.clear();
                targets.extend(left.filter(|&number| number != DECIDED).map(StateId));
                if !targets.is_empty() {
                    chunk.push_choice(from, targets);
                }
            }
            Self::Choices(graph) => {
                for choice in graph.choices(state) {
                    let all = graph.targets(choice);
                    if all.iter().all(|target| number(target) != DECIDED) {
                        targets.clear();
                        targets.extend(all.iter().map(number).map(StateId));
                        chunk.push_choice(from, targets);
                    }
                }
            }
        }
    }
}

/// Returns a graph in which each state with an edge has one choice, among all its targets.
fn one_choice_a_state(graph: &Digraph) -> MdpGraph {
    let offsets = graph.offsets();
    let mut choices = Vec::with_capacity(offsets.len());
    let mut branches = Vec::with_capacity(offsets.len());
    choices.push(0);
    branches.push(0);
    for pair in offsets.windows(2) {
        if pair[0] < pair[1] {
            branches.push(pair[1]);
        }
        choices.push(branches.len() as u32 - 1);
    }
    MdpGraph::from_parts(choices, branches, graph.targets().to_vec()).expect("the rows are a graph")
}

/// Passes on the progress of the host's search. Some states were decided before it.
struct Rest<'a> {
    decided: u64,
    total: u64,
    observer: &'a dyn Observer,
}

impl Observer for Rest<'_> {
    fn progress(&self, done: u64, _: u64) {
        self.observer.progress(self.decided + done, self.total);
    }

    fn is_cancelled(&self) -> bool {
        self.observer.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    /// Returns a graph in which states 0 and 1 reach each other, and so do states 3 and 4. State 2
    /// lies between: state 1 has a second choice that leads to 0 or 2.
    fn graph() -> MdpGraph {
        let mut chunk = ChunkBuilder::default();
        let mut push = |state: u32, targets: &[u32]| {
            chunk.push_choice(StateId(state), StateId::cast_slice(targets));
        };
        push(0, &[1]);
        push(1, &[0]);
        push(1, &[0, 2]);
        push(2, &[3]);
        push(3, &[4]);
        push(4, &[3]);
        let built = assemble(5, vec![chunk.finish()], Deadlocks::Keep);
        built.expect("it is a graph").graph
    }

    #[test]
    fn the_host_finds_the_rest_whatever_was_decided() {
        let graph = graph();
        let digraph = Digraph::new(&graph);
        let (sccs, mecs) = ([0, 0, 2, 3, 3], [0, 0, Components::NONE, 3, 3]);
        let parts: [&[usize]; 3] = [&[0, 1], &[2], &[3, 4]];
        for decided in 0..8 {
            for (host, answer) in [
                (HostGraph::Edges(&digraph), sccs),
                (HostGraph::Choices(&graph), mecs),
            ] {
                let mut marks = [UNDECIDED; 5];
                for (i, part) in parts.iter().enumerate() {
                    if decided >> i & 1 == 1 {
                        part.iter().for_each(|&state| marks[state] = answer[state]);
                    }
                }
                let left = marks.iter().filter(|&&mark| mark == UNDECIDED).count();
                assert_eq!(host.finish(&mut marks, &Silent), Ok(left as u64));
                assert_eq!(marks, answer, "{host:?} {decided}");
            }
        }
    }

    /// Returns whether the budget of a search that has taken this many milliseconds is spent.
    fn ends(budget: &mut Budget, milliseconds: u64, live: u32) -> bool {
        budget.ends_after(
            Duration::from_millis(milliseconds),
            live,
            &RoundPace::default(),
        )
    }

    const ALL: u32 = 5_000_000;

    /// Returns the budget of a search for the components of a chain of [`ALL`] states, and the
    /// expected time of the host in milliseconds.
    fn chain(percent: Option<u32>) -> (Budget, u64) {
        let problem = Problem {
            kind: ComponentKind::Scc,
            states: ALL.into(),
            branches: ALL.into(),
            sample: EdgeSample::default(),
        };
        let budget = Budget::new(problem, Duration::ZERO, percent);
        let all = problem.rest_on_cpu(ALL.into(), budget.cores);
        (budget, all.as_millis() as u64)
    }

    #[test]
    fn a_budget_depends_on_the_live_states_and_never_ends_without_a_limit() {
        assert!(!ends(&mut chain(None).0, 1_000_000, 10));
        assert!(ends(&mut chain(Some(0)).0, 0, 10));
        let (mut budget, all) = chain(Some(100));
        assert!(!ends(&mut budget, all - 1, ALL));
        assert!(ends(&mut budget, all + 1, ALL));
        assert!(ends(&mut chain(Some(10)).0, all / 10 + 1, ALL));
        let (mut budget, _) = chain(Some(100));
        let half = budget.problem.rest_on_cpu((ALL / 2).into(), budget.cores);
        assert!(ends(&mut budget, half.as_millis() as u64 + 1, ALL / 2));
        let (mut small, _) = chain(Some(100));
        (small.problem.states, small.problem.branches) = (1000, 1000);
        assert!(
            !ends(&mut small, 1, 1),
            "the search is too short to be interrupted"
        );
        assert!(ends(&mut small, 2, 1));
    }

    #[test]
    fn a_graph_that_is_on_the_device_has_to_be_downloaded_first() {
        let second = Duration::from_secs(1);
        for (download, extra, ended) in [
            (Duration::ZERO, 1, true),
            (second, 999, false),
            (second, 1001, true),
        ] {
            let (mut budget, all) = chain(Some(100));
            budget.download = download;
            assert_eq!(ends(&mut budget, all + extra, ALL), ended, "{extra}");
        }
    }

    #[test]
    fn rounds_are_judged_when_a_download_would_be_over() {
        let mut rounds = RoundPace::default();
        (0..10).for_each(|round| rounds.add(ALL - round));
        for (download, ended) in [(0, true), (9, true), (11, false)] {
            let (mut budget, _) = chain(Some(100));
            budget.download = Duration::from_millis(download);
            let spent = Duration::from_millis(10);
            assert_eq!(budget.ends_after(spent, ALL - 10, &rounds), ended);
        }
    }

    #[test]
    fn a_search_that_is_done_sooner_than_the_host_goes_on() {
        let (mut budget, all) = chain(Some(100));
        let live = |milliseconds: u64| ALL - (u64::from(ALL) * milliseconds / all) as u32;
        for milliseconds in 0..all {
            assert!(
                !ends(&mut budget, milliseconds, live(milliseconds)),
                "{milliseconds} of {all} ms"
            );
        }
        let (mut budget, _) = chain(Some(100));
        let halt = all * 3 / 5;
        let end = (0..all).find(|&ms| ends(&mut budget, ms, live(ms.min(halt))));
        let end = end.expect("the budget ends");
        assert!(
            (halt..=halt * 4 / 3 + 1).contains(&end),
            "the budget ends at most a third later than the progress: {end} of {all} ms"
        );
    }

    #[test]
    fn the_host_searches_the_graph_that_was_uploaded() {
        let n = 1 << 14;
        let far: Vec<Vec<Vec<u32>>> = (0..n).map(|s| vec![vec![s * 0x9e35 % n]]).collect();
        let graph = MdpGraph::from_choices(&far).expect("it is a graph");
        let digraph = Digraph::new(&graph);
        let mecs = HostGraph::Choices(&graph).problem();
        let sccs = HostGraph::Edges(&digraph).problem();
        assert_eq!(
            (mecs.kind, sccs.kind),
            (ComponentKind::Mec, ComponentKind::Scc)
        );
        assert_eq!((mecs.states, sccs.states), (n.into(), n.into()));
        assert_eq!(mecs.branches, graph.num_branches() as u64);
        assert_eq!(sccs.branches, digraph.num_edges() as u64);
        assert_eq!(mecs.sample, sccs.sample);
        assert!(mecs.sample.is_scattered());
    }

    #[test]
    fn times_of_loops_add_up() {
        let (mut budget, _) = chain(Some(u32::MAX));
        let none = RoundPace::default();
        assert!(!budget.is_spent(1 << 20, &none));
        assert!(
            !budget.is_spent(0, &none),
            "the search has taken no time yet"
        );
        budget.spent += MIN_TIME;
        assert!(!budget.is_spent(1 << 20, &none));
        budget.end_loop();
        assert!(budget.since.is_none() && budget.spent > MIN_TIME);
    }
}
