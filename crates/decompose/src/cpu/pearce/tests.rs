//! Tests that searches in all traversals find what Tarjan's search finds.

use super::traversal::Order;
use super::*;
use crate::Silent;
use crate::cpu::tarjan;
use mdp_graph::{Components, MdpGraph, StateRows};
use proptest::prelude::*;

/// Returns a graph whose edges lead in both directions, or in one direction except for the first or
/// last ones.
fn graph() -> impl Strategy<Value = MdpGraph> {
    let edges = prop::collection::vec((0..30u32, 0..30u32), 0..60);
    (edges, 0..3, 0..30u32).prop_map(|(edges, ways, bound)| {
        let mut targets = vec![Vec::new(); 30];
        for (a, b) in edges {
            let (source, target) = match ways {
                0 if a > bound => (a.min(b), a.max(b)),
                1 if a < bound => (a.max(b), a.min(b)),
                _ => (a, b),
            };
            targets[source as usize].push(target);
        }
        let choices = |row: Vec<u32>| if row.is_empty() { vec![] } else { vec![row] };
        let states: Vec<_> = targets.into_iter().map(choices).collect();
        MdpGraph::from_choices(&states).expect("it is a graph")
    })
}

/// Returns a graph in which most states lead only to the next one, upward or downward, so that
/// there are runs. Further edges lead into runs, out of them, and back.
fn graph_of_runs() -> impl Strategy<Value = MdpGraph> {
    let states = prop::collection::vec((0..8u8, 0..30u32), 30);
    (states, any::<bool>()).prop_map(|(drawn, downward)| {
        let row = |(state, (how, other)): (u32, (u8, u32))| {
            let next = match downward {
                true => (state + 29) % 30,
                false => (state + 1) % 30,
            };
            match how {
                0 => vec![],
                1 => vec![vec![other]],
                2 => vec![vec![next, other]],
                _ => vec![vec![next]],
            }
        };
        let states: Vec<_> = (0..).zip(drawn).map(row).collect();
        MdpGraph::from_choices(&states).expect("it is a graph")
    })
}

/// Returns a graph of pairs of states, most of which lead to each other, and some to other states.
fn graph_of_pairs() -> impl Strategy<Value = MdpGraph> {
    let states = prop::collection::vec((0..8u8, 0..30u32), 30);
    states.prop_map(|drawn| {
        let row = |(state, (how, other)): (u32, (u8, u32))| match how {
            0 => vec![],
            1 => vec![vec![other]],
            2 | 3 => vec![vec![state ^ 1, other]],
            4 => vec![vec![state, state ^ 1]],
            _ => vec![vec![state ^ 1]],
        };
        let states: Vec<_> = (0..).zip(drawn).map(row).collect();
        MdpGraph::from_choices(&states).expect("it is a graph")
    })
}

/// Returns a graph of groups of states with consecutive numbers, whose edges lead to states of the
/// same group, or seldom to any state.
fn graph_of_groups() -> impl Strategy<Value = MdpGraph> {
    let edges = prop::collection::vec((0..40u32, 0..20u32, 0..12u8, 0..40u32), 0..120);
    (1..20u32, edges).prop_map(|(size, edges)| {
        let mut targets = vec![Vec::new(); 40];
        for (source, within, how, other) in edges {
            let target = match how {
                0 => other,
                _ => (source / size * size + within % size).min(39),
            };
            targets[source as usize].push(target);
        }
        let choices = |row: Vec<u32>| if row.is_empty() { vec![] } else { vec![row] };
        let states: Vec<_> = targets.into_iter().map(choices).collect();
        MdpGraph::from_choices(&states).expect("it is a graph")
    })
}

fn any_graph() -> impl Strategy<Value = MdpGraph> {
    prop_oneof![
        graph(),
        graph_of_runs(),
        graph_of_pairs(),
        graph_of_groups()
    ]
}

/// Draws all properties of a traversal except `ascends` and `is_checked`.
fn traversal() -> impl Strategy<Value = Traversal> {
    any::<(bool, bool, bool, bool, bool, bool, bool)>().prop_map(|drawn| {
        let (targets, roots, last_first, shows_pace, trims_sinks, has_runs, shares_lone) = drawn;
        Traversal {
            prefetches_targets: targets,
            prefetches_roots: roots,
            order: Order {
                ascends: false,
                last_first,
            },
            shows_pace,
            trims_sinks,
            has_runs,
            shares_lone,
            is_checked: true,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn all_traversals_find_what_tarjan_finds(
        graph in any_graph(),
        traversal in traversal(),
    ) {
        let mut ticker = Ticker::new(&Silent, graph.num_states());
        let expected = tarjan::sccs(&graph, &tarjan::Everything, &mut ticker);
        let expected = Components::from_scc_marks(&graph, expected.expect("nobody cancels"));
        let rows = StateRows::new(&graph);
        let edges = AllEdges::new(&graph, &rows);
        for ascends in [false, true] {
            let order = Order { ascends, ..traversal.order };
            let traversal = Traversal { order, ..traversal };
            let found = search(edges, traversal, None, None, &mut ticker);
            let found = found.expect("nobody cancels");
            let (marks, range) = (&found.marks, &found.range);
            prop_assert_eq!(range.len() + found.num_lone, expected.len());
            if range.start > 0 && expected.len() > 1 && !traversal.shares_lone {
                for state in 0..graph.num_states() {
                    let mut targets = edges.of(state as u32).iter();
                    let leads_on = targets.all(|&to| marks[to as usize] >= marks[state]);
                    prop_assert!(leads_on, "no edge leads to a component that is closed later");
                }
            }
            let (count, numbers) = found.into_partition().into_numbers();
            prop_assert_eq!(count, expected.len());
            prop_assert_eq!(&*numbers, expected.numbers());
        }
    }

    /// Targets that are out of range are found wherever they are. Indices may have 64 bits.
    #[test]
    fn wrong_targets_are_found(
        graph in any_graph(),
        traversal in traversal(),
        places in prop::collection::vec((any::<prop::sample::Index>(), 0..4usize), 0..3),
    ) {
        let (rows, n) = (StateRows::new(&graph), graph.num_states());
        let rows: Vec<_> = rows.iter().map(|&row| u64::from(row)).collect();
        let targets = AllEdges::new(&graph, &StateRows::new(&graph)).targets.to_vec();
        let mut targets: Vec<_> = targets.into_iter().map(u64::from).collect();
        if !targets.is_empty() {
            for (place, wrong) in places {
                let wrong = [n as u64, u64::from(u32::MAX), 1 << 32, u64::MAX][wrong];
                *place.get_mut(&mut targets) = wrong;
            }
        }
        let edges = AllEdges { rows: &rows, targets: &targets };
        let is_wrong = targets.iter().any(|&target| target >= n as u64);
        let mut ticker = Ticker::new(&Silent, n);
        for ascends in [false, true] {
            let order = Order { ascends, ..traversal.order };
            let traversal = Traversal { order, is_checked: false, ..traversal };
            let found = search(edges, traversal, None, None, &mut ticker);
            let found = found.expect("nobody cancels");
            prop_assert_eq!(found.is_wrong, is_wrong);
            if !is_wrong {
                let expected = tarjan::sccs(&graph, &tarjan::Everything, &mut ticker);
                let expected = Partition::from(expected.expect("nobody cancels"));
                let numbers = found.into_partition().into_numbers();
                prop_assert_eq!(numbers, expected.into_numbers());
            }
        }
    }

    #[test]
    fn first_roots_are_singles_as_long_as_none_leads_on(graph in graph()) {
        let rows = StateRows::new(&graph);
        let edges = AllEdges::new(&graph, &rows);
        let ticker = Ticker::new(&Silent, graph.num_states());
        for ascends in [false, true] {
            let order = Order { ascends, last_first: false };
            let roots: Vec<u32> = order.roots(graph.num_states()).collect();
            let expected = (0..roots.len())
                .take_while(|&i| edges.of(roots[i]).iter().all(|to| roots[..=i].contains(to)))
                .count();
            prop_assert_eq!(order.leading_singles(edges, &ticker), Ok(expected));
        }
    }
}

/// A permutation of nearby states has as few edges as a cycle in order, but hardly any runs.
#[test]
fn runs_are_looked_for_where_edges_lead_to_neighbouring_states() {
    let n: u32 = 1 << 17;
    let has_runs = |next: fn(u32) -> u32| {
        let (rows, targets): (Vec<u32>, Vec<u32>) = ((0..=n).collect(), (0..n).map(next).collect());
        let edges = AllEdges {
            rows: &rows,
            targets: &targets,
        };
        Traversal::of(edges).has_runs
    };
    assert!(has_runs(|state| (state + 1) % (1 << 17)));
    assert!(has_runs(|state| state.wrapping_sub(1) % (1 << 17)));
    // Nine of ten edges lead forward.
    assert!(has_runs(|state| match state % 10 {
        9 => state - 9,
        _ => (state + 1) % (1 << 17),
    }));
    assert!(!has_runs(|state| state ^ 6));
}
