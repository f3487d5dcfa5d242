//! Tests that an accepted order of MECs is a special case of a more general elimination order. Such
//! an order has positions `pos`, and between neighbouring classes the level `lcp` at which they
//! were separated.
//! \\ D(s, t) is infinite within a class, and otherwise the least level between the classes of s
//! and t. The general obligation is: for every choice of s, let k be the least D(s, t) over its
//! targets t. If k is finite, every target with D(s, t) = k comes after s. Here each class is
//! separated from all earlier ones at a level of its own, which is smaller for later classes (see
//! `docs/certificates.md`). This test computes levels and D by their definition.

use crate::common::{Model, graph, model};
use decompose::{Options, mec};
use mdp_graph::{Components, StateId};
use proptest::prelude::*;

/// Checks the general obligation by brute force. `class` has the class of each state, numbered in
/// the order, and `lcp[i]` is the level between the classes i and i + 1.
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

/// Returns the class of each state, numbered in an order of the states that keeps classes together.
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
fn an_order_that_divides_an_end_component_is_no_elimination_order() {
    // States 0 and 1 may lead to each other for ever.
    let model = vec![vec![vec![1]], vec![vec![0]]];
    assert!(is_elimination_order(&model, &[0, 0], &[]));
    assert!(!is_elimination_order(&model, &[0, 1], &[0]));
    assert!(!is_elimination_order(&model, &[1, 0], &[0]));
}
