//! Condensations against a naive one, which numbers every state and looks at every pair.

use super::{Candidates, Condensation, KINDS, Node, Others};
use crate::{DeadlockStates, Decomposition, GraphOrigin, StateLabel};
use mdp_graph::{Components, MdpGraph, StateId};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// For each state its choices, each with its targets; and for each state a mark.
type Model = (Vec<Vec<Vec<u32>>>, Vec<u32>);

fn model() -> impl Strategy<Value = Model> {
    (1..60u32).prop_flat_map(|n| {
        let targets = prop::collection::btree_set(0..n, 1..4);
        let choice = targets.prop_map(|t| t.into_iter().collect::<Vec<_>>());
        let choices = prop::collection::vec(prop::collection::vec(choice, 0..3), n as usize);
        let mark = prop_oneof![3 => 0..n.min(20), 1 => Just(Components::NONE)];
        (choices, prop::collection::vec(mark, n as usize))
    })
}

fn graph(choices: &[Vec<Vec<u32>>]) -> MdpGraph {
    MdpGraph::from_choices(choices).expect("the graph is well formed")
}

/// Drawings do not show it.
const ORIGIN: GraphOrigin<'static> = GraphOrigin {
    deadlocks: DeadlockStates {
        count: 0,
        policy: "keep",
    },
    observations: None,
    players: None,
    coalition: &[],
    interval_edges: None,
};

/// Returns all nodes by rank, found one state after the other; how many of them may be drawn.
fn naive_ranks(of: &Decomposition<'_>, most: usize) -> (Vec<Node>, usize) {
    let all = Candidates::new(of);
    let names = of
        .graph
        .states()
        .map(|state| of.components.smallest_of(state).unwrap_or(state));
    let names: BTreeSet<StateId> = names.collect();
    let mut nodes: Vec<Node> = names.into_iter().map(|name| all.node(name)).collect();
    nodes.sort_by_key(Node::rank);
    if nodes.len() <= most {
        let room = nodes.len();
        return (nodes, room);
    }
    let rest = nodes.split_off(most);
    let (mut drawn, passed_over): (Vec<_>, Vec<_>) =
        nodes.into_iter().partition(|node| node.matters(of));
    let room = drawn.len();
    drawn.extend(passed_over);
    drawn.extend(rest);
    (drawn, room)
}

proptest! {
    #[test]
    fn a_condensation_is_the_quotient_of_the_whole(
        (choices, marks) in model(),
        most_nodes in 0..25usize,
        most_edges in 6..60usize,
        initial in any::<prop::sample::Index>(),
    ) {
        let graph = graph(&choices);
        // Only a partition is needed: whether its parts are end components does not matter.
        let components = Components::from_mec_marks(marks);
        let initial = [StateId::from_index(initial.index(graph.num_states()))];
        let labels = [StateLabel { name: "init", states: &initial }];
        let of = Decomposition {
            graph: &graph,
            components: &components,
            origin: ORIGIN,
            retaining: None,
            valuations: None,
            labels: &labels,
            details: None,
            statistics: None,
            choices: false,
        };
        let drawing = Condensation::new(&of, most_nodes, most_edges);
        prop_assert!(drawing.nodes.len() <= most_nodes);
        prop_assert!(drawing.edges().count() <= most_edges);

        // The nodes drawn are those of the highest ranks; all others are counted.
        let (ranks, room) = naive_ranks(&of, most_nodes);
        prop_assert_eq!(drawing.total, ranks.len());
        let kept = drawing.nodes.len();
        prop_assert_eq!(&drawing.nodes[..], &ranks[..kept]);
        let mut others = [Others::default(); KINDS];
        for node in &ranks[kept..] {
            others[node.kind(&of)].add(node.size);
        }
        prop_assert_eq!(drawing.others, others);
        prop_assert!(kept <= room);
        if kept > 0 {
            prop_assert!(drawing.nodes[0].is_initial);
        }

        // The edges are those of the model, with each state replaced by its node.
        let number = |state: StateId| {
            let name = components.smallest_of(state).unwrap_or(state);
            let rank = ranks.iter().position(|node| node.smallest == name);
            let rank = rank.expect("every state has a node");
            if rank < kept { rank } else { kept + ranks[rank].kind(&of) }
        };
        let mut edges = BTreeSet::new();
        for state in graph.states() {
            for &target in graph.successors(state) {
                let edge = (number(state), number(target));
                if edge.0 != edge.1 {
                    edges.insert(edge);
                }
            }
        }
        prop_assert_eq!(drawing.edges().collect::<BTreeSet<_>>(), edges.clone());

        // No more was left out than there had to be: twice the nodes have too many edges.
        if kept < room {
            let numbered = |kept: usize| {
                let number = |old: usize| match old.checked_sub(kept) {
                    None => old,
                    Some(_) => kept + ranks[old].kind(&of),
                };
                let rank = |state: StateId| {
                    let name = components.smallest_of(state).unwrap_or(state);
                    ranks.iter().position(|node| node.smallest == name).unwrap_or(0)
                };
                let mut edges = BTreeSet::new();
                for state in graph.states() {
                    let targets = graph.successors(state).iter();
                    edges.extend(targets.map(|&t| (number(rank(state)), number(rank(t)))));
                }
                edges.into_iter().filter(|(from, to)| from != to).count()
            };
            prop_assert!(numbered((2 * kept + 1).min(room)) > most_edges);
        }
    }
}
