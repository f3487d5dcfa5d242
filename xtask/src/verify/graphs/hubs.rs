//! Graphs whose searches get wide, and a graph of many states.

use verify::small::Model;

use crate::rng::Rng;

/// Returns a graph in which state 0 leads to two hubs, which lead to this many others, and to six
/// more states.
pub(super) fn hubs(leaves: u32) -> Model {
    let all: Vec<u32> = (9..leaves + 9).collect();
    let mut model: Model = vec![vec![(1..9).collect()], vec![all.clone()], vec![all]];
    model.extend((3..9).map(|state| vec![vec![state + 10, state + 20]]));
    model.extend((0..leaves).map(|_| Vec::new()));
    model[9].push(vec![0, leaves + 8]);
    model
}

/// Returns triangles. One corner of each is reached from state 0, and both other corners from this
/// one, the last also through the second. So the last corner may be given two distances at the same
/// time.
pub(super) fn triangles(count: u32) -> Model {
    let first: Vec<u32> = (0..count).map(|triangle| 3 * triangle + 1).collect();
    let corners = first.iter().flat_map(|&corner| {
        [
            vec![vec![corner + 1, corner + 2]],
            vec![vec![corner + 2]],
            vec![],
        ]
    });
    [vec![first.clone()]].into_iter().chain(corners).collect()
}

/// Returns a graph of so many states that sums over all of them take several blocks. Few states
/// have edges, so that its decomposition takes few steps: every hundredth is on a cycle with the
/// next one and leads to the next cycle.
pub(super) fn sparse(states: u32) -> Model {
    let row = |state: u32| match state % 100 {
        0 => vec![vec![state + 1, (state + 100) % states]],
        1 => vec![vec![state - 1]],
        _ => Vec::new(),
    };
    (0..states).map(row).collect()
}

/// Returns states with rows of various lengths. The last row is long.
pub(super) fn varied(seed: u64, has_choices: bool) -> Model {
    let mut rng = Rng::new(seed);
    let states = rng.below(60) + 40;
    let row = |state: u32| -> Vec<Vec<u32>> {
        let choices = match has_choices {
            true => rng.one_of(&[0, 1, 1, 2, 3, 9]),
            false => 1,
        };
        let mut targets = |_| {
            let degree = match state {
                0 => 20,
                _ if state + 1 == states => 33,
                _ => rng.one_of(&[0, 1, 1, 2, 2, 3, 5, 8, 13, 40]),
            };
            (0..degree).map(|_| rng.below(states)).collect::<Vec<_>>()
        };
        let all = (0..choices).map(&mut targets);
        all.filter(|targets| !targets.is_empty()).collect()
    };
    (0..states).map(row).collect()
}
