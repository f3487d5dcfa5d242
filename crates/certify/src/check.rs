//! The checker: one pass over the order, and one over the branches of the model.
//!
//! It knows nothing of how answers are found or certificates made, and shares no code with either.
//! SCCs are checked as MECs are, with each edge as a choice of its own; what differs is which
//! states may be in no component.

use crate::{Certificate, Violation};
use mdp_graph::{BitSet, ComponentId, ComponentKind, Components, MdpGraph, StateId, Table};
use std::ops::Range;

pub(crate) fn check(
    graph: &MdpGraph,
    components: &Components,
    certificate: &Certificate,
) -> Result<(), Violation> {
    let n = graph.num_states();
    if components.num_states() != n {
        return Err(Violation::OtherGraph {
            graph: n,
            answer: components.num_states(),
        });
    }
    let lengths = [
        ("order", certificate.order().len()),
        ("back", certificate.back().len()),
    ];
    if let Some((array, found)) = lengths.into_iter().find(|&(_, length)| length != n) {
        return Err(Violation::WrongLength {
            array,
            found,
            states: n,
        });
    }
    let places = Places::new(components, certificate.order())?;
    let check = Check {
        graph,
        components,
        position: &places.position,
        first: &places.first,
        back: certificate.back(),
    };
    match components.kind() {
        ComponentKind::Scc => check.all(|state| graph.successors(state).chunks(1)),
        ComponentKind::Mec => {
            check.all(|state| graph.choices(state).map(|choice| graph.targets(choice)))
        }
    }
}

/// Where the order puts states and classes.
struct Places {
    /// For each state its position.
    position: Table<u32>,
    /// For each component the position of its first state.
    first: Vec<u32>,
}

impl Places {
    /// The places in an order of as many states as there are, if it is a permutation that keeps
    /// each component together.
    fn new(components: &Components, order: &[StateId]) -> Result<Self, Violation> {
        const UNSEEN: u32 = u32::MAX;
        let states = components.num_states();
        let mut table = Table::new(states);
        let position: &mut [u32] = &mut table;
        position.fill(UNSEEN);
        let mut first = vec![UNSEEN; components.len()];
        let mut previous = None;
        for (place, &state) in order.iter().enumerate() {
            match position.get_mut(state.index()) {
                None => return Err(Violation::NoSuchState { state, states }),
                Some(&mut known) if known != UNSEEN => return Err(Violation::Repeated { state }),
                Some(unseen) => *unseen = place as u32,
            }
            let component = components.component(state);
            if let Some(id) = component.filter(|_| component != previous) {
                let first = &mut first[id.index()];
                if *first != UNSEEN {
                    return Err(Violation::Scattered {
                        kind: components.kind(),
                        state,
                        component: components.smallest(id),
                    });
                }
                *first = place as u32;
            }
            previous = component;
        }
        Ok(Self {
            position: table,
            first,
        })
    }
}

/// What a choice does to the class of its state.
enum Step {
    /// All targets are inside.
    Retained,
    /// Some target is in a later class.
    Later,
    /// Neither.
    Wrong,
}

struct Check<'a> {
    graph: &'a MdpGraph,
    components: &'a Components,
    /// [`Places::position`], without asking each time where that lies.
    position: &'a [u32],
    /// [`Places::first`].
    first: &'a [u32],
    back: &'a [u32],
}

impl<'a> Check<'a> {
    /// Checks every state, given its choices.
    fn all<I: Iterator<Item = &'a [StateId]> + Clone>(
        &self,
        choices: impl Fn(StateId) -> I,
    ) -> Result<(), Violation> {
        let mut reached = BitSet::new(self.graph.num_states() + 1);
        for state in self.graph.states() {
            self.state(state, choices(state), &mut reached)?;
        }
        for state in self.graph.states() {
            if let Some(id) = self.components.component(state) {
                let is_first = self.first[id.index()] == self.position(state);
                if !is_first && !reached.contains(state.index()) {
                    return Err(Violation::Unreached {
                        kind: self.components.kind(),
                        state,
                        component: self.components.smallest(id),
                    });
                }
            }
        }
        Ok(())
    }

    /// Checks one state: O1 or S3 for each choice, the way back, M2 and M4. Adds the states to which
    /// it leads as an earlier state of their class to `reached`.
    #[inline]
    fn state(
        &self,
        state: StateId,
        choices: impl Iterator<Item = &'a [StateId]> + Clone,
        reached: &mut BitSet,
    ) -> Result<(), Violation> {
        let component = self.components.component(state);
        let own = self.position(state);
        let class = self.class(own, component);
        let back = self.back[own as usize];
        let mut retained = None;
        let mut returns = false;
        for (i, targets) in choices.clone().enumerate() {
            match self.step(&class, targets) {
                Step::Later => {}
                Step::Wrong => return Err(self.wrong_choice(state, &class, i, targets)),
                Step::Retained => {
                    retained = Some(i);
                    self.reach(own, targets, reached);
                    returns |= self.leads_back_soon(own, back, targets);
                }
            }
        }
        match component {
            None => self.outside(state, retained),
            Some(id) => {
                let mut kept = choices.filter(|targets| self.is_inside(&class, targets));
                let mut later = || kept.any(|targets| self.leads_back_later(own, back, targets));
                let returns = own == class.start || (back < own && (returns || later()));
                self.inside(state, id, retained.is_some(), returns)
            }
        }
    }

    /// Adds the targets at positions after `own` to `reached`, and the others as what no state is:
    /// without a branch, which would be taken by chance.
    #[inline]
    fn reach(&self, own: u32, targets: &[StateId], reached: &mut BitSet) {
        let no_state = reached.bound() - 1;
        for &target in targets {
            let is_later = self.position(target) > own;
            reached.insert(if is_later { target.index() } else { no_state });
        }
    }

    /// Whether an edge from position `own` to one of the targets, in the same class, leads to
    /// position `back` or before it, or to the next position, which gets back to there. Of most
    /// states one does, and what this reads is at hand.
    #[inline]
    fn leads_back_soon(&self, own: u32, back: u32, targets: &[StateId]) -> bool {
        let next = self.back.get(own as usize + 1);
        let next_returns = next.is_some_and(|&next| next <= back);
        targets.iter().fold(false, |found, &target| {
            let to = self.position(target);
            found | (to <= back) | (next_returns & (to == own + 1))
        })
    }

    /// Whether an edge from position `own` to one of the targets, in the same class, leads to a
    /// later position that gets back to `back` or before it.
    #[inline]
    fn leads_back_later(&self, own: u32, back: u32, targets: &[StateId]) -> bool {
        let mut to = targets.iter().map(|&target| self.position(target));
        to.any(|to| to > own && self.back[to as usize] <= back)
    }

    /// Whether all targets are in the class.
    #[inline]
    fn is_inside(&self, class: &Range<u32>, targets: &[StateId]) -> bool {
        targets
            .iter()
            .all(|&target| class.contains(&self.position(target)))
    }

    #[inline]
    fn position(&self, state: StateId) -> u32 {
        self.position[state.index()]
    }

    /// The positions of the class of the state at position `own`.
    #[inline]
    fn class(&self, own: u32, component: Option<ComponentId>) -> Range<u32> {
        match component {
            None => own..own + 1,
            Some(id) => {
                let first = self.first[id.index()];
                first..first + self.components.size(id)
            }
        }
    }

    #[inline]
    fn step(&self, class: &Range<u32>, targets: &[StateId]) -> Step {
        let mut inside = !targets.is_empty();
        let mut later = false;
        for &target in targets {
            let to = self.position(target);
            inside &= class.contains(&to);
            later |= to >= class.end;
        }
        match (inside, later) {
            (true, _) => Step::Retained,
            (false, true) => Step::Later,
            (false, false) => Step::Wrong,
        }
    }

    /// M2, and the way back, for a state of a component.
    #[inline]
    fn inside(
        &self,
        state: StateId,
        id: ComponentId,
        retained: bool,
        returns: bool,
    ) -> Result<(), Violation> {
        let kind = self.components.kind();
        if kind == ComponentKind::Mec && !retained {
            return Err(Violation::NoRetainedChoice {
                state,
                component: self.components.smallest(id),
            });
        }
        if !returns {
            return Err(Violation::NoReturn {
                kind,
                state,
                component: self.components.smallest(id),
            });
        }
        Ok(())
    }

    /// M4, for a state that is in no component.
    #[inline]
    fn outside(&self, state: StateId, retained: Option<usize>) -> Result<(), Violation> {
        if self.components.kind() == ComponentKind::Scc {
            return Err(Violation::NoComponent { state });
        }
        match retained {
            Some(choice) => Err(Violation::Stays { state, choice }),
            None => Ok(()),
        }
    }

    /// What is wrong with a choice that leaves its class, but not for a later one. For SCCs, `i`
    /// counts the edges of the state.
    #[cold]
    fn wrong_choice(
        &self,
        state: StateId,
        class: &Range<u32>,
        i: usize,
        targets: &[StateId],
    ) -> Violation {
        let kind = self.components.kind();
        let choice = match kind {
            ComponentKind::Mec => i,
            ComponentKind::Scc => choice_of_edge(self.graph, state, i),
        };
        let is_outside = |&&target: &&StateId| !class.contains(&self.position(target));
        match (kind, targets.iter().find(is_outside)) {
            (_, None) => Violation::EmptyChoice { state, choice },
            (ComponentKind::Scc, Some(&target)) => Violation::Backwards {
                state,
                choice,
                target,
            },
            (ComponentKind::Mec, Some(&target)) => Violation::NoLaterTarget {
                state,
                choice,
                target,
            },
        }
    }
}

/// Which choice of `state` holds its edge number `edge`.
fn choice_of_edge(graph: &MdpGraph, state: StateId, edge: usize) -> usize {
    let ends = graph.choices(state).scan(0, |end, choice| {
        *end += graph.targets(choice).len();
        Some(*end)
    });
    ends.take_while(|&end| end <= edge).count()
}

#[cfg(test)]
mod tests;
