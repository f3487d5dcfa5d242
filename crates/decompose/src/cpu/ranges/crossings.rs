//! [`Cut`]: how states are cut into ranges. [`Crossings`]: the edges between ranges.

use crate::cpu::edges::AllEdges;
use rayon::prelude::*;
use std::ops::Range;

/// The most ranges: a word has a bit for each.
const MAX: usize = 64;

/// The division of the states into ranges.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    num_states: usize,
    len: usize,
}

impl Cut {
    /// Returns a division into about this many ranges of equal length.
    pub(super) fn new(num_states: usize, ranges: usize) -> Self {
        let len = num_states.div_ceil(ranges.clamp(1, MAX)).max(1);
        Self { num_states, len }
    }

    /// Returns the number of states of each range except the last one, which may have fewer.
    pub(super) fn len(self) -> usize {
        self.len
    }

    pub(super) fn range(self, number: usize) -> Range<u32> {
        let end = ((number + 1) * self.len).min(self.num_states);
        (number * self.len) as u32..end as u32
    }

    /// Returns the number of the range of a state.
    pub(super) fn of(self, state: u32) -> usize {
        state as usize / self.len
    }

    fn num_ranges(self) -> usize {
        self.num_states.div_ceil(self.len)
    }
}

/// The edges that cross from one range to another and may lie on a cycle.
pub(super) struct Crossings {
    /// For each range the edges that leave it.
    exits: Vec<Vec<(u32, u32)>>,
    /// For each range the states to which edges from other ranges lead, in no order, some
    /// repeatedly.
    entries: Vec<Vec<u32>>,
}

/// The edges that cross the borders of a range.
#[derive(Clone, Copy)]
pub(super) struct Borders<'a> {
    /// The edges that leave the range: source and target.
    pub(super) exits: &'a [(u32, u32)],
    /// The states of the range to which edges from other ranges lead, in no order, some repeatedly.
    pub(super) entries: &'a [u32],
}

impl Crossings {
    /// Finds the crossings, on all threads. Returns `None` if more than the share `most` of a
    /// range's edges are crossings.
    pub(super) fn find(edges: AllEdges<'_>, cut: Cut, most: f64) -> Option<Self> {
        let on_cycles = CycleRanges::find(edges, cut);
        let ranges = (0..cut.num_ranges()).into_par_iter();
        let exits = ranges.map(|number| exits(edges, cut, number, &on_cycles, most));
        let exits: Vec<Vec<(u32, u32)>> = exits.collect::<Option<_>>()?;
        let mut entries = vec![Vec::new(); exits.len()];
        for &(_, target) in exits.iter().flatten() {
            entries[cut.of(target)].push(target);
        }
        Some(Self { exits, entries })
    }

    pub(super) fn borders(&self, number: usize) -> Borders<'_> {
        Borders {
            exits: &self.exits[number],
            entries: &self.entries[number],
        }
    }

    /// Returns the ranges with more entries and exits than this.
    pub(super) fn unmasked(&self, most: usize) -> Vec<usize> {
        let is_unmasked = |&number: &usize| {
            let Borders { exits, entries } = self.borders(number);
            exits.len().max(entries.len()) > most && !exits.is_empty() && !entries.is_empty()
        };
        (0..self.exits.len()).filter(is_unmasked).collect()
    }
}

/// Returns the edges that leave a range and may lie on a cycle, if they are no more than this share
/// of its edges.
fn exits(
    edges: AllEdges<'_>,
    cut: Cut,
    number: usize,
    on_cycles: &CycleRanges,
    most: f64,
) -> Option<Vec<(u32, u32)>> {
    let mut found = Vec::new();
    if !on_cycles.have(number) {
        return Some(found);
    }
    let within = cut.range(number);
    let ends = [within.start, within.end].map(|state| edges.rows[state as usize]);
    let most = (f64::from(ends[1] - ends[0]) * most) as usize;
    for state in within.clone() {
        let targets = edges.of(state).iter();
        let leaving = targets.filter(|target| !within.contains(target));
        let exits = leaving.filter(|&&target| on_cycles.contain(number, cut.of(target)));
        found.extend(exits.map(|&target| (state, target)));
        if found.len() > most {
            return None;
        }
    }
    Some(found)
}

/// For each range, a bit for each range that paths from it reach.
struct CycleRanges(Vec<u64>);

impl CycleRanges {
    fn find(edges: AllEdges<'_>, cut: Cut) -> Self {
        let ranges = (0..cut.num_ranges()).into_par_iter();
        let reached = ranges.map(|number| {
            let within = cut.range(number);
            let all = within.clone().flat_map(|state| edges.of(state));
            let leaving = all.filter(|target| !within.contains(target));
            leaving.fold(0, |reached, &target| reached | 1 << cut.of(target))
        });
        let mut reached: Vec<u64> = reached.collect();
        // Paths through one range more at a time (S. Warshall, 1962).
        for through in 0..reached.len() {
            for from in 0..reached.len() {
                if reached[from] >> through & 1 == 1 {
                    reached[from] |= reached[through];
                }
            }
        }
        Self(reached)
    }

    /// Returns whether a range lies on a cycle with other ranges.
    fn have(&self, number: usize) -> bool {
        self.contain(number, number)
    }

    /// Returns whether an edge between these ranges may lie on a cycle.
    fn contain(&self, from: usize, to: usize) -> bool {
        self.0[to] >> from & 1 == 1
    }
}
