//! Tests that maximal end components are found with and without choices, and that choices are laid
//! out only if they are needed.

use super::*;
use crate::gpu::DeviceGraph;
use crate::gpu::test_gpu::gpu;
use crate::{Options, Silent};
use ::gpu::{
    AdapterInfo, BufferId, DeviceMemory, Executor, Outcome, Recording, Result as GpuResult,
    RunOptions, Zeroing,
};
use mdp_graph::{Components, MdpGraph};
use proptest::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A device that keeps the names of all buffers that were made.
struct Noting {
    own: Gpu,
    names: Mutex<Vec<String>>,
}

impl Noting {
    fn on(own: &Gpu) -> Arc<Self> {
        Arc::new(Self {
            own: own.clone(),
            names: Mutex::default(),
        })
    }

    fn names(&self) -> MutexGuard<'_, Vec<String>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how often edges were laid out, and how often their choices.
    fn layouts(&self) -> [usize; 2] {
        let first = |what: &str| format!("forward {what} from state 0");
        ["edges", "choices"].map(|what| {
            let names = self.names();
            names.iter().filter(|name| **name == first(what)).count()
        })
    }

    /// Returns whether a buffer was made that only choices need, once edges are laid out.
    fn has_choices(&self) -> bool {
        let of_choices = |name: &String| {
            let parts = ["retained choices", "removed choices", "removed snapshot"];
            parts.contains(&name.as_str()) || name.contains(" choices from state ")
        };
        self.names().iter().any(of_choices)
    }
}

impl DeviceMemory for Noting {
    fn free(&self, id: BufferId) {
        self.own.executor().free(id);
    }
}

impl Executor for Noting {
    fn info(&self) -> &AdapterInfo {
        self.own.info()
    }

    fn create(&self, id: BufferId, name: &str, bytes: u64, zeroing: Zeroing) -> GpuResult<()> {
        self.names().push(name.to_owned());
        self.own.executor().create(id, name, bytes, zeroing)
    }

    fn upload(&self, to: BufferId, at: u64, data: &[u8]) -> GpuResult<()> {
        self.own.executor().upload(to, at, data)
    }

    fn download(&self, from: BufferId, at: u64, data: &mut [u8]) -> GpuResult<()> {
        self.own.executor().download(from, at, data)
    }

    fn lose(&self) {
        self.own.executor().lose();
    }

    fn run(&self, recording: &Recording, options: &mut RunOptions<'_>) -> GpuResult<Outcome> {
        self.own.executor().run(recording, options)
    }
}

/// The targets of each choice of each state.
type Model = Vec<Vec<Vec<u32>>>;

/// How far choices are laid out for a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// At once.
    AtOnce,
    /// After a search without them, which was in vain.
    Later,
    /// Not at all.
    Never,
}

/// Returns what is expected if a search first tries every graph as one component.
fn expected(graph: &MdpGraph) -> Expected {
    let n = graph.num_states();
    let mut has_edges = vec![[false; 2]; n];
    for state in graph.states() {
        for &target in graph.choices(state).flat_map(|c| graph.targets(c)) {
            if target != state {
                has_edges[state.index()][0] = true;
                has_edges[target.index()][1] = true;
            }
        }
    }
    let sccs = crate::scc(graph, &Options::default()).expect("nobody cancels");
    match has_edges.iter().flatten().all(|&has| has) && n > 0 {
        true if sccs.num_member_states() == n && sccs.len() == 1 => Expected::Never,
        true => Expected::Later,
        false => Expected::AtOnce,
    }
}

/// A tuning with which every graph is first tried as one component.
fn eager(gpu: &Gpu) -> Tuning {
    Tuning {
        one_component_degree: 0,
        ..Tuning::of(gpu.info())
    }
}

/// Finds the maximal end components. Returns them, and how choices were laid out.
fn find(
    own: &Gpu,
    graph: &MdpGraph,
    options: &GpuOptions,
    tuning: Tuning,
) -> (Components, Expected) {
    let noting = Noting::on(own);
    let device = Gpu::on(noting.clone());
    let resident = DeviceGraph::upload(&device, graph).expect("there is room");
    let location = GraphLocation::OnDevice(&resident, ComponentKind::Mec);
    let found = WorklistGraph::find_once(&device, location, options, tuning, &Silent);
    let found = found.expect("there is room");
    assert_eq!(found.self_loops, None);
    let is_state = |&mark: &u32| (mark as usize) < graph.num_states();
    let marks = &found.marks;
    assert!(
        marks
            .iter()
            .all(|mark| is_state(mark) || *mark == Components::NONE)
    );
    let layouts = match noting.layouts() {
        [1, 1] => Expected::AtOnce,
        [2, 1] => Expected::Later,
        [1, 0] => Expected::Never,
        other => panic!("edges and choices were laid out {other:?} times"),
    };
    assert_eq!(noting.has_choices(), layouts != Expected::Never);
    (Components::from_mec_marks(found.marks), layouts)
}

/// Checks the maximal end components of a graph, and how choices are laid out.
fn check(model: &Model) -> Option<Expected> {
    let own = gpu()?;
    let graph = MdpGraph::from_choices(model).expect("the graph is well formed");
    let mecs = crate::mec(&graph, &Options::default()).expect("nobody cancels");
    let expected = expected(&graph);
    let to_host = Tuning {
        host_percent: Some(0),
        ..eager(own)
    };
    for tuning in [eager(own), to_host] {
        let (found, layouts) = find(own, &graph, &GpuOptions::default(), tuning);
        assert_eq!(found, mecs, "{tuning:?}");
        // The host may go on before the end of the search for one component.
        if tuning.host_percent.is_none() {
            assert_eq!(layouts, expected);
        }
    }
    let mut in_shards = GpuOptions {
        max_binding: Some((graph.num_branches() as u64 * 4 / 3).max(4)),
        ..GpuOptions::default()
    };
    let least = super::super::input::Rows::of(crate::gpu::HostGraph::Choices(&graph)).least_shard();
    in_shards.max_binding = in_shards.max_binding.max(Some(4 * least));
    let (found, layouts) = find(own, &graph, &in_shards, eager(own));
    assert_eq!((found, layouts), (mecs, expected), "in shards");
    Some(expected)
}

/// Checks a graph for which choices are laid out like this.
fn check_known(model: &Model, expected: Expected) {
    if let Some(found) = check(model) {
        assert_eq!(found, expected, "{model:?}");
    }
}

#[test]
fn choices_are_not_laid_out_for_a_graph_that_is_one_component() {
    check_known(
        &vec![vec![vec![1]], vec![vec![0, 1], vec![1]]],
        Expected::Never,
    );
    let ring = |s: u32| vec![vec![(s + 1) % 90], vec![s, (s + 7) % 90]];
    check_known(&(0..90).map(ring).collect(), Expected::Never);
}

#[test]
fn states_without_edges_show_that_choices_are_needed() {
    check_known(&vec![], Expected::AtOnce);
    check_known(&vec![vec![]], Expected::AtOnce);
    check_known(&vec![vec![vec![0]]], Expected::AtOnce);
    // A state that nothing enters, one without choices, and one that leads only to itself.
    let cycle = [vec![vec![1]], vec![vec![0]]];
    check_known(
        &[&cycle[..], &[vec![vec![0, 1]]]].concat(),
        Expected::AtOnce,
    );
    let leaves = [vec![vec![1], vec![2]], vec![vec![0]]];
    check_known(&[&leaves[..], &[vec![]]].concat(), Expected::AtOnce);
    check_known(&[&leaves[..], &[vec![vec![2]]]].concat(), Expected::AtOnce);
}

#[test]
fn choices_are_laid_out_later_if_several_components_have_edges_everywhere() {
    // A cycle leads to two others.
    let model = vec![
        vec![vec![1]],
        vec![vec![0], vec![2, 4]],
        vec![vec![3]],
        vec![vec![2]],
        vec![vec![5], vec![4]],
        vec![vec![4]],
    ];
    check_known(&model, Expected::Later);
    // A strongly connected component with two maximal end components, and a third one behind it.
    let model = vec![
        vec![vec![1]],
        vec![vec![0], vec![2, 4]],
        vec![vec![3]],
        vec![vec![2], vec![0, 5]],
        vec![vec![5]],
        vec![vec![4]],
    ];
    check_known(&model, Expected::Later);
    // The same, without a cycle that stays in the first component.
    let model = vec![
        vec![vec![1]],
        vec![vec![0, 2]],
        vec![vec![3]],
        vec![vec![2]],
    ];
    check_known(&model, Expected::Later);
}

/// Few edges suggest that a graph is not one component, so nothing is tried first.
#[test]
fn choices_are_laid_out_at_once_if_states_have_few_edges() {
    let Some(own) = gpu() else { return };
    let ring = |degree: u32| -> MdpGraph {
        let row = |s: u32| -> Vec<_> { (1..=degree).map(|d| vec![s, (s + d) % 20]).collect() };
        MdpGraph::from_choices(&(0..20).map(row).collect::<Vec<_>>()).expect("it is well formed")
    };
    let tuning = Tuning::of(own.info());
    for (degree, expected) in [(4, Expected::AtOnce), (5, Expected::Never)] {
        let options = GpuOptions::default();
        let (found, layouts) = find(own, &ring(degree), &options, tuning);
        assert_eq!((found.len(), layouts), (1, expected));
    }
}

/// An observer that keeps the phases.
#[derive(Default)]
struct Phases(Mutex<Vec<Phase>>);

impl Observer for Phases {
    fn phase(&self, phase: Phase) {
        let mut phases = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        phases.push(phase);
    }

    fn wants_work(&self) -> bool {
        true
    }
}

/// The phases and the work of both searches are reported.
#[test]
fn a_search_in_vain_is_reported_with_the_next_one() {
    let Some(own) = gpu() else { return };
    let run = |model: &Model, tuning: Tuning| {
        let graph = MdpGraph::from_choices(model).expect("the graph is well formed");
        let resident = DeviceGraph::upload(own, &graph).expect("there is room");
        let location = GraphLocation::OnDevice(&resident, ComponentKind::Mec);
        let phases = Phases::default();
        let options = GpuOptions::default();
        let found = WorklistGraph::find_once(own, location, &options, tuning, &phases);
        let found = found.expect("there is room");
        let steps = found.profile.steps.expect("steps are timed");
        assert_eq!(steps.len() as u64, found.profile.iterations);
        let phases = phases.0.into_inner().expect("no thread has panicked");
        (phases, found.profile.iterations, found.profile.submissions)
    };
    let one = vec![vec![vec![1]], vec![vec![0]]];
    let two = [&one[..], &[vec![vec![3]], vec![vec![2]]]].concat();
    let (first, then) = ([Phase::LayOut, Phase::Decompose], [Phase::Download]);
    let (phases, ..) = run(&one, eager(own));
    assert_eq!(phases, [&first[..], &then].concat());
    let (phases, iterations, submissions) = run(&two, eager(own));
    assert_eq!(phases, [&first[..], &first, &then].concat());
    let never = Tuning {
        one_component_degree: u32::MAX,
        ..eager(own)
    };
    let (_, alone, submissions_alone) = run(&two, never);
    assert!(iterations > alone && submissions > submissions_alone);
}

#[test]
fn a_search_without_choices_can_be_cancelled() {
    struct Impatient;
    impl Observer for Impatient {
        fn is_cancelled(&self) -> bool {
            true
        }
    }
    let Some(own) = gpu() else { return };
    let graph = MdpGraph::from_choices(&[[[1]], [[0]]]).expect("the graph is well formed");
    let resident = DeviceGraph::upload(own, &graph).expect("there is room");
    let location = GraphLocation::OnDevice(&resident, ComponentKind::Mec);
    let options = GpuOptions::default();
    let found = WorklistGraph::find_once(own, location, &options, eager(own), &Impatient);
    assert_eq!(found.err(), Some(Error::Cancelled));
}

/// Returns models of a few cycles. Other choices lead ahead, or back into a cycle; a choice of a
/// cycle may also lead ahead. Most models are strongly connected by an edge from the last cycle to
/// the first. Some have a state more, which nothing enters or which leads nowhere.
fn models() -> impl Strategy<Value = Model> {
    let cycles = prop::collection::vec(2..7_u32, 1..5);
    (cycles, prop::bool::weighted(0.5), 0..8_u32).prop_flat_map(|(lengths, is_closed, more)| {
        let n: u32 = lengths.iter().sum();
        let mut states = Vec::new();
        let mut first = 0;
        for length in lengths {
            for place in 0..length {
                let next = first + (place + 1) % length;
                let ahead = prop::collection::btree_set(first..n, 1..4);
                let onward = prop::option::weighted(0.2, first..n);
                let onward = onward.prop_map(move |other| vec_of([Some(next), other]));
                let others = prop::collection::vec(ahead.prop_map(Vec::from_iter), 0..3);
                states.push((onward, others).prop_map(|(onward, mut choices)| {
                    choices.push(onward);
                    choices
                }));
            }
            first += length;
        }
        states.prop_map(move |mut model: Model| {
            if is_closed {
                model[n as usize - 1].push(vec![0]);
                // Each cycle leads to the next one.
                (1..n).for_each(|s| model[s as usize - 1].push(vec![s]));
            }
            match more {
                0 => model.push(vec![vec![0, n - 1]]),
                1 => {
                    model[0].push(vec![n]);
                    model.push(vec![vec![n]]);
                }
                _ => {}
            }
            model
        })
    })
}

/// Returns the targets of a choice, each once.
fn vec_of(targets: [Option<u32>; 2]) -> Vec<u32> {
    let mut targets: Vec<u32> = targets.into_iter().flatten().collect();
    targets.sort_unstable();
    targets.dedup();
    targets
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn random_graphs_have_the_components_of_the_cpu(model in models()) {
        check(&model);
    }
}
