//! Explains why a state is in a component, or in none.
//!
//! A state is in an end component if and only if it has a choice such that from each of its
//! targets, some strategy returns to the state with probability 1. For if these strategies are
//! followed forever, the state is visited infinitely often, and the states and choices that occur
//! infinitely often form an end component. So each choice of a state that is in no end component
//! has a target from which no strategy surely returns.

use mdp_graph::{BitSet, ChoiceId, ChoiceTranspose, ComponentKind, Components, MdpGraph, StateId};
use report::{Leaving, Return, Step};
use std::collections::VecDeque;

/// Returns whether a cycle in the component of a state may continue by `choice` to `target`.
fn goes_on(
    graph: &MdpGraph,
    components: &Components,
    state: StateId,
    choice: ChoiceId,
    target: StateId,
) -> bool {
    let own = components.component(state);
    match components.kind() {
        ComponentKind::Mec => {
            let mut targets = graph.targets(choice).iter();
            targets.all(|&target| components.component(target) == own)
        }
        _ => components.component(target) == own,
    }
}

/// Returns a shortest cycle through a state inside its component, if there is one.
pub(super) fn cycle(
    graph: &MdpGraph,
    components: &Components,
    state: StateId,
) -> Option<Vec<Step>> {
    let none = u32::MAX;
    components.component(state)?;
    // For each reached state: the choice that reached it, and the state before it.
    let mut before = vec![(none, none); graph.num_states()];
    let mut queue = VecDeque::from([state]);
    while let Some(from) = queue.pop_front() {
        for choice in graph.choices(from) {
            for &target in graph.targets(choice) {
                if before[target.index()].0 != none
                    || !goes_on(graph, components, from, choice, target)
                {
                    continue;
                }
                before[target.index()] = (choice.0, from.0);
                if target == state {
                    return Some(walk_back(&before, state));
                }
                queue.push_back(target);
            }
        }
    }
    None
}

fn walk_back(before: &[(u32, u32)], end: StateId) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut target = end;
    loop {
        let (choice, state) = before[target.index()];
        steps.push(Step {
            state: StateId(state),
            choice: ChoiceId(choice),
        });
        target = StateId(state);
        if target == end {
            steps.reverse();
            return steps;
        }
    }
}

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

/// Returns, for each choice of a state that is in no end component, a target from which no strategy
/// surely returns to the state.
pub(super) fn lost(graph: &MdpGraph, into: &ChoiceTranspose, state: StateId) -> Vec<Leaving> {
    let (sure, possible) = returning(graph, into, state);
    let choices = graph.choices(state);
    let lost = choices.filter_map(|choice| {
        let targets = graph.targets(choice).iter().copied();
        let never = targets
            .clone()
            .find(|target| !possible.contains(target.index()));
        let unsure = || {
            targets
                .clone()
                .find(|target| !sure.contains(target.index()))
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

/// Returns the states from which some strategy reaches `goal` with probability 1, and those from
/// which some strategy reaches it with a probability above 0.
///
/// The greatest set of states that reach the goal by choices which never leave the set.
fn returning(graph: &MdpGraph, into: &ChoiceTranspose, goal: StateId) -> (BitSet, BitSet) {
    let mut owner = vec![StateId(0); graph.num_choices()];
    for state in graph.states() {
        for choice in graph.choices(state) {
            owner[choice.index()] = state;
        }
    }
    let reaching = |allowed: Option<&BitSet>| {
        let stays = |choice: ChoiceId| {
            let mut targets = graph.targets(choice).iter();
            allowed.is_none_or(|set| targets.all(|target| set.contains(target.index())))
        };
        let mut found = BitSet::new(graph.num_states());
        found.insert(goal.index());
        let mut stack = vec![goal];
        while let Some(state) = stack.pop() {
            for &choice in into.choices_into(state) {
                let from = owner[choice.index()];
                if !found.contains(from.index()) && stays(choice) {
                    found.insert(from.index());
                    stack.push(from);
                }
            }
        }
        found
    };
    let possible = reaching(None);
    let mut sure = possible.clone();
    loop {
        let next = reaching(Some(&sure));
        if next.count() == sure.count() {
            return (sure, possible);
        }
        sure = next;
    }
}
