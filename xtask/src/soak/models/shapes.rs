//! The shapes of random models, which give the successors of each state.

use crate::rng::Rng;

/// The choices of each state, each with its targets.
pub(crate) type Rows = Vec<Vec<Vec<u32>>>;

/// The targets of each state.
type Edges = Vec<Vec<u32>>;

/// Draws the edges of a state. The arguments are the number of states, the state, and the width of
/// the shape.
type Shape = fn(&mut Rng, u32, u32, u32) -> Vec<u32>;

/// The shapes, which draw the edges of one state after another. Targets after the last state wrap
/// around.
const SHAPES: &[(&str, Shape)] = &[
    ("anywhere", |rng, n, _, width| {
        many(rng, width % 4 + 1, |rng| rng.below(n))
    }),
    ("hardly an edge", |rng, n, _, _| {
        many(rng, 1, |rng| rng.below(n))
    }),
    ("nearby", |rng, n, s, width| {
        many(rng, 2, |rng| near(rng, n, s, width))
    }),
    ("mostly ahead", |rng, n, s, width| {
        many(rng, 2, |rng| {
            if rng.one_in(20) {
                rng.below(n)
            } else {
                (s + 1 + rng.below(width)).min(n - 1)
            }
        })
    }),
    ("long and acyclic", |rng, n, s, width| match s + 1 == n {
        true => vec![],
        false => vec![s + 1, (s + 1 + rng.below(width)).min(n - 1)],
    }),
    ("path both ways", |rng, n, s, _| match rng.one_in(50) {
        true => vec![s + 1],
        false => vec![s.saturating_sub(1), (s + 1).min(n - 1)],
    }),
    ("chain of cycles", |_, n, s, width| {
        vec![(s + 1).min(n - 1), s / width * width]
    }),
    (
        "chain of cycles of many lengths",
        |rng, n, s, _| match rng.one_in(30) {
            true => vec![(s + 1).min(n - 1), s / 2 + rng.below(s / 2 + 1)],
            false => vec![(s + 1).min(n - 1)],
        },
    ),
    ("tree of cycles", |rng, n, s, width| {
        let (cycle, at) = (s / width, s % width);
        let next = cycle * width + (at + 1) % width;
        match rng.one_in(2) {
            true => vec![next.min(n - 1), ((2 * cycle + 1 + at % 2) * width) % n],
            false => vec![next.min(n - 1)],
        }
    }),
    ("tree from the leaves", |rng, _, s, width| {
        match rng.one_in(width) {
            true => vec![s.saturating_sub(1) / 2, s],
            false => vec![s.saturating_sub(1) / 2],
        }
    }),
    ("apart", |rng, n, s, width| {
        // These are small components that do not reach one another.
        let first = s / width * width;
        let own = width.min(n - first);
        many(rng, 1, |rng| first + rng.below(own))
    }),
    ("blocks", |rng, n, s, width| {
        let first = s / width * width;
        let own = width.min(n - first);
        let mut row = many(rng, 1, |rng| first + rng.below(own));
        if rng.one_in(4) {
            row.push(rng.below(n));
        }
        row
    }),
    ("hubs", |rng, n, s, width| match s < width.min(n / 8) {
        true => many(rng, n / (2 * width), |rng| rng.below(n)),
        false => vec![rng.below(width.min(n))],
    }),
    ("one hub", |rng, n, s, _| match s {
        0 => (1..n).collect(),
        _ => many(rng, 0, |_| 0),
    }),
    ("power law", |rng, n, _, _| {
        many(rng, 2, |rng| (f64::from(n) * rng.unit().powi(4)) as u32)
    }),
    ("cycle that leaks", |rng, n, s, width| {
        match rng.one_in(width) {
            true => vec![(s + 1) % n, n - 1],
            false => vec![(s + 1) % n],
        }
    }),
    ("torus", |rng, n, s, width| match rng.below(3) {
        0 => vec![(s + 1) % n],
        1 => vec![(s + width) % n],
        _ => vec![(s + 1) % n, (s + width) % n],
    }),
    ("layers", |rng, n, s, width| {
        many(rng, 1, |rng| {
            ((s / width + 1) * width + rng.below(width)) % n
        })
    }),
    ("layers without a way back", |rng, n, s, width| {
        let next = (s / width + 1) * width;
        match next >= n {
            true => vec![],
            false => many(rng, 1, |rng| (next + rng.below(width)).min(n - 1)),
        }
    }),
];

/// Returns a random state from `s - width` to `s + width`.
fn near(rng: &mut Rng, n: u32, s: u32, width: u32) -> u32 {
    let first = s.saturating_sub(width);
    rng.between(first, (s + width).min(n - 1))
}

/// Draws from 0 to 2 `about` + 1 targets.
fn many(rng: &mut Rng, about: u32, mut target: impl FnMut(&mut Rng) -> u32) -> Vec<u32> {
    let count = rng.below(2 * about + 2);
    (0..count).map(|_| target(rng)).collect()
}

/// Draws a shape with `n` states: one of the above, or two of them with edges from some states of
/// one to the other.
pub(super) fn draw(rng: &mut Rng, n: u32) -> (String, Edges) {
    let (name, mut edges) = simple(rng, n);
    if !rng.one_in(4) {
        return (name.to_owned(), edges);
    }
    let (other, more) = simple(rng, n.div_ceil(2));
    let first = edges.len() as u32;
    edges.extend(
        more.into_iter()
            .map(|row| row.iter().map(|t| first + t).collect::<Vec<_>>()),
    );
    let all = edges.len() as u32;
    for _ in 0..rng.magnitude(1, 2 + all / 8) {
        let (from, to) = (rng.below(all), rng.below(all));
        edges[from as usize].push(to);
    }
    (format!("{name} with {other}"), edges)
}

fn simple(rng: &mut Rng, n: u32) -> (&'static str, Edges) {
    let (name, shape) = rng.one_of(SHAPES);
    let width = rng.magnitude(2, 64);
    let row = |s| {
        shape(rng, n, s, width)
            .iter()
            .map(|target| target % n)
            .collect()
    };
    (name, (0..n).map(row).collect())
}

/// Blocks, in each of which states lose the last edge that reaches them and the last one that
/// leaves them at the same moment, when the block's second search is over:
///
/// ```text
/// root <-> helpers, root -> x <-> x', x -> hub <-> helpers, hub -> t <-> t'
/// x -> u -> doublers -> v -> t, first doubler -> t
/// ```
///
/// What the hub reaches is then a region whose name is the number of the first doubler, if that is
/// 2 hub + 1, or with choices 3 hub + 1 (`names` is 2 or 3): whoever reads the name of a state that
/// is done with takes the edge to t off twice.
pub(super) fn twice(rng: &mut Rng, size: u32, names: u32) -> (Rows, String) {
    let doublers = rng.between(1, 8);
    let hub_helpers = doublers / 2 + 2;
    let root_helpers = hub_helpers + 2;
    let block = 1 + root_helpers + 2 + 1 + hub_helpers + 2 + 2 + doublers;
    let blocks = (size / block).max(1);
    let place = numbers_of_twice(rng, blocks, block, names);
    let stays = rng.one_in(2);
    let mut rows: Rows = vec![Vec::new(); (blocks * block) as usize];
    for own in place.chunks(block as usize) {
        for (from, to) in edges_of_twice(own, root_helpers as usize, hub_helpers as usize, stays) {
            rows[from as usize].push(vec![to]);
        }
    }
    let all = rows.len() as u32;
    for _ in 0..rng.one_of(&[0, 0, blocks / 16]) {
        let from = rng.below(all);
        rows[from as usize].push(vec![rng.below(all)]);
    }
    (
        rows,
        format!("falls twice, {blocks} blocks of {block}, names by {names}"),
    )
}

/// Returns the edges of a block, whose states have these numbers.
fn edges_of_twice(
    own: &[u32],
    root_helpers: usize,
    hub_helpers: usize,
    stays: bool,
) -> Vec<(u32, u32)> {
    // The numbers of the hub and of the first doubler come first.
    let (hub, first) = (own[0], own[1]);
    let (root, x, y, t, t2, u, v) = (own[2], own[3], own[4], own[5], own[6], own[7], own[8]);
    let (of_root, rest) = own[9..].split_at(root_helpers);
    let (of_hub, others) = rest.split_at(hub_helpers);
    let mut edges = vec![
        (root, x),
        (x, y),
        (y, x),
        (x, hub),
        (x, u),
        (hub, t),
        (t, t2),
        (t2, t),
        (v, t),
        (first, t),
    ];
    edges.extend(
        of_root
            .iter()
            .flat_map(|&helper| [(root, helper), (helper, root)]),
    );
    edges.extend(
        of_hub
            .iter()
            .flat_map(|&helper| [(hub, helper), (helper, hub)]),
    );
    edges.extend(
        others
            .iter()
            .chain([&first])
            .flat_map(|&doubler| [(u, doubler), (doubler, v)]),
    );
    if stays {
        edges.extend(
            others
                .iter()
                .chain([&first, &u, &v])
                .map(|&state| (state, state)),
        );
    }
    edges
}

/// Returns the numbers of the states of each block: h for the hub, `names` h + 1 for the first
/// doubler, then the others.
fn numbers_of_twice(rng: &mut Rng, blocks: u32, block: u32, names: u32) -> Vec<u32> {
    let mut others = rng.order(blocks * block);
    let hub = |i: u32| blocks + i;
    let first = |i: u32| names * hub(i) + 1;
    let is_taken = |&state: &u32| {
        let is_hub = (blocks..2 * blocks).contains(&state);
        let last = first(blocks - 1);
        is_hub || ((first(0)..=last).contains(&state) && (state - first(0)) % names == 0)
    };
    others.retain(|state| !is_taken(state));
    let mut others = others.into_iter();
    let own = |i| {
        [hub(i), first(i)]
            .into_iter()
            .chain(others.by_ref().take(block as usize - 2))
            .collect::<Vec<_>>()
    };
    (0..blocks).flat_map(own).collect()
}
