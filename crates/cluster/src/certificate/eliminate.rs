//! Computes the ranks of a certificate. Classes are placed one after another, from the end of the
//! order. A class can be placed as soon as every choice that leaves it has a target that has been
//! placed; for SCCs, as soon as every edge that leaves it leads to a class that has been placed.
//!
//! Each worker places its own classes as far as possible. If a component has states of several
//! workers, each worker notifies the owner of the root when all of its own choices are finished.
//! When the last worker has done so, the owner notifies all of them.

use super::classes::Classes;
use crate::net::words::{pair, wide};
use crate::net::{Net, Outbox};
use mdp_graph::{BitSet, ComponentKind, StateId};
use std::collections::HashMap;

/// No state.
const NONE: u32 = u32::MAX;
/// The rank of classes that are never placed. In a correct answer there are none.
const UNPLACED: u64 = u64::MAX;

/// The kind of a message, in the two highest bits of its number: a ghost was placed.
const GHOST_IS_PLACED: u64 = 0;
/// All choices of the sender's states of a component are finished.
const IS_DONE: u64 = 1 << 62;
/// A component of which the receiver has states was placed.
const IS_PLACED: u64 = 2 << 62;
const KINDS: u64 = 3 << 62;

/// Returns the rank of each of this worker's states.
pub(super) fn ranks(classes: &Classes<'_>, net: &mut Net<'_>) -> Vec<u64> {
    let mut places = Elimination::new(classes, net);
    for first in classes.part.states() {
        if places.first[first as usize] == first && places.pending[first as usize] == 0 {
            places.done(first, net);
        }
    }
    places.run(net);
    places.ranks
}

/// The elimination on one worker. The own states of a class form a linked list, from the first one.
struct Elimination<'a> {
    classes: &'a Classes<'a>,
    /// For each own state, the first own state of its class, and the next one.
    first: Vec<u32>,
    next: Vec<u32>,
    /// The first own state of each class whose root belongs to another worker.
    foreign: HashMap<u64, u32>,
    /// The classes of which other workers have states as well, by the local numbers of their roots.
    shared: HashMap<u32, Shared>,
    /// For the first state of a class, the number of its choices (or edges, for SCCs) that are not
    /// finished.
    pending: Vec<u32>,
    /// The choices that have a target that has been placed.
    done: BitSet,
    /// The rank of each state that has been placed. For the first state of a class that has not
    /// been placed, the largest rank that it has waited for.
    ranks: Vec<u64>,
    /// States that have been placed, but whose incoming choices have not been visited yet.
    stack: Vec<u32>,
    outbox: Outbox<[u32; 3]>,
}

/// A class of several workers, at the owner of its root.
struct Shared {
    /// The first own state of the class, if there is one.
    own: Option<u32>,
    others: Vec<u32>,
    /// The number of workers that have not finished.
    missing: usize,
    /// The largest rank that the workers that have finished waited for.
    after: u64,
}

impl<'a> Elimination<'a> {
    fn new(classes: &'a Classes<'a>, net: &mut Net<'_>) -> Self {
        let part = classes.part;
        let states = part.num_own();
        let mut new = Self {
            classes,
            first: vec![NONE; states],
            next: vec![NONE; states],
            foreign: HashMap::new(),
            shared: HashMap::new(),
            pending: vec![0; states],
            done: BitSet::new(part.graph().num_choices()),
            ranks: vec![0; states],
            stack: Vec::new(),
            outbox: net.outbox(),
        };
        let firsts = new.list_classes();
        new.share(&firsts, net);
        for own in part.states() {
            new.pending[new.first[own as usize] as usize] += new.leaving(own);
        }
        new
    }

    /// Makes the lists of all classes. Returns the first states of the classes whose roots are own
    /// states, by their roots.
    fn list_classes(&mut self) -> Vec<u32> {
        let part = self.classes.part;
        let mut firsts = vec![NONE; part.num_own()];
        for own in part.states() {
            let class = self.classes.of_own(own);
            let first = match part.ranges().place_of(class) {
                (owner, root) if owner == part.owner() => &mut firsts[root as usize],
                _ => self.foreign.entry(class).or_insert(NONE),
            };
            if *first == NONE {
                *first = own;
            } else {
                self.next[own as usize] = self.next[*first as usize];
                self.next[*first as usize] = own;
            }
            self.first[own as usize] = *first;
        }
        firsts
    }

    /// Notifies the owners of roots that this worker has states of their components.
    fn share(&mut self, firsts: &[u32], net: &mut Net<'_>) {
        let mut outbox = net.outbox();
        for &class in self.foreign.keys() {
            let (owner, root) = self.classes.part.ranges().place_of(class);
            outbox.push(net, owner, root);
        }
        for (worker, root) in net.exchange(outbox) {
            let own = Some(firsts[root as usize]).filter(|&first| first != NONE);
            let shared = self.shared.entry(root).or_insert_with(|| Shared {
                own,
                others: Vec::new(),
                missing: usize::from(own.is_some()),
                after: 0,
            });
            shared.others.push(worker as u32);
            shared.missing += 1;
        }
    }

    /// Returns the number of choices of an own state that leave its class; for SCCs, the number of
    /// edges that do.
    fn leaving(&self, own: u32) -> u32 {
        let (classes, graph) = (self.classes, self.classes.part.graph());
        let choices = classes.part.choices(own);
        let leaving = choices.filter(|&choice| !classes.is_retained(choice));
        if classes.kind == ComponentKind::Mec {
            return leaving.count() as u32;
        }
        let class = classes.of_own(own);
        let is_outside = |&&target: &&StateId| classes.of(target) != class;
        let edges = leaving.map(|choice| graph.targets(choice).iter().filter(is_outside).count());
        edges.sum::<usize>() as u32
    }

    /// Places classes until no worker can place any more. The others are unplaced.
    fn run(&mut self, net: &mut Net<'_>) {
        let part = self.classes.part;
        loop {
            while let Some(own) = self.stack.pop() {
                self.settle(StateId(own), self.ranks[own as usize], net);
            }
            let inbox = net.send_all(&mut self.outbox);
            if inbox.total() == 0 {
                break;
            }
            for (worker, message) in inbox {
                let (place, rank) = (message[0], wide(message) & !KINDS);
                match wide(message) & KINDS {
                    GHOST_IS_PLACED => {
                        self.settle(StateId(part.num_own() as u32 + place), rank, net);
                    }
                    IS_DONE => self.hear(place, rank, net),
                    _ => {
                        let class = part.ranges().start_of(worker) + u64::from(place);
                        self.place(self.foreign[&class], rank, net);
                    }
                }
            }
        }
        for own in part.states() {
            if self.pending[own as usize] != NONE && self.is_first(own) {
                self.set(own, UNPLACED);
            }
        }
    }

    /// Returns whether an own state is the first of its class.
    fn is_first(&self, own: u32) -> bool {
        self.first[own as usize] == own
    }

    /// Visits the choices that have a branch to a state that was placed.
    fn settle(&mut self, target: StateId, rank: u64, net: &mut Net<'_>) {
        let classes = self.classes;
        let class = classes.of(target);
        for (choice, source) in classes.choices_into(target) {
            if classes.of_own(source) == class {
                continue;
            }
            if classes.kind == ComponentKind::Mec && !self.done.insert(choice.index()) {
                continue;
            }
            let first = self.first[source as usize];
            let after = &mut self.ranks[first as usize];
            *after = rank.max(*after);
            self.pending[first as usize] -= 1;
            if self.pending[first as usize] == 0 {
                self.done(first, net);
            }
        }
    }

    /// Handles the event that all choices of this worker that leave a class have a target that has
    /// been placed.
    fn done(&mut self, first: u32, net: &mut Net<'_>) {
        let part = self.classes.part;
        let class = self.classes.of_own(first);
        let after = self.ranks[first as usize];
        match part.ranges().place_of(class) {
            (owner, root) if owner != part.owner() => {
                self.outbox.push(net, owner, pair(root, after | IS_DONE));
            }
            (_, root) if self.shared.contains_key(&root) => self.hear(root, after, net),
            _ => self.place(first, after + 1, net),
        }
    }

    /// Handles the event that a worker has finished its states of a class whose root is an own
    /// state.
    fn hear(&mut self, root: u32, after: u64, net: &mut Net<'_>) {
        let Some(shared) = self.shared.get_mut(&root) else {
            return;
        };
        shared.after = after.max(shared.after);
        shared.missing -= 1;
        if shared.missing > 0 {
            return;
        }
        let (own, rank) = (shared.own, shared.after + 1);
        for worker in std::mem::take(&mut shared.others) {
            let message = pair(root, rank | IS_PLACED);
            self.outbox.push(net, worker as usize, message);
        }
        if let Some(first) = own {
            self.place(first, rank, net);
        }
    }

    /// Places the own states of a class.
    fn place(&mut self, first: u32, rank: u64, net: &mut Net<'_>) {
        // The class must not be placed again.
        self.pending[first as usize] = NONE;
        self.set(first, rank);
        let mut own = first;
        while own != NONE {
            self.stack.push(own);
            for &[worker, ghost] in self.classes.part.copies(own) {
                let message = pair(ghost, rank | GHOST_IS_PLACED);
                self.outbox.push(net, worker as usize, message);
            }
            own = self.next[own as usize];
        }
    }

    /// Sets the rank of the own states of a class.
    fn set(&mut self, first: u32, rank: u64) {
        let mut own = first;
        while own != NONE {
            self.ranks[own as usize] = rank;
            own = self.next[own as usize];
        }
    }
}
