//! Random networks of small processes.

use lts_formats::{
    Behaviour, Hide, Lts, Matching, Parallel, Position, Rename, Synchronisation, Vector,
};
use lts_network::Network;
use proptest::prelude::*;

const NOWHERE: Position = Position {
    offset: 0,
    length: 0,
    line: 1,
    column: 1,
};

fn label() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "a !1", "a !2"]).prop_map(str::to_owned)
}

fn any_label() -> impl Strategy<Value = String> {
    prop_oneof![4 => label(), 1 => Just("i".to_owned()), 1 => Just("tau".to_owned())]
}

fn lts() -> impl Strategy<Value = Behaviour> {
    (1..5_u32).prop_flat_map(|states| {
        let transitions = prop::collection::vec((0..states, any_label(), 0..states), 0..9);
        (0..states, transitions).prop_map(move |(initial, transitions)| {
            let transitions = transitions
                .iter()
                .map(|(s, label, t)| (*s, label.as_str(), *t));
            Behaviour::Lts(Lts::from_transitions(states, initial, transitions).expect("in range"))
        })
    })
}

fn matching() -> impl Strategy<Value = Matching> {
    prop_oneof![Just(Matching::Gate), Just(Matching::Total)]
}

/// A network without files.
pub(crate) fn behaviour() -> impl Strategy<Value = Behaviour> {
    lts().prop_recursive(3, 6, 3, |inner| {
        prop_oneof![
            3 => parallel(inner.clone()),
            1 => (matching(), any::<bool>(), prop::collection::vec(label(), 1..3), inner.clone())
                .prop_map(|(matching, all_but, labels, inner)| Behaviour::Hide(Hide {
                    matching,
                    all_but,
                    labels,
                    behaviour: Box::new(inner),
                })),
            1 => (prop::collection::vec((label(), any_label()), 1..3), inner)
                .prop_map(|(rules, inner)| Behaviour::Rename(Rename {
                    rules,
                    behaviour: Box::new(inner),
                })),
        ]
    })
}

fn parallel(inner: impl Strategy<Value = Behaviour>) -> impl Strategy<Value = Behaviour> {
    let branches = prop::collection::vec(inner, 1..4);
    (branches, any::<bool>(), matching()).prop_flat_map(|(branches, is_vectors, matching)| {
        let parts = prop::collection::vec(prop::option::of(label()), branches.len());
        let parts = parts.prop_filter("all _", |parts| parts.iter().any(Option::is_some));
        let vector = (parts, any_label()).prop_map(|(parts, result)| Vector {
            parts,
            result,
            position: NOWHERE,
        });
        let synchronisation = match is_vectors {
            true => prop::collection::vec(vector, 1..9)
                .prop_map(Synchronisation::Vectors)
                .boxed(),
            false => prop::collection::vec(label(), 0..3)
                .prop_map(move |labels| Synchronisation::Labels { matching, labels })
                .boxed(),
        };
        synchronisation.prop_map(move |synchronisation| {
            Behaviour::Parallel(Parallel {
                synchronisation,
                branches: branches.clone(),
            })
        })
    })
}

/// Compiles a network without files.
pub(crate) fn compile(behaviour: &Behaviour) -> Network {
    let compiled = Network::compile(behaviour, |file| Err(file.path.clone()));
    compiled.expect("a network without files")
}
