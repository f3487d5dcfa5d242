//! Lays out rows: first the offsets, which determine the size, then the entries. Uses all threads
//! of the current rayon pool.

use super::error::{LayoutError, MAX_ENTRIES};
use super::order::Order;
use super::rows::Rows;
use super::segments::{EMPTY, Entry, Places, Segments};
use mdp_graph::StateId;
use rayon::prelude::*;

/// The minimum number of states that a thread lays out at a time.
const BLOCK: usize = 1 << 12;

/// Lays out rows in the numbering of `order`. The first `interleaved` rows are in segments.
pub(super) fn segments(
    rows: &impl Rows,
    order: &Order,
    lanes: u32,
    interleaved: u32,
) -> Result<Segments, LayoutError> {
    let (places, padding) = places(rows, order, lanes, interleaved)?;
    let n = order.len();
    let state_bits = u32::BITS - (n.saturating_sub(1) as u32).leading_zeros();
    let largest = (u64::from(rows.max_group()) << state_bits) | ((1 << state_bits) - 1);
    let packed = largest < u64::from(EMPTY);
    let size = places.offsets[n] as usize;
    let mut entries = vec![EMPTY; size];
    let mut groups = (!packed).then(|| vec![0; size]);
    write(rows, order, &places, &mut entries, |entry| {
        let group = if packed { entry.group << state_bits } else { 0 };
        group | order.to_new(entry.state).0
    });
    if let Some(groups) = &mut groups {
        write(rows, order, &places, groups, |entry| entry.group);
    }
    Ok(Segments {
        places,
        entries,
        state_bits,
        groups,
        padding,
    })
}

/// Returns the places of all rows, and the number of padding entries.
fn places(
    rows: &impl Rows,
    order: &Order,
    lanes: u32,
    interleaved: u32,
) -> Result<(Places, u64), LayoutError> {
    let n = order.len();
    let length = |new: usize| rows.len(order.to_old(StateId::from_index(new))) as u64;
    let mut offsets = Vec::with_capacity(n + 1);
    let (mut end, mut padding) = (0u64, 0);
    let mut first = 0;
    while first < n {
        let width = match first < interleaved as usize {
            true => (lanes as usize).min(interleaved as usize - first),
            false => 1,
        };
        let longest = (first..first + width).map(length).max().unwrap_or(0);
        let edges: u64 = (first..first + width).map(length).sum();
        // In a segment without edges, the starts of rows may lie past the end. They are never used,
        // but they must fit a word.
        let start = |lane: usize| (end + lane as u64).min(MAX_ENTRIES) as u32;
        offsets.extend((0..width).map(start));
        end += longest * width as u64;
        padding += longest * width as u64 - edges;
        first += width;
    }
    if end > MAX_ENTRIES {
        return Err(LayoutError::TooManyEntries { entries: end });
    }
    offsets.push(end as u32);
    let places = Places {
        lanes,
        interleaved,
        offsets,
    };
    Ok((places, padding))
}

/// Writes `value` of each entry to its place. Threads handle ranges of whole segments.
fn write(
    rows: &impl Rows,
    order: &Order,
    places: &Places,
    all: &mut [u32],
    value: impl Fn(Entry) -> u32 + Sync,
) {
    let n = order.len();
    let interleaved = places.interleaved as usize;
    // A block is a multiple of the lanes, so that no segment is cut. The plain rows may be cut
    // anywhere.
    let block = BLOCK.next_multiple_of(places.lanes as usize);
    let mut parts = Vec::new();
    let mut rest = all;
    let firsts = (0..interleaved)
        .step_by(block)
        .chain((interleaved..n).step_by(block));
    for first in firsts {
        let end = if first < interleaved { interleaved } else { n };
        let last = (first + block).min(end);
        let size = (places.offsets[last] - places.offsets[first]) as usize;
        parts.push((first..last, rest.split_off_mut(..size).unwrap_or_default()));
    }
    parts.into_par_iter().for_each(|(states, part)| {
        let base = places.offsets[states.start] as usize;
        for new in states.map(StateId::from_index) {
            let row = places.row(new);
            let mut at = row.start as usize - base;
            for entry in rows.entries(order.to_old(new)) {
                part[at] = value(entry);
                at += row.step as usize;
            }
        }
    });
}
