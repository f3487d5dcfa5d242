//! An accepted order of MECs is a special case of a more general elimination order: positions
//! `pos`, and between neighbouring classes the level `lcp` at which they were told apart.
//!
//! D(s, t) is infinite within a class, and otherwise the least level between the two. The general
//! obligation reads: for every choice of s, let k be the least D(s, t) over its targets t; if k is
//! finite, every target with D(s, t) = k comes after s. Here each class is told apart from all
//! that come before it at a level of its own, the later the earlier: see
//! `docs/certificates.md`. This test computes levels and D as the definition says.

use crate::common::{Model, graph, model};
use decompose::{Options, mec};
use mdp_graph::{Components, StateId};
use proptest::prelude::*;

/// The general obligation, by brute force: `class` gives each state its class, counted in the
/// order, and `lcp[i]` the level between the classes i and i + 1.
fn is_elimination_order(model: &Model, class: &[usize], lcp: &[usize]) -> bool {
    let level = |s: usize, t: usize| {
        let (from, to) = (class[s].min(class[t]), class[s].max(class[t]));
        lcp[from..to].iter().min().copied()
    };
    model.iter().enumerate().all(|(s, choices)| {
        choices.iter().all(|targets| {
            let levels = targets.iter().map(|&t| (level(s, t as usize), t as usize));
            let apart: Vec<_> = levels.filter_map(|(l, t)| Some((l?, t))).collect();
            let least = apart.iter().map(|&(level, _)| level).min();
            let at_least = apart.iter().filter(|(level, _)| Some(*level) == least);
            at_least.map(|&(_, t)| t).all(|t| class[t] > class[s])
        })
    })
}

/// For each state its class, counted in an order of the states that keeps classes together.
fn classes(components: &Components, order: &[StateId]) -> Vec<usize> {
    let mut class = vec![0; order.len()];
    for pair in order.windows(2) {
        let component = components.component(pair[1]);
        let is_same = component.is_some() && component == components.component(pair[0]);
        class[pair[1].index()] = class[pair[0].index()] + usize::from(!is_same);
    }
    class
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn an_accepted_order_is_an_elimination_order(model in model(30)) {
        let graph = graph(&model);
        let components = mec(&graph, &Options::default()).expect("the CPU answers");
        let certificate = certify::produce(&graph, &components).expect("the answer is right");
        prop_assert_eq!(certificate.check(&graph, &components), Ok(()));
        let mut order: Vec<StateId> = graph.states().collect();
        order.sort_by_key(|&state| (certificate.position(state), state));
        let class = classes(&components, &order);
        let boundaries = class.iter().max().map_or(0, |&last| last);
        let lcp: Vec<usize> = (0..boundaries).rev().collect();
        prop_assert!(is_elimination_order(&model, &class, &lcp));
    }
}

#[test]
fn an_order_that_tears_an_end_component_apart_is_none() {
    // 0 and 1 may lead to each other for ever.
    let model = vec![vec![vec![1]], vec![vec![0]]];
    assert!(is_elimination_order(&model, &[0, 0], &[]));
    assert!(!is_elimination_order(&model, &[0, 1], &[0]));
    assert!(!is_elimination_order(&model, &[1, 0], &[0]));
}
