//! Finds the components that no edge leaves, and the bottom strongly connected components.

use crate::{BitSet, ComponentKind, Components, MdpGraph, SharedBits, StateId, Table};
use rayon::prelude::*;

/// How many states a thread looks at in a row.
const PIECE: usize = 1 << 12;

impl Components {
    /// Returns the components that no edge leaves, whichever choice it belongs to. Makes one pass
    /// over the edges, on all threads of the current rayon pool, and skips components that an edge
    /// is already known to leave.
    pub fn bottom(&self, graph: &MdpGraph) -> BitSet {
        let left = SharedBits::new(self.len());
        let states = (0..graph.num_states()).into_par_iter().with_min_len(PIECE);
        states.map(StateId::from_index).for_each(|state| {
            let Some(own) = self.component(state).filter(|own| !left.contains(own.0)) else {
                return;
            };
            let targets = graph.successors(state).iter();
            if targets
                .into_iter()
                .any(|&target| self.component(target) != Some(own))
            {
                left.insert(own.0);
            }
        });
        BitSet::from_fn(self.len(), |i| !left.contains(i as u32))
    }

    /// Returns those of these strongly connected components that no edge leaves. States of the
    /// others are in no component.
    pub fn only_bottom(&self, graph: &MdpGraph) -> Self {
        let bottom = self.bottom(graph);
        let mut marks: Table<u32> = Table::new(self.num_states());
        marks
            .par_iter_mut()
            .enumerate()
            .with_min_len(PIECE)
            .for_each(|(state, mark)| {
                let own = self.component(StateId::from_index(state));
                let own = own.filter(|own| bottom.contains(own.index()));
                *mark = own.map_or(Self::NONE, |own| own.0);
            });
        let has_self_loop = |state| graph.has_self_loop(state);
        Self::of_cycles(ComponentKind::Bscc, marks.into(), has_self_loop)
    }

    /// Returns the components that have one of these states.
    pub fn that_meet(&self, states: &BitSet) -> BitSet {
        let met = SharedBits::new(self.len());
        let all = (0..self.num_states()).into_par_iter().with_min_len(PIECE);
        all.filter(|&state| states.contains(state))
            .for_each(|state| {
                if let Some(own) = self.component(StateId::from_index(state)) {
                    met.insert(own.0);
                }
            });
        BitSet::from_fn(self.len(), |i| met.contains(i as u32))
    }
}
