//! Merges two tests of the same variable, if all tests between them jump to the same place.
//!
//! Examples are the tests of `p=1`, `q=2` and `p=3` in `p=1 | q=2 | p=3`. Tests cannot fail and
//! have no effects, so their order does not matter, and two sets of values of a variable can be
//! united. This saves instructions, and keys have to distinguish fewer values of the variable.

use super::Instruction;

/// The number of earlier tests that are searched, so that compiling takes linear time.
const FAR: usize = 64;

/// The code of an expression so far: its instructions, the positions of those that jump to a label,
/// and the position before which jumps may end.
pub(super) struct Tail<'c> {
    pub(super) instructions: &'c mut Vec<Instruction>,
    pub(super) jumps: &'c mut Vec<(usize, usize)>,
    pub(super) fence: usize,
}

impl Tail<'_> {
    /// Merges a test that is to come next into an earlier one. Returns whether there is one.
    pub(super) fn take(&mut self, test: Instruction, label: usize) -> bool {
        let Instruction::InSet { slot, on, set, .. } = test else {
            return false;
        };
        let end = self.instructions.len();
        let Some(place) = self.test_before(end, slot, on, label) else {
            return false;
        };
        if let Instruction::InSet { set: earlier, .. } = &mut self.instructions[place] {
            match on {
                true => *earlier |= set,
                false => *earlier &= set,
            }
        }
        true
    }

    /// Merges an earlier test into the last one, where `label` is about to be placed: if the last
    /// test does not jump, execution continues at the target of the earlier one.
    pub(super) fn take_into_last(&mut self, label: usize) {
        let Some(last) = self.instructions.len().checked_sub(1) else {
            return;
        };
        let Instruction::InSet { slot, on, set, .. } = self.instructions[last] else {
            return;
        };
        let Some(place) = self.test_before(last, slot, !on, label) else {
            return;
        };
        let Instruction::InSet { set: earlier, .. } = self.instructions[place] else {
            return;
        };
        if let Instruction::InSet { set: both, .. } = &mut self.instructions[last] {
            *both = if on { set & earlier } else { set | earlier };
        }
        self.instructions.remove(place);
        let jump = self.jumps.len() - 1 - (last - place);
        self.jumps.remove(jump);
        self.jumps[jump..].iter_mut().for_each(|(at, _)| *at -= 1);
    }

    /// Returns the test of a variable in the sequence of tests before `end` that jump to `label` if
    /// they are `on`. There is at most one jump at or after `end`.
    fn test_before(&self, end: usize, slot: u16, on: bool, label: usize) -> Option<usize> {
        let before = self.jumps.iter().rev().skip_while(|(at, _)| *at >= end);
        let places = (self.fence..end).rev().take(FAR);
        places
            .zip(before)
            .take_while(|&(place, &jump)| jump == (place, label))
            .map_while(|(place, _)| match self.instructions[place] {
                Instruction::InSet { slot, on, .. } => Some((place, slot, on)),
                _ => None,
            })
            .take_while(|&(_, _, own)| own == on)
            .find(|&(_, own, _)| own == slot)
            .map(|(place, ..)| place)
    }
}
