//! Text that all threads make in blocks, and that is written in order.

use mdp_graph::MdpGraph;
use rayon::prelude::*;
use std::io;
use std::ops::Range;

/// The number of lines in a block, about. Their text takes some hundred kilobytes.
const LINES: usize = 1 << 14;

/// The number of blocks for each thread that are made at the same time.
const BLOCKS_EACH: usize = 2;

/// Makes the blocks of some ranges, and writes them in order. While some blocks are written, the
/// next ones are made.
///
/// # Errors
/// The first error of `write`.
pub(super) fn in_order<B: Send>(
    ranges: &[Range<u32>],
    make: impl Fn(Range<u32>) -> B + Sync,
    mut write: impl FnMut(B) -> io::Result<()> + Send,
) -> io::Result<()> {
    let make_all = |ranges: &[Range<u32>]| -> Vec<B> {
        let ranges = ranges.par_iter().cloned();
        ranges.map(&make).collect()
    };
    let mut made = Vec::new();
    for ranges in ranges.chunks(BLOCKS_EACH * rayon::current_num_threads()) {
        let write_all = || made.into_iter().try_for_each(&mut write);
        let (written, next) = rayon::join(write_all, || make_all(ranges));
        written?;
        made = next;
    }
    made.into_iter().try_for_each(write)
}

/// Returns the number of branches of the states before this one.
pub(super) fn branches_before(graph: &MdpGraph, state: u32) -> u64 {
    let first_choice = graph.choice_offsets()[state as usize];
    graph.branch_offsets()[first_choice as usize].into()
}

/// Returns ranges of states with about [`LINES`] branches each.
pub(super) fn by_branches(graph: &MdpGraph) -> Vec<Range<u32>> {
    let states = graph.num_states() as u32;
    let (mut ranges, mut start) = (Vec::new(), 0);
    while start < states {
        let full = branches_before(graph, start) + LINES as u64;
        // States without a branch may have a line, too.
        let last = states.min(start.saturating_add(LINES as u32));
        let is_full = |&end: &u32| branches_before(graph, end) >= full;
        let end = (start + 1..last).find(is_full).unwrap_or(last);
        ranges.push(start..end);
        start = end;
    }
    ranges
}

/// Returns ranges of [`LINES`] states each.
pub(super) fn by_states(num_states: u32) -> Vec<Range<u32>> {
    let starts = (0..num_states).step_by(LINES);
    let range = |start: u32| start..num_states.min(start.saturating_add(LINES as u32));
    starts.map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn blocks_are_written_in_order_and_an_error_ends_that() {
        for count in [0, 1, 5, 1000] {
            let ranges: Vec<Range<u32>> = (0..count).map(|i| i..i + 1).collect();
            let mut found = Vec::new();
            let written = in_order(
                &ranges,
                |range| range.start,
                |i| {
                    found.push(i);
                    match i {
                        700 => Err(io::Error::other("full")),
                        _ => Ok(()),
                    }
                },
            );
            let last = count.min(701);
            assert_eq!(found, (0..last).collect::<Vec<u32>>());
            assert_eq!(written.is_err(), count > 700);
        }
    }

    proptest! {
        #[test]
        fn ranges_follow_one_another(rows in proptest::collection::vec(0usize..40_000, 0..12)) {
            let states: Vec<Vec<Vec<u32>>> = rows.iter().map(|&len| match len {
                0 => Vec::new(),
                _ => vec![vec![0; len]],
            }).collect();
            let graph = MdpGraph::from_choices(&states).expect("it is a graph");
            let mut next = 0;
            for range in by_branches(&graph) {
                prop_assert_eq!(range.start, next);
                prop_assert!(range.end > next);
                let sizes = range.clone().map(|state| rows[state as usize]);
                prop_assert!(sizes.take(range.len() - 1).sum::<usize>() < LINES);
                next = range.end;
            }
            prop_assert_eq!(next as usize, rows.len());
        }

        #[test]
        fn ranges_of_states_follow_one_another(num_states in 0u32..100_000) {
            let ranges = by_states(num_states);
            let states: Vec<u32> = ranges.into_iter().flatten().collect();
            prop_assert_eq!(states, (0..num_states).collect::<Vec<u32>>());
        }
    }
}
