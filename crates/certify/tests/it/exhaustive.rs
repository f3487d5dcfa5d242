//! Tests all models of three states with at most two choices each, with every labelling of each. An
//! answer is accepted exactly when it is right, whatever the certificate is.

use crate::common::{Marks, Model, components, graph, marks, mec_oracle, scc_oracle};
use certify::{Certificate, certify};
use mdp_graph::{ComponentKind, Components};
use rayon::prelude::*;

const STATES: u32 = 3;

/// The choices of a state, each of which is a set of targets as bits.
type ChoiceSet = Vec<u32>;

/// Returns every set of at most two choices.
fn choice_sets() -> Vec<ChoiceSet> {
    let choices = 1..1u32 << STATES;
    let mut sets = vec![vec![]];
    sets.extend(choices.clone().map(|choice| vec![choice]));
    sets.extend(choices.clone().flat_map(|first| {
        let larger = choices.clone().filter(move |&second| second > first);
        larger.map(move |second| vec![first, second])
    }));
    sets
}

const PERMUTATIONS: [[u32; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// Returns whether no renaming of the states makes the model smaller.
fn is_least(model: &[&ChoiceSet; 3]) -> bool {
    PERMUTATIONS.iter().all(|names| {
        let rename_set =
            |set: u32| (0..STATES).fold(0, |new, t| new | (set >> t & 1) << names[t as usize]);
        let mut renamed = [const { Vec::new() }; 3];
        for (state, choices) in model.iter().enumerate() {
            let mut choices: ChoiceSet = choices.iter().map(|&set| rename_set(set)).collect();
            choices.sort_unstable();
            renamed[names[state] as usize] = choices;
        }
        renamed.iter().cmp(model.iter().copied()).is_ge()
    })
}

/// Returns all models, one for each class of models that differ only by the names of states.
fn models() -> Vec<Model> {
    let sets = choice_sets();
    let mut models = Vec::new();
    for first in &sets {
        for second in &sets {
            for third in &sets {
                let model = [first, second, third];
                if is_least(&model) {
                    let targets = |&set: &u32| (0..STATES).filter(|t| set >> t & 1 == 1).collect();
                    let choices = |set: &&ChoiceSet| set.iter().map(targets).collect();
                    models.push(model.iter().map(choices).collect());
                }
            }
        }
    }
    models
}

/// Returns every way to put some of the states into disjoint components, which are named by their
/// smallest states.
fn labellings() -> Vec<Marks> {
    const NONE: u32 = Components::NONE;
    let mut labellings = Vec::new();
    for first in [0, NONE] {
        for second in [0, 1, NONE] {
            for third in [0, 1, 2, NONE] {
                let used = [first, second, third];
                let is_name = |&mark: &u32| mark == NONE || used[mark as usize] == mark;
                if used.iter().all(is_name) {
                    labellings.push(used.to_vec());
                }
            }
        }
    }
    labellings
}

/// Returns every way to assign numbers to the states, up to the differences between these numbers.
fn weak_orders() -> Vec<Vec<u32>> {
    let mut orders = Vec::new();
    for number in 0..STATES.pow(STATES) {
        let order = vec![
            number % STATES,
            number / STATES % STATES,
            number / STATES / STATES,
        ];
        let is_dense = |&number: &u32| number == 0 || order.contains(&(number - 1));
        if order.iter().all(is_dense) {
            orders.push(order);
        }
    }
    orders
}

/// Returns every order of the states with every assignment of numbers `back`. If several states
/// have the least number, it matters whether this number is 0.
fn certificates() -> Vec<Certificate> {
    let orders = weak_orders();
    let least = |back: &&Vec<u32>| back.iter().filter(|&&number| number == 0).count() > 1;
    let above = |back: &Vec<u32>| back.iter().map(|number| number + 1).collect();
    let mut backs = orders.clone();
    backs.extend(orders.iter().filter(least).map(above));
    let pairs = orders
        .iter()
        .flat_map(|order| backs.iter().map(move |back| (order, back)));
    let certificates =
        pairs.map(|(order, back)| Certificate::from_parts(order.clone(), back.clone()));
    certificates.collect()
}

#[test]
fn answers_are_accepted_exactly_when_they_are_right() {
    let models = models();
    let labellings = labellings();
    let certificates = certificates();
    // By Burnside's lemma, there are (29^3 + 3 * 29 * 9 + 2 * 29) / 6 models. There are 15 partial
    // partitions of 3 states, and 13 orders. Four of these have several first states, so that there
    // are 17 assignments of numbers back.
    assert_eq!(
        (models.len(), labellings.len(), certificates.len()),
        (4205, 15, 221)
    );
    let right_answers: usize = models
        .par_iter()
        .map(|model| check_all(model, &labellings, &certificates))
        .sum();
    assert_eq!(right_answers, 2 * models.len());
}

/// Checks all labellings of a model with all certificates. Returns the number of right labellings.
fn check_all(model: &Model, labellings: &[Marks], certificates: &[Certificate]) -> usize {
    let graph = graph(model);
    let right = [
        (ComponentKind::Scc, marks(scc_oracle(model))),
        (ComponentKind::Mec, marks(mec_oracle(model))),
    ];
    let mut right_answers = 0;
    for (kind, right) in &right {
        for labelling in labellings {
            let answer = components(*kind, &graph, labelling);
            let verdict = certify(&graph, &answer);
            if labelling == right {
                assert_eq!(verdict, Ok(()), "{model:?} {answer:?}");
                right_answers += 1;
                continue;
            }
            assert!(verdict.is_err(), "{model:?} {answer:?}");
            for certificate in certificates {
                let verdict = certificate.check(&graph, &answer);
                assert!(verdict.is_err(), "{model:?} {answer:?} {certificate:?}");
            }
        }
    }
    right_answers
}
