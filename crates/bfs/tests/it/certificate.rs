//! Tests that the certificate accepts what a search finds, and nothing else.

use crate::common::{graph, models, on_cpu};
use bfs::BfsTree;
use certify::{ClaimedDistances, DistanceViolation, check_distances};
use mdp_graph::{MdpGraph, StateId};
use proptest::prelude::*;

fn check(
    graph: &MdpGraph,
    sources: &[StateId],
    distances: &[u32],
    parents: &[u32],
) -> Result<(), DistanceViolation> {
    let claim = ClaimedDistances {
        sources,
        distances,
        parents,
    };
    check_distances(graph, &claim)
}

proptest! {
    #[test]
    fn right_answers_are_accepted_and_changed_ones_rejected(
        (model, sources) in models(12),
        at in any::<prop::sample::Index>(),
        value in prop_oneof![0..14_u32, Just(BfsTree::NONE)],
        is_parent in any::<bool>(),
    ) {
        let graph = graph(&model);
        let sources = StateId::cast_slice(&sources);
        let tree = on_cpu(&graph, sources);
        prop_assert_eq!(check(&graph, sources, tree.distances(), tree.parents()), Ok(()));
        let mut distances = tree.distances().to_vec();
        let mut parents = tree.parents().to_vec();
        let changed = if is_parent { &mut parents } else { &mut distances };
        let word = &mut changed[at.index(model.len())];
        let is_changed = std::mem::replace(word, value) != value;
        prop_assert_eq!(check(&graph, sources, &distances, &parents).is_err(), is_changed);
    }
}

/// State 0 leads to 1 and 2, and both of these lead to 3. State 4 leads to 3.
fn diamond() -> MdpGraph {
    graph(&vec![
        vec![vec![1, 2]],
        vec![vec![3]],
        vec![vec![3]],
        vec![],
        vec![vec![3]],
    ])
}

#[test]
fn each_obligation_has_a_message() {
    const NONE: u32 = BfsTree::NONE;
    let wrong = |distances: [u32; 5], parents: [u32; 5]| {
        let found = check(&diamond(), &[StateId(0)], &distances, &parents);
        let wrong = found.expect_err("it is wrong");
        assert!(wrong.to_string().starts_with(wrong.obligation()));
        wrong.to_string()
    };
    let parents = [NONE, 0, 0, 1, NONE];
    assert_eq!(
        check(&diamond(), &[StateId(0)], &[0, 1, 1, 2, NONE], &parents),
        Ok(())
    );
    insta::assert_snapshot!(wrong([1, 1, 1, 2, NONE], parents), @"D1: state 0 is a source, but not said to be at distance 0");
    insta::assert_snapshot!(wrong([0, 1, 1, 2, 0], parents), @"D1: state 4 is said to be at distance 0, but is no source");
    insta::assert_snapshot!(wrong([0, 1, 1, NONE, NONE], [NONE, 0, 0, NONE, NONE]), @"D2: state 3 is said to be unreachable, but an edge leads to it from state 1, at distance 1");
    insta::assert_snapshot!(wrong([0, 1, 2, 2, NONE], [NONE, 0, 1, 1, NONE]), @"D2: state 2 is said to be at distance 2, but an edge leads to it from state 0, at distance 0");
    insta::assert_snapshot!(wrong([0, 1, 1, 2, NONE], [NONE, 0, 0, NONE, NONE]), @"D3: the parent of state 3 is not a state whose distance is less by one");
    insta::assert_snapshot!(wrong([0, 1, 1, 2, 2], [NONE, 0, 0, 1, 1]), @"D3: no edge leads from state 1 to state 4, whose parent it is said to be");
    insta::assert_snapshot!(wrong([0, 1, 1, 2, NONE], [NONE, 0, 0, 2, NONE]), @"D4: state 1 could be the parent of state 3, and is smaller than 2");
    let short =
        check(&diamond(), &[StateId(0)], &[0; 3], &[0; 4]).expect_err("the answer is too short");
    insta::assert_snapshot!(short, @"the answer is about 3 states, but the model has 5 states");
    assert_eq!(short.obligation(), "form");
}
