//! [`BranchActions`]: the actions of a chain's branches, for states whose one choice is made of
//! commands that differ in their action. Such a choice has no action itself.

/// The actions of branches, by number, for choices without an action.
#[derive(Clone, Debug, Default)]
pub(crate) struct BranchActions {
    /// Pairs of a branch and one of its actions, in ascending order, without duplicates.
    pairs: Vec<(u32, u32)>,
}

impl BranchActions {
    pub(crate) fn new(pairs: Vec<(u32, u32)>) -> Self {
        debug_assert!(pairs.is_sorted());
        Self { pairs }
    }

    /// Returns the actions of a branch, in ascending order; none if the choice has an action.
    pub(crate) fn of(&self, branch: usize) -> impl Iterator<Item = u32> {
        let first = self.pairs.partition_point(|&(b, _)| (b as usize) < branch);
        let own = self.pairs[first..].iter();
        let own = own.take_while(move |&&(b, _)| b as usize == branch);
        own.map(|&(_, action)| action)
    }

    /// Returns the first branch with an action.
    pub(crate) fn first_with(&self, action: u32) -> Option<usize> {
        let mut pairs = self.pairs.iter();
        let found = pairs.find(|&&(_, own)| own == action);
        found.map(|&(branch, _)| branch as usize)
    }
}
