//! Tests of pivot selection alone, with arbitrary regions and tables.

use super::passes::Pivots;
use super::upload::FbtGraph;
use crate::gpu::test_gpu::gpu;
use crate::gpu::{FbtOptions, GpuOptions, HostGraph, Pivot};
use ::gpu::Recording;
use ::gpu::kernels::fbt::{BACKWARD_MARK, FORWARD_MARK, LOCK};
use mdp_graph::{ChunkBuilder, Deadlocks, Digraph, StateId, assemble};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const MARKS: u32 = FORWARD_MARK | BACKWARD_MARK;

/// Returns a graph of `n` states, the first `edges` of which lead to state 0.
fn load(n: u32, edges: u32, options: &GpuOptions) -> Option<FbtGraph> {
    let mut chunk = ChunkBuilder::default();
    (0..edges).for_each(|state| chunk.push_choice(StateId(state), &[StateId(0)]));
    let graph = assemble(n, vec![chunk.finish()], Deadlocks::Keep)
        .expect("the graph is well formed")
        .graph;
    let loaded = FbtGraph::load(gpu()?, HostGraph::Edges(&Digraph::new(&graph)), options);
    Some(loaded.expect("the graph fits"))
}

/// Returns a bit for each item, which is set if the item satisfies `is_in`.
fn bits(count: usize, is_in: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut words = vec![0; count.div_ceil(32)];
    for item in (0..count).filter(|&item| is_in(item)) {
        words[item / 32] |= 1 << (item % 32);
    }
    words
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Algorithm 6 guarantees that in each region exactly one candidate becomes the pivot and all
    /// others get its name, and that regions without a candidate are locked. Here, a region is a
    /// name with the marks of the last searches; states with both marks are done. The table is
    /// smaller than the hashes, so it takes several turns, and it is cut into shards.
    #[test]
    fn every_region_gets_one_pivot_of_its_own(
        results in prop::collection::vec((0..400u32, 0..4u32, 0..8u32), 1..400),
        edges in 1..400u32,
        aggregated: bool,
        shards: bool,
        join: bool,
        round: u64,
    ) {
        let n = results.len() as u32;
        let papers = FbtOptions {
            segment_interval: 0,
            pivot: if aggregated { Pivot::Aggregated } else { Pivot::Plain },
            transpose: false,
            ..FbtOptions::default()
        };
        let options = GpuOptions { max_binding: shards.then_some(4 * 32), ..papers.into() };
        let Some(loaded) = load(n, edges.min(n), &options) else { return Ok(()) };
        // Regions have the numbers of states as names.
        let words = results.iter().map(|&(region, marks, _)| (region % n) | (marks << 29));
        let before: Vec<u32> = words.collect();
        loaded.gpu.write(&loaded.state.results, 0, &before).unwrap();
        let is_candidate = |state: usize| !join || results[state].2 == 0;
        let candidates = join.then(|| bits(n as usize, is_candidate));
        let candidates = candidates.map(|bits| loaded.gpu.upload("candidates", &bits).unwrap());
        let mut recording = Recording::new();
        let pivots = Pivots { candidates: candidates.as_ref(), round };
        loaded.select_pivots(&mut recording, pivots);
        loaded.gpu.run(&recording).unwrap();
        let after = loaded.gpu.read(&loaded.state.results).unwrap();

        let states = || 0..n as usize;
        let searched = states().filter(|&s| is_candidate(s)).map(|s| before[s]);
        let searched: BTreeSet<u32> = searched.collect();
        let mut pivots = BTreeMap::new();
        for (state, (&old, &new)) in before.iter().zip(&after).enumerate() {
            if old & MARKS == MARKS {
                prop_assert_eq!(new, old, "state {} was done", state);
                continue;
            }
            if !searched.contains(&old) {
                prop_assert_eq!(new, LOCK | old, "state {} is left over", state);
                continue;
            }
            let pivot = new & !MARKS;
            prop_assert!(is_candidate(pivot as usize), "state {}: its pivot is a candidate", state);
            prop_assert_eq!(*pivots.entry(old).or_insert(pivot), pivot, "state {}", state);
            prop_assert_eq!(before[pivot as usize], old, "state {}: its pivot's region", state);
            let expected = if pivot == state as u32 { MARKS } else { 0 };
            prop_assert_eq!(new & MARKS, expected, "exactly the pivots start searches");
        }
        prop_assert!(loaded.is_restored().unwrap());
    }
}

#[test]
fn hashes_far_apart_take_as_few_turns_as_there_are_regions() {
    // Two regions have two of the last of 10,000 states as names, and the table has four entries.
    // If all turns were taken one after another, that would take 7,500 iterations.
    let options = FbtOptions {
        segment_interval: 0,
        ..FbtOptions::default()
    };
    let Some(loaded) = load(10_000, 4, &options.into()) else {
        return;
    };
    let mut before = vec![MARKS; 10_000];
    before[5..9].copy_from_slice(&[9_998, 9_998, 9_999, 9_999]);
    loaded.gpu.write(&loaded.state.results, 0, &before).unwrap();
    let mut recording = Recording::new();
    let pivots = Pivots {
        candidates: None,
        round: 0,
    };
    let turns = loaded.select_pivots(&mut recording, pivots);
    let outcome = loaded.gpu.run(&recording).unwrap();
    assert!(outcome[turns].iterations <= 3, "{:?}", outcome[turns]);
    let after = loaded.gpu.read(&loaded.state.results).unwrap();
    assert_eq!(after[5] & !MARKS, after[6] & !MARKS);
    assert_eq!(after[7] & !MARKS, after[8] & !MARKS);
    assert_ne!(after[5] & !MARKS, after[7] & !MARKS);
}
