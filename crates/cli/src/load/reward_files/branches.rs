//! Finds the branches that the lines of a rewards file refer to.

use mdp_graph::{ChoiceId, MdpGraph, StateId};
use prism_explicit::RewardedTransition;
use std::collections::{HashMap, TryReserveError};
use std::ops::Range;

/// The most branches of a choice that are looked through for each line.
const FEW: usize = 64;

/// The branches of a graph.
pub(super) struct Branches<'g> {
    graph: &'g MdpGraph,
    /// The branch that the next line refers to, if the file has the order of the model.
    next: usize,
    /// The branches of long choices, by their targets, if the file has another order.
    by_target: HashMap<usize, Vec<u32>>,
}

impl<'g> Branches<'g> {
    pub(super) fn new(graph: &'g MdpGraph) -> Self {
        Self {
            graph,
            next: 0,
            by_target: HashMap::new(),
        }
    }

    /// Returns the branch of a transition, if there is one.
    pub(super) fn find(&mut self, of: RewardedTransition) -> Option<usize> {
        let choices = self.graph.choice_range(StateId(of.state));
        let choice = choices.start + of.choice as usize;
        if choice >= choices.end {
            return None;
        }
        let offsets = self.graph.branch_offsets();
        let range = offsets[choice] as usize..offsets[choice + 1] as usize;
        let target = StateId(of.target);
        let is_next = range.contains(&self.next) && self.target(self.next) == target;
        let branch = match is_next {
            true => self.next,
            false => self.search(choice, range, target)?,
        };
        self.next = branch + 1;
        Some(branch)
    }

    fn target(&self, branch: usize) -> StateId {
        self.graph.all_targets()[branch]
    }

    /// Searches the branches of a choice for one that leads to this target.
    fn search(&mut self, choice: usize, range: Range<usize>, target: StateId) -> Option<usize> {
        let is_long = range.len() > FEW;
        if is_long && self.order(choice, range.clone()).is_ok() {
            let ordered = &self.by_target[&choice];
            let of = |&place: &u32| self.target(range.start + place as usize);
            let found = ordered.binary_search_by_key(&target, of).ok()?;
            return Some(range.start + ordered[found] as usize);
        }
        let targets = self.graph.targets(ChoiceId::from_index(choice));
        let place = targets.iter().position(|&t| t == target)?;
        Some(range.start + place)
    }

    /// Orders the branches of a long choice by their targets, if there is enough memory.
    fn order(&mut self, choice: usize, range: Range<usize>) -> Result<(), TryReserveError> {
        if self.by_target.contains_key(&choice) {
            return Ok(());
        }
        self.by_target.try_reserve(1)?;
        let mut places = Vec::new();
        places.try_reserve_exact(range.len())?;
        places.extend(0..range.len() as u32);
        places.sort_unstable_by_key(|&place| self.target(range.start + place as usize));
        self.by_target.insert(choice, places);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Branches, FEW};
    use mdp_graph::MdpGraph;
    use prism_explicit::RewardedTransition;

    #[test]
    fn branches_are_found_in_any_order() {
        let long = 4 * FEW as u32;
        // State 0 has a short and a long choice, in no order of their targets, and state 1 none.
        let short = vec![3, 1, 2];
        let scattered: Vec<u32> = (0..long).map(|i| i * 7 % long + 1).collect();
        let mut states = vec![vec![short, scattered]];
        states.resize(long as usize + 2, Vec::new());
        let graph = MdpGraph::from_choices(&states).expect("it is a graph");
        let found = |branches: &mut Branches<'_>, state, choice, target| {
            let of = RewardedTransition {
                state,
                choice,
                target,
            };
            branches.find(of)
        };
        let all: Vec<(u32, u32)> = [(0, 3), (0, 1), (0, 2)]
            .into_iter()
            .chain(states[0][1].iter().map(|&target| (1, target)))
            .collect();
        let mut in_order = Branches::new(&graph);
        for (branch, &(choice, target)) in all.iter().enumerate() {
            assert_eq!(found(&mut in_order, 0, choice, target), Some(branch));
        }
        assert!(in_order.by_target.is_empty());
        // No line takes time that grows with the length of its choice.
        let mut reversed = Branches::new(&graph);
        for (branch, &(choice, target)) in all.iter().enumerate().rev() {
            assert_eq!(found(&mut reversed, 0, choice, target), Some(branch));
        }
        assert!(reversed.by_target.keys().eq(&[1]));
        for (state, choice, target) in [(0, 0, 4), (0, 1, 0), (0, 2, 1), (1, 0, 1)] {
            assert_eq!(found(&mut reversed, state, choice, target), None);
        }
    }
}
