//! Graphs whose searches get wide, hubs and triangles, and a graph of many states.

use verify::small::Model;

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
