//! The choices of states from branches of which some are marked: those that begin a choice.

use gpu::kernels::explore::BEGINS;
use mdp_graph::{BuildError, MdpGraph, StateId};
use rayon::prelude::*;

/// Branches or states that a task takes at a time.
const RUN: usize = 50_000;

/// The memory that [`graph`] takes beside what it is given, in bytes.
pub(crate) fn room(branch_ends: &[u32], targets: &[StateId]) -> usize {
    4 * (branch_ends.len() + count(targets).iter().sum::<usize>() + 2)
}

/// The graph of states whose branches end there, in which the targets are marked that begin a
/// choice.
pub(crate) fn graph(
    branch_ends: Vec<u32>,
    mut targets: Vec<StateId>,
) -> Result<MdpGraph, BuildError> {
    let branch_offsets = offsets(&targets);
    targets
        .par_iter_mut()
        .with_min_len(RUN)
        .for_each(|target| target.0 &= !BEGINS);
    let mut choice_offsets = branch_ends;
    choice_offsets.par_chunks_mut(RUN).for_each(|ends| {
        let Some(&first) = ends.first() else { return };
        let mut choice = branch_offsets.partition_point(|&begin| begin < first);
        for end in ends {
            // A state ends where a choice begins, or all of them end.
            while branch_offsets[choice] < *end {
                choice += 1;
            }
            *end = choice as u32;
        }
    });
    MdpGraph::from_parts(choice_offsets, branch_offsets, targets)
}

fn begins(target: StateId) -> bool {
    target.0 & BEGINS != 0
}

/// How many choices begin in each run of branches.
fn count(targets: &[StateId]) -> Vec<usize> {
    let count = |run: &[StateId]| run.iter().filter(|&&target| begins(target)).count();
    targets.par_chunks(RUN).map(count).collect()
}

/// The branches that begin a choice, and the number of all.
fn offsets(targets: &[StateId]) -> Vec<u32> {
    let counts = count(targets);
    let mut offsets = vec![0; counts.iter().sum::<usize>() + 1];
    if let Some(end) = offsets.last_mut() {
        *end = targets.len() as u32;
    }
    let (mut rest, mut parts) = (&mut offsets[..], Vec::with_capacity(counts.len()));
    for &count in &counts {
        let (part, behind) = rest.split_at_mut(count);
        parts.push(part);
        rest = behind;
    }
    let runs = parts
        .into_par_iter()
        .zip(targets.par_chunks(RUN))
        .enumerate();
    runs.for_each(|(run, (part, targets))| {
        let all = (run * RUN..).zip(targets);
        let begun = all.filter(|(_, target)| begins(**target));
        for (offset, (branch, _)) in part.iter_mut().zip(begun) {
            *offset = branch as u32;
        }
    });
    offsets
}

#[cfg(test)]
mod tests {
    use super::{BEGINS, graph};
    use mdp_graph::StateId;
    use proptest::prelude::*;

    proptest! {
        /// States have choices, and these have branches: at least one.
        #[test]
        fn choices_are_those_that_were_marked(
            rows in prop::collection::vec(prop::collection::vec(1..4_usize, 0..4), 0..200),
            repeated in prop::sample::select(vec![1_usize, 900]),
        ) {
            let rows = vec![rows; repeated].concat();
            let (mut ends, mut targets) = (vec![0], Vec::new());
            let (mut choice_offsets, mut branch_offsets) = (vec![0], vec![0]);
            for row in &rows {
                for &count in row {
                    let first = StateId(BEGINS);
                    targets.extend(std::iter::once(first).chain(vec![StateId(0); count - 1]));
                    branch_offsets.push(targets.len() as u32);
                }
                choice_offsets.push(branch_offsets.len() as u32 - 1);
                ends.push(targets.len() as u32);
            }
            let found = graph(ends, targets).expect("a graph");
            prop_assert_eq!(found.choice_offsets(), &choice_offsets[..]);
            prop_assert_eq!(found.branch_offsets(), &branch_offsets[..]);
        }
    }
}
