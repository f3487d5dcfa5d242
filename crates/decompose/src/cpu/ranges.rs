//! Finds strongly connected components on all threads, if edges lead nearby or in one direction.
//!
//! The states are cut into ranges of consecutive numbers, so that few edges lead from one range to
//! another. One thread searches each range ([`range`]), and shares nothing with the others. A
//! component of a range is a component of the graph unless a cycle through it leaves the range. If
//! there may be such a cycle, the component is a *node* of a smaller graph, the quotient, or it is
//! known which nodes reach it, and which nodes it reaches. [`super::pearce`] searches the quotient
//! on one thread (`docs/cpu-threads.md`).

mod crossings;
mod range;
#[cfg(test)]
mod tests;

use super::edges::AllEdges;
use super::pearce;
use super::quotient::rows_of_pairs;
use super::strategy::{RANGES_EACH, RangeLimits};
use super::ticker::{Ticker, Watch};
use crate::Error;
use crate::sample::EdgeSample;
use crossings::{Crossings, Cut};
use mdp_graph::{Partition, Table};
use range::{FirstNumbers, MASK_BITS, Searched};
use rayon::prelude::*;
use std::ops::Range;

/// The number of states at a border between ranges whose edges are examined.
const BORDER: usize = 1 << 12;

/// The number of nodes is estimated from one in this many states of some ranges.
const PROBE_DIVISOR: usize = 8;

/// Returns the components, or `None` if edges lead too far or one thread would be as fast.
/// `threads`: the number of threads that search ranges.
pub(super) fn sccs(
    edges: AllEdges<'_>,
    sample: EdgeSample,
    threads: usize,
    limits: RangeLimits,
    ticker: &mut Ticker<'_>,
) -> Result<Option<Partition>, Error> {
    let n = edges.num_states();
    // Marks are at most as large as `2 n`.
    let is_too_large = u32::try_from(2 * n + 1).is_err();
    if is_too_large || mdp_graph::check_room("ranges", &room(n, edges.targets.len())).is_err() {
        return Ok(None);
    }
    let cut = Cut::new(n, RANGES_EACH * threads);
    let most_nodes = (limits.nodes * n as f64) as usize;
    if most_nodes < n && has_few_inner_cycles(edges, sample, cut) {
        return Ok(None);
    }
    // Shorter edges than those that count as long may lead to another range, too.
    let most_crossings = 4.0 * limits.long;
    let Some(crossings) = Crossings::find(edges, cut, most_crossings) else {
        return Ok(None);
    };
    if nodes_expected(edges, cut, &crossings, threads, ticker)? > most_nodes {
        return Ok(None);
    }
    let mut marks = Table::any(n);
    let ranges = search(edges, cut, &crossings, &mut marks, ticker)?;
    let (rows, targets) = quotient(&ranges, cut, &crossings, &marks);
    let num_nodes = rows.len() - 1;
    tracing::debug!(states = n, nodes = num_nodes, "ranges were searched");
    let of_nodes = AllEdges {
        rows: &rows,
        targets: &targets,
    };
    let (found, names) = match num_nodes {
        0 => (0, Table::new(0)),
        _ => pearce::sccs(of_nodes, None, ticker)?.into_numbers(),
    };
    let own = name(&ranges, cut, &names, &mut marks);
    Ok(Some(Partition::of_parts(marks, own + found)))
}

/// Returns the memory that the search takes at most, in bytes: the edges within ranges and between
/// them, numbers and masks of their components, and the edges of the quotient, first as pairs.
fn room(num_states: usize, num_edges: usize) -> [usize; 3] {
    [
        4 * num_states + 5 * num_edges,
        range::BYTES * num_states,
        (8 + 4) * num_edges,
    ]
}

/// Returns whether there would be many nodes in the unmasked case: by a sample, few edges are
/// backward, but many of these lead across a border between ranges, or the same in the other
/// direction. Then few cycles are within one range, and most lead through several. One thread
/// examines the border. If all threads examined all edges and ranges were then given up, the search
/// would take a quarter longer (measured with 16 threads).
fn has_few_inner_cycles(edges: AllEdges<'_>, sample: EdgeSample, cut: Cut) -> bool {
    let n = edges.num_states() as u32;
    let (first, middle, last) = (
        cut.range(0),
        cut.range(cut.of(n / 2)),
        cut.range(cut.of(n - 1)),
    );
    let many_lead = |states: &mut dyn Iterator<Item = u32>, to: Range<u32>| {
        let targets = states.take(BORDER).flat_map(|state| edges.of(state));
        targets
            .filter(|target| to.contains(target))
            .take(MASK_BITS + 1)
            .count()
            > MASK_BITS
    };
    // Edges against most others may lead from the end of the graph only.
    if sample.has_few_backward_edges() {
        return many_lead(&mut middle.clone(), 0..middle.start)
            || many_lead(&mut last.clone().rev(), 0..last.start);
    }
    sample.is_almost_all_backward()
        && (many_lead(&mut middle.clone().rev(), middle.end..n)
            || many_lead(&mut first.clone(), first.end..n))
}

/// Estimates the number of nodes in the unmasked case, from the number of components at the
/// beginnings of some ranges, one for each thread. The estimate may be too large.
fn nodes_expected(
    edges: AllEdges<'_>,
    cut: Cut,
    crossings: &Crossings,
    threads: usize,
    ticker: &Ticker<'_>,
) -> Result<usize, Error> {
    let unmasked = crossings.unmasked(MASK_BITS);
    let (watch, len) = (
        Watch::new(ticker, 0),
        cut.len().div_ceil(PROBE_DIVISOR) as u32,
    );
    let count = |&number: &usize| {
        let Range { start, end } = cut.range(number);
        let beginning = start..end.min(start + len);
        let quiet = watch.quiet();
        Searched::count(edges, beginning, &mut Ticker::new(&quiet, len as usize))
    };
    let some: Vec<usize> = unmasked
        .iter()
        .copied()
        .step_by(unmasked.len().div_ceil(threads).max(1))
        .collect();
    let found: Result<usize, Error> = some.par_iter().with_max_len(1).map(count).sum();
    let share = found? as f64 / (some.len().max(1) * len as usize) as f64;
    Ok((share * (unmasked.len() * cut.len()) as f64) as usize)
}

/// Searches all ranges. The mark of each state becomes the number of its component in its range.
fn search(
    edges: AllEdges<'_>,
    cut: Cut,
    crossings: &Crossings,
    marks: &mut Table<u32>,
    ticker: &Ticker<'_>,
) -> Result<Vec<Searched>, Error> {
    let watch = Watch::new(ticker, 0);
    let search_one = |(number, marks): (usize, &mut [u32])| {
        let (within, borders) = (cut.range(number), crossings.borders(number));
        let quiet = watch.quiet();
        let mut ticker = Ticker::new(&quiet, marks.len());
        let range = Searched::search(edges, within, borders, marks, &mut ticker)?;
        watch.add(marks.len());
        Ok(range)
    };
    let chunks = marks.par_chunks_mut(cut.len()).enumerate();
    chunks.with_max_len(1).map(search_one).collect()
}

/// Returns the edges between the nodes of all ranges: offsets, and targets.
fn quotient(
    ranges: &[Searched],
    cut: Cut,
    crossings: &Crossings,
    marks: &[u32],
) -> (Table<u32>, Table<u32>) {
    let firsts = firsts(ranges);
    let node = |state: u32| {
        let number = cut.of(state);
        let node = ranges[number].node(marks[state as usize]);
        node.map(|node| firsts[number] + node)
    };
    let of_range = |(number, range): (usize, &Searched)| {
        let first = firsts[number];
        let within = range
            .edges
            .iter()
            .map(|&(from, to)| (first + from, first + to));
        let crossing = crossings.borders(number).exits.iter();
        let crossing = crossing.filter_map(|&(from, to)| Some((node(from)?, node(to)?)));
        let mut pairs: Vec<(u32, u32)> = within.chain(crossing).collect();
        // Neighbours often lead from one node to one other.
        pairs.dedup();
        pairs
    };
    let pairs: Vec<Vec<(u32, u32)>> = ranges.par_iter().enumerate().map(of_range).collect();
    let num_nodes = firsts.last().map_or(0, |&end| end as usize);
    rows_of_pairs(num_nodes, pairs)
}

/// Replaces the numbers of components in ranges by numbers of components of the graph. `names` has
/// those of the nodes. Returns the number of components without nodes.
fn name(ranges: &[Searched], cut: Cut, names: &[u32], marks: &mut Table<u32>) -> usize {
    let firsts = firsts(ranges);
    let n = marks.len() as u32;
    let chunks = marks.par_chunks_mut(cut.len()).enumerate();
    let name_one = |(number, marks): (usize, &mut [u32])| {
        let of_nodes = &names[firsts[number] as usize..firsts[number + 1] as usize];
        let first = FirstNumbers {
            own: cut.range(number).start,
            of_nodes: n,
        };
        ranges[number].name(first, of_nodes, marks)
    };
    chunks.with_max_len(1).map(name_one).sum()
}

/// Returns the first node of each range, and the number of all nodes.
fn firsts(ranges: &[Searched]) -> Vec<u32> {
    let mut end = 0;
    let mut firsts = vec![0];
    firsts.extend(ranges.iter().map(|range| {
        end += range.num_nodes as u32;
        end
    }));
    firsts
}
