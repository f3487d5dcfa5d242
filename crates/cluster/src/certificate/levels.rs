//! Computes the `forward` and `backward` numbers of a certificate, by two searches within all
//! components at the same time, which begin at the roots of the components.

use super::classes::Classes;
use crate::net::words::{TAG, pair, wide};
use crate::net::{Net, Outbox};
use mdp_graph::{BitSet, StateId};

/// The number of a state that a search did not reach. In a correct answer, such states are in no
/// component.
const NONE: u64 = u64::MAX;

/// Returns the `forward` and the `backward` numbers of this worker's states.
pub(super) fn levels(classes: &Classes<'_>, net: &mut Net<'_>) -> [Vec<u64>; 2] {
    let part = classes.part;
    let mut search = LevelSearch {
        classes,
        forward: vec![NONE; part.num_own()],
        backward: vec![NONE; part.num_own()],
        told: BitSet::new(part.num_ghosts()),
        stack: Vec::new(),
        outbox: net.outbox(),
    };
    for root in part.states().filter(|&own| classes.is_root(own)) {
        search.visit_forward(root, 0);
        search.visit_backward(root, 0);
        search.expand_all(net);
    }
    search.run(net);
    [search.forward, search.backward]
}

/// Both searches on one worker.
struct LevelSearch<'a> {
    classes: &'a Classes<'a>,
    forward: Vec<u64>,
    backward: Vec<u64>,
    /// The ghosts whose owners were notified that they are reached.
    told: BitSet,
    /// States that were visited but not expanded; those of the backward search have the tag.
    stack: Vec<u32>,
    outbox: Outbox<[u32; 3]>,
}

impl LevelSearch<'_> {
    fn visit_forward(&mut self, own: u32, level: u64) {
        let known = &mut self.forward[own as usize];
        if *known == NONE {
            *known = level;
            self.stack.push(own);
        }
    }

    fn visit_backward(&mut self, own: u32, level: u64) {
        let known = &mut self.backward[own as usize];
        if *known == NONE {
            *known = level;
            self.stack.push(own | TAG);
        }
    }

    /// Expands the states that were visited, until none is left on this worker.
    fn expand_all(&mut self, net: &mut Net<'_>) {
        while let Some(state) = self.stack.pop() {
            match state & TAG {
                0 => self.expand_forward(state, net),
                _ => self.expand_backward(state & !TAG, net),
            }
        }
    }

    /// Searches until no worker reaches any more states.
    fn run(&mut self, net: &mut Net<'_>) {
        loop {
            self.expand_all(net);
            let inbox = net.send_all(&mut self.outbox);
            if inbox.total() == 0 {
                return;
            }
            for (_, message) in inbox {
                let (place, level) = (message[0], wide(message));
                match place & TAG {
                    0 => self.visit_forward(place, level),
                    _ => {
                        let ghost = self.classes.part.num_own() as u32 + (place & !TAG);
                        self.visit_sources(StateId(ghost), level);
                    }
                }
            }
        }
    }

    fn expand_forward(&mut self, own: u32, net: &mut Net<'_>) {
        let (classes, part) = (self.classes, self.classes.part);
        let (class, level) = (classes.of_own(own), self.forward[own as usize] + 1);
        for choice in part.choices(own).filter(|&choice| classes.connects(choice)) {
            for &target in part.graph().targets(choice) {
                if classes.of(target) != class {
                    continue;
                }
                match part.ghost(target) {
                    None => self.visit_forward(target.0, level),
                    Some(ghost) => {
                        if self.told.insert(ghost as usize) {
                            let (owner, state) = part.owner_of(ghost);
                            self.outbox.push(net, owner, pair(state, level));
                        }
                    }
                }
            }
        }
    }

    fn expand_backward(&mut self, own: u32, net: &mut Net<'_>) {
        let level = self.backward[own as usize] + 1;
        self.visit_sources(StateId(own), level);
        for &[worker, ghost] in self.classes.part.copies(own) {
            self.outbox
                .push(net, worker as usize, pair(ghost | TAG, level));
        }
    }

    /// Visits the states of the same component that have an edge to a state.
    fn visit_sources(&mut self, target: StateId, level: u64) {
        let classes = self.classes;
        let class = classes.of(target);
        for (choice, source) in classes.choices_into(target) {
            if classes.connects(choice) && classes.of_own(source) == class {
                self.visit_backward(source, level);
            }
        }
    }
}
