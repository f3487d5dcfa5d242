//! Graphs that consist of short cycles.

use verify::small::Model;

use super::order::shuffled;
use crate::rng::Rng;

/// Returns short cycles, whose lengths are not powers of two.
pub(super) fn rings(rng: &mut Rng) -> Model {
    let mut model = Model::new();
    while model.len() < 100 {
        let first = model.len() as u32;
        let length = rng.one_of(&[3, 3, 5, 6, 7]);
        model.extend((1..length).map(|k| vec![vec![first + k]]));
        model.push(vec![vec![first]]);
    }
    shuffled(rng, model)
}

/// Returns many more cycles of two or three states than a subgroup has invocations. Each leads to
/// an earlier cycle.
pub(super) fn many_pairs(rng: &mut Rng) -> Model {
    let mut model = Model::new();
    while model.len() < 260 {
        let first = model.len() as u32;
        let length = 2 + rng.below(2);
        model.extend((1..length).map(|k| vec![vec![first + k]]));
        model.push(vec![vec![first, rng.below(first + 1)]]);
    }
    shuffled(rng, model)
}
