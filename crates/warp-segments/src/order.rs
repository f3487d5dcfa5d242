//! [`Order`]: the numbering of states in a layout.

use mdp_graph::StateId;

/// A renumbering of states and its inverse.
///
/// First the states with few edges in both directions, then those with few edges out of them, then
/// the others; in their old order within each class. So the states that are interleaved are the
/// first ones in either direction. Without a transpose the second class is empty, and this is the
/// papers' order; with one, a state that many edges lead to (in most models some final state is)
/// must not pad its segment in the transpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// For each new number the old one.
    old: Vec<StateId>,
    /// For each old number the new one.
    new: Vec<StateId>,
}

impl Order {
    /// The order by two properties of the old states. Also returns how many states have few edges
    /// out, and how many of these have few in.
    pub(crate) fn new(
        n: usize,
        few_out: impl Fn(StateId) -> bool,
        few_in: impl Fn(StateId) -> bool,
    ) -> (Self, u32, u32) {
        let states = || (0..n).map(StateId::from_index);
        let mut old = Vec::with_capacity(n);
        old.extend(states().filter(|&s| few_out(s) && few_in(s)));
        let few_both = old.len() as u32;
        old.extend(states().filter(|&s| few_out(s) && !few_in(s)));
        let out = old.len() as u32;
        old.extend(states().filter(|&s| !few_out(s)));
        let mut new = vec![StateId(0); n];
        for (number, state) in old.iter().enumerate() {
            new[state.index()] = StateId::from_index(number);
        }
        (Self { old, new }, out, few_both)
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.old.len()
    }

    /// Whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.old.is_empty()
    }

    /// The number, in the layout, of a state of the graph.
    #[inline]
    pub fn to_new(&self, old: StateId) -> StateId {
        self.new[old.index()]
    }

    /// The state of the graph that has this number in the layout.
    #[inline]
    pub fn to_old(&self, new: StateId) -> StateId {
        self.old[new.index()]
    }
}
