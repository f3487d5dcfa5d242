//! Graphs for the breadth-first search by levels.

use verify::small::Model;

use crate::rng::Rng;

/// Returns layers of more states than a small workgroup has invocations. Each state leads to states
/// of the next layer, and to leaves of its own. One workgroup explores a layer alone; its rows are
/// laid out several times, and those of each time take several windows.
pub(super) fn longer_rows(rng: &mut Rng) -> Model {
    const ROW: u32 = 9;
    let width = 5 + rng.below(2);
    let layers = 4 + rng.below(4);
    let first_leaf = 1 + layers * width;
    let mut model: Model = vec![vec![(1..=width).collect()]];
    let mut leaves = first_leaf;
    for state in 1..first_leaf {
        let length = ROW + u32::from(rng.one_in(6));
        let next = 1 + (state - 1) / width * width + width;
        let leads = if next < first_leaf {
            2 + rng.below(3)
        } else {
            0
        };
        let mut row: Vec<u32> = (next..next + leads).collect();
        row.extend(leaves..leaves + length - leads);
        leaves += length - leads;
        model.push(vec![row]);
    }
    model.extend((first_leaf..leaves).map(|_| Vec::new()));
    model
}

/// Returns a state that leads to a hub, whose row is cut into pieces, and to states whose rows are
/// not short. If the workgroup forgets that the pieces went to the queue, it goes on to the next
/// level without them.
pub(super) fn spilled_rows(rng: &mut Rng) -> Model {
    const BESIDE: u32 = 7;
    const LEAVES: u32 = 2060;
    let hub = 1 + rng.below(BESIDE + 1);
    let first_leaf = BESIDE + 2;
    let row = |state: u32| match state {
        0 => vec![(1..first_leaf).collect()],
        _ if state == hub => vec![(first_leaf..first_leaf + LEAVES).collect()],
        _ if rng.one_in(2) => Vec::new(),
        _ => vec![(first_leaf..first_leaf + 9 + rng.below(2)).collect()],
    };
    let mut model: Model = (0..first_leaf).map(row).collect();
    model.extend((0..LEAVES).map(|_| Vec::new()));
    model
}

/// Returns states that all lead to the same four, which have edges. If each of these were added to
/// the queue as often as it is found, it would have no room for them.
pub(super) fn twice_found(rng: &mut Rng) -> Model {
    const SAME: u32 = 4;
    let parents = 18 + rng.below(6);
    let first = 1 + parents;
    let mut model: Model = vec![vec![(1..first).collect()]];
    model.extend((0..parents).map(|_| vec![(first..first + SAME).collect::<Vec<u32>>()]));
    model.extend((0..SAME).map(|_| vec![vec![0]]));
    model
}

/// Returns pairs of states to which many unreached states lead, and one reached state each. Both
/// states of a pair have their bits in the same word, and invocations that share their reverse
/// edges find them at the same time.
pub(super) fn same_words(rng: &mut Rng) -> Model {
    const PAIRS: u32 = 8;
    let unreached = 6 + rng.below(4);
    let first = 1 + unreached;
    let found = first + 2 * PAIRS;
    let mut model: Model = vec![vec![(found..found + 2 * PAIRS).collect()]];
    model.extend((0..unreached).map(|k| {
        // So the reverse rows have different lengths, and the last edge is another invocation's.
        let all = (0..2 * PAIRS).filter(|one| k < 5 || (one + k).is_multiple_of(2));
        vec![all.map(|one| first + one).collect::<Vec<u32>>()]
    }));
    model.extend((0..2 * PAIRS).map(|_| Vec::new()));
    model.extend((0..2 * PAIRS).map(|one| vec![vec![first + one]]));
    model
}

/// Returns a state that leads to many others, whose rows are too long for a team of invocations:
/// each workgroup defers as many as there is room for.
pub(super) fn deferred_rows(rng: &mut Rng) -> Model {
    const LEAVES: u32 = 30;
    let states = 48 + rng.below(8);
    let first_leaf = 1 + states;
    let mut model: Model = vec![vec![(1..first_leaf).collect()]];
    model.extend((0..states).map(|_| {
        let first = first_leaf + rng.below(LEAVES - 12);
        vec![(first..first + 9 + rng.below(4)).collect::<Vec<u32>>()]
    }));
    model.extend((0..LEAVES).map(|_| Vec::new()));
    model
}
