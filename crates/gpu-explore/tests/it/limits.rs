//! Tests of the reasons for which an exploration ends early, and of the models that a device cannot
//! explore.

use crate::common;
use crate::same::gpu;
use explore::{Limits, Observer};
use gpu::{Gpu, Request};
use gpu_explore::{Counts, Error, Options, Tuning, count, explore};
use lts_formats::read_exp;
use lts_network::Network;
use mdp_graph::Deadlocks;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

pub(crate) fn network(text: &str) -> Network {
    let behaviour = read_exp(text.as_bytes()).expect(text);
    Network::compile(&behaviour, |file| Err(file.path.clone())).expect(text)
}

/// Returns a network of this many independent rings of four states. It has 4^n states.
pub(crate) fn rings(count: usize) -> Network {
    let ring = "des (0, 4, 4) (0, a, 1) (1, a, 2) (2, a, 3) (3, a, 0)";
    network(&format!("par {} end par", vec![ring; count].join(" || ")))
}

/// Returns a network that is a tree with seven children per state. Its last leaf leads to many more
/// states.
pub(crate) fn late_fan() -> Network {
    let (inner, leaf, fan) = (400, 2800, 19_900);
    let children = (1..=leaf).map(|child| format!("({}, a, {child})", (child - 1) / 7));
    let fan = (1..=fan).map(|i| format!("({leaf}, b, {})", leaf + i));
    let lines: Vec<String> = children.chain(fan).collect();
    assert_eq!((leaf - 1) / 7, inner - 1);
    let head = format!("des (0, {}, {})", lines.len(), lines.len() + 1);
    network(&format!("par {head} {} end par", lines.join(" ")))
}

pub(crate) fn limited(gpu: &Gpu, limits: Limits) -> Options<'static> {
    let mut options = Options::new(gpu);
    options.explore.limits = limits;
    options
}

/// Returns the error of an exploration.
fn error(gpu: &Gpu, network: &Network, options: &Options<'_>) -> Error {
    explore(gpu, network, options).expect_err("it is refused")
}

#[test]
fn limits_end_an_exploration() {
    let Some(gpu) = gpu() else { return };
    let network = rings(5);
    let states = |states| Limits {
        states: Some(states),
        memory: None,
    };
    let refused = error(gpu, &network, &limited(gpu, states(1023)));
    assert!(
        matches!(
            refused,
            Error::Ended(explore::Error::TooManyStates { limit: 1023, .. })
        ),
        "{refused}"
    );
    let found = explore(gpu, &network, &limited(gpu, states(1024))).expect("just enough");
    assert_eq!(found.graph.num_states(), 1024);
    let memory = Limits {
        states: None,
        memory: Some(1 << 16),
    };
    let refused = error(gpu, &network, &limited(gpu, memory));
    assert!(
        matches!(refused, Error::Ended(explore::Error::MemoryLimit { .. })),
        "{refused}"
    );
}

#[test]
fn deadlocks_are_refused_as_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let network =
        network("par des (0, 2, 3) (0, a, 1) (0, b, 2) || des (0, 1, 2) (0, c, 1) end par");
    let mut options = Options::new(gpu);
    options.explore.deadlocks = Deadlocks::Refuse;
    let expected = explore::explore(&network, &options.explore).expect_err("deadlocks");
    assert_eq!(error(gpu, &network, &options), Error::Ended(expected));
}

/// An observer that always cancels.
pub(crate) struct Stop;

impl Observer for Stop {
    fn is_cancelled(&self) -> bool {
        true
    }
}

#[test]
fn an_observer_stops_an_exploration() {
    let Some(gpu) = gpu() else { return };
    let mut options = Options::new(gpu);
    options.explore.observer = &Stop;
    let refused = error(gpu, &rings(6), &options);
    assert!(
        matches!(refused, Error::Ended(explore::Error::Cancelled { .. })),
        "{refused}"
    );
}

/// An observer that cancels after this many questions, so that a search without an end ends.
struct CancelsLate(AtomicU32);

impl Observer for CancelsLate {
    fn is_cancelled(&self) -> bool {
        self.0.fetch_add(1, Relaxed) > 2000
    }
}

/// A binding just below 128 KiB holds a table of 2^14 slots, a power of two, but up to 2^15 - 1
/// states of one word. A table that is full of known states has no place for another one, although
/// a table of the same size has a place for each of them.
#[test]
fn a_table_that_cannot_grow_ends_an_exploration() {
    let Some(at_most) = gpu().map(|gpu| gpu::Limits {
        max_binding_bytes: (128 << 10) - 4,
        ..*gpu.limits()
    }) else {
        return;
    };
    let Some(gpu) = common::open(&Request {
        at_most: Some(at_most),
        ..Request::any()
    }) else {
        return;
    };
    let observer = CancelsLate(AtomicU32::new(0));
    let mut options = Options {
        tuning: Tuning {
            workgroups: 2,
            states: 1 << 14,
            candidates: 1 << 13,
            batch: 1 << 9,
            transitions: 1 << 13,
            ..Tuning::of(&gpu)
        },
        ..Options::new(&gpu)
    };
    options.explore.observer = &observer;
    let few = rings(6);
    let expected = explore::explore(&few, &options.explore).expect("no limits");
    let found = explore(&gpu, &few, &options).expect("they fit");
    assert!(found.graph == expected.graph);
    assert_eq!(count(&gpu, &few, &options), Ok(Counts::of(&expected)));

    let many = rings(8);
    let explored = error(&gpu, &many, &options);
    let counted = count(&gpu, &many, &options).expect_err("they do not fit");
    let expected = Error::Gpu(gpu::Error::LimitExceeded {
        what: "the hash table (slots)".to_owned(),
        needed: 1 << 15,
        available: 1 << 14,
    });
    assert_eq!([explored, counted], [expected.clone(), expected]);
}

#[test]
fn unsupported_requests_are_refused_by_name() {
    let Some(gpu) = gpu() else { return };
    let fan: String = (0..300)
        .map(|target| format!(" (0, a, {target})"))
        .collect();
    let fan = format!("des (0, 300, 300){fan}");
    let together = network(&format!("par a in {fan} || {fan} || {fan} end par"));
    let refused = error(gpu, &together, &Options::new(gpu));
    // The 300^3 successors take three iterations each to copy, three for each of the three
    // participants, and three for the words of the rule.
    let expected = match gpu.info().kind {
        gpu::AdapterKind::Software => {
            "the loops of a kernel may take 405,000,030 iterations for a state: this adapter \
             allows 60,000"
        }
        _ => "a state has at least 262,143 successors: a GPU takes up to 262,142",
    };
    assert_eq!(refused.to_string(), expected);

    // The model is also refused if a batch may have more candidates than can be counted.
    let options = Options {
        tuning: Tuning {
            candidates: 1 << 20,
            ..Tuning::of(gpu)
        },
        ..Options::new(gpu)
    };
    assert_eq!(error(gpu, &together, &options), refused);

    // Both vectors lead to the same states under the same label.
    let twice = "par using a * a -> c, b * a -> c in \
        des (0, 4, 2) (0, a, 0) (0, b, 0) (0, a, 1) (0, b, 1) || des (0, 1, 1) (0, a, 0) end par";
    let options = Options {
        tuning: Tuning {
            compared: 3,
            ..Tuning::of(gpu)
        },
        ..Options::new(gpu)
    };
    let refused = error(gpu, &network(twice), &options);
    insta::assert_snapshot!(refused, @"a state has 4 successors, some of which may be equal: a GPU compares up to 3");
}

/// Networks whose states take more and more iterations of loops, because of many successors or of
/// many rules. A device counts and explores them correctly, or refuses them.
#[test]
fn states_that_take_many_iterations_are_right_or_refused() {
    let Some(gpu) = gpu() else { return };
    let fan = |label: &str, count: u32| {
        let all = (1..=count).map(|target| format!(" (0, {label}, {target})"));
        let all: String = all.collect();
        format!("des (0, {count}, {}){all}", count + 1)
    };
    let mut networks = Vec::new();
    for count in [2000, 25_000, 70_000] {
        networks.push(fan("a", count));
    }
    for count in [20, 70, 80] {
        networks.push(format!("par a in {0} || {0} end par", fan("a", count)));
    }
    for count in [12, 18] {
        networks.push(format!(
            "par a in {0} || {0} || {0} end par",
            fan("a", count)
        ));
    }
    for count in [500, 4000] {
        let rules: Vec<_> = (0..count).map(|b| format!("a * b{b} -> c{b}")).collect();
        let other: String = (0..40).map(|b| format!(" (0, b{b}, {})", b + 1)).collect();
        networks.push(format!(
            "par using {} in des (0, 1, 1) (0, a, 0) || des (0, 40, 41){other} end par",
            rules.join(", ")
        ));
    }
    let (mut right, mut refused) = (0, 0);
    for text in &networks {
        let network = network(text);
        let options = Options::new(gpu);
        let expected = explore::explore(&network, &options.explore).expect("it is small");
        let name = &text[..text.len().min(60)];
        match gpu_explore::explore(gpu, &network, &options) {
            Ok(found) => {
                assert_eq!(found.graph, expected.graph, "{name}");
                right += 1;
            }
            Err(Error::TooManyIterations { .. }) => refused += 1,
            Err(error) => panic!("{name}: {error}"),
        }
        match gpu_explore::count(gpu, &network, &options) {
            Ok(found) => {
                assert_eq!(found.states, expected.graph.num_states() as u64, "{name}");
                assert_eq!(found.deadlocks, expected.deadlocks, "{name}");
            }
            Err(Error::TooManyIterations { .. }) => {}
            Err(error) => panic!("{name}: {error}"),
        }
    }
    let is_software = gpu.info().kind == gpu::AdapterKind::Software;
    assert!(
        right >= 4 && (refused > 0) == is_software,
        "{right}, {refused}"
    );
}
