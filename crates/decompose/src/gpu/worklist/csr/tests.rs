//! Tests that the device lays out the same rows as the host.

use super::*;
use crate::gpu::test_gpu::gpu;
use crate::gpu::worklist::resident;
use crate::gpu::{DeviceGraph, GpuOptions, HostGraph};
use mdp_graph::{ChoiceTranspose, Digraph, MdpGraph, StateId};
use proptest::prelude::*;

/// The edges of one direction, without self-loops, on the host.
#[derive(Debug, Default)]
struct HostRows {
    /// The positions at which rows start, and the end: `n + 1` numbers.
    offsets: Vec<u32>,
    targets: Vec<u32>,
    /// For each target the choice of its edge, if the graph has choices.
    choices: Option<Vec<u32>>,
}

impl HostRows {
    fn of_edges(graph: &Digraph) -> Self {
        let mut rows = Self::with_capacity(graph.num_states(), graph.num_edges());
        for state in (0..graph.num_states()).map(StateId::from_index) {
            let others = graph.successors(state).iter().filter(|&&t| t != state);
            rows.targets.extend(others.map(|target| target.0));
            rows.end_row();
        }
        rows
    }

    /// Returns an edge for each branch. If two choices of a state have a target in common, each has
    /// an edge to it.
    fn of_branches(graph: &MdpGraph) -> Self {
        let mut rows = Self::with_capacity(graph.num_states(), graph.num_branches());
        let mut choices = Vec::with_capacity(graph.num_branches());
        for state in graph.states() {
            for choice in graph.choices(state) {
                let others = graph.targets(choice).iter().filter(|&&t| t != state);
                rows.targets.extend(others.map(|target| target.0));
                choices.resize(rows.targets.len(), choice.0);
            }
            rows.end_row();
        }
        rows.choices = Some(choices);
        rows
    }

    /// Returns the same edges from their targets to their sources.
    fn of_branches_backward(graph: &MdpGraph) -> Self {
        let mut sources = vec![0; graph.num_choices()];
        for state in graph.states() {
            sources[graph.choice_range(state)].fill(state.0);
        }
        let transpose = ChoiceTranspose::new(graph);
        let mut rows = Self::with_capacity(graph.num_states(), graph.num_branches());
        let mut choices = Vec::with_capacity(graph.num_branches());
        for state in graph.states() {
            for &choice in transpose.choices_into(state) {
                let source = sources[choice.index()];
                if source != state.0 {
                    rows.targets.push(source);
                    choices.push(choice.0);
                }
            }
            rows.end_row();
        }
        rows.choices = Some(choices);
        rows
    }

    fn with_capacity(states: usize, edges: usize) -> Self {
        let mut offsets = Vec::with_capacity(states + 1);
        offsets.push(0);
        Self {
            offsets,
            targets: Vec::with_capacity(edges),
            choices: None,
        }
    }

    fn end_row(&mut self) {
        self.offsets.push(self.targets.len() as u32);
    }
}

/// The targets of each choice of each state.
type Model = Vec<Vec<Vec<u32>>>;

fn graph(model: &Model) -> MdpGraph {
    MdpGraph::from_choices(model).expect("the graph is well formed")
}

/// Returns the edges of each row, ascending, with their choices.
fn sorted(rows: &HostRows) -> Vec<Vec<(u32, Option<u32>)>> {
    let edge = |at: usize| (rows.targets[at], rows.choices.as_ref().map(|all| all[at]));
    let row = |bounds: &[u32]| {
        let mut row: Vec<_> = (bounds[0] as usize..bounds[1] as usize).map(edge).collect();
        row.sort_unstable();
        row
    };
    rows.offsets.windows(2).map(row).collect()
}

/// Reads the rows from the device.
fn read(gpu: &Gpu, rows: &DeviceRows) -> HostRows {
    let read = |buffer| gpu.read(buffer).expect("the device answers");
    let shards = 0..rows.num_shards();
    let choices: Vec<_> = shards.clone().filter_map(|i| rows.choices(i)).collect();
    HostRows {
        offsets: read(&rows.offsets),
        targets: shards.flat_map(|i| read(rows.targets(i))).collect(),
        choices: (!choices.is_empty()).then(|| choices.into_iter().flat_map(read).collect()),
    }
}

/// Checks that the device has the same rows as the host.
fn agree(gpu: &Gpu, on_host: &HostRows, on_device: &DeviceRows) {
    assert_eq!(sorted(&read(gpu, on_device)), sorted(on_host));
    for length in (0..32).map(|k| 1 << k) {
        let lengths = on_host.offsets.windows(2).map(|pair| pair[1] - pair[0]);
        let longer = lengths.filter(|&own| own >= length).count();
        assert_eq!(on_device.longer_than(length) as usize, longer);
    }
}

/// Returns the rows in shards of at most this fraction of the edges, or of as many as the longest
/// row needs.
fn laid_out(gpu: &Gpu, rows: Rows<'_>, fraction: u64, long_row: u32) -> LaidOut {
    let mut limit = (rows.num_entries() / fraction).max(1);
    loop {
        match rows.lay_out(gpu, limit, long_row) {
            Err(Error::Gpu(::gpu::Error::LimitExceeded { .. })) => limit += limit.div_ceil(4),
            laid_out => return laid_out.expect("it fits"),
        }
    }
}

fn check(graph: &MdpGraph) {
    // In turn, no row is long, most rows are long and lie in shards, and some rows are long.
    for (fraction, long_row) in [(1, 1 << 14), (7, 2), (1, 4)] {
        check_cut(graph, fraction, long_row);
    }
}

fn check_cut(graph: &MdpGraph, fraction: u64, long_row: u32) {
    let Some(gpu) = gpu() else { return };
    let edges = Digraph::new(graph);
    let of_branches = laid_out(gpu, Rows::of(HostGraph::Choices(graph)), fraction, long_row);
    agree(gpu, &HostRows::of_branches(graph), &of_branches.forward);
    let backward = HostRows::of_branches_backward(graph);
    agree(gpu, &backward, &of_branches.backward);
    let counts = of_branches.choices.expect("there are choices");
    assert_eq!(
        gpu.read(&counts).expect("the device answers"),
        numbers_of_choices(graph)
    );

    let of_edges = laid_out(gpu, Rows::of(HostGraph::Edges(&edges)), fraction, long_row);
    agree(gpu, &HostRows::of_edges(&edges), &of_edges.forward);
    let backward = HostRows::of_edges(&edges.transpose());
    agree(gpu, &backward, &of_edges.backward);
    assert!(of_edges.choices.is_none());
}

/// Checks the rows that are laid out without choices, because each state has an edge in either
/// direction.
fn check_without_choices(graph: &MdpGraph) {
    let Some(gpu) = gpu() else { return };
    let resident = DeviceGraph::upload(gpu, graph).expect("it fits");
    let every = Tuning {
        one_component_degree: 0,
        ..Tuning::default()
    };
    let least = Rows::of(HostGraph::Choices(graph)).least_shard();
    for (limit, long_row) in [(u64::MAX, 1 << 14), (least, 2), (u64::MAX, 4)] {
        let options = GpuOptions {
            laid_out_row: long_row,
            ..GpuOptions::default()
        };
        let laid_out = resident::choices(gpu, &resident, limit, &options, Some(&every));
        let laid_out = laid_out.expect("it fits");
        assert!(laid_out.choices.is_none());
        let on_host = [
            HostRows::of_branches(graph),
            HostRows::of_branches_backward(graph),
        ];
        for (rows, on_device) in on_host
            .into_iter()
            .zip([laid_out.forward, laid_out.backward])
        {
            let without = HostRows {
                choices: None,
                ..rows
            };
            agree(gpu, &without, &on_device);
        }
    }
}

/// Checks that the rows fit in shards of the least size, and do not fit in smaller ones.
fn check_least_shard(graph: &MdpGraph) {
    let Some(gpu) = gpu() else { return };
    let edges = Digraph::new(graph);
    for rows in [
        Rows::of(HostGraph::Choices(graph)),
        Rows::of(HostGraph::Edges(&edges)),
    ] {
        let least = rows.least_shard();
        let fits = |limit| rows.lay_out(gpu, limit, 4).is_ok();
        assert!(fits(least) && (least == 0 || !fits(least - 1)), "{least}");
    }
}

/// Returns, for each state, the number of its choices that may lead to other states, and whether a
/// choice leads to the state alone.
fn numbers_of_choices(graph: &MdpGraph) -> Vec<u32> {
    let has = |state: StateId| {
        let stays = |choice| graph.targets(choice).iter().all(|&t| t == state);
        let loops = graph.choices(state).filter(|&choice| stays(choice)).count();
        let others = graph.choices(state).len() - loops;
        others as u32 | if loops > 0 { 1 << 31 } else { 0 }
    };
    graph.states().map(has).collect()
}

fn models(most_states: u32) -> impl Strategy<Value = Model> {
    (1..=most_states).prop_flat_map(|n| {
        let choice = prop::collection::btree_set(0..n, 1..6);
        let choice = choice.prop_map(|targets| targets.into_iter().collect());
        let state = prop::collection::vec(choice, 0..4);
        prop::collection::vec(state, n as usize)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn rows_are_those_of_the_host(model in models(600)) {
        check(&graph(&model));
    }

    #[test]
    fn rows_without_choices_have_the_same_edges(mut model in models(150)) {
        // With a cycle through all states, a search would try whether they are one component.
        let n = model.len() as u32;
        for (state, choices) in (0..n).zip(&mut model) {
            choices.push(vec![(state + 1) % n]);
        }
        if n > 1 {
            check_without_choices(&graph(&model));
        }
    }

    /// The models are small, so that each state may be a shard.
    #[test]
    fn rows_fit_in_shards_of_the_least_size(model in models(20)) {
        check_least_shard(&graph(&model));
    }
}

#[test]
fn self_loops_are_no_edges_and_are_noted() {
    // In turn, the states have a self-loop alone, a choice of which one branch is a loop, a loop
    // beside another choice, no choice, and two equal choices.
    check(&graph(&vec![
        vec![vec![0]],
        vec![vec![0, 1]],
        vec![vec![2], vec![3]],
        vec![],
        vec![vec![0], vec![0]],
    ]));
    for model in [vec![], vec![vec![]], vec![vec![vec![0]]]] {
        check(&graph(&model));
        check_least_shard(&graph(&model));
    }
}

#[test]
fn a_choice_of_very_many_branches_and_a_state_of_very_many_choices_are_shared_out() {
    let n = 1000;
    let mut model: Model = vec![vec![]; n as usize];
    model[7] = vec![(0..n).collect()];
    model[8] = (0..n).map(|target| vec![target]).collect();
    // Although this choice is long, it leads only to its own state.
    model[9] = vec![vec![9; n as usize]];
    check(&graph(&model));
    check_cut(&graph(&model), 1, 100);
    check_least_shard(&graph(&model));
}

#[test]
fn sums_of_sums_are_carried() {
    let Some(gpu) = gpu() else { return };
    for len in [1, 1023, 1024, 1025, 1 << 20, (1 << 20) + 1] {
        let values: Vec<u32> = (0..len).map(|i| i % 7).collect();
        let buffer = gpu.upload("values", &values).expect("it fits");
        let mut recording = Recording::new();
        prefix_sums(gpu, &mut recording, &buffer).expect("there is room");
        gpu.run(&recording).expect("it runs");
        let mut sum = 0;
        let sums = values.iter().map(|value| {
            sum += value;
            sum - value
        });
        let expected: Vec<u32> = sums.collect();
        assert!(
            gpu.read(&buffer).expect("the device answers") == expected,
            "{len} values"
        );
    }
}
