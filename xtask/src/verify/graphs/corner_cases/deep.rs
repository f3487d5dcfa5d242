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

/// Returns strands, two of whose states lead to many states at once, for which a small workgroup
/// has no room. The first few of these lead to as many states again, and the others to a state of
/// their own, which is reached in no other way.
pub(super) fn bursts(rng: &mut Rng) -> Model {
    let mut model = strands(rng);
    let backbone = model.len() as u32;
    for part in 1..3 {
        let from = part * backbone / 3 + rng.below(backbone / 6);
        let many = 13 + rng.below(8);
        let first = model.len() as u32;
        let mut next = first + many;
        let mut rows = Vec::new();
        for k in 0..many {
            let leads = if k < 3 { 13 + rng.below(8) } else { 1 };
            rows.push((next..next + leads).collect::<Vec<u32>>());
            next += leads;
        }
        // Those of the second burst lead to a leaf each.
        let second = next - (first + many);
        let mut row = std::mem::take(&mut model[from as usize]).concat();
        row.extend(first..first + many);
        model[from as usize] = vec![row];
        model.extend(rows.into_iter().map(|row| vec![row]));
        model.extend((0..second).map(|k| vec![vec![next + k]]));
        model.extend((0..second).map(|_| Vec::new()));
    }
    model
}
