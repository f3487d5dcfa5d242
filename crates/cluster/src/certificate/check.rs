//! Checks an answer by its [`Certificate`], in a fixed number of supersteps.
//!
//! This code shares nothing with the search or with the producer of the certificate, except for the
//! model, which is a [`Part`] for each worker, and the [`Net`]. It requests the numbers of ghosts
//! from their owners, so it does not rely on anything that was sent before.

use super::Certificate;
use super::violation::Violation;
use crate::answer::ComponentLabels;
use crate::error::Error;
use crate::net::Net;
use crate::part::Part;
use mdp_graph::{BitSet, ChoiceId, ComponentKind, StateId};
use std::collections::HashMap;

/// Checks all obligations of a [`Certificate`].
///
/// [`Error::Violation`] for the worker with the first state that violates an obligation, and
/// [`Error::Elsewhere`] for the others.
pub fn check(
    part: &Part,
    labels: &ComponentLabels,
    kind: ComponentKind,
    certificate: &Certificate,
    net: &mut Net<'_>,
) -> Result<(), Error> {
    let arrays = [
        labels.iter().len(),
        certificate.ranks.len(),
        certificate.forward.len(),
        certificate.backward.len(),
    ];
    let worker = net.me();
    let has_form = arrays.iter().all(|&len| len == part.num_own());
    settle(
        (!has_form).then_some(Violation::OtherStates { worker }),
        net,
    )?;
    let mut check = Check {
        part,
        kind,
        own: Facts::of(labels, certificate),
        ghosts: Vec::new(),
        reached: BitSet::new(part.num_own() + part.num_ghosts()),
        first: None,
    };
    check.ask_for_ghosts(net);
    check.check_roots(net);
    for own in 0..part.num_own() as u32 {
        check.check_state(own);
    }
    check.check_reached(net);
    settle(check.first, net)
}

/// Ends the check of all workers if one of them has found a violation. The violation with the
/// smallest state is reported.
pub(super) fn settle(own: Option<Violation>, net: &mut Net<'_>) -> Result<(), Error> {
    let state = own.as_ref().map_or([0, 0], |found| [1, found.state()]);
    let all = net.gather(state);
    let found = (0..).zip(all).filter(|(_, state)| state[0] == 1);
    let first = found.min_by_key(|(_, state)| state[1]);
    match (first, own) {
        (None, _) => Ok(()),
        (Some((worker, _)), Some(own)) if worker == net.me() => Err(Error::Violation(own)),
        (Some((worker, _)), _) => Err(Error::Elsewhere { worker }),
    }
}

/// The answer and its certificate for a state.
#[derive(Clone, Copy)]
struct Fact {
    /// The root of its component, or `u64::MAX` if it is in none.
    label: u64,
    rank: u64,
    forward: u64,
    backward: u64,
}

impl Fact {
    fn pack(self) -> [u64; 4] {
        [self.label, self.rank, self.forward, self.backward]
    }

    fn unpack([label, rank, forward, backward]: [u64; 4]) -> Self {
        Self {
            label,
            rank,
            forward,
            backward,
        }
    }

    fn is_in_component(&self) -> bool {
        self.label != u64::MAX
    }
}

/// The answer and its certificate for own states.
struct Facts<'a> {
    labels: &'a ComponentLabels,
    certificate: &'a Certificate,
}

impl<'a> Facts<'a> {
    fn of(labels: &'a ComponentLabels, certificate: &'a Certificate) -> Self {
        Self {
            labels,
            certificate,
        }
    }

    fn get(&self, own: u32) -> Fact {
        let place = own as usize;
        Fact {
            label: self.labels.get(own).unwrap_or(u64::MAX),
            rank: self.certificate.ranks[place],
            forward: self.certificate.forward[place],
            backward: self.certificate.backward[place],
        }
    }
}

struct Check<'a> {
    part: &'a Part,
    kind: ComponentKind,
    own: Facts<'a>,
    ghosts: Vec<Fact>,
    /// The states of the part's graph that are targets of an edge of S1.
    reached: BitSet,
    /// The first violation that this worker has found.
    first: Option<Violation>,
}

impl Check<'_> {
    /// Records a violation. Only the one with the smallest state is kept.
    fn report(&mut self, violation: Violation) {
        let is_first = |known: &Violation| violation.state() < known.state();
        if self.first.as_ref().is_none_or(is_first) {
            self.first = Some(violation);
        }
    }

    /// Requests the facts about ghosts from their owners.
    fn ask_for_ghosts(&mut self, net: &mut Net<'_>) {
        let mut outbox = net.outbox();
        for ghost in 0..self.part.num_ghosts() as u32 {
            let (owner, state) = self.part.owner_of(ghost);
            outbox.push(net, owner, state);
        }
        let asked = net.exchange(outbox);
        let mut outbox = net.outbox();
        for (worker, state) in asked {
            outbox.push(net, worker, self.own.get(state).pack());
        }
        // Ghosts are in ascending order, and so are their owners. Therefore answers are in the
        // order of ghosts.
        let answers = net.exchange(outbox).into_iter();
        self.ghosts = answers.map(|(_, fact)| Fact::unpack(fact)).collect();
        assert_eq!(self.ghosts.len(), self.part.num_ghosts());
    }

    fn fact(&self, state: StateId) -> Fact {
        match self.part.ghost(state) {
            Some(ghost) => self.ghosts[ghost as usize],
            None => self.own.get(state.0),
        }
    }

    /// Checks S0 and M1: the label of each component is its smallest state, and the component has
    /// one rank.
    fn check_roots(&mut self, net: &mut Net<'_>) {
        // For each component, a state and its rank. All other states of this worker have the same
        // rank.
        let mut ranks: HashMap<u64, [u64; 2]> = HashMap::new();
        for own in 0..self.part.num_own() as u32 {
            let (state, fact) = (self.part.global(own), self.own.get(own));
            if !fact.is_in_component() {
                continue;
            }
            if fact.label > state || !self.part.ranges().contains(fact.label) {
                self.report(Violation::NotRoot {
                    kind: self.kind,
                    state,
                    component: fact.label,
                });
                continue;
            }
            let (owner, root) = self.part.ranges().place_of(fact.label);
            if owner == self.part.owner() {
                self.compare_with_root(root, state, fact.rank);
                continue;
            }
            let [_, rank] = *ranks.entry(fact.label).or_insert([state, fact.rank]);
            if rank != fact.rank {
                self.report_scattered(state, fact.label);
            }
        }
        let mut outbox = net.outbox();
        for (label, [state, rank]) in ranks {
            let (owner, root) = self.part.ranges().place_of(label);
            outbox.push(net, owner, [u64::from(root), state, rank]);
        }
        for (_, [root, state, rank]) in net.exchange(outbox) {
            self.compare_with_root(root as u32, state, rank);
        }
    }

    /// Checks that the root of a component, an own state, has this label and this rank, as a state
    /// of the component says.
    fn compare_with_root(&mut self, root: u32, state: u64, rank: u64) {
        let (component, fact) = (self.part.global(root), self.own.get(root));
        if fact.label != component {
            self.report(Violation::NotRoot {
                kind: self.kind,
                state,
                component,
            });
        } else if fact.rank != rank {
            self.report_scattered(state, component);
        }
    }

    /// Records that a state has another rank than the root of its component.
    fn report_scattered(&mut self, state: u64, component: u64) {
        self.report(Violation::Scattered {
            kind: self.kind,
            state,
            component,
        });
    }

    /// Checks all obligations of the choices of an own state, and of the edges from it.
    fn check_state(&mut self, own: u32) {
        let (state, fact) = (self.part.global(own), self.own.get(own));
        let is_root = fact.label == state;
        let graph = self.part.graph();
        let (mut is_retained, mut returns) = (false, is_root);
        for (choice, id) in graph.choices(StateId(own)).enumerate() {
            if graph.targets(id).is_empty() {
                self.report(Violation::EmptyChoice { state, choice });
            }
            let stays = self.stays(own, fact, id);
            is_retained |= stays;
            if fact.is_in_component() && (stays || self.kind != ComponentKind::Mec) {
                returns |= self.note_edges(fact, id);
            }
            if let Some(violation) = self.check_choice(own, fact, (choice, id), stays) {
                self.report(violation);
            }
        }
        let (kind, component) = (self.kind, fact.label);
        if !fact.is_in_component() {
            if kind != ComponentKind::Mec {
                self.report(Violation::NoComponent { state });
            }
        } else if kind == ComponentKind::Mec && !is_retained {
            self.report(Violation::NoRetainedChoice { state, component });
        } else if !returns {
            self.report(Violation::NoReturn {
                kind,
                state,
                component,
            });
        }
    }

    /// Returns whether a choice has no target outside its class.
    fn stays(&self, own: u32, fact: Fact, choice: ChoiceId) -> bool {
        let targets = self.part.graph().targets(choice);
        targets
            .iter()
            .all(|&target| !self.is_outside(own, fact, target))
    }

    /// Returns whether a target is in another class than an own state.
    fn is_outside(&self, own: u32, fact: Fact, target: StateId) -> bool {
        match fact.is_in_component() {
            true => self.fact(target).label != fact.label,
            false => target != StateId(own),
        }
    }

    /// Records the targets of a choice's edges within its component. Returns whether one of these
    /// edges leads towards the root.
    fn note_edges(&mut self, from: Fact, choice: ChoiceId) -> bool {
        let mut returns = false;
        for &target in self.part.graph().targets(choice) {
            let to = self.fact(target);
            if to.label == from.label {
                self.reached
                    .insert_if(target.index(), from.forward < to.forward);
                returns |= to.backward < from.backward;
            }
        }
        returns
    }

    /// Returns the violation of S3, O1 or M4 by a choice that leaves its class, or that stays with
    /// a state in no component.
    fn check_choice(
        &self,
        own: u32,
        fact: Fact,
        (choice, id): (usize, ChoiceId),
        stays: bool,
    ) -> Option<Violation> {
        let (state, is_mec) = (self.part.global(own), self.kind == ComponentKind::Mec);
        if stays {
            let is_wrong = is_mec && !fact.is_in_component();
            return is_wrong.then_some(Violation::Stays { state, choice });
        }
        let targets = self.part.graph().targets(id).iter();
        let mut outside = targets.filter(|&&target| self.is_outside(own, fact, target));
        let is_later = |&&target: &&StateId| self.fact(target).rank < fact.rank;
        if !is_mec {
            let &target = outside.find(|target| !is_later(target))?;
            let target = self.part.global_of(target);
            return Some(Violation::Backwards {
                state,
                choice,
                target,
            });
        }
        let &first = outside.clone().next()?;
        let target = self.part.global_of(first);
        (!outside.any(|target| is_later(&target))).then_some(Violation::NoLaterTarget {
            state,
            choice,
            target,
        })
    }

    /// Checks S1 and M3: each state of a component except its root is the target of such an edge.
    fn check_reached(&mut self, net: &mut Net<'_>) {
        let own = self.part.num_own();
        let mut outbox = net.outbox();
        for ghost in 0..self.part.num_ghosts() {
            if self.reached.contains(own + ghost) {
                let (owner, state) = self.part.owner_of(ghost as u32);
                outbox.push(net, owner, state);
            }
        }
        for (_, state) in net.exchange(outbox) {
            self.reached.insert(state as usize);
        }
        for own in 0..own as u32 {
            let (state, component) = (self.part.global(own), self.own.get(own).label);
            let needs_edge = component != u64::MAX && component != state;
            if needs_edge && !self.reached.contains(own as usize) {
                self.report(Violation::Unreached {
                    kind: self.kind,
                    state,
                    component,
                });
            }
        }
    }
}
