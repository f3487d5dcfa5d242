//! Host fallback: the CPU finishes a search that takes the device too long.
//!
//! Some graphs take a search on a device many rounds, or many narrow levels, in each of which
//! little is decided. The host's cost is known beforehand, at least from below: so many nanoseconds
//! for a state or an edge ([`Tuning::host_nanoseconds`](super::Tuning)), and up to six times as
//! many where edges lead far, so that each of them waits for memory ([`FarEdges`]). When a search
//! has taken as long as the host would need for what is left, the host takes over, unless the
//! search would be done sooner at the pace that it had in the last quarter of its time. A search
//! that comes to a halt is noticed a quarter later at the latest. So both together take about twice
//! what the host alone takes, at most. A search that would take many times as long as the host, at
//! the pace of its rounds, is left to the host much sooner ([`Rounds`]).
//!
//! That is right at the end of any iteration, whatever it did: the states that are decided by then
//! make up whole components, so that the components of the graph that the others induce are those
//! that are missing. For end components, a choice with a target among the decided states goes too:
//! each of these is in no end component, or in a maximal one, which no other one meets.

use super::slow::Rounds;
use super::state::UNDECIDED;
use crate::gpu::device_graph::DeviceGraph;
use crate::{Device, Error, Observer, Options, Phase, Search, cpu};
use mdp_graph::{
    ChunkBuilder, ComponentKind, Components, Deadlocks, Digraph, MdpGraph, StateId, assemble,
};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How many undecided states a thread renumbers at a time.
const RENUMBERED: usize = 1 << 14;

/// A search that takes less is not worth an interruption.
const LEAST: Duration = Duration::from_millis(2);

/// In the renumbering: the state is decided.
const DECIDED: u32 = u32::MAX;

/// Measures how long a search has taken, and compares it with what the host would take.
#[derive(Debug)]
pub(super) struct Budget {
    /// What the host takes for a state or an edge: 0 to leave the search to it at once. Without a
    /// number nothing is left to it.
    host_nanoseconds: Option<u32>,
    states: u64,
    edges: u64,
    /// What earlier loops took.
    spent: Duration,
    /// When the loop that runs had done its first iterations. What came before may have been the
    /// compilation of its kernel, which is not the graph's fault.
    since: Option<Instant>,
    pace: Pace,
}

impl Budget {
    pub(super) fn new(host_nanoseconds: Option<u32>, states: u32, edges: u64) -> Self {
        Self {
            host_nanoseconds,
            states: states.into(),
            edges,
            spent: Duration::ZERO,
            since: None,
            pace: Pace::default(),
        }
    }

    /// Whether anything is left to the host.
    pub(super) fn is_limited(&self) -> bool {
        self.host_nanoseconds.is_some()
    }

    /// Takes note that the loop has done further iterations, after which so many states are live,
    /// and these rounds are over. Whether the host should finish the rest.
    pub(super) fn is_spent(&mut self, live: u32, rounds: &Rounds) -> bool {
        let since = *self.since.get_or_insert_with(Instant::now);
        self.ends_after(self.spent + since.elapsed(), live, rounds)
    }

    /// The same for a search that has taken so long.
    fn ends_after(&mut self, spent: Duration, live: u32, rounds: &Rounds) -> bool {
        let Some(each) = self.host_nanoseconds else {
            return false;
        };
        if each == 0 {
            return true;
        }
        let all = u128::from(self.states + self.edges) * u128::from(each);
        let left = all * u128::from(live) / u128::from(self.states.max(1));
        if rounds.are_slow(spent, live, left) {
            return true;
        }
        let left = left.max(LEAST.as_nanos());
        self.pace.note(spent, live);
        spent.as_nanos() >= left && self.pace.rest(spent, live).is_none_or(|rest| rest > left)
    }

    /// The loop has ended.
    pub(super) fn end_loop(&mut self) {
        if let Some(since) = self.since.take() {
            self.spent += since.elapsed();
        }
    }
}

/// How fast a search has decided states lately.
#[derive(Debug, Default)]
struct Pace {
    /// How many states were live, and when: in the last quarter of the time, and once before it.
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

    /// How many nanoseconds the states that are live will take at this pace; `None` if it is 0.
    fn rest(&self, spent: Duration, live: u32) -> Option<u128> {
        let &(at, before) = self.live_at.front()?;
        let decided = u128::from(before.saturating_sub(live));
        ((spent - at).as_nanos() * u128::from(live)).checked_div(decided)
    }
}

/// How many of a graph's edges lead far from their states, by a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FarEdges {
    far: u32,
    sampled: u32,
}

impl FarEdges {
    /// How many states are looked at.
    pub(super) const SAMPLE: usize = 1024;
    /// With their numbers this far apart, states have nothing in the same cache.
    pub(super) const FAR: u32 = 1 << 17;
    /// How many times the cost of an edge is added if it leads far: measured, a random permutation
    /// takes the host 160 ns for a state or an edge, a cycle in the order of its states 13.
    const TIMES: u64 = 5;

    /// So many of so many that were looked at.
    pub(super) fn counted(far: u32, sampled: u32) -> Self {
        Self { far, sampled }
    }

    fn note(&mut self, state: StateId, targets: &[StateId]) {
        for target in targets.iter().take(Self::SAMPLE) {
            self.far += u32::from(target.0.abs_diff(state.0) >= Self::FAR);
            self.sampled += 1;
        }
    }

    /// Whether most edges do.
    pub(super) fn are_most(self) -> bool {
        2 * self.far > self.sampled
    }

    /// What is added to a cost of so many nanoseconds.
    pub(super) fn of(self, each: u32) -> u32 {
        let all = u64::from(each) * Self::TIMES * u64::from(self.far);
        (all / u64::from(self.sampled.max(1))) as u32
    }
}

/// Where the graph is that the host may have to finish.
#[derive(Clone, Copy, Debug)]
pub(super) enum GraphPlace<'g> {
    OnHost(HostGraph<'g>),
    /// On the device, to be searched for components of this kind.
    OnDevice(&'g DeviceGraph, ComponentKind),
}

impl GraphPlace<'_> {
    /// As [`HostGraph::finish`]. A graph that is on the device is brought to the host for that.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; those of [`DeviceGraph::download`].
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

/// The graph that was uploaded, in the host's memory.
#[derive(Clone, Copy, Debug)]
pub(super) enum HostGraph<'g> {
    /// To be searched for strongly connected components.
    Edges(&'g Digraph),
    /// To be searched for maximal end components.
    Choices(&'g MdpGraph),
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
            search: Search::Auto,
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
            let label = components.label(StateId::from_index(i));
            marks[state as usize] = label.map_or(Components::NONE, |s| undecided[s.index()]);
        }
        Ok(count)
    }

    /// Looks at some of the edges.
    pub(super) fn far_edges(self) -> FarEdges {
        let states = match self {
            Self::Edges(graph) => graph.num_states(),
            Self::Choices(graph) => graph.num_states(),
        };
        let mut found = FarEdges::default();
        for state in (0..states).step_by(states.div_ceil(FarEdges::SAMPLE).max(1)) {
            let state = StateId::from_index(state);
            match self {
                Self::Edges(graph) => found.note(state, graph.successors(state)),
                Self::Choices(graph) => {
                    for choice in graph.choices(state).take(FarEdges::SAMPLE) {
                        found.note(state, graph.targets(choice));
                    }
                }
            }
        }
        found
    }

    /// The whole graph.
    fn whole(&self) -> Cow<'_, MdpGraph> {
        match self {
            Self::Choices(graph) => Cow::Borrowed(graph),
            Self::Edges(graph) => Cow::Owned(one_choice_a_state(graph)),
        }
    }

    /// The graph that the `undecided` ones of `num_states` states induce, renumbered in their
    /// order.
    fn induced(self, num_states: usize, undecided: &[u32]) -> MdpGraph {
        let mut numbers = vec![DECIDED; num_states];
        for (number, &state) in undecided.iter().enumerate() {
            numbers[state as usize] = number as u32;
        }
        let blocks = undecided.par_chunks(RENUMBERED).enumerate();
        let chunks = blocks.map(|(block, states)| {
            let mut chunk = ChunkBuilder::default();
            let mut targets = Vec::new();
            for (i, &state) in states.iter().enumerate() {
                let from = StateId::from_index(block * RENUMBERED + i);
                self.push_state(StateId(state), from, &numbers, &mut targets, &mut chunk);
            }
            chunk.finish()
        });
        let chunks = chunks.collect();
        assemble(undecided.len() as u32, chunks, Deadlocks::Keep)
            .expect("a part of a graph is a graph")
            .graph
    }

    /// Appends what is left of a state, which has the number `from` in the induced graph.
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

/// A graph in which each state with an edge has one choice, among all its targets.
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

/// Hands on the progress of the host's search, in which some states are decided already.
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

    /// 0 and 1 reach each other, 2 is between, 3 and 4 reach each other; state 1 may also go to 2.
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
    fn the_rest_is_found_whatever_was_decided() {
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

    /// Of a search that has taken so many milliseconds.
    fn ends(budget: &mut Budget, milliseconds: u64, live: u32) -> bool {
        budget.ends_after(
            Duration::from_millis(milliseconds),
            live,
            &Rounds::default(),
        )
    }

    #[test]
    fn a_budget_follows_what_is_live_and_never_ends_without_a_cost() {
        assert!(!ends(&mut Budget::new(None, 10, 10), 1_000_000, 10));
        assert!(ends(&mut Budget::new(Some(0), 10, 10), 0, 10));
        // The host would take 100 ms for all of it.
        let budget = || Budget::new(Some(10), 5_000_000, 5_000_000);
        assert!(!ends(&mut budget(), 99, 5_000_000));
        assert!(ends(&mut budget(), 100, 5_000_000));
        assert!(
            ends(&mut budget(), 50, 2_500_000),
            "what is left takes the host 50 ms"
        );
        assert!(!ends(&mut budget(), 1, 1), "too short to be interrupted");
        assert!(ends(&mut budget(), 2, 1));
    }

    #[test]
    fn a_search_that_is_done_sooner_than_the_host_goes_on() {
        let mut budget = Budget::new(Some(10), 5_000_000, 5_000_000);
        let at_this_pace = (0..100).map(|ms| (ms, 5_000_000 - 50_000 * ms as u32));
        for (milliseconds, live) in at_this_pace {
            assert!(!ends(&mut budget, milliseconds, live), "{milliseconds} ms");
        }
        let mut budget = Budget::new(Some(10), 5_000_000, 5_000_000);
        let halts = (0..100).map(|ms| (ms, 5_000_000 - 50_000 * ms.min(60) as u32));
        let end = { halts }.find(|&(milliseconds, live)| ends(&mut budget, milliseconds, live));
        let (end, _) = end.expect("it halted");
        assert!(
            (61..=80).contains(&end),
            "a quarter of the time later at most: {end}"
        );
    }

    #[test]
    fn edges_that_lead_far_cost_more() {
        let far_edges = |rows: &[u32]| {
            let mut chunk = ChunkBuilder::default();
            for (state, &target) in rows.iter().enumerate() {
                chunk.push_choice(StateId::from_index(state), &[StateId(target)]);
            }
            let built = assemble(rows.len() as u32, vec![chunk.finish()], Deadlocks::Keep);
            let graph = built.expect("it is a graph").graph;
            let found = HostGraph::Choices(&graph).far_edges();
            assert_eq!(HostGraph::Edges(&Digraph::new(&graph)).far_edges(), found);
            found.of(10)
        };
        let n = 4 * FarEdges::FAR;
        let near: Vec<u32> = (0..n).map(|state| (state + 1).min(n - 1)).collect();
        let far: Vec<u32> = (0..n).map(|state| (state + n / 2) % n).collect();
        assert_eq!((far_edges(&near), far_edges(&far)), (0, 50));
        assert_eq!(far_edges(&[]), 0);
    }

    #[test]
    fn loops_add_up() {
        let mut budget = Budget::new(Some(u32::MAX), 1 << 20, 1 << 20);
        let none = Rounds::default();
        assert!(!budget.is_spent(1 << 20, &none));
        assert!(!budget.is_spent(0, &none), "that was no time at all");
        budget.spent += LEAST;
        assert!(!budget.is_spent(1 << 20, &none));
        budget.end_loop();
        assert!(budget.since.is_none() && budget.spent > LEAST);
    }
}
