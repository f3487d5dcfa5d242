//! Tests the size and the structure of each family.

use super::Kind;
use super::families::Family;
use super::networks::Network;
use crate::soak::models::{Rows, graph, rows};
use decompose::{ComponentSearch, Options, mec, scc};
use mdp_graph::Components;
use std::collections::BTreeMap;
use std::path::Path;

/// The number of components of each size.
type Sizes = BTreeMap<u32, usize>;

fn model(family: Family, size: u32) -> Rows {
    let model = family.model(size, 7).expect("a size within the limits");
    rows(&*model)
}

fn sizes(components: &Components) -> Sizes {
    let mut sizes = Sizes::new();
    for id in components.ids() {
        *sizes.entry(components.size(id)).or_default() += 1;
    }
    sizes
}

fn options() -> Options<'static> {
    Options {
        search: ComponentSearch::Tarjan,
        ..Options::default()
    }
}

fn sccs(rows: &Rows) -> Sizes {
    sizes(&scc(&graph(rows), &options()).expect("a small graph"))
}

fn mecs(rows: &Rows) -> Sizes {
    sizes(&mec(&graph(rows), &options()).expect("a small graph"))
}

/// Returns the sizes of this many components of one size.
fn all(count: usize, size: u32) -> Sizes {
    Sizes::from([(size, count)])
}

fn edges(rows: &Rows) -> impl Iterator<Item = (u32, u32)> {
    (0..).zip(rows).flat_map(|(state, row)| {
        let targets = row.iter().flatten();
        targets.map(move |&target| (state, target))
    })
}

#[test]
fn names_promise_no_other_format() {
    let check = |kind: Kind, name: &str| kind.check_name(Path::new(name));
    let (model, network) = (
        Kind::Model(Family::Chain),
        Kind::Network(Network::TokenRing),
    );
    for name in ["a.tra", "a.b.TRA", "a", "/dev/stdout"] {
        assert_eq!(check(model, name), Ok(()), "{name}");
    }
    assert_eq!(check(network, "a.exp"), Ok(()));
    let messages = [
        check(model, "a.umb"),
        check(model, "a.tra.gz"),
        check(model, "a.exp"),
        check(network, "a.tra"),
    ]
    .map(Result::unwrap_err);
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn simple_shapes_have_their_components() {
    assert_eq!(sccs(&model(Family::Giant, 50)), all(1, 50));
    assert_eq!(sccs(&model(Family::Dag, 50)), all(50, 1));
    assert_eq!(sccs(&model(Family::Chain, 50)), all(50, 1));
    assert_eq!(mecs(&model(Family::Chain, 50)), all(1, 1));
    assert_eq!(sccs(&model(Family::Cycle, 50)), all(1, 50));
    assert_eq!(sccs(&model(Family::TwoCycles, 50)), all(50, 2));
    assert_eq!(sccs(&model(Family::Beads, 50)).values().sum::<usize>(), 50);
    let drift = model(Family::Drift, 50);
    assert_eq!(
        (sccs(&drift), mecs(&drift)),
        (Sizes::from([(1, 1), (49, 1)]), all(1, 1))
    );
    let fan = Sizes::from([(1, 25), (26, 1)]);
    assert_eq!(sccs(&model(Family::Fan, 50)), fan);
    let lottery = Sizes::from([(1, 5), (51, 1)]);
    assert_eq!(mecs(&model(Family::Lottery, 50)), lottery);
}

#[test]
fn ladders_have_a_mec_a_rung() {
    let ladder = model(Family::Ladder, 50);
    assert_eq!(sccs(&ladder), Sizes::from([(1, 1), (50, 1)]));
    assert_eq!(mecs(&ladder), all(51, 1));
    let ladders = model(Family::Ladders, 3);
    assert_eq!(sccs(&ladders), Sizes::from([(1, 3), (63, 3)]));
    assert_eq!(mecs(&ladders), all(3 * 64, 1));
    let stairs = model(Family::Stairs, 5);
    assert_eq!(stairs.len(), 51);
    assert_eq!(mecs(&stairs), Sizes::from([(1, 6), (40, 1)]));
}

#[test]
fn permutations_and_orders() {
    let permutation = model(Family::Permutation, 1000);
    let mut targets: Vec<u32> = edges(&permutation).map(|edge| edge.1).collect();
    assert!(targets.windows(2).any(|pair| pair[0] > pair[1]));
    targets.sort_unstable();
    assert!(targets.into_iter().eq(0..1000));
    let shuffled = model(Family::ShuffledCycle, 1000);
    assert_eq!(sccs(&shuffled), all(1, 1000));
    let consecutive = edges(&shuffled).filter(|&(from, to)| to == from + 1);
    assert!(consecutive.count() < 20);
    let reversed = model(Family::BitReversed, 4);
    assert_eq!(sccs(&reversed), all(16, 1));
    assert_eq!(reversed[..3], [[[8]], [[9]], [[10]]]);
}

#[test]
fn meshes_and_grids() {
    let mesh = model(Family::Mesh, 8);
    assert_eq!(mesh.len(), 512);
    let faces = edges(&mesh).filter(|(from, to)| from != to);
    assert_eq!(faces.count(), 3 * 8 * 8 * 7);
    let components = sccs(&mesh);
    assert!(
        components[&1] > 100 && components.len() > 1,
        "{components:?}"
    );
    let holes = model(Family::Holes, 30);
    let two_way: Vec<(u32, u32)> = edges(&holes).filter(|(from, to)| from != to).collect();
    assert!(
        two_way
            .iter()
            .all(|&(from, to)| two_way.contains(&(to, from)))
    );
    let alone = holes.len()
        - sccs(&holes)
            .iter()
            .map(|(&size, n)| usize::from(size > 1) * size as usize * n)
            .sum::<usize>();
    assert!((200..400).contains(&alone), "{alone}");
}

#[test]
fn components_that_are_linked() {
    let scattered = model(Family::Scattered, 100);
    let components = sccs(&scattered);
    assert_eq!(components.values().sum::<usize>(), 100);
    assert!(components.keys().all(|size| (2..=60).contains(size)));
    assert_eq!(sccs(&model(Family::CycleTree, 100)), all(100, 8));
    // Each component has three teeth.
    assert_eq!(sccs(&model(Family::Comb, 480)), all(10, 48));
    assert_eq!(sccs(&model(Family::Ribbon, 100)), all(400, 1));
    let giant = Sizes::from([(1, 400), (400, 1)]);
    assert_eq!(sccs(&model(Family::GiantChains, 800)), giant);
    let giants = Sizes::from([(100, 7), (103, 1)]);
    assert_eq!(sccs(&model(Family::Giants, 803)), giants);
    let lotteries = model(Family::Lotteries, 1000);
    assert_eq!(mecs(&lotteries), all(1, 1000));
    assert!(
        lotteries
            .iter()
            .all(|row| row[0].len() == 1 && row[1].len() > 25)
    );
}

#[test]
fn few_states_have_most_edges_of_power_laws() {
    let rows = model(Family::PowerLaw, 10);
    assert_eq!(rows.len(), 1024);
    let mut degrees: Vec<usize> = rows.iter().map(Vec::len).collect();
    degrees.sort_unstable();
    let edges: usize = degrees.iter().sum();
    assert!((15 * 1024..18 * 1024).contains(&edges), "{edges}");
    let largest: usize = degrees[1024 - 102..].iter().sum();
    assert!(
        largest > edges / 3,
        "a tenth of the states has {largest} edges"
    );
}

#[test]
fn every_small_size_makes_a_model() {
    for &family in Family::ALL {
        for size in 1..=9 {
            let model = family.model(size, 3).expect("a small model");
            let states = model.num_states();
            for (_, target) in edges(&rows(&*model)) {
                assert!(target < states, "{family:?}, {size}: {target} of {states}");
            }
        }
    }
}

#[test]
fn sizes_are_checked_before_memory_is_taken() {
    for &family in Family::ALL {
        for size in [0, family.largest_size() + 1, u32::MAX] {
            let error = family.model(size, 0).err().expect("no model of this size");
            let most = family.largest_size();
            assert_eq!(error, format!("the size must lie between 1 and {most}"));
        }
    }
    for &network in Network::ALL {
        for size in [0, 1001, u32::MAX] {
            let error = network.text(size).expect_err("no network of this size");
            assert_eq!(error, "the size must lie between 1 and 1000");
        }
    }
}

#[test]
fn the_largest_models_have_numbers_of_32_bits() {
    for &family in Family::ALL {
        let largest = family.largest_size();
        let small = family.size_for(4000);
        let rows = model(family, small);
        let states = match family {
            // The sizes of their components are drawn when they are made, which takes long.
            Family::Beads | Family::Scattered => {
                rows.len() as f64 / f64::from(small) * f64::from(largest)
            }
            _ => f64::from(family.model(largest, 0).expect("the limit").num_states()),
        };
        let branches = edges(&rows).count() as f64 / rows.len() as f64 * states;
        assert!(
            branches < f64::from(u32::MAX),
            "{family:?}: {branches} branches"
        );
    }
}

#[test]
fn seeds_make_other_models() {
    let with = |seed| {
        let model = Family::Giant.model(100, seed).expect("a small model");
        rows(&*model)
    };
    assert_eq!(with(1), with(1));
    assert_ne!(with(1), with(2));
}
