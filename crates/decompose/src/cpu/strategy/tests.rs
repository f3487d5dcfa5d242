//! Tests of which searches are tried for which graphs.

use super::*;
use crate::cpu::tests::rows_of;
use rayon::ThreadPoolBuilder;

/// The searches of a plan, in the order in which they are tried. For a portfolio, the number of
/// searches by one thread at the same time.
fn searches(plan: &Plan) -> String {
    let mut all = Vec::new();
    all.extend(plan.walks.then(|| "walks".to_owned()));
    all.extend(plan.one_way.map(|way| format!("all {way:?}?")));
    all.extend(plan.ranges.map(|_| "ranges".to_owned()));
    all.extend(match plan.giant {
        LookForGiant::No => None,
        LookForGiant::WithinBudget => Some("giant within budget".to_owned()),
        LookForGiant::BySweeps(first) => Some(format!("sweeps {first:?}")),
    });
    all.extend(plan.trims_sources.then(|| "sources".to_owned()));
    all.push(match plan.rounds {
        Some(threads) => format!("rounds {threads}"),
        None => "one thread".to_owned(),
    });
    let searches = all.join(", ");
    match plan.portfolio {
        Some(orders) => format!("{} + {searches}", orders.len()),
        None => searches,
    }
}

/// A graph of `states` states: the targets of each.
struct Graph {
    states: u64,
    degree: usize,
    targets: fn(u64, u64) -> Vec<u64>,
}

impl Graph {
    /// Returns the searches for components of this kind, on so many threads.
    fn searches(&self, kind: ComponentKind, threads: usize) -> String {
        let states = self.states as usize;
        let sample = EdgeSample::of_rows(self.states, |state| {
            (self.targets)(state, self.states).into_iter()
        });
        let successor = |state| {
            let targets = (self.targets)(u64::from(state), self.states);
            targets.first().map(|&target| target as usize)
        };
        let facts = Facts {
            states,
            edges: self.degree * states,
            threads,
            sample,
            heaviest_range: 1.0 / (RANGES_EACH * threads) as f64,
            paths_jump: sample.is_functional() && jumps::are_frequent(states, successor),
        };
        searches(&Plan::usual(facts, kind))
    }
}

/// Returns a number that looks random.
fn scramble(number: u64) -> u64 {
    let product = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (product ^ (product >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 20
}

const CHAIN: fn(u64, u64) -> Vec<u64> = |state, n| vec![(state + 1).min(n - 1)];
const SHUFFLED: fn(u64, u64) -> Vec<u64> = |state, n| vec![scramble(state) % n];
const STRIDE: fn(u64, u64) -> Vec<u64> = |state, n| vec![(state + 300_000) % n];
const RANDOM: fn(u64, u64) -> Vec<u64> =
    |state, n| (0..4).map(|i| scramble(4 * state + i) % n).collect();
const MANY_RANDOM: fn(u64, u64) -> Vec<u64> =
    |state, n| (0..40).map(|i| scramble(40 * state + i) % n).collect();
const BAND: fn(u64, u64) -> Vec<u64> = |state, n| {
    let near = |i| (state + scramble(3 * state + i) % 100).saturating_sub(50);
    (0..3).map(|i| near(i).min(n - 1)).collect()
};
const MESH: fn(u64, u64) -> Vec<u64> = |state, n| {
    let steps = [1, 100, 10_000];
    let both = |step| [state.saturating_sub(step), (state + step).min(n - 1)];
    steps.into_iter().flat_map(both).collect()
};
const TREE: fn(u64, u64) -> Vec<u64> = |state, n| {
    let children = [2 * state + 1, 2 * state + 2];
    children.into_iter().filter(|&child| child < n).collect()
};

#[test]
fn each_graph_is_searched_in_the_way_that_suits_it() {
    use ComponentKind::{Mec, Scc};
    let graph = |states, degree, targets| Graph {
        states,
        degree,
        targets,
    };
    let (few, some, many) = (1 << 10, 1 << 17, 1 << 20);
    #[rustfmt::skip]
    let table = [
        ("few states", graph(few, 4, RANDOM), 16, "one thread", "one thread"),
        // Walks take turns, so that they wait for memory together.
        ("shuffled", graph(many, 1, SHUFFLED), 1, "walks, one thread", "walks, one thread"),
        ("shuffled", graph(many, 1, SHUFFLED), 16, "walks, one thread", "walks, one thread"),
        // Neighbours lead to neighbours, but the path comes there much later.
        ("stride", graph(many, 1, STRIDE), 1, "walks, one thread", "walks, one thread"),
        // If edges lead nearby, one thread hardly waits for memory, but many can search ranges. Two
        // of many threads search the graph alone meanwhile, as far as SCCs are wanted.
        ("band", graph(many, 3, BAND), 4, "one thread", "one thread"),
        ("band", graph(many, 3, BAND), 16,
            "2 + ranges, giant within budget, one thread",
            "ranges, giant within budget, one thread"),
        // All edges may lead the same way.
        ("chain", graph(many, 1, CHAIN), 4, "one thread", "one thread"),
        ("chain", graph(many, 1, CHAIN), 16,
            "2 + all Forward?, ranges, giant within budget, one thread",
            "all Forward?, ranges, giant within budget, one thread"),
        ("tree", graph(many, 1, TREE), 16,
            "2 + all Forward?, ranges, giant within budget, one thread",
            "all Forward?, ranges, giant within budget, one thread"),
        // If edges are scattered, one thread waits for memory, and sweeps or rounds do not. But
        // one thread does not wait long in a small graph.
        ("random", graph(some, 4, RANDOM), 1, "one thread", "sweeps Forward, one thread"),
        ("random", graph(some, 4, RANDOM), 2,
            "sweeps BackwardIfSpread, one thread", "sweeps Forward, one thread"),
        ("random", graph(many, 4, RANDOM), 1,
            "sweeps BackwardIfSpread, one thread", "sweeps Forward, one thread"),
        ("random", graph(some, 4, RANDOM), 16,
            "2 + sweeps Forward, one thread", "sweeps Forward, one thread"),
        ("random", graph(many, 4, RANDOM), 4,
            "1 + sweeps BackwardIfSpread, one thread", "sweeps Forward, one thread"),
        ("random", graph(many, 4, RANDOM), 16,
            "2 + sweeps Forward, sources, rounds 16",
            "sweeps Forward, sources, rounds 16"),
        // Many edges make a graph of few states large.
        ("random, many edges", graph(some, 40, MANY_RANDOM), 16,
            "2 + sweeps Forward, sources, rounds 16",
            "sweeps Forward, sources, rounds 16"),
        // Searches of huge graphs by one thread would take much memory.
        ("random", graph(1 << 27, 4, RANDOM), 16,
            "sweeps Forward, one thread", "sweeps Forward, one thread"),
        // In a mesh, long edges of neighbours lead to neighbours, which are in a cache. A search
        // for MECs takes longer, so sweeps come first.
        ("mesh", graph(many, 6, MESH), 1, "one thread", "sweeps Forward, one thread"),
        ("mesh", graph(many, 6, MESH), 16,
            "2 + ranges, giant within budget, one thread",
            "ranges, sweeps Forward, rounds 16"),
    ];
    for (name, graph, threads, for_sccs, for_mecs) in table {
        for (kind, expected) in [(Scc, for_sccs), (Mec, for_mecs)] {
            let found = graph.searches(kind, threads);
            assert_eq!(found, expected, "{name}, {kind:?}, {threads} threads");
        }
    }
}

/// Most edges are between the first states. One thread would search these states while all others
/// wait.
#[test]
fn a_graph_with_most_edges_in_one_range_is_left_to_one_thread() {
    let n = 1 << 12;
    let has_ranges = |busy: u32| {
        let row = |state: u32| match state < busy {
            true => vec![state.saturating_sub(1); 64],
            false => vec![],
        };
        let (rows, targets) = rows_of(&(0..n).map(row).collect::<Vec<_>>());
        let limits = Limits {
            states: 2,
            ..Limits::USUAL
        };
        let edges = AllEdges {
            rows: &rows,
            targets: &targets,
        };
        let pool = ThreadPoolBuilder::new().num_threads(8).build();
        let facts = pool.expect("threads start").install(|| Facts::of(edges));
        let plan = Plan::new(facts, ComponentKind::Scc, Sweeps::Try, limits);
        plan.ranges.is_some()
    };
    assert!(!has_ranges(n / 16));
    assert!(has_ranges(n / 2));
    assert!(has_ranges(n));
}
