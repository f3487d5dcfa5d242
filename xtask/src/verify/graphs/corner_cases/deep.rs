//! Deep graphs, in which a breadth-first search explores many levels in one iteration.

use verify::small::Model;

use crate::rng::Rng;

/// Returns a graph in which state 0 leads to some parallel strands, and some states lead to others
/// nearby. Levels hardly grow, and many states are also reached by detours.
pub(super) fn strands(rng: &mut Rng) -> Model {
    let width = 4 + rng.below(5);
    let length = 10 + rng.below(16);
    let states = width * length;
    let detours = 2 + rng.below(6);
    let mut model: Model = vec![vec![(1..=width).collect()]];
    for state in 0..states {
        let mut row = Vec::new();
        row.extend((state + width < states).then_some(1 + state + width));
        if rng.one_in(detours) {
            let near = (state + rng.below(3 * width)).saturating_sub(width);
            row.push(1 + near.min(states - 1));
        }
        row.extend((rng.one_in(9)).then(|| 1 + rng.below(states)));
        model.push(if row.is_empty() { vec![] } else { vec![row] });
    }
    model
}

/// Returns strands, one of which leads to many states at once, which lead back to it. A small
/// workgroup has no room for them. In one of three graphs, the row is so long that it is cut into
/// pieces.
pub(super) fn burst(rng: &mut Rng) -> Model {
    let mut model = strands(rng);
    let states = model.len() as u32;
    let from = states / 2 + rng.below(states / 4);
    let many = match rng.one_in(3) {
        true => 2050 + rng.below(100),
        false => 13 + rng.below(30),
    };
    model[from as usize] = vec![(states..states + many).collect()];
    let back = |_| vec![vec![(from + 1 + rng.below(6)).min(states - 1)]];
    model.extend((0..many).map(back));
    model
}
