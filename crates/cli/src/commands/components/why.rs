//! Explains why a state is in a component, or in none.
//!
//! A state is in an end component if and only if it has a choice such that from each of its
//! targets, some strategy returns to the state with probability 1. For if these strategies are
//! followed forever, the state is visited infinitely often, and the states and choices that occur
//! infinitely often form an end component. So each choice of a state that is in no end component
//! has a target from which no strategy surely returns.

use mdp_graph::{BitSet, ChoiceTranspose, Components, MdpGraph, StateId};
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

/// Returns, for each choice of a state that is in none of the maximal end components `mecs`, a
/// target from which no strategy surely returns to the state.
pub(super) fn lost(
    graph: &MdpGraph,
    into: &ChoiceTranspose,
    mecs: &Components,
    state: StateId,
) -> Vec<Leaving> {
    let returning = Returning::new(graph, into, mecs, state);
    let (possible, unsure) = (returning.possible(), returning.unsure());
    let choices = graph.choices(state);
    let lost = choices.filter_map(|choice| {
        let targets = graph.targets(choice).iter().copied();
        let never = targets
            .clone()
            .find(|target| !possible.contains(target.index()));
        let unsure = || {
            targets
                .clone()
                .find(|target| unsure.contains(target.index()))
        };
        let target = never.or_else(unsure)?;
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

/// Searches for the states from which a state that is in no end component is reached.
struct Returning<'a> {
    graph: &'a MdpGraph,
    into: &'a ChoiceTranspose,
    mecs: &'a Components,
    goal: StateId,
    /// The state of each choice.
    owner: Vec<StateId>,
}

impl<'a> Returning<'a> {
    fn new(
        graph: &'a MdpGraph,
        into: &'a ChoiceTranspose,
        mecs: &'a Components,
        goal: StateId,
    ) -> Self {
        let mut owner = vec![StateId(0); graph.num_choices()];
        for state in graph.states() {
            for choice in graph.choices(state) {
                owner[choice.index()] = state;
            }
        }
        Self {
            graph,
            into,
            mecs,
            goal,
            owner,
        }
    }

    /// Returns the states from which some strategy reaches the goal with a probability above 0.
    fn possible(&self) -> BitSet {
        let mut found = BitSet::new(self.graph.num_states());
        found.insert(self.goal.index());
        let mut stack = vec![self.goal];
        while let Some(state) = stack.pop() {
            for &choice in self.into.choices_into(state) {
                let from = self.owner[choice.index()];
                if !found.contains(from.index()) {
                    found.insert(from.index());
                    stack.push(from);
                }
            }
        }
        found
    }

    /// Returns the states from which no strategy reaches the goal with probability 1.
    ///
    /// Consider each maximal end component as one state that has the choices which leave it. The
    /// goal is in no end component, so only the goal and states without choices can be visited
    /// forever, and some of them are reached surely. So the unsure states are those without choices
    /// except the goal, and those each of whose choices may lead to an unsure state.
    fn unsure(&self) -> BitSet {
        let mut unsure = BitSet::new(self.graph.num_states());
        let mut is_used: Vec<bool> = vec![true; self.graph.num_choices()];
        // The number of choices without an unsure target, for each state or, at its smallest state,
        // for each component.
        let mut remaining = vec![0u32; self.graph.num_states()];
        for state in self.graph.states() {
            let mut leaving = self.graph.choices(state).len() as u32;
            for choice in self.mecs.retained_choices(self.graph, state) {
                is_used[choice.index()] = false;
                leaving -= 1;
            }
            remaining[self.first(state).index()] += leaving;
        }
        let (mut stack, members) = (Vec::new(), self.mecs.members());
        let add = |first: StateId, stack: &mut Vec<StateId>| match self.mecs.component(first) {
            Some(component) => stack.extend(members.states(component)),
            None if first != self.goal => stack.push(first),
            None => {}
        };
        for state in self.graph.states() {
            if self.first(state) == state && remaining[state.index()] == 0 {
                add(state, &mut stack);
            }
        }
        while let Some(state) = stack.pop() {
            unsure.insert(state.index());
            for &choice in self.into.choices_into(state) {
                if std::mem::take(&mut is_used[choice.index()]) {
                    let first = self.first(self.owner[choice.index()]);
                    remaining[first.index()] -= 1;
                    if remaining[first.index()] == 0 {
                        add(first, &mut stack);
                    }
                }
            }
        }
        unsure
    }

    /// Returns the smallest state of the component of a state, or the state if it is in none.
    fn first(&self, state: StateId) -> StateId {
        self.mecs.smallest_of(state).unwrap_or(state)
    }
}
