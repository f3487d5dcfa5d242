//! Whether a choice of a graph has a target twice.

use crate::{MdpGraph, OutOfMemory, StateId};
use rayon::prelude::*;

/// The number of choices that a thread looks at before it asks whether another one has found a
/// target twice.
const PIECE: usize = 1 << 14;

impl MdpGraph {
    /// Returns whether some choice has a target twice. Such choices are looked for on all threads
    /// of the current rayon pool.
    ///
    /// # Errors
    /// If there is no memory to sort the targets of a choice.
    pub fn has_repeated_targets(&self) -> Result<bool, OutOfMemory> {
        let offsets = self.branch_offsets();
        let starts = (0..self.num_choices()).into_par_iter().step_by(PIECE);
        let found = starts.map_init(Vec::new, |sorted, start| {
            let piece = &offsets[start..offsets.len().min(start + PIECE + 1)];
            let mut pairs = piece.iter().zip(&piece[1..]);
            pairs.try_fold(false, |found, (&start, &end)| {
                let targets = &self.all_targets()[start as usize..end as usize];
                Ok(found || repeats(targets, sorted)?)
            })
        });
        // An error ends the search, and so does a target that is there twice.
        let found = found.find_any(|found| !matches!(found, Ok(false)));
        found.unwrap_or(Ok(false))
    }
}

/// Returns whether a target is there twice. `sorted` is memory for a copy.
#[inline]
fn repeats(targets: &[StateId], sorted: &mut Vec<StateId>) -> Result<bool, OutOfMemory> {
    /// Up to this number, comparing targets with each other is faster than sorting them.
    const FEW: usize = 12;
    match targets {
        [] | [_] => Ok(false),
        [one, other] => Ok(one == other),
        _ if targets.len() <= FEW => {
            let is_old = |(i, target): (usize, &StateId)| targets[..i].contains(target);
            Ok(targets.iter().enumerate().any(is_old))
        }
        _ => many_repeat(targets, sorted),
    }
}

/// Does the same for many targets. In most files, they ascend.
fn many_repeat(targets: &[StateId], sorted: &mut Vec<StateId>) -> Result<bool, OutOfMemory> {
    if targets.is_sorted_by(|one, next| one < next) {
        return Ok(false);
    }
    sorted.clear();
    if sorted.try_reserve(targets.len()).is_err() {
        let bytes = size_of_val(targets) as u64;
        let what = "the targets of a choice";
        return Err(OutOfMemory { bytes, what });
    }
    sorted.extend_from_slice(targets);
    sorted.sort_unstable();
    Ok(sorted.windows(2).any(|pair| pair[0] == pair[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const STATES: u32 = 1 << 12;

    proptest! {
        #[test]
        fn a_target_is_found_twice_if_a_choice_has_fewer_different_ones(
            choices in prop::collection::vec(prop::collection::vec(0..STATES, 1..30), 0..5),
            is_small: bool,
            sorts: bool,
        ) {
            let row = |mut targets: Vec<u32>| {
                let states = if is_small { 300 } else { STATES };
                targets.iter_mut().for_each(|target| *target %= states);
                if sorts {
                    targets.sort_unstable();
                }
                targets
            };
            let mut states = vec![choices.into_iter().map(row).collect::<Vec<_>>()];
            states.resize(STATES as usize, Vec::new());
            let different = |targets: &Vec<u32>| targets.iter().collect::<BTreeSet<_>>().len();
            let expected = states[0].iter().any(|targets| different(targets) < targets.len());
            let graph = MdpGraph::from_choices(&states).expect("it is a graph");
            prop_assert_eq!(graph.has_repeated_targets(), Ok(expected));
        }
    }

    #[test]
    fn targets_are_compared_in_all_pieces_and_only_within_a_choice() {
        let repeats = |twice: Option<usize>| {
            let mut choices = vec![vec![0]; PIECE + 1];
            if let Some(choice) = twice {
                choices[choice] = vec![0, 0];
            }
            let graph = MdpGraph::from_choices(&[choices]).expect("it is a graph");
            graph.has_repeated_targets()
        };
        assert_eq!(repeats(None), Ok(false));
        let borders = [0, PIECE - 1, PIECE];
        assert_eq!(
            borders.map(|choice| repeats(Some(choice))),
            [const { Ok(true) }; 3]
        );
    }
}
