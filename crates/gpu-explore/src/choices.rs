//! Computes the choices of states from branches, in which the first branch of each choice is
//! marked.

use gpu::kernels::explore::BEGINS;
use mdp_graph::{BuildError, MdpGraph, StateId};
use rayon::prelude::*;

/// The number of branches or states in a task.
const RUN: usize = 50_000;

/// Returns the memory that [`graph`] takes in addition to its arguments, in bytes.
pub(crate) fn room(branch_ends: &[u32], targets: &[StateId]) -> usize {
    4 * (branch_ends.len() + count(targets).iter().sum::<usize>() + 2)
}

/// Builds the graph of states from the ends of their branches, and from targets in which the first
/// branch of each choice is marked.
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
            // A state ends where a choice begins, or at the end of all choices.
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

/// Counts the choices that begin in each run of branches.
fn count(targets: &[StateId]) -> Vec<usize> {
    let count = |run: &[StateId]| run.iter().filter(|&&target| begins(target)).count();
    targets.par_chunks(RUN).map(count).collect()
}

/// Returns the first branch of each choice, and the number of all branches.
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
        /// The branches of each choice of each state. Each choice has at least one.
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
            let found = graph(ends, targets).expect("the arrays are a graph");
            prop_assert_eq!(found.choice_offsets(), &choice_offsets[..]);
            prop_assert_eq!(found.branch_offsets(), &branch_offsets[..]);
        }
    }
}
