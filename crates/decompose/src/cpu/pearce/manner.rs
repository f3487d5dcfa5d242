//! [`Manner`]: how a search goes through the states of a graph.

use crate::Error;
use crate::cpu::edges::All;
use crate::cpu::steps;
use crate::cpu::ticker::{PERIOD, Ticker};
use crate::sample::EdgeSample;
use mdp_graph::Index;

/// How a search goes through the states, by a sample of their edges. What it finds does not depend
/// on that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// Whether all targets of a state are looked at when its visit begins, and what the unvisited
    /// ones lead to first. Otherwise a search would wait for each of them by itself, where edges
    /// lead far. Where all of these lead to the same states, a cache has them.
    pub(super) looks_ahead: bool,
    /// Whether what several roots lead to is looked at together: where most edges are scattered.
    pub(super) looks_at_roots: bool,
    /// Whether the first states come first: where most edges lead back, and where edges are
    /// scattered, unless all of them lead on. Then few of them lead to states that are done with,
    /// whatever comes first; and what a path from a first state finds, lies together more often
    /// (measured).
    pub(super) ascends: bool,
    /// Whether states without an edge are closed before the search, all in one pass: where there
    /// are many. Then no search comes to them.
    pub(super) closes_ends: bool,
    /// Whether there may be many [runs](super::runs): hardly more edges than states. Looking for
    /// them takes a tenth of the time of a search that finds none (measured).
    pub(super) has_runs: bool,
    /// Whether all targets are known to be states. If not, the search says whether they are.
    pub(super) is_checked: bool,
}

/// So many targets of a state are looked at together.
const TOGETHER: usize = 8;

impl Manner {
    /// Fewer states than these are in a cache.
    const FEW: usize = 1 << 16;
    /// This share of the edges, or more, is scattered.
    const SCATTERED: f64 = 1.0 / 8.0;
    /// With this share, there are places that no cache has.
    const SOME_SCATTERED: f64 = 1.0 / 16.0;
    /// This share of the states, or more, has no edge.
    const MANY_END: f64 = 1.0 / 8.0;
    /// This share of the edges, or more, makes a search wait at most roots.
    const MOST_SCATTERED: f64 = 1.0 / 2.0;

    pub(super) fn of<I: Index>(edges: All<'_, I>) -> Self {
        let sample = match edges.num_states() {
            ..Self::FEW => EdgeSample::default(),
            _ => edges.sample(),
        };
        Self {
            looks_ahead: sample.leads_far() && sample.scattered() >= Self::SOME_SCATTERED,
            looks_at_roots: sample.scattered() >= Self::MOST_SCATTERED,
            ascends: sample.leads_back()
                || sample.scattered() >= Self::SCATTERED && !sample.leads_on(),
            closes_ends: sample.ending() >= Self::MANY_END,
            has_runs: edges.targets.len() <= edges.num_states() / 4 * 5,
            is_checked: true,
        }
    }

    /// How many of the first roots have no edges but to themselves and to roots before them. Each
    /// is a component by itself, and that takes no look at what is known of their targets.
    pub(super) fn alone<I: Index>(
        self,
        edges: All<'_, I>,
        ticker: &Ticker<'_>,
    ) -> Result<usize, Error> {
        let n = edges.num_states();
        let mut roots = self.roots(n);
        let mut alone = 0;
        let is_alone = |root: u32| {
            let row = edges.of(root);
            steps::count(row.len() as u32);
            let root = root as usize;
            let in_order = |target: &I| match self.ascends {
                true => target.place() <= root,
                false => target.place().wrapping_sub(root) < n - root,
            };
            // Of a long row, several targets are looked at together.
            let (pieces, rest) = row.as_chunks::<TOGETHER>();
            let all = |piece: &[I; TOGETHER]| {
                piece
                    .iter()
                    .fold(true, |all, target| all & in_order(target))
            };
            pieces.iter().all(all) && rest.iter().all(in_order)
        };
        loop {
            let some = roots.by_ref().take(PERIOD as usize);
            let found = some.take_while(|&root| is_alone(root)).count();
            alone += found;
            if found < PERIOD as usize {
                return Ok(alone);
            }
            ticker.report(alone)?;
        }
    }

    /// All states, in the order in which they are taken as roots.
    pub(super) fn roots(self, num_states: usize) -> impl Iterator<Item = u32> {
        let last = (num_states as u32).wrapping_sub(1);
        (0..num_states as u32).map(move |root| if self.ascends { root } else { last - root })
    }
}
