//! MDPs whose components have to be searched again, because states lose choices in some of them.

use verify::small::Model;

use super::order::shuffled;
use crate::rng::Rng;

/// Returns pairs of states. One state of each pair has a choice to a third state. This third state
/// has another choice, to several pairs; once it is removed, the third state stays where it is. The
/// pairs have lost no choice then, and have no candidate.
pub(super) fn left_over(rng: &mut Rng) -> Model {
    let pairs = 2 + rng.below(10);
    left_over_of(rng, pairs)
}

/// Returns so many such pairs that edges can be bound in several pieces.
pub(super) fn many_left_over(rng: &mut Rng) -> Model {
    let pairs = 20 + rng.below(20);
    left_over_of(rng, pairs)
}

fn left_over_of(rng: &mut Rng, pairs: u32) -> Model {
    let mut model: Model = vec![vec![vec![0]]];
    for pair in 0..pairs {
        let first = model.len() as u32;
        let [one, other, third] = [first, first + 1, first + 2];
        let far = 1 + 3 * rng.below(pairs);
        let mut leads = vec![one, 0];
        if pair + 1 < pairs && rng.one_in(2) {
            leads.push(far);
        }
        let mut goes_on = vec![vec![other]];
        if pair + 1 < pairs && rng.one_in(2) {
            goes_on.push(vec![first + 3]);
        }
        model.push(goes_on);
        model.push(vec![vec![one], vec![third]]);
        model.push(vec![vec![third], leads]);
    }
    shuffled(rng, model)
}

/// Returns a few components of three states among many states without edges. One state of each has
/// a choice that may leave for good; without it, the third state is not in the component. Names of
/// regions are numbers of states, so they are far apart for a table with a place for each edge.
pub(super) fn scattered(rng: &mut Rng) -> Model {
    let mut model: Model = vec![vec![vec![0]]];
    for _ in 0..4 + rng.below(6) {
        let first = model.len() as u32;
        let [other, third] = [first + 1, first + 2];
        model.push(vec![vec![other]]);
        model.push(vec![vec![first], vec![third, 0]]);
        model.push(vec![vec![first]]);
    }
    let empty = 100 + rng.below(60);
    model.extend((0..empty).map(|_| Vec::new()));
    shuffled(rng, model)
}

/// Returns components of four states. One of these states leads only to the component, but may
/// leave for good. Once it is known to be dead, another one loses the choice to it and to a third
/// state, which then has no predecessor. All of this happens in all components at once.
pub(super) fn bereft(rng: &mut Rng) -> Model {
    let mut model: Model = vec![vec![vec![0]]];
    for _ in 0..3 + rng.below(8) {
        let first = model.len() as u32;
        let [other, third, dies] = [first + 1, first + 2, first + 3];
        model.push(vec![vec![other], vec![third, dies]]);
        model.extend([vec![vec![first]], vec![vec![first]]]);
        model.push(vec![vec![first, 0]]);
    }
    model
}

/// Returns pairs of states. One state of each pair has another choice, to the next pair or to a
/// deadlock, which removes this choice before components are searched. No edge is cut then, and
/// nothing else holds pairs together.
pub(super) fn leaks(rng: &mut Rng) -> Model {
    let pairs = 20 + rng.below(30);
    let deadlock = 2 * pairs;
    let mut model = Model::new();
    for first in (0..pairs).map(|pair| 2 * pair) {
        let next = (first + 2) % deadlock;
        model.push(vec![vec![first + 1], vec![next, deadlock]]);
        model.push(vec![vec![first]]);
    }
    model.push(Vec::new());
    model
}
