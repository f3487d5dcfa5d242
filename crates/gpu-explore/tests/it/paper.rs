//! Tests that the paper's search counts the same as the search on the CPU, with all of its options.

use crate::fixtures::{fixture, networks};
use crate::limits::{Stop, limited, network, rings};
use crate::networks::{behaviour, compile};
use crate::oracle::reach;
use crate::same::gpu;
use explore::Limits;
use gpu::Gpu;
use gpu_explore::paper::{Outcome, Paper, Table, count};
use gpu_explore::{Counts, Error, Options, Tuning};
use lts_network::Network;
use mdp_graph::Deadlocks;
use proptest::prelude::*;

/// The maximum number of states of a product. Larger products are left out.
const MAX_STATES: usize = 500;

/// Returns all configurations of the search, with this many iterations per launch.
fn ways(iterations: u32) -> impl Iterator<Item = Paper> {
    (0..8).map(move |bits| Paper {
        table: if bits & 1 == 0 {
            Table::Double
        } else {
            Table::Cuckoo
        },
        local_cache: bits & 2 != 0,
        forwarding: bits & 4 != 0,
        iterations,
    })
}

/// Returns the counts of the CPU.
fn expected(network: &Network, deadlocks: Deadlocks) -> Counts {
    let options = explore::Options {
        deadlocks,
        ..explore::Options::default()
    };
    let found = explore::explore(network, &options).expect("no limits");
    Counts::of(&found)
}

fn options(gpu: &Gpu, workgroups: u32, states: u32, deadlocks: Deadlocks) -> Options<'static> {
    let mut options = Options {
        tuning: Tuning {
            workgroups,
            states,
            ..Tuning::of(gpu)
        },
        ..Options::new(gpu)
    };
    options.explore.deadlocks = deadlocks;
    options
}

/// Asserts that the search counts correctly with a configuration.
fn check(gpu: &Gpu, network: &Network, options: &Options<'_>, paper: &Paper, counts: Counts) {
    let found = count(gpu, network, options, paper).expect("no limits");
    assert_eq!(found.counts, counts, "{paper:?} {:?}", options.tuning);
    assert!(found.expanded >= counts.states, "{paper:?}: {found:?}");
    // The last launch finds nothing.
    assert!(found.launches >= 2, "{paper:?}: {found:?}");
}

#[test]
fn every_network_is_counted_in_every_way() {
    let Some(gpu) = gpu() else { return };
    for (place, (name, network)) in networks().iter().enumerate() {
        eprintln!("{name}");
        let keep = expected(network, Deadlocks::Keep);
        let looped = expected(network, Deadlocks::SelfLoop);
        // Each configuration is tried with one of the two tunings, by turns. Other networks are
        // tried with the other configurations.
        for paper in ways(10).skip(place % 4).step_by(4) {
            let own = options(gpu, 16, 1 << 16, Deadlocks::Keep);
            check(gpu, network, &own, &paper, keep);
        }
        for paper in ways(3).skip((place + 2) % 4).step_by(4) {
            // The table grows several times.
            let own = options(gpu, 3, 1, Deadlocks::SelfLoop);
            check(gpu, network, &own, &paper, looped);
        }
    }
}

#[test]
fn counts_do_not_depend_on_workgroups_or_iterations() {
    let Some(gpu) = gpu() else { return };
    let network = fixture("forks.exp");
    let counts = expected(&network, Deadlocks::Keep);
    for workgroups in [1, 2, 7, 40] {
        for iterations in [1, 2, 50] {
            for paper in ways(iterations) {
                let own = options(gpu, workgroups, 100, Deadlocks::Keep);
                check(gpu, &network, &own, &paper, counts);
            }
        }
    }
}

#[test]
fn there_is_at_least_one_workgroup() {
    let Some(gpu) = gpu() else { return };
    let network = fixture("forks.exp");
    let counts = expected(&network, Deadlocks::Keep);
    let own = options(gpu, 0, 100, Deadlocks::Keep);
    check(gpu, &network, &own, &Paper::default(), counts);
}

#[test]
fn one_workgroup_expands_each_state_of_one_word_once() {
    let Some(gpu) = gpu() else { return };
    let network = rings(6);
    for forwarding in [false, true] {
        let paper = Paper {
            forwarding,
            local_cache: true,
            ..Paper::default()
        };
        let own = options(gpu, 1, 1 << 16, Deadlocks::Keep);
        let found = count(gpu, &network, &own, &paper).expect("no limits");
        assert_eq!((found.counts.states, found.expanded), (4096, 4096));
    }
}

#[test]
fn more_iterations_and_forwarding_need_fewer_launches() {
    let Some(gpu) = gpu() else { return };
    // The states of the ring are found one after the other.
    let steps: Vec<String> = (0..300)
        .map(|state| format!("({state}, a, {})", (state + 1) % 300))
        .collect();
    let ring = network(&format!(
        "par des (0, 300, 300) {} end par",
        steps.join(" ")
    ));
    let launches = |paper: &Paper| {
        // There is only one workgroup, because another one might see at once what the first has
        // stored.
        let own = options(gpu, 1, 1000, Deadlocks::Keep);
        let Outcome { launches, .. } = count(gpu, &ring, &own, paper).expect("no limits");
        launches
    };
    let once = Paper {
        iterations: 1,
        ..Paper::default()
    };
    assert_eq!(launches(&once), 301);
    let forwarded = Paper {
        forwarding: true,
        iterations: 10,
        ..Paper::default()
    };
    assert_eq!(launches(&forwarded), 31);
}

#[test]
fn limits_end_the_papers_search() {
    let Some(gpu) = gpu() else { return };
    let network = rings(5);
    let refused = |limits: Limits, paper: &Paper| {
        count(gpu, &network, &limited(gpu, limits), paper).expect_err("it is refused")
    };
    for paper in ways(10) {
        let states = |states| Limits {
            states: Some(states),
            memory: None,
        };
        let error = refused(states(1023), &paper);
        let Error::Ended(explore::Error::TooManyStates { limit, reached }) = error else {
            panic!("{error}")
        };
        // Vectors that are stored twice count once, and nothing is said of transitions.
        let known = explore::Progress {
            states: 1024,
            bytes: reached.bytes,
            ..explore::Progress::default()
        };
        assert_eq!((limit, reached), (1023, known), "{paper:?}");
        assert!(reached.bytes > 0);
        let found = count(gpu, &network, &limited(gpu, states(1024)), &paper);
        assert_eq!(found.expect("just enough").counts.states, 1024);
        let memory = Limits {
            states: None,
            memory: Some(1 << 16),
        };
        let error = refused(memory, &paper);
        let Error::Ended(explore::Error::MemoryLimit { reached, .. }) = error else {
            panic!("{error}")
        };
        let uncounted = (reached.expanded, reached.choices, reached.branches);
        assert_eq!(uncounted, (0, 0, 0), "{reached:?}");
    }
    let mut stopped = Options::new(gpu);
    stopped.explore.observer = &Stop;
    let error = count(gpu, &network, &stopped, &Paper::default()).expect_err("it is stopped");
    let is_cancelled = matches!(error, Error::Ended(explore::Error::Cancelled { .. }));
    assert!(is_cancelled, "{error}");
}

#[test]
fn the_papers_search_names_what_it_does_not_support() {
    let Some(gpu) = gpu() else { return };
    let error = |network: &Network| {
        let own = Options::new(gpu);
        count(gpu, network, &own, &Paper::default()).expect_err("it is refused")
    };
    let many = network(&format!(
        "par {} end par",
        vec!["des (0, 1, 1) (0, a, 0)"; 257].join(" || ")
    ));
    insta::assert_snapshot!(error(&many), @"the paper's search takes networks of up to 256 processes, whose states fit 8 words of 30 bits: this one has 257 processes, and its states have 1 word");
    let bit = "des (0, 2, 2) (0, a, 1) (1, a, 0)";
    let wide = network(&format!("par {} end par", vec![bit; 241].join(" || ")));
    insta::assert_snapshot!(error(&wide), @"the paper's search takes networks of up to 256 processes, whose states fit 8 words of 30 bits: this one has 241 processes, and its states have 9 words");
    // All processes step together.
    let most = network(&format!("par a in {} end par", vec![bit; 240].join(" || ")));
    let found = count(gpu, &most, &Options::new(gpu), &Paper::default()).expect("it fits");
    assert_eq!(found.counts, expected(&most, Deadlocks::SelfLoop));

    let fan: String = (0..300)
        .map(|target| format!(" (0, a, {target})"))
        .collect();
    let fan = format!("des (0, 300, 300){fan}");
    let together = network(&format!("par a in {fan} || {fan} || {fan} end par"));
    let expected = match gpu.info().kind {
        gpu::AdapterKind::Software => {
            "the loops of a kernel may take 405,000,030 iterations for a state: this adapter \
             allows 60,000"
        }
        _ => "a state has at least 262,143 successors: a GPU takes up to 262,142",
    };
    assert_eq!(error(&together).to_string(), expected);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, ..ProptestConfig::default() })]

    #[test]
    fn random_networks_are_counted_in_every_way(
        behaviour in behaviour(),
        workgroups in 1..5_u32,
        iterations in 1..5_u32,
        states in 1..100_u32,
    ) {
        let Some(gpu) = gpu() else { return Ok(()) };
        if reach(&behaviour, MAX_STATES).is_none() {
            return Ok(());
        }
        let network = compile(&behaviour);
        let counts = expected(&network, Deadlocks::Keep);
        for paper in ways(iterations) {
            let own = options(gpu, workgroups, states, Deadlocks::Keep);
            check(gpu, &network, &own, &paper, counts);
        }
    }
}
