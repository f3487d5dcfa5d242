//! The strategy of `auto`: which searches it tries, and in which order.
//!
//! The size of a graph, a sample of its edges and the number of threads decide. They are looked at
//! once, before the search ([`Facts`]), and give a [`Plan`]. A search that the plan names may find
//! out more about the graph and give up; then the next search of the plan is tried.
//!
//! # Times
//!
//! Most limits are counts and shares. The few times ([`GIANT_BUDGET`], `SLOW` in
//! `pearce/pace.rs`, `WARM_UP` in `follow.rs`) were measured on the machines that
//! `docs/benchmarks/README.md` names. On others, the search that is chosen may not be the fastest.

#[cfg(test)]
mod tests;

use super::cache_fit;
use super::edges::AllEdges;
use super::functional;
use super::giant::FirstSearch;
use super::jumps;
use super::marks;
use super::numbering::EdgeDirection;
use super::pearce::EdgeOrder;
use super::threads::{self, MIN_THREADS};
use super::ticker::PERIOD;
use crate::sample::{EdgeSample, is_sampled};
use mdp_graph::{ComponentKind, Index, MdpGraph, StateId};
use std::time::Duration;

/// No portfolio is used for a graph of more states than this: each of its searches takes up to 20
/// bytes for a state, which may be more than the graph takes.
const MAX_PORTFOLIO_STATES: usize = 1 << 26;

/// In a graph of fewer states than this, one thread is as fast as several, unless it has so many
/// states and edges together.
const MIN_STATES: usize = 1 << 19;
const MIN_SIZE: usize = 1 << 22;

/// If more than this share of the edges leads far away, too many lead from one range of states to
/// another.
const MAX_LONG_SHARE: f64 = 1.0 / 32.0;

/// The number of ranges for each thread. They take different times, so one is not enough.
pub(super) const RANGES_EACH: usize = 2;

/// If one range has more than this share of the states and edges, a search by ranges is hardly
/// faster than one by one thread, as it looks at the edges more often.
const MAX_RANGE_SHARE: f64 = 1.0 / 4.0;

/// The most branches for each state of a graph that walks follow: one to another state, one to the
/// state itself.
const MAX_WALKED: usize = 2;

/// With this share of scattered edges or more, walks are faster than a search even if most states
/// have no edge that leads far.
const WALKED_SCATTERED: f64 = 1.0 / 8.0;

/// With more threads than this, a forward search takes less time than backward sweeps.
const FEW_THREADS: usize = 7;

/// With this many threads or fewer, sweeps take longer than a depth-first search on one thread that
/// finds its data in a cache.
const VERY_FEW_THREADS: usize = 3;

/// With at least this share of scattered edges, very few threads use sweeps only if paths spread.
const SOME_SCATTERED: f64 = 1.0 / 8.0;

/// With at least this share of scattered edges, states are numbered in no particular order.
const MOST_SCATTERED: f64 = 1.0 / 2.0;

/// The time that all threads together may take to follow a state or an edge forward, if edges lead
/// nearby and MECs are wanted. With more, the whole search takes longer than by one thread. It is
/// half of what one thread takes there ([where](self#times) that was measured). The estimates
/// of [`crate::cost`] do not serve as a limit: they are fitted to whole decompositions, and may
/// be wrong by a factor of three.
const GIANT_BUDGET: Duration = Duration::from_nanos(3);

/// Returns whether the usual plan for this many cores searches a graph of this size in rounds,
/// provided that its edges lead far and that there are enough numbers to mark its states.
pub(crate) fn plans_rounds(cores: usize, num_states: usize, num_edges: usize) -> bool {
    Limits::USUAL.rounds_are_worthwhile(cores, num_states, num_edges)
}

/// Returns whether the usual plan for this many cores searches ranges of a graph with this sample,
/// provided that no range is too heavy.
pub(crate) fn plans_ranges(
    cores: usize,
    num_states: usize,
    num_edges: usize,
    sample: EdgeSample,
) -> bool {
    let ranges = Limits::USUAL.ranges_for(cores, num_states, num_edges, sample);
    ranges.is_some()
}

/// Returns whether most states have at most one edge. Then paths are long, and cells of several
/// threads divide the same paths. One thread is as fast there.
fn is_thin(num_states: usize, num_edges: usize) -> bool {
    4 * num_edges <= 5 * num_states
}

/// Returns whether a graph with this sample may be functional, and a search may wait for memory. If
/// all edges lead to later states, or all to earlier ones, a search in the order of the states
/// never has a path of more than one state.
fn may_walk(num_states: usize, num_edges: usize, sample: EdgeSample) -> bool {
    let is_small = num_states < cache_fit::FEW_STATES || num_edges > MAX_WALKED * num_states;
    !is_small && sample.has_both_directions()
}

/// What is known of a graph before it is searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub(super) states: usize,
    pub(super) edges: usize,
    /// The number of threads that are useful.
    pub(super) threads: usize,
    /// A sample of the edges. It is empty if there are few states.
    pub(super) sample: EdgeSample,
    /// The greatest share of all states and edges that one range has, if each thread searches
    /// [`RANGES_EACH`] of them.
    heaviest_range: f64,
    /// Whether the graph may be functional, and paths jump ([`jumps`]).
    paths_jump: bool,
}

impl Facts {
    pub(super) fn of<I: Index>(edges: AllEdges<'_, I>) -> Self {
        let start = |state: usize| edges.rows[state].as_usize();
        let successor = |state: u32| {
            let mut targets = edges.of(state).iter().map(|target| target.as_usize());
            targets.find(|&target| target != state as usize)
        };
        Self::new(edges.num_states(), start, successor, || edges.sample())
    }

    pub(super) fn of_graph(graph: &MdpGraph) -> Self {
        let (choices, branches) = (graph.choice_offsets(), graph.branch_offsets());
        let start = |state: usize| branches[choices[state] as usize] as usize;
        let successor = |state: u32| {
            let targets = graph.successors(StateId(state));
            let other = targets.iter().find(|target| target.0 != state);
            other.map(|target| target.0 as usize)
        };
        Self::new(graph.num_states(), start, successor, || {
            EdgeSample::of(graph)
        })
    }

    /// `start`: where the edges of a state begin, or where all edges end. `successor`: another
    /// state to which a state leads.
    fn new(
        states: usize,
        start: impl Fn(usize) -> usize,
        successor: impl Fn(u32) -> Option<usize>,
        sample: impl Fn() -> EdgeSample,
    ) -> Self {
        let threads = threads::useful();
        let edges = start(states);
        let (sample, heaviest_range) = match is_sampled(states, edges) {
            true => (sample(), heaviest(states, RANGES_EACH * threads, start)),
            false => (EdgeSample::default(), 1.0),
        };
        let may_jump = sample.is_functional() && may_walk(states, edges, sample);
        Self {
            states,
            edges,
            threads,
            sample,
            heaviest_range,
            paths_jump: may_jump && jumps::are_frequent(states, successor),
        }
    }

    fn size(&self) -> usize {
        self.states + self.edges
    }

    /// Returns whether interleaved walks are faster than a search, provided that the graph is
    /// functional, along its edges or against them.
    fn walks_are_worthwhile(&self) -> bool {
        let is_far = match self.sample.is_functional() {
            true => self.paths_jump,
            // If neighbouring states lead to the same state, as in a star, this state is in a
            // cache, too.
            false if self.sample.leads_far() => self.sample.scattered() > 0.0,
            false => self.sample.scattered() > WALKED_SCATTERED,
        };
        is_far
            && may_walk(self.states, self.edges, self.sample)
            && functional::has_room(self.states)
    }

    /// Returns whether sweeps may be faster than a depth-first search. If most edges lead to nearby
    /// states, a depth-first search finds its data in a cache, and paths may be as long as the
    /// graph. Paths are also long if most states have one edge. If the long edges of neighbouring
    /// states lead to the same states, these are in a cache, too.
    pub(super) fn sweeps_are_worthwhile(&self, kind: ComponentKind) -> bool {
        if self.states < cache_fit::FEW_STATES || is_thin(self.states, self.edges) {
            return false;
        }
        let is_cached = kind == ComponentKind::Scc
            && (cache_fit::mostly_fits(self.sample, self.size(), self.threads)
                || cache_fit::is_small(self.states, self.edges, self.threads));
        self.sample.leads_far_if_at_all() && !is_cached
    }

    /// Returns the search with which looking for a giant component begins, or `None` if that is not
    /// worthwhile. If states are numbered in no particular order, sweeps read memory in order, and
    /// a forward search does not. If fewer edges are scattered, a depth-first search waits less for
    /// memory; if hardly any are, it takes as long as three sweeps of one thread.
    fn first_search(&self) -> Option<FirstSearch> {
        let scattered = self.sample.scattered();
        match self.threads {
            ..=FEW_THREADS if scattered >= MOST_SCATTERED => Some(FirstSearch::BackwardIfSpread),
            ..=VERY_FEW_THREADS if scattered < cache_fit::HARDLY_ANY => None,
            _ if cache_fit::mostly_fits(self.sample, self.size(), self.threads) => None,
            ..=VERY_FEW_THREADS if scattered >= SOME_SCATTERED => {
                Some(FirstSearch::ForwardIfSpread)
            }
            _ => Some(FirstSearch::Forward),
        }
    }
}

/// Returns the greatest share of all states and edges that one of this many ranges has.
fn heaviest(states: usize, ranges: usize, start: impl Fn(usize) -> usize) -> f64 {
    let len = states.div_ceil(ranges).max(1);
    let sizes = (0..states).step_by(len).map(|first| {
        let end = states.min(first + len);
        end - first + start(end) - start(first)
    });
    sizes.max().unwrap_or(0) as f64 / (states + start(states)).max(1) as f64
}

/// The conditions under which several threads search a graph together. They differ from the usual
/// ones in tests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The least number of states, or of states and edges together.
    pub(super) states: usize,
    pub(super) size: usize,
    /// With this many threads or more, a pass of all of them over a graph takes much less time than
    /// one by one thread.
    pub(super) many_threads: usize,
    /// With this many threads or more, some search the whole graph alone meanwhile.
    pub(super) portfolio_threads: usize,
    /// When threads search in rounds; `None`: never.
    pub(super) rounds: Option<RoundLimits>,
    /// When threads search ranges of states; `None`: never.
    pub(super) ranges: Option<RangeLimits>,
    pub(super) shared: SharedLimits,
}

/// The threads that search a graph in a round.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundThreads {
    /// The number of threads.
    pub(super) threads: usize,
    /// [`RoundLimits::period`].
    pub(super) period: u32,
}

/// The conditions for rounds ([`super::parallel`]).
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundLimits {
    /// The least number of threads.
    pub(super) threads: usize,
    /// Whether thin graphs are searched by one thread.
    pub(super) dense: bool,
    /// The number of states that a thread visits before it checks whether the threads hinder one
    /// another.
    pub(super) period: u32,
    /// The share of scattered edges from which on states without predecessors are decided first. If
    /// fewer edges are scattered, states are numbered along the edges, and few states have no
    /// predecessors.
    pub(super) scattered: f64,
}

/// The conditions for ranges ([`super::ranges`]).
#[derive(Clone, Copy, Debug)]
pub(super) struct RangeLimits {
    /// At most this share of the edges is long, or all long edges have the same direction
    /// ([`EdgeSample::is_in_order`]).
    pub(super) long: f64,
    /// No range has more than this share of all states and edges: all others wait for the thread
    /// that searches it.
    pub(super) heaviest: f64,
    /// At most this share of the states is left to one thread (`ranges`).
    pub(super) nodes: f64,
}

/// The conditions under which all threads search a region for MECs at once
/// ([`super::shared_region`]).
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedLimits {
    /// The least number of states.
    pub(super) states: usize,
    /// The search is given up if a thread has one in this many of the states open.
    pub(super) open: usize,
}

impl SharedLimits {
    pub(super) const USUAL: Self = Self {
        states: 1 << 16,
        open: 32,
    };
}

impl RoundLimits {
    pub(super) const USUAL: Self = Self {
        threads: MIN_THREADS,
        dense: true,
        period: PERIOD / 4,
        scattered: 1.0 / 8.0,
    };
}

impl RangeLimits {
    pub(super) const USUAL: Self = Self {
        long: MAX_LONG_SHARE,
        heaviest: MAX_RANGE_SHARE,
        nodes: 1.0 / 2.0,
    };
}

impl Limits {
    /// The usual limits for graphs in which most states have an edge that leads far. Several
    /// threads search them in rounds, because one thread would wait for memory most of the time.
    pub(super) const USUAL: Self = Self {
        states: MIN_STATES,
        size: MIN_SIZE,
        many_threads: MIN_THREADS,
        portfolio_threads: VERY_FEW_THREADS + 1,
        rounds: Some(RoundLimits::USUAL),
        ranges: Some(RangeLimits::USUAL),
        shared: SharedLimits::USUAL,
    };

    /// The usual limits for other graphs. There, one thread hardly waits, and several threads lose
    /// more time by their coordination.
    pub(super) const WITHOUT_ROUNDS: Self = Self {
        rounds: None,
        ..Self::USUAL
    };

    /// Returns whether a graph of this size is large enough to be shared by threads.
    fn suit_size(&self, num_states: usize, num_edges: usize) -> bool {
        num_states >= self.states || num_states + num_edges >= self.size
    }

    /// Returns whether this many threads can share the work on a graph of this size.
    fn suit_all(&self, threads: usize, num_states: usize, num_edges: usize) -> bool {
        threads >= self.many_threads && self.suit_size(num_states, num_edges)
    }

    /// Returns the limits of ranges if this many threads may search ranges of a graph with this
    /// sample.
    fn ranges_for(
        &self,
        threads: usize,
        num_states: usize,
        num_edges: usize,
        sample: EdgeSample,
    ) -> Option<RangeLimits> {
        let suits = |limits: &RangeLimits| {
            self.suit_all(threads, num_states, num_edges) && sample.is_in_order(limits.long)
        };
        self.ranges.filter(suits)
    }

    /// Returns whether this many threads search a graph of this size faster in rounds than one
    /// thread does.
    fn rounds_are_worthwhile(&self, threads: usize, num_states: usize, num_edges: usize) -> bool {
        self.rounds.is_some_and(|rounds| {
            let is_too_thin = rounds.dense && is_thin(num_states, num_edges);
            threads >= rounds.threads && self.suit_size(num_states, num_edges) && !is_too_thin
        })
    }

    /// Returns how many of these threads search a graph of this size in rounds, or `None` if one
    /// thread searches it.
    fn threads_for_rounds(
        &self,
        threads: usize,
        num_states: usize,
        num_edges: usize,
    ) -> Option<usize> {
        let cells = threads.min(marks::most_cells(num_states));
        self.rounds_are_worthwhile(cells, num_states, num_edges)
            .then_some(cells)
    }
}

/// Whether a plan has sweeps, provided that looking for a giant component is worthwhile.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sweeps {
    Try,
    Skip,
}

/// Whether all threads look for a giant component before the rest of a graph is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookForGiant {
    No,
    /// After ranges are given up, by a forward search that ends when it takes longer than
    /// [`GIANT_BUDGET`] allows.
    WithinBudget,
    /// By sweeps, which begin with this search. Where MECs are wanted, sweeps also decide states.
    BySweeps(FirstSearch),
}

/// The searches that are tried, in the order of the fields from `walks` on, until one finds all
/// components. The test whether a graph is one component ([`super::numbering`]) comes after walks;
/// it needs no plan, because it soon ends on most graphs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) facts: Facts,
    pub(super) limits: Limits,
    /// The components to search for: SCCs also if MECs are wanted and follow from these.
    pub(super) kind: ComponentKind,
    /// Whether walks along the edges are tried ([`functional`]).
    pub(super) walks: bool,
    /// The direction in which all edges may lead, so that all threads test whether they do
    /// ([`super::numbering`]).
    pub(super) one_way: Option<EdgeDirection>,
    /// Whether all threads search ranges of states ([`super::ranges`]), and under which conditions
    /// they give that up.
    pub(super) ranges: Option<RangeLimits>,
    pub(super) giant: LookForGiant,
    /// Whether one thread begins to search the whole graph before sweeps, where SCCs are wanted.
    /// Very few threads are not much faster by sweeps if there is no giant.
    pub(super) begins_with_one: bool,
    /// Whether searches of the whole graph, by one thread each, begin at the same time as the other
    /// searches of this plan, where SCCs are wanted; and in which orders of edges. The first result
    /// counts.
    pub(super) portfolio: Option<&'static [EdgeOrder]>,
    /// The number of threads that search the rest in rounds ([`super::parallel`]). `None`: one
    /// thread searches it depth-first.
    pub(super) rounds: Option<usize>,
    /// Whether states without predecessors are decided before the first round.
    pub(super) trims_sources: bool,
    /// The limits of searches for MECs by all threads at once ([`super::shared_region`]), if there
    /// are many threads. One thread takes less time for a state than few threads, which claim it.
    pub(super) shared: Option<SharedLimits>,
}

impl Plan {
    /// Returns the usual plan. `kind`: see [`kind`](Self::kind).
    pub(super) fn usual(facts: Facts, kind: ComponentKind) -> Self {
        let (sweeps, limits) = match facts.sweeps_are_worthwhile(kind) {
            true => (Sweeps::Try, Limits::USUAL),
            false => (Sweeps::Skip, Limits::WITHOUT_ROUNDS),
        };
        let plan = Self::new(facts, kind, sweeps, limits);
        tracing::debug!(?plan);
        plan
    }

    /// Returns the plan with these limits, and with sweeps or without.
    pub(super) fn new(facts: Facts, kind: ComponentKind, sweeps: Sweeps, limits: Limits) -> Self {
        let Facts {
            states,
            edges,
            sample,
            ..
        } = facts;
        let ranges = limits
            .ranges_for(facts.threads, states, edges, sample)
            .filter(|ranges| facts.heaviest_range <= ranges.heaviest);
        let first = match kind {
            ComponentKind::Mec => Some(FirstSearch::Forward),
            ComponentKind::Scc | ComponentKind::Bscc => facts.first_search(),
        };
        let giant = match (sweeps, first) {
            (Sweeps::Try, Some(first)) => LookForGiant::BySweeps(first),
            // If edges lead nearby, one thread is often faster.
            (Sweeps::Skip, _) if ranges.is_some() => LookForGiant::WithinBudget,
            (Sweeps::Try, None) | (Sweeps::Skip, _) => LookForGiant::No,
        };
        let rounds = limits.threads_for_rounds(facts.threads, states, edges);
        let is_scattered = |limits: RoundLimits| sample.scattered() >= limits.scattered;
        let plan = Self {
            facts,
            limits,
            kind,
            walks: facts.walks_are_worthwhile(),
            one_way: EdgeDirection::of(sample)
                .filter(|_| limits.suit_all(facts.threads, states, edges)),
            ranges,
            giant,
            begins_with_one: facts.threads <= VERY_FEW_THREADS
                && matches!(giant, LookForGiant::BySweeps(_)),
            portfolio: None,
            rounds,
            trims_sources: rounds.is_some() && limits.rounds.is_some_and(is_scattered),
            shared: (kind == ComponentKind::Mec && facts.threads >= limits.many_threads)
                .then_some(limits.shared),
        };
        Self {
            portfolio: plan.portfolio_orders(),
            ..plan
        }
    }

    /// Returns the number of threads that share the searches of this plan: all but those that
    /// search the whole graph.
    pub(super) fn sharing_threads(&self) -> usize {
        let racing = self.portfolio.map_or(0, <[_]>::len);
        self.facts.threads.saturating_sub(racing).max(1)
    }

    /// Returns the orders in which one thread each searches the whole graph while others follow the
    /// plan. The order of edges makes a great difference that a sample does not always tell. If
    /// paths jump, such a search never finishes before walks, but slows them down.
    fn portfolio_orders(&self) -> Option<&'static [EdgeOrder]> {
        let (threads, limits) = (self.facts.threads, &self.limits);
        let may_use_portfolio = self.kind != ComponentKind::Mec
            && self.facts.states <= MAX_PORTFOLIO_STATES
            && threads >= limits.portfolio_threads;
        if !may_use_portfolio || self.is_one_pass() || self.facts.paths_jump {
            return None;
        }
        match threads < limits.many_threads {
            true => Some(&[EdgeOrder::FirstToLast]),
            false => Some(&[EdgeOrder::FirstToLast, EdgeOrder::LastToFirst]),
        }
    }

    /// Returns the search with which looking for a giant begins, if that is planned.
    pub(super) fn first_search(&self) -> Option<FirstSearch> {
        match self.giant {
            LookForGiant::No => None,
            LookForGiant::BySweeps(first) => Some(first),
            LookForGiant::WithinBudget => {
                let size_each = self.facts.size().div_ceil(self.facts.states.max(1));
                Some(FirstSearch::ForwardWithin(GIANT_BUDGET * size_each as u32))
            }
        }
    }

    /// Returns the threads that search a graph in a round. `None`: one thread searches it. The
    /// graph is the whole one, or a quotient.
    pub(super) fn round(&self, edges: AllEdges<'_>) -> Option<RoundThreads> {
        let (states, edges) = (edges.num_states(), edges.targets.len());
        let limits = &self.limits;
        let threads = limits.threads_for_rounds(self.facts.threads, states, edges)?;
        Some(RoundThreads {
            threads,
            period: limits.rounds?.period,
        })
    }

    /// Returns whether one thread searches the graph in one pass, unless its numbering shows its
    /// components.
    pub(super) fn is_one_pass(&self) -> bool {
        !self.walks
            && self.ranges.is_none()
            && self.giant == LookForGiant::No
            && self.rounds.is_none()
    }
}
