//! [`BranchActions`]: the actions of a chain's branches, for states whose one choice is made of
//! commands that differ in their action. Such a choice has no action itself.

/// Actions of branches, by number, where their choice has none.
#[derive(Clone, Debug, Default)]
pub(crate) struct BranchActions {
    /// Each pair is a branch and one of its actions; ascending, each pair once.
    pairs: Vec<(u32, u32)>,
}

impl BranchActions {
    pub(crate) fn new(pairs: Vec<(u32, u32)>) -> Self {
        debug_assert!(pairs.is_sorted());
        Self { pairs }
    }

    /// The actions of a branch, ascending; none if those are its choice's.
    pub(crate) fn of(&self, branch: usize) -> impl Iterator<Item = u32> {
        let first = self.pairs.partition_point(|&(b, _)| (b as usize) < branch);
        let own = self.pairs[first..].iter();
        let own = own.take_while(move |&&(b, _)| b as usize == branch);
        own.map(|&(_, action)| action)
    }

    /// The first branch with an action.
    pub(crate) fn first_with(&self, action: u32) -> Option<usize> {
        let mut pairs = self.pairs.iter();
        let found = pairs.find(|&&(_, own)| own == action);
        found.map(|&(branch, _)| branch as usize)
    }
}
