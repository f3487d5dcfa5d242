//! [`Order`]: the numbering of states in a layout.

use mdp_graph::StateId;

/// A renumbering of states and its inverse.
///
/// First come the states with few edges in both directions, then those with few outgoing edges
/// only, then all others. Within each class, they keep their old order. So the states in segments
/// are the first ones in either direction. Without a transpose, the second class is empty, and this
/// is the order of the papers. With a transpose, a state with many incoming edges (most models have
/// such a final state) must not pad its segment in the transpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The old number of each new number.
    old: Vec<StateId>,
    /// The new number of each old number.
    new: Vec<StateId>,
}

impl Order {
    /// Makes the order from two properties of the old states. Also returns the number of states
    /// with few outgoing edges, and the number of those that also have few incoming edges.
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

    /// Returns the number of states.
    pub fn len(&self) -> usize {
        self.old.len()
    }

    /// Returns whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.old.is_empty()
    }

    /// Returns the number, in the layout, of a state of the graph.
    #[inline]
    pub fn to_new(&self, old: StateId) -> StateId {
        self.new[old.index()]
    }

    /// Returns the state of the graph that has this number in the layout.
    #[inline]
    pub fn to_old(&self, new: StateId) -> StateId {
        self.old[new.index()]
    }
}
