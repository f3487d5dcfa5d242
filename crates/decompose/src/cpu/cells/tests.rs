//! Simulates threads in every order: one thread makes the steps of several cells, in random order.

use super::super::marks::Marks;
use super::super::quotient::Nodes;
use super::super::tests::rows_of;
use super::super::ticker::Ticker;
use super::*;
use crate::Silent;
use proptest::prelude::*;

/// Returns for each pair of states whether the first reaches the second, by Warshall's algorithm.
fn reach(graph: &[Vec<u32>]) -> Vec<Vec<bool>> {
    let n = graph.len();
    let mut reach: Vec<Vec<bool>> = (0..n)
        .map(|i| {
            (0..n)
                .map(|j| i == j || graph[i].contains(&(j as u32)))
                .collect()
        })
        .collect();
    test_models::close(&mut reach, 0..n);
    reach
}

/// Searches with several cells; `order` says whose turn it is.
fn search_in_turns(round: &Round<'_>, cells: usize, order: &[usize]) {
    let mut turns = order.iter().copied().cycle();
    let mut cells: Vec<_> = (0..cells)
        .map(|number| (Cell::new(round, number), 0..0, None::<Frame>))
        .collect();
    while !cells.is_empty() {
        let turn = turns.next().unwrap_or(0) % cells.len();
        let (cell, roots, frame) = &mut cells[turn];
        match frame {
            Some(at) => {
                if !cell.step(at) {
                    *frame = None;
                }
            }
            None => match roots.next_back() {
                Some(root) => *frame = cell.begin(root),
                None => match round.take_block() {
                    Some(block) => *roots = block,
                    None => drop(cells.swap_remove(turn)),
                },
            },
        }
    }
}

fn graph() -> impl Strategy<Value = Vec<Vec<u32>>> {
    (2..40u32, 0..3u32, 1..4usize).prop_flat_map(|(n, shape, degree)| {
        let target = move |state: u32| match shape {
            0 => (0..n).boxed(),
            1 => (state.saturating_sub(2)..(state + 3).min(n)).boxed(),
            _ => prop_oneof![6 => Just((state + 1) % n), 1 => 0..n].boxed(),
        };
        (0..n)
            .map(|state| prop::collection::vec(target(state), 0..=degree))
            .collect::<Vec<_>>()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn cells_and_their_quotient_give_the_components(
        graph in graph(),
        cells in 1..6usize,
        order in prop::collection::vec(0..60usize, 1..200),
    ) {
        let n = graph.len();
        let (rows, targets) = rows_of(&graph);
        let edges = AllEdges { rows: &rows, targets: &targets };
        let mut marks = Marks::new(n);
        let watch = Watch::new(&Ticker::new(&Silent, n), 0);
        let by = RoundThreads {
            threads: 64,
            period: u32::MAX,
        };
        let round = Round::new(edges, marks.shared(), by, &watch);
        search_in_turns(&round, cells, &order);
        let reach = reach(&graph);
        let connected = |a: usize, b: usize| reach[a][b] && reach[b][a];

        let nodes = Nodes::new(marks.shared(), n);
        let (small_rows, small_targets) = nodes.edges(edges, marks.shared());
        let small: Vec<Vec<u32>> = small_rows
            .windows(2)
            .map(|row| small_targets[row[0] as usize..row[1] as usize].to_vec())
            .collect();
        let among = super::tests::reach(&small);
        let components: Vec<u32> = (0..small.len())
            .map(|i| (0..=i).find(|&j| among[i][j] && among[j][i]).unwrap_or(i) as u32)
            .collect();
        let answers = nodes.answer(edges, marks, &components, &watch).expect("nobody cancels");
        for a in 0..n {
            for b in 0..n {
                prop_assert_eq!(answers[a] == answers[b], connected(a, b), "{} and {}", a, b);
            }
        }
    }
}
