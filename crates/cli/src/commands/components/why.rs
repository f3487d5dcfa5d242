//! Explains why a state is in a component, or in none.
//!
//! A state is in an end component if and only if it has a choice such that from each of its
//! targets, some strategy returns to the state with probability 1. For if these strategies are
//! followed forever, the state is visited infinitely often, and the states and choices that occur
//! infinitely often form an end component. So each choice of a state that is in no end component
//! has a target from which no strategy surely returns.

use super::incoming::Incoming;
use mdp_graph::{Components, MdpGraph, StateId};
use report::{Leaving, Return};

/// Returns the choices by which a state may leave its component, each with a state outside that it
/// may reach.
pub(super) fn leaving(graph: &MdpGraph, components: &Components, state: StateId) -> Vec<Leaving> {
    let own = components.component(state);
    let left = |choice| {
        let mut targets = graph.targets(choice).iter().copied();
        targets.find(|&target| components.component(target) != own)
    };
    let choices = graph.choices(state);
    let leaving = choices.filter_map(|choice| {
        left(choice).map(|target| Leaving {
            choice,
            target,
            returns: None,
        })
    });
    leaving.collect()
}

/// The reasons why states are in no end component: of all of these states, from one pass.
///
/// Consider each maximal end component as one state that has the choices which leave it. The states
/// are put in an order: next comes any state each of whose choices has a target that came before.
/// A state without choices may come first. Each state comes at some time: otherwise, each of the
/// remaining ones would have a choice to only remaining ones, and these would form another end
/// component.
///
/// If a target comes before a state, no strategy surely leads from the target to the state. For
/// whatever a strategy chooses, it stays where it is or may lead to what came still earlier. So
/// with a probability above 0, only states that came before are visited.
pub(super) struct Lost<'a> {
    graph: &'a MdpGraph,
    /// The SCC of each state.
    sccs: &'a [u32],
    /// The place of each state in the order. The states of a component have the same place.
    places: Vec<u32>,
}

impl<'a> Lost<'a> {
    /// Orders the states of a graph with these maximal end components and SCCs.
    pub(super) fn new(
        graph: &'a MdpGraph,
        incoming: &Incoming,
        mecs: &Components,
        sccs: &'a Components,
    ) -> Self {
        Self {
            graph,
            sccs: sccs.numbers(),
            places: places(graph, incoming, mecs),
        }
    }

    /// Returns, for each choice of a state that is in no end component, a target from which no
    /// strategy surely returns to the state.
    pub(super) fn leaving(&self, state: StateId) -> Vec<Leaving> {
        let choices = self.graph.choices(state);
        let lost = choices.filter_map(|choice| {
            let mut targets = self.graph.targets(choice).iter().copied();
            // An edge leads from the state to the target. So they are in the same SCC if and only
            // if a path leads back.
            let scc = |state: StateId| self.sccs[state.index()];
            let never = targets.clone().find(|&target| scc(target) != scc(state));
            let place = |state: StateId| self.places[state.index()];
            let target = never.or_else(|| targets.find(|&target| place(target) < place(state)))?;
            let returns = match never {
                Some(_) => Return::Impossible,
                None => Return::Unsure,
            };
            Some(Leaving {
                choice,
                target,
                returns: Some(returns),
            })
        });
        lost.collect()
    }
}

/// Returns the place of each state in the order that [`Lost`] describes.
fn places(graph: &MdpGraph, incoming: &Incoming, mecs: &Components) -> Vec<u32> {
    // The smallest state of the component of a state, or the state if it is in none.
    let first = |state: StateId| mecs.smallest_of(state).unwrap_or(state);
    let mut is_used = vec![true; graph.num_choices()];
    // The number of choices without a target that came before, for each state or, at its smallest
    // state, for each component.
    let mut remaining = vec![0u32; graph.num_states()];
    for state in graph.states() {
        let mut leaving = graph.choices(state).len() as u32;
        for choice in mecs.retained_choices(graph, state) {
            is_used[choice.index()] = false;
            leaving -= 1;
        }
        remaining[first(state).index()] += leaving;
    }
    let ends = graph
        .states()
        .filter(|&state| first(state) == state && remaining[state.index()] == 0);
    let mut stack: Vec<StateId> = ends.collect();
    let (mut places, members) = (vec![0; graph.num_states()], mecs.members());
    let mut place = 0;
    while let Some(next) = stack.pop() {
        place += 1;
        let states = match mecs.component(next) {
            Some(component) => members.states(component),
            None => &[next],
        };
        for &state in states {
            places[state.index()] = place;
            for (choice, from) in incoming.choices_into(state) {
                if std::mem::take(&mut is_used[choice.index()]) {
                    let from = first(from);
                    remaining[from.index()] -= 1;
                    if remaining[from.index()] == 0 {
                        stack.push(from);
                    }
                }
            }
        }
    }
    places
}
