//! The checker: one pass over the order, and one over the branches of the model, in blocks of states
//! that any number of threads share.
//!
//! It knows nothing of how answers are found or certificates made, and shares no code with either.
//! SCCs are checked as MECs are, with each edge as a choice of its own; what differs is which
//! states may be in no component.

use crate::{Certificate, Violation};
use bytemuck::{Pod, Zeroable};
use mdp_graph::{ChoiceId, ComponentId, ComponentKind, Components, MdpGraph, StateId, Table};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Marks are only ever set, and read when all threads are done.
#[inline]
fn set(mark: &AtomicBool) {
    mark.store(true, Ordering::Relaxed);
}

#[inline]
fn is_set(mark: &AtomicBool) -> bool {
    mark.load(Ordering::Relaxed)
}

/// How many states are checked at a time.
const BLOCK: usize = 256;

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
    let places = places(certificate)?;
    let check = Check {
        graph,
        components,
        places: &places,
        first: &firsts(components, &places),
    };
    match components.kind() {
        ComponentKind::Scc => check.all(Check::edges),
        ComponentKind::Mec => check.all(Check::choices),
    }
}

/// What a certificate says of a state. Both numbers together, because they are looked up together,
/// in no order.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Place {
    /// The state's position in the order, from 1, or [`NOWHERE`].
    position: u32,
    /// How soon it gets back.
    back: u32,
}

/// The position of no state.
const NOWHERE: u32 = 0;

/// For each state its place, if the order, which is as long as there are states, names none twice.
fn places(certificate: &Certificate) -> Result<Table<Place>, Violation> {
    let states = certificate.order().len();
    let mut table = Table::new(states);
    let places: &mut [Place] = &mut table;
    let order = certificate.order().iter().zip(certificate.back());
    for (position, (&state, &back)) in order.enumerate() {
        match places.get_mut(state.index()) {
            None => return Err(Violation::NoSuchState { state, states }),
            Some(place) if place.position != NOWHERE => return Err(Violation::Repeated { state }),
            Some(place) => {
                *place = Place {
                    position: position as u32 + 1,
                    back,
                };
            }
        }
    }
    Ok(table)
}

/// For each component the position of its first state.
fn firsts(components: &Components, places: &[Place]) -> Table<u32> {
    let mut table = Table::new(components.len());
    let firsts: &mut [u32] = &mut table;
    for (state, place) in places.iter().enumerate() {
        if let Some(id) = components.component(StateId::from_index(state)) {
            let first = &mut firsts[id.index()];
            *first = match *first {
                NOWHERE => place.position,
                first => first.min(place.position),
            };
        }
    }
    table
}

struct Check<'a> {
    graph: &'a MdpGraph,
    components: &'a Components,
    /// [`places`].
    places: &'a [Place],
    /// [`firsts`].
    first: &'a [u32],
}

/// A state that is being checked.
struct Visit<'a> {
    state: StateId,
    own: Place,
    /// The positions of its class.
    class: Range<u32>,
    /// The places of its targets, choice after choice.
    targets: &'a [Place],
}

/// What the choices of a state that are retained show.
#[derive(Default)]
struct Found {
    /// The last one.
    retained: Option<usize>,
    /// Whether they lead to an earlier state of the class.
    returns: bool,
}

impl Check<'_> {
    /// Checks every state, by what `look` finds at each. That marks the later states of the
    /// class to which a state leads as reached.
    fn all(
        &self,
        look: impl Fn(&Self, &Visit<'_>, &[AtomicBool]) -> Result<Found, Violation> + Sync,
    ) -> Result<(), Violation> {
        let states = self.graph.num_states();
        // The last one stands for no state.
        let reached: Vec<_> = (0..=states).map(|_| AtomicBool::new(false)).collect();
        let blocks = (0..states.div_ceil(BLOCK)).into_par_iter();
        let checks = blocks.map_init(Vec::new, |places, block| {
            let block = block * BLOCK..states.min((block + 1) * BLOCK);
            let mut rest = self.look_up(block.clone(), places);
            for state in block.map(StateId::from_index) {
                let targets = rest.split_off(..self.graph.branch_range(state).len());
                self.state(state, targets.unwrap_or_default(), &look, &reached)?;
            }
            Ok(())
        });
        if let Some(violation) = checks.find_map_first(Result::err) {
            // Where a component is not together, everything else speaks of another class.
            let apart = self.graph.states().find_map(|state| self.apart(state));
            return Err(apart.unwrap_or(violation));
        }
        match reached[..states]
            .iter()
            .position(|reached| !is_set(reached))
        {
            None => Ok(()),
            Some(state) => Err(self.unreached(StateId::from_index(state))),
        }
    }

    /// The places of all targets of some states. Looked up at once, so that the processor, which
    /// has to wait for nearly each of them, waits for many at the same time.
    fn look_up<'t>(&self, states: Range<usize>, found: &'t mut Vec<Place>) -> &'t [Place] {
        let choices = self.graph.choice_offsets();
        let choices = choices[states.start] as usize..choices[states.end] as usize;
        let branches = self.graph.branch_offsets();
        let branches = branches[choices.start] as usize..branches[choices.end] as usize;
        let targets = &self.graph.all_targets()[branches];
        found.clear();
        found.extend(targets.iter().map(|&state| self.place(state)));
        found
    }

    #[inline]
    fn place(&self, state: StateId) -> Place {
        self.places[state.index()]
    }

    /// Checks one state: whether its component is together, its choices, the way back, M2 and M4.
    #[inline]
    fn state(
        &self,
        state: StateId,
        targets: &[Place],
        look: impl Fn(&Self, &Visit<'_>, &[AtomicBool]) -> Result<Found, Violation>,
        reached: &[AtomicBool],
    ) -> Result<(), Violation> {
        let own = self.place(state);
        let component = self.components.component(state);
        let class = self.class(own, component);
        if let Some(violation) = self.apart(state) {
            return Err(violation);
        }
        let visit = Visit {
            state,
            own,
            class: class.clone(),
            targets,
        };
        let mut found = look(self, &visit, reached)?;
        if own.position == class.start {
            set(&reached[state.index()]);
            found.returns = true;
        }
        match component {
            None => self.outside(state, found.retained),
            Some(id) => self.inside(state, id, &found),
        }
    }

    /// S3 for each edge of a state of an SCC.
    #[inline]
    fn edges(&self, visit: &Visit<'_>, reached: &[AtomicBool]) -> Result<Found, Violation> {
        let is_earlier = |to: &Place| to.position < visit.class.start;
        if visit.targets.iter().any(is_earlier) {
            return Err(self.wrong_edge(visit));
        }
        Ok(Found {
            retained: None,
            returns: visit.follow(visit.targets, self.graph.successors(visit.state), reached),
        })
    }

    /// O1 for each choice of a state.
    #[inline]
    fn choices(&self, visit: &Visit<'_>, reached: &[AtomicBool]) -> Result<Found, Violation> {
        let mut found = Found::default();
        let mut rest = visit.targets;
        for (i, choice) in self.graph.choices(visit.state).enumerate() {
            let width = self.graph.targets(choice).len();
            let targets = rest.split_off(..width).unwrap_or_default();
            match visit.step(targets) {
                Step::Later => {}
                Step::Wrong => return Err(self.wrong_choice(visit, i, choice)),
                Step::Retained => {
                    found.retained = Some(i);
                    found.returns |= visit.follow(targets, self.graph.targets(choice), reached);
                }
            }
        }
        Ok(found)
    }

    /// The positions of the class of a state, which is at `own`.
    #[inline]
    fn class(&self, own: Place, component: Option<ComponentId>) -> Range<u32> {
        match component {
            None => own.position..own.position + 1,
            Some(id) => {
                let first = self.first[id.index()];
                first..first + self.components.size(id)
            }
        }
    }

    /// That a state lies apart from its component, if it does: farther from the first state than there
    /// are others.
    #[inline]
    fn apart(&self, state: StateId) -> Option<Violation> {
        let components = self.components;
        let id = components.component(state)?;
        let distance = self.place(state).position - self.first[id.index()];
        (distance >= components.size(id)).then(|| Violation::Scattered {
            kind: components.kind(),
            state,
            component: components.smallest(id),
        })
    }

    /// M2, and the way back, for a state of a component.
    #[inline]
    fn inside(&self, state: StateId, id: ComponentId, found: &Found) -> Result<(), Violation> {
        let kind = self.components.kind();
        if kind == ComponentKind::Mec && found.retained.is_none() {
            return Err(Violation::NoRetainedChoice {
                state,
                component: self.components.smallest(id),
            });
        }
        if !found.returns {
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

    /// An edge that leads to an earlier SCC.
    #[cold]
    fn wrong_edge(&self, visit: &Visit<'_>) -> Violation {
        let choices = self.graph.choices(visit.state).enumerate();
        let mut edges = choices.flat_map(|(i, choice)| {
            let targets = self.graph.targets(choice).iter();
            targets.map(move |&target| (i, target))
        });
        let is_earlier = |&(_, target): &_| self.place(target).position < visit.class.start;
        let (choice, target) = edges.find(is_earlier).expect("an edge leads back");
        Violation::Backwards {
            state: visit.state,
            choice,
            target,
        }
    }

    /// What is wrong with a choice that leaves its class, but not for a later one.
    #[cold]
    fn wrong_choice(&self, visit: &Visit<'_>, i: usize, choice: ChoiceId) -> Violation {
        let mut targets = self.graph.targets(choice).iter();
        let is_outside = |target: &&StateId| !visit.class.contains(&self.place(**target).position);
        match targets.find(is_outside) {
            None => Violation::EmptyChoice {
                state: visit.state,
                choice: i,
            },
            Some(&target) => Violation::NoLaterTarget {
                state: visit.state,
                choice: i,
                target,
            },
        }
    }

    /// A state that is no first one, to which nothing of its class leads.
    #[cold]
    fn unreached(&self, state: StateId) -> Violation {
        Violation::Unreached {
            kind: self.components.kind(),
            state,
            component: self.components.label(state).unwrap_or(state),
        }
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

impl Visit<'_> {
    /// What a choice with these targets does to the class.
    #[inline]
    fn step(&self, targets: &[Place]) -> Step {
        let is_inside = |to: &Place| self.class.contains(&to.position);
        if !targets.is_empty() && targets.iter().all(is_inside) {
            Step::Retained
        } else if targets.iter().any(|to| to.position >= self.class.end) {
            Step::Later
        } else {
            Step::Wrong
        }
    }

    /// Marks those targets that are later in the class as reached. Says whether an edge is on the way
    /// back: to the first state of the class, or to one that gets back sooner, or, among those that
    /// get back as soon, to a later one.
    #[inline]
    fn follow(&self, targets: &[Place], states: &[StateId], reached: &[AtomicBool]) -> bool {
        let Place { position, back } = self.own;
        let Range { start, end } = self.class;
        let no_state = reached.len() - 1;
        let mut returns = false;
        for (to, state) in targets.iter().zip(states) {
            let is_inside = (to.position >= start) & (to.position < end);
            let is_later = is_inside & (to.position > position);
            let is_sooner = (to.position == start) | (to.back < back);
            // Without a branch, which would be taken by chance.
            set(&reached[if is_later { state.index() } else { no_state }]);
            returns |= (is_inside & is_sooner) | (is_later & (to.back == back));
        }
        returns
    }
}

#[cfg(test)]
mod tests;
