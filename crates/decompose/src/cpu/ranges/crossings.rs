//! [`Cut`]: how states are cut into ranges. [`Crossings`]: the edges between ranges.

use crate::cpu::edges::AllEdges;
use rayon::prelude::*;
use std::ops::Range;

/// The most ranges: a word has a bit for each.
const MAX: usize = 64;

/// The number of states of which the length of long ranges is a multiple.
const BLOCK: usize = 64;

/// The number of edges that are examined together.
const TOGETHER: usize = 64;

/// The division of the states into ranges.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    num_states: usize,
    len: usize,
}

impl Cut {
    /// Returns a division into about this many ranges of equal length. In many models, the states
    /// that belong together are blocks of a small number of states. If the ranges are long, they
    /// consist of whole blocks.
    pub(super) fn new(num_states: usize, ranges: usize) -> Self {
        let len = num_states.div_ceil(ranges.clamp(1, MAX)).max(1);
        let len = match len < BLOCK * BLOCK {
            true => len,
            false => len.next_multiple_of(BLOCK),
        };
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
        let ranges = (0..cut.num_ranges()).into_par_iter();
        let leaving = ranges.map(|number| Leaving::find(edges, cut, number, most));
        let leaving: Vec<Leaving> = leaving.collect();
        let on_cycles = CycleRanges::of(&leaving);
        let ranges = leaving.into_par_iter().enumerate();
        let exits = ranges.map(|(number, leaving)| {
            let may_return = |target: u32| on_cycles.contain(number, cut.of(target));
            match leaving.edges {
                _ if !on_cycles.have(number) => Some(Vec::new()),
                Some(mut exits) => {
                    exits.retain(|&(_, target)| may_return(target));
                    Some(exits)
                }
                None => edges_out_of(edges, cut.range(number), leaving.most, may_return),
            }
        });
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

/// The edges that leave a range.
struct Leaving {
    /// A bit for each range to which they lead.
    ranges: u64,
    /// The edges, if they are at most `most`.
    edges: Option<Vec<(u32, u32)>>,
    /// The number of edges that may be crossings.
    most: usize,
}

impl Leaving {
    /// `most`: the share of all edges of the range that may be crossings.
    fn find(edges: AllEdges<'_>, cut: Cut, number: usize, most: f64) -> Self {
        let within = cut.range(number);
        let num_edges = edges.of_states(within.clone()).len();
        let most = (num_edges as f64 * most) as usize;
        let mut ranges = 0;
        let found = edges_out_of(edges, within.clone(), most, |target| {
            ranges |= 1 << cut.of(target);
            true
        });
        if found.is_none() {
            let leaving = edges.of_states(within.clone()).iter();
            let leaving = leaving.filter(|target| !within.contains(target));
            ranges = leaving.fold(0, |ranges, &target| ranges | 1 << cut.of(target));
        }
        Self {
            ranges,
            edges: found,
            most,
        }
    }
}

/// Returns the edges that leave a range and have a `wanted` target, or `None` if these are more
/// than `most`.
pub(super) fn edges_out_of(
    edges: AllEdges<'_>,
    within: Range<u32>,
    most: usize,
    mut wanted: impl FnMut(u32) -> bool,
) -> Option<Vec<(u32, u32)>> {
    let leaves = |target: &u32| target.wrapping_sub(within.start) >= within.end - within.start;
    let rows = &edges.rows[within.start as usize..=within.end as usize];
    let mut found = Vec::new();
    // The state of the current edge.
    let mut place = 0;
    let all = edges.of_states(within.clone()).chunks(TOGETHER);
    for (first, targets) in (rows[0] as usize..).step_by(TOGETHER).zip(all) {
        // Few edges leave. All of these targets are compared at once, without a branch for each.
        if !targets
            .iter()
            .fold(false, |any, target| any | leaves(target))
        {
            continue;
        }
        for (edge, &target) in (first as u32..).zip(targets) {
            if leaves(&target) && wanted(target) {
                while rows[place + 1] <= edge {
                    place += 1;
                }
                found.push((within.start + place as u32, target));
            }
        }
        if found.len() > most {
            return None;
        }
    }
    Some(found)
}

/// For each range, a bit for each range that paths from it reach.
struct CycleRanges(Vec<u64>);

impl CycleRanges {
    fn of(leaving: &[Leaving]) -> Self {
        let mut reached: Vec<u64> = leaving.iter().map(|leaving| leaving.ranges).collect();
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
