//! [`Steps`]: enumerates the ways in which several parties take a step together.

use crate::bundles::Party;
use crate::moves::Memory;

/// A step of several parties. The lists have one element for each party; some have an additional
/// one.
#[derive(Debug, Clone)]
pub(crate) struct Steps {
    /// The range of moves of each party: its beginning, the current move, and its end.
    pub(crate) moves: Vec<[u32; 3]>,
    /// The range of branches of each party: the next branch, and its end.
    pub(crate) branches: Vec<[u32; 2]>,
    /// The weights: element 0 is 1, and element `i + 1` is the weight after the first `i + 1`
    /// branches.
    pub(crate) weights: Vec<f64>,
    /// Packed states: element 0 is the source, and element `i + 1` is the state after the first `i
    /// + 1` branches.
    pub(crate) targets: Vec<u64>,
}

impl Steps {
    /// Memory for up to `parties` parties, in states of `words` words.
    pub(crate) fn new(parties: usize, words: usize) -> Self {
        Self {
            moves: vec![[0; 3]; parties],
            branches: vec![[0; 2]; parties],
            weights: vec![1.0; parties + 1],
            targets: vec![0; (parties + 1) * words],
        }
    }

    /// Returns the branches of the move that a party takes.
    #[inline]
    pub(crate) fn taken(&self, level: usize, parties: &[Party], memories: &[Memory]) -> [u32; 2] {
        let memory = &memories[parties[level].bundle as usize];
        let taken = memory.get(self.moves[level][1]);
        [taken.start, taken.end]
    }

    /// Advances to the next combination of moves, if there is one. Returns the first party that
    /// takes another move than before.
    pub(crate) fn next_moves(&mut self, parties: usize) -> Option<usize> {
        let moves = self.moves[..parties].iter_mut().enumerate();
        for (party, [first, taken, end]) in moves.rev() {
            *taken += 1;
            if taken < end {
                return Some(party);
            }
            *taken = *first;
        }
        None
    }

    /// Returns the number of parties at the beginning that have a single branch and take the same
    /// move as before; at least `settled`. Their effect on the state need not be computed again.
    /// Most consecutive combinations of many parties differ only in the last ones.
    pub(crate) fn settled(
        &self,
        mut settled: usize,
        changed: usize,
        parties: &[Party],
        memories: &[Memory],
    ) -> usize {
        while settled < changed {
            let [start, end] = self.taken(settled, parties, memories);
            if end - start != 1 {
                break;
            }
            settled += 1;
        }
        settled
    }
}

/// Returns the product of two weights. If both are above 0, so is the product, because it decides
/// whether there is a branch.
#[inline(always)]
pub(crate) fn product(a: f64, b: f64) -> f64 {
    unless_0(a * b, a > 0.0 && b > 0.0)
}

/// Returns a part of a weight that is divided into `count` equal parts. It is above 0 if the weight
/// is.
#[inline(always)]
pub(crate) fn share(weight: f64, count: u64) -> f64 {
    unless_0(weight / count as f64, weight > 0.0)
}

/// If a double cannot represent a value above 0, the least double above 0 replaces it.
#[inline(always)]
fn unless_0(value: f64, is_above: bool) -> f64 {
    match value == 0.0 && is_above {
        true => f64::from_bits(1),
        false => value,
    }
}

#[cfg(test)]
mod tests {
    use super::{product, share};

    #[test]
    fn a_product_is_0_only_if_a_factor_is() {
        assert_eq!(product(0.5, 0.25), 0.125);
        assert_eq!(product(1e-200, 1e-200), f64::from_bits(1));
        assert_eq!(share(f64::from_bits(1), 2), f64::from_bits(1));
        assert_eq!([product(0.0, 1e-200), share(0.0, 3)], [0.0, 0.0]);
    }
}
