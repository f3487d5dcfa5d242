//! Tests that wrong answers are rejected, and right ones are accepted. On random models, answers
//! are compared with oracles that use only the definitions, and on larger models with the
//! decompositions.

use crate::common::{
    KINDS, Marks, Model, components, decomposed, graph, marks, marks_of, mec_oracle, model,
    scc_oracle,
};
use certify::{Certificate, certify, produce};
use mdp_graph::{ComponentKind, Components, MdpGraph, StateId};
use proptest::prelude::*;

/// A way to make an answer wrong. The numbers select states and components.
#[derive(Clone, Copy, Debug)]
enum Mutation {
    /// Two components become one.
    Merge(usize, usize),
    /// Some states of a component become a separate component.
    Split(usize, u64),
    /// A component is forgotten.
    Drop(usize),
    /// A state that is in no component joins one.
    Join(usize, usize),
    /// A state that is in no component becomes one.
    Invent(usize),
    /// A state leaves its component.
    Leave(usize),
    /// Two states exchange their components.
    Swap(usize, usize),
    /// A state moves to the component of another.
    Move(usize, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let number = 0..1000usize;
    let two = || (0..1000usize, 0..1000usize);
    prop_oneof![
        two().prop_map(|(a, b)| Mutation::Merge(a, b)),
        (number.clone(), any::<u64>()).prop_map(|(a, set)| Mutation::Split(a, set)),
        number.clone().prop_map(Mutation::Drop),
        two().prop_map(|(a, b)| Mutation::Join(a, b)),
        number.clone().prop_map(Mutation::Invent),
        number.prop_map(Mutation::Leave),
        two().prop_map(|(a, b)| Mutation::Swap(a, b)),
        two().prop_map(|(a, b)| Mutation::Move(a, b)),
    ]
}

impl Mutation {
    /// Returns the mutated marks. They are the same if the mutation finds nothing to change.
    fn apply(self, right: &Marks) -> Marks {
        let n = right.len();
        let fresh = n as u32;
        let mut wrong = right.clone();
        let mut names: Vec<u32> = right
            .iter()
            .copied()
            .filter(|&m| m != Components::NONE)
            .collect();
        names.sort_unstable();
        names.dedup();
        let outside: Vec<usize> = (0..n).filter(|&s| right[s] == Components::NONE).collect();
        let name = |i: usize| names[i % names.len()];
        let rename = |wrong: &mut Marks, from: u32, to: u32| {
            wrong
                .iter_mut()
                .filter(|m| **m == from)
                .for_each(|m| *m = to);
        };
        match self {
            Self::Swap(a, b) => wrong.swap(a % n, b % n),
            Self::Move(a, b) => wrong[a % n] = right[b % n],
            Self::Leave(a) => wrong[a % n] = Components::NONE,
            Self::Invent(a) if !outside.is_empty() => wrong[outside[a % outside.len()]] = fresh,
            _ if names.is_empty() => {}
            Self::Merge(a, b) => rename(&mut wrong, name(a), name(b)),
            Self::Drop(a) => rename(&mut wrong, name(a), Components::NONE),
            Self::Split(a, set) => {
                for (state, mark) in wrong.iter_mut().enumerate() {
                    if *mark == name(a) && set >> (state % 64) & 1 == 1 {
                        *mark = fresh;
                    }
                }
            }
            Self::Join(a, b) if !outside.is_empty() => {
                wrong[outside[a % outside.len()]] = name(b);
            }
            Self::Join(..) | Self::Invent(_) => {}
        }
        wrong
    }
}

/// Returns the numbers of a certificate, state by state.
fn parts(certificate: &Certificate, states: usize) -> (Vec<u32>, Vec<u32>) {
    let states = (0..states).map(StateId::from_index);
    let numbers = states.map(|state| (certificate.position(state), certificate.back(state)));
    numbers.unzip()
}

/// Returns a certificate that may be wrong, with changed entries or exchanged states.
fn tamper(certificate: &Certificate, n: usize, changes: &[(usize, usize, u32)]) -> Certificate {
    let (mut position, mut back) = parts(certificate, n);
    for &(a, b, kind) in changes {
        match kind {
            0 => position.swap(a % n, b % n),
            1 => back[a % n] = (b % n) as u32,
            2 => back.swap(a % n, b % n),
            3 => {
                let (low, high) = ((a % n).min(b % n), (a % n).max(b % n));
                position[low..=high].rotate_left(1);
            }
            4 => position[a % n] = b as u32,
            5 => position[a % n] = position[b % n],
            _ => back[a % n] = u32::MAX - b as u32,
        }
    }
    Certificate::from_parts(position, back)
}

fn changes() -> impl Strategy<Value = Vec<(usize, usize, u32)>> {
    let change = (0..1000usize, 0..1000usize, 0..7u32);
    prop::collection::vec(change, 1..6)
}

/// Returns an order of the states that keeps the components of an answer together, but is otherwise
/// arbitrary.
fn plausible(answer: &Components, shuffle: &[u32], back: &[u32]) -> Certificate {
    let n = answer.num_states();
    let key = |s: &StateId| {
        let class = answer.smallest_of(*s).unwrap_or(*s);
        let key = |s: StateId| shuffle[s.index() % shuffle.len()];
        (key(class), class, key(*s))
    };
    let mut order: Vec<StateId> = (0..n).map(StateId::from_index).collect();
    order.sort_by_key(key);
    let mut position = vec![0; n];
    for (place, state) in order.iter().enumerate() {
        position[state.index()] = place as u32;
    }
    let back = (0..n).map(|state| back[state % back.len()] % (position[state] + 1));
    let back = back.collect::<Vec<u32>>();
    Certificate::from_parts(position, back)
}

/// Checks that a right answer is accepted, and that a wrong one is rejected with any certificate.
fn judge(
    kind: ComponentKind,
    graph: &MdpGraph,
    right: &Components,
    mutation: Mutation,
    changes: &[(usize, usize, u32)],
) -> Result<(), TestCaseError> {
    let wrong = mutation.apply(&marks_of(right));
    let answer = components(kind, graph, &wrong);
    let certificate = produce(graph, right).expect("the answer is right");
    if answer == *right {
        prop_assert_eq!(certificate.check(graph, &answer), Ok(()));
        return Ok(());
    }
    prop_assert!(certify(graph, &answer).is_err());
    prop_assert!(certificate.check(graph, &answer).is_err());
    prop_assert!(
        tamper(&certificate, right.num_states(), changes)
            .check(graph, &answer)
            .is_err()
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn right_answers_are_accepted(model in model(8)) {
        let graph = graph(&model);
        for (kind, right) in [
            (ComponentKind::Scc, marks(scc_oracle(&model))),
            (ComponentKind::Mec, marks(mec_oracle(&model))),
        ] {
            prop_assert_eq!(certify(&graph, &components(kind, &graph, &right)), Ok(()));
        }
    }

    #[test]
    fn mutated_answers_of_small_models_are_rejected(
        model in model(8),
        mutation in mutation(),
        changes in changes(),
    ) {
        let graph = graph(&model);
        let right = [scc_oracle(&model), mec_oracle(&model)].map(marks);
        for (kind, right) in KINDS.into_iter().zip(&right) {
            judge(kind, &graph, &components(kind, &graph, right), mutation, &changes)?;
        }
    }

    #[test]
    fn mutated_answers_of_larger_models_are_rejected(
        model in model(60),
        mutation in mutation(),
        changes in changes(),
    ) {
        let graph = graph(&model);
        for kind in KINDS {
            judge(kind, &graph, &decomposed(kind, &graph), mutation, &changes)?;
        }
    }

    #[test]
    fn nothing_but_right_answers_is_accepted(
        model in model(6),
        marks in prop::collection::vec(prop_oneof![3 => 0..6u32, 1 => Just(Components::NONE)], 6),
        shuffle in prop::collection::vec(any::<u32>(), 6),
        back in prop::collection::vec(0..6u32, 6),
    ) {
        let graph = graph(&model);
        for kind in KINDS {
            let right = decomposed(kind, &graph);
            let answer = components(kind, &graph, &marks[..model.len()].to_vec());
            for answer in [&answer, &right] {
                let certificate = plausible(answer, &shuffle, &back);
                if certificate.check(&graph, answer).is_ok() {
                    prop_assert_eq!(answer, &right);
                }
            }
        }
    }
}

/// Returns a path. Each state leads on or back; the last one has a choice that stays.
fn path(n: u32) -> Model {
    let choices = |s: u32| vec![vec![(s + 1).min(n - 1)], vec![s.saturating_sub(1)]];
    (0..n).map(choices).collect()
}

/// Returns a path whose states have two choices: one leads back or on, and the other on or to the
/// last state.
fn leaking_path(n: u32) -> Model {
    let choices = |s: u32| match s + 1 == n {
        true => vec![vec![s]],
        false => vec![vec![s.saturating_sub(1), s + 1], vec![s + 1, n - 1]],
    };
    (0..n).map(choices).collect()
}

#[test]
fn depth_takes_no_call_stack() {
    for model in [path(200_000), leaking_path(200_000)] {
        let graph = graph(&model);
        for kind in KINDS {
            assert_eq!(certify(&graph, &decomposed(kind, &graph)), Ok(()));
            let n = graph.num_states();
            let one = components(kind, &graph, &vec![0; n]);
            let each = components(kind, &graph, &(0..n as u32).collect());
            let none = components(kind, &graph, &vec![Components::NONE; n]);
            let verdicts = [one, each, none].map(|answer| certify(&graph, &answer).is_ok());
            assert!(verdicts.iter().filter(|&&accepted| accepted).count() <= 1);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn bottom_components_are_those_of_the_definition(
        model in model(20),
        mutation in mutation(),
    ) {
        let graph = graph(&model);
        let right = marks(scc_oracle(&model));
        let sccs = components(ComponentKind::Scc, &graph, &right);
        // Bottom components are determined by the oracle's answer alone: no edge leaves their
        // states' component.
        let leaves = |&state: &usize| {
            let mut targets = model[state].iter().flatten();
            targets.any(|&target| right[target as usize] != right[state])
        };
        let is_left = |mark| {
            let mut members = (0..model.len()).filter(|&state| right[state] == mark);
            members.any(|state| leaves(&state))
        };
        let bottom: Marks = right
            .iter()
            .map(|&mark| if is_left(mark) { Components::NONE } else { mark })
            .collect();
        // Marks are read as those of maximal end components, because these may leave states out.
        let claim = |marks: &Marks| components(ComponentKind::Mec, &graph, marks);
        prop_assert_eq!(certify::check_bottom(&graph, &sccs, &claim(&bottom)), Ok(()));
        prop_assert_eq!(certify::check_bottom(&graph, &sccs, &sccs.only_bottom(&graph)), Ok(()));
        if model.is_empty() {
            return Ok(());
        }
        let wrong = claim(&mutation.apply(&bottom));
        let verdict = certify::check_bottom(&graph, &sccs, &wrong);
        prop_assert_eq!(verdict.is_ok(), wrong == claim(&bottom));
    }
}
