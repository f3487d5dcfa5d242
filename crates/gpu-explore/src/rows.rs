//! The transitions that the host has taken.

use crate::Error;
use crate::buffers::{RowBuffers, SearchMode};
use crate::choices;
use explore::{Exploration, Progress, States};
use gpu::Gpu;
use mdp_graph::{BuildError, MAX_COUNT, MdpGraph, OutOfMemory, StateId, check_room};
use rayon::prelude::*;

/// The number of rows or transitions that a thread handles at a time.
const TOGETHER: usize = 1 << 14;

/// The rows of the states that have been expanded.
#[derive(Debug)]
pub(crate) struct HostRows {
    /// The start of the row of each state, and the end of the last row.
    offsets: Vec<u32>,
    /// If a choice may have several branches, a bit marks the first branch of each choice.
    targets: Vec<StateId>,
    actions: Option<Vec<u32>>,
    has_choices: bool,
}

impl HostRows {
    pub(crate) fn new(mode: SearchMode) -> Self {
        Self {
            offsets: vec![0],
            targets: Vec::new(),
            actions: mode.keeps_actions.then(Vec::new),
            has_choices: mode.has_choices(),
        }
    }

    /// Returns the actions of all choices, if they are kept.
    pub(crate) fn actions(&self) -> Option<&[u32]> {
        self.actions.as_deref()
    }

    /// Returns the size of the rows, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let actions = self.actions.as_ref().map_or(0, Vec::len);
        4 * (self.offsets.len() + self.targets.len() + actions) as u64
    }

    /// Returns the additional memory for this many more rows and transitions, in bytes.
    pub(crate) fn more_bytes(&self, rows: u64, transitions: u64) -> u64 {
        let each = if self.actions.is_some() { 2 } else { 1 };
        4 * (rows + each * transitions)
    }

    /// Checks whether there is room for this many more rows and transitions.
    pub(crate) fn check_room(&self, rows: u64, transitions: u64) -> Result<(), OutOfMemory> {
        let tables = [
            growth(&self.offsets, rows),
            growth(&self.targets, transitions),
            self.actions
                .as_ref()
                .map_or(0, |all| growth(all, transitions)),
        ];
        match tables == [0; 3] {
            true => Ok(()),
            false => check_room("the states and the graph", &tables),
        }
    }

    /// Copies this many rows and transitions from the device.
    pub(crate) fn take(
        &mut self,
        gpu: &Gpu,
        from: &RowBuffers,
        rows: u64,
        transitions: u64,
    ) -> Result<(), Error> {
        let before = self.targets.len() as u64;
        too_many_branches(before + transitions)?;
        self.extend_rows(gpu.read_range(&from.ends, 0..rows)?, before as u32);
        self.extend_targets(gpu.read_range(&from.targets, 0..transitions)?);
        if let (Some(all), Some(actions)) = (&mut self.actions, &from.actions) {
            all.extend(gpu.read_range(actions, 0..transitions)?);
        }
        Ok(())
    }

    /// Adds rows with these ends, which count from branch `before` on.
    pub(crate) fn extend_rows(&mut self, ends: Vec<u32>, before: u32) {
        // They are copied on all cores, because the first access to fresh memory is slow.
        let ends = ends.into_par_iter().with_min_len(TOGETHER);
        self.offsets.par_extend(ends.map(|end| before + end));
    }

    /// Adds branches.
    pub(crate) fn extend_targets(&mut self, targets: Vec<u32>) {
        let targets = targets.into_par_iter().with_min_len(TOGETHER);
        self.targets.par_extend(targets.map(StateId));
    }

    /// Returns the finished graph, with these packed states. States that were not expanded have no
    /// choices.
    pub(crate) fn finish(
        mut self,
        states: States,
        num_initial: usize,
        deadlocks: u64,
    ) -> Result<Exploration, Error> {
        let branches = self.targets.len();
        let expanded = self.offsets.len() - 1;
        self.offsets.resize(states.len() + 1, branches as u32);
        let graph = match self.has_choices {
            true => {
                let room = choices::room(&self.offsets, &self.targets);
                let reached = Progress {
                    states: states.len() as u64,
                    expanded: expanded as u64,
                    branches: branches as u64,
                    ..Progress::default()
                };
                check_room("the states and the graph", &[room])
                    .map_err(|missing| explore::Error::OutOfMemory { missing, reached })?;
                choices::graph(self.offsets, self.targets)
            }
            false => {
                let one_each = (0..branches as u32 + 1).collect();
                MdpGraph::from_parts(self.offsets, one_each, self.targets)
            }
        };
        Ok(Exploration {
            graph: graph.map_err(explore::Error::from)?,
            states,
            expanded,
            num_initial,
            actions: self.actions,
            probabilities: None,
            deadlocks,
            dropped_branches: 0,
        })
    }
}

/// Returns the memory that a vector takes when this many elements are added, in bytes; 0 if there
/// is room.
fn growth<T>(vector: &Vec<T>, more: u64) -> usize {
    let len = vector.len() + more as usize;
    match len <= vector.capacity() {
        true => 0,
        false => len.max(2 * vector.capacity()) * size_of::<T>(),
    }
}

/// Returns an error if there are too many branches.
pub(crate) fn too_many_branches(
    count: u64,
) -> Result<(), explore::Error<std::convert::Infallible>> {
    match count > MAX_COUNT {
        true => Err(too_many("choices", count)),
        false => Ok(()),
    }
}

pub(crate) fn too_many(what: &'static str, count: u64) -> explore::Error<std::convert::Infallible> {
    let limit = MAX_COUNT;
    BuildError::TooMany { what, count, limit }.into()
}

/// Converts packed states from `words` words of 32 bits each to words of 64 bits.
pub(crate) fn widen(narrow: &[u32], words: usize) -> Vec<u64> {
    let wide = words.div_ceil(2);
    let mut packed = vec![0; narrow.len() / words * wide];
    let states = packed.par_chunks_mut(wide).zip(narrow.par_chunks(words));
    states.with_min_len(1 << 12).for_each(|(to, from)| {
        for (word, pair) in to.iter_mut().zip(from.chunks(2)) {
            *word = u64::from(pair[0]) | u64::from(*pair.get(1).unwrap_or(&0)) << 32;
        }
    });
    packed
}

#[cfg(test)]
mod tests {
    use super::widen;

    #[test]
    fn words_are_joined_in_pairs_and_the_last_one_is_alone() {
        assert_eq!(widen(&[1, 2], 1), [1, 2]);
        assert_eq!(widen(&[1, 2, 3, 4], 2), [2 << 32 | 1, 4 << 32 | 3]);
        let three = [1, 2, 3, 4, 5, u32::MAX];
        assert_eq!(
            widen(&three, 3),
            [2 << 32 | 1, 3, 5 << 32 | 4, u32::MAX.into()]
        );
        assert_eq!(widen(&[], 3), [0; 0]);
    }
}
