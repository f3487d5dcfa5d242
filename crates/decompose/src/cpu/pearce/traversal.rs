//! [`Traversal`]: how a search goes through the states of a graph.

use crate::Error;
use crate::cpu::cache_fit::FEW_STATES;
use crate::cpu::edges::AllEdges;
use crate::cpu::steps;
use crate::cpu::ticker::{PERIOD, Ticker};
use crate::sample::{EdgeSample, is_sampled};
use mdp_graph::Index;

/// The number of targets of a state that are checked together.
const TOGETHER: usize = 8;

/// How a search goes through the states of a graph. A sample of the edges decides that. The result
/// of the search does not depend on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traversal {
    /// Whether the search prefetches all targets of a state when its visit begins, and the first
    /// edge of the unvisited ones. This is useful if edges lead far, because otherwise the search
    /// would wait for each target separately. It is not needed if the long edges of neighbouring
    /// states lead to the same states, because these are in a cache. The search may find out that
    /// it is faster without ([`super::adaptive`]).
    pub(super) prefetches_targets: bool,
    /// Whether the successors of several roots are prefetched together. This is useful if most
    /// edges are scattered, and there are fewer edges than states, so that most searches from a
    /// root are short.
    pub(super) prefetches_roots: bool,
    /// The order of roots and edges.
    pub(super) order: Order,
    /// Whether the time for the first states shows the time of the rest. It does not if most states
    /// have one edge, many have none, or few have many of the edges.
    pub(super) shows_pace: bool,
    /// Whether one pass before the search closes all states without an edge. This is useful if
    /// there are many and few edges, because the search then visits only some states.
    pub(super) trims_sinks: bool,
    /// Whether there may be many [runs](super::runs): there are hardly more edges than states, and
    /// enough edges lead to a state with a neighbouring number. By measurement, looking for runs
    /// takes a tenth of the time of a search that finds none, and short runs cost more than they
    /// save.
    pub(super) has_runs: bool,
    /// Whether all states that are components by themselves get the same mark. This saves time
    /// when components are numbered.
    pub(super) shares_lone: bool,
    /// Whether all targets are known to be in range. If not, the search checks them.
    pub(super) is_checked: bool,
}

/// The order in which a search takes roots and edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    /// Whether the search takes roots in ascending order. It does unless the graph leads forward,
    /// in which case most edges lead to closed states in descending order.
    pub(super) ascends: bool,
    /// Whether the search follows the last edge of a state first. No sample tells whether that is
    /// faster, so it is done only where several threads search a graph in different orders.
    pub(super) last_first: bool,
}

impl Order {
    /// Returns all states, in the order in which they are taken as roots.
    pub(super) fn roots(self, num_states: usize) -> impl Iterator<Item = u32> {
        let last = (num_states as u32).wrapping_sub(1);
        (0..num_states as u32).map(move |root| if self.ascends { root } else { last - root })
    }

    /// Returns the number of roots at the beginning whose edges lead only to themselves and to
    /// earlier roots. Each of these is a component by itself. This test does not read the indices
    /// of targets.
    pub(super) fn leading_singles<I: Index>(
        self,
        edges: AllEdges<'_, I>,
        ticker: &Ticker<'_>,
    ) -> Result<usize, Error> {
        match self.ascends {
            true => leading_singles(
                edges,
                ticker,
                |number| number,
                |target, root| target <= root,
            ),
            false => {
                let n = edges.num_states();
                let is_later = |target: usize, root| target.wrapping_sub(root) < n - root;
                leading_singles(edges, ticker, |number| n - 1 - number, is_later)
            }
        }
    }
}

/// Returns the number of roots at the beginning that lead only to targets that `may_lead` allows.
/// `root_of`: the root with this number.
fn leading_singles<I: Index>(
    edges: AllEdges<'_, I>,
    ticker: &Ticker<'_>,
    root_of: impl Fn(usize) -> usize,
    may_lead: impl Fn(usize, usize) -> bool,
) -> Result<usize, Error> {
    let n = edges.num_states();
    for first in (0..n).step_by(PERIOD as usize) {
        ticker.report(first)?;
        for number in first..n.min(first + PERIOD as usize) {
            let root = root_of(number);
            let row = edges.of(root as u32);
            steps::count(row.len() as u32);
            if !all_allowed(row, |target| may_lead(target, root)) {
                return Ok(number);
            }
        }
    }
    Ok(n)
}

/// Returns whether all targets of a row are `allowed`. Several targets of a long row are checked
/// together.
#[inline(always)]
fn all_allowed<I: Index>(row: &[I], allowed: impl Fn(usize) -> bool) -> bool {
    let (pieces, rest) = row.as_chunks::<TOGETHER>();
    for piece in pieces {
        let mut all = true;
        for target in piece {
            all &= allowed(target.as_usize());
        }
        if !all {
            return false;
        }
    }
    for target in rest {
        if !allowed(target.as_usize()) {
            return false;
        }
    }
    true
}

impl Traversal {
    /// The least share of scattered edges with which some look-ups miss every cache.
    const SOME_SCATTERED: f64 = 1.0 / 16.0;
    /// The least share of states without an edge with which a separate pass closes them.
    const MANY_SINKS: f64 = 1.0 / 8.0;
    /// The least share of scattered edges with which a search waits for memory at most roots.
    const MAX_SCATTERED: f64 = 1.0 / 2.0;

    /// The time for the first of fewer states than this is not measured.
    const ENOUGH_TO_TIME: usize = 1 << 17;

    /// The least share of edges between neighbouring numbers with which there may be many runs.
    const MANY_ADJACENT: f64 = 1.0 / 4.0;

    /// Returns how to search these edges, of which it takes a sample if the graph is large.
    pub(super) fn of<I: Index>(edges: AllEdges<'_, I>) -> Self {
        let sample = match is_sampled(edges.num_states(), edges.targets.len()) {
            true => edges.sample(),
            false => EdgeSample::default(),
        };
        Self::by_sample(edges, sample)
    }

    /// Returns how to search these edges, given a sample of them.
    pub(super) fn by_sample<I: Index>(edges: AllEdges<'_, I>, sample: EdgeSample) -> Self {
        let (n, num_edges) = (edges.num_states(), edges.targets.len());
        let has_many_sinks = sample.ending() >= Self::MANY_SINKS;
        let is_sparse = num_edges < n;
        let has_long_rows = sample.has_long_rows(n, num_edges);
        let ascends = !sample.leads_forward();
        let has_few_edges = num_edges <= n / 4 * 5;
        let shows_pace =
            n >= Self::ENOUGH_TO_TIME && !has_few_edges && !has_many_sinks && !has_long_rows;
        Self {
            prefetches_targets: sample.leads_far() && sample.scattered() >= Self::SOME_SCATTERED,
            prefetches_roots: is_sparse && sample.scattered() >= Self::MAX_SCATTERED,
            order: Order {
                ascends,
                last_first: false,
            },
            shows_pace,
            trims_sinks: is_sparse && has_many_sinks,
            has_runs: has_few_edges && (n < FEW_STATES || sample.adjacent() >= Self::MANY_ADJACENT),
            shares_lone: true,
            is_checked: true,
        }
    }
}
