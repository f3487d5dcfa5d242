//! [`Piece`]: the choices of consecutive states of a quotient, gathered by one thread.

use super::classes::Classes;
use crate::{Chunk, ChunkBuilder, MdpGraph, StateId};

/// The origin of a choice that was added, and does not come from a choice of the original graph.
pub(super) const ADDED: u32 = u32::MAX;

/// The choices of a run of states of a quotient.
#[derive(Default)]
pub(super) struct Piece {
    builder: ChunkBuilder,
    /// For each choice its origin in the original graph, or [`ADDED`].
    origins: Vec<u32>,
    /// The classes that are being gathered.
    targets: Vec<StateId>,
}

impl Piece {
    /// Keeps the choices of the states of a class, except for those that cannot leave a component.
    /// Returns how many it keeps.
    pub(super) fn leave(
        &mut self,
        graph: &MdpGraph,
        classes: &Classes<'_>,
        class: StateId,
    ) -> usize {
        let before = self.origins.len();
        let is_component = classes.component(class).is_some();
        for &state in classes.states(class) {
            for choice in graph.choices(state) {
                let targets = graph.targets(choice).iter();
                self.gather(targets.map(|&target| classes.of(target)));
                let stays = is_component && self.targets == [class];
                if !stays {
                    self.builder.push_choice(class, &self.targets);
                    self.origins.push(choice.0);
                }
            }
        }
        self.origins.len() - before
    }

    /// Adds a choice for each other class that an edge of this one leads to.
    pub(super) fn edges(&mut self, graph: &MdpGraph, classes: &Classes<'_>, class: StateId) {
        let states = classes.states(class).iter();
        let targets = states.flat_map(|&state| graph.successors(state));
        self.gather(
            targets
                .map(|&target| classes.of(target))
                .filter(|&to| to != class),
        );
        for &target in &self.targets {
            self.builder.push_choice(class, &[target]);
            self.origins.push(ADDED);
        }
    }

    /// Adds a choice that leads to one class.
    pub(super) fn add(&mut self, class: StateId, target: StateId) {
        self.builder.push_choice(class, &[target]);
        self.origins.push(ADDED);
    }

    /// Returns the choices, and the origin of each.
    pub(super) fn finish(self) -> (Chunk, Vec<u32>) {
        (self.builder.finish(), self.origins)
    }

    /// Sets the targets to these classes, each of them once, ascending.
    fn gather(&mut self, classes: impl Iterator<Item = StateId>) {
        self.targets.clear();
        self.targets.extend(classes);
        self.targets.sort_unstable();
        self.targets.dedup();
    }
}
