//! Tests that compare graphs and their views with naive counterparts.

use mdp_graph::{
    BuildError, ChoiceId, ChoiceTranspose, Chunk, ChunkBuilder, Components, Deadlocks, Digraph,
    MdpGraph, StateId, assemble,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The targets of each choice of each state.
type Model = Vec<Vec<Vec<u32>>>;

fn model() -> impl Strategy<Value = Model> {
    (0..40u32).prop_flat_map(|n| {
        let targets = prop::collection::btree_set(0..n.max(1), 1..5);
        let choice = targets.prop_map(|t| t.into_iter().collect::<Vec<_>>());
        prop::collection::vec(prop::collection::vec(choice, 0..4), n as usize)
    })
}

/// Cuts the model into chunks of `width` states.
fn chunks(model: &Model, width: usize) -> Vec<Chunk> {
    let states: Vec<_> = model.iter().enumerate().collect();
    let chunk = |states: &[(usize, &Vec<Vec<u32>>)]| {
        let mut chunk = ChunkBuilder::default();
        for (state, choices) in states {
            for targets in *choices {
                chunk.push_choice(StateId::from_index(*state), StateId::cast_slice(targets));
            }
        }
        chunk.finish()
    };
    states.chunks(width).map(chunk).collect()
}

fn build(model: &Model, width: usize, deadlocks: Deadlocks) -> Result<MdpGraph, BuildError> {
    assemble(model.len() as u32, chunks(model, width), deadlocks).map(|built| built.graph)
}

/// Returns the model that a graph represents.
fn read_back(graph: &MdpGraph) -> Model {
    let choice = |c| StateId::as_numbers(graph.targets(c)).to_vec();
    graph
        .states()
        .map(|s| graph.choices(s).map(choice).collect())
        .collect()
}

proptest! {
    #[test]
    fn chunks_join_to_the_same_graph_however_they_are_cut(model in model(), width in 1..50usize) {
        let graph = build(&model, width, Deadlocks::Keep).unwrap();
        prop_assert_eq!(read_back(&graph), model.clone());

        let mut looped = model.clone();
        for (state, choices) in looped.iter_mut().enumerate().filter(|(_, c)| c.is_empty()) {
            choices.push(vec![state as u32]);
        }
        let graph = build(&model, width, Deadlocks::SelfLoop).unwrap();
        prop_assert_eq!(read_back(&graph), looped);
        let again = MdpGraph::from_parts(
            graph.choice_offsets().to_vec(),
            graph.branch_offsets().to_vec(),
            graph.all_targets().to_vec(),
        );
        prop_assert_eq!(again, Ok(graph));
    }

    #[test]
    fn an_error_about_deadlocks_names_the_smallest(model in model(), width in 1..50usize) {
        let first = model.iter().position(Vec::is_empty);
        let count = model.iter().filter(|choices| choices.is_empty()).count() as u64;
        let refused = build(&model, width, Deadlocks::Refuse).err();
        let expected = first.map(|s| BuildError::Deadlock { first: StateId(s as u32), count });
        prop_assert_eq!(refused, expected);
    }

    #[test]
    fn views_hold_the_same_edges(model in model(), threads in 1..5usize) {
        let graph = build(&model, 7, Deadlocks::Keep).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let both = || (Digraph::new(&graph), ChoiceTranspose::new(&graph));
        let (flat, incoming) = pool.install(both);
        let reversed = pool.install(|| flat.transpose());

        let edges: BTreeSet<_> = graph
            .states()
            .flat_map(|s| graph.successors(s).iter().map(move |&t| (s, t)))
            .collect();
        let of = |digraph: &Digraph| -> Vec<_> {
            let row = |s| digraph.successors(s).to_vec().into_iter().map(move |t| (s, t));
            graph.states().flat_map(row).collect()
        };
        let mut backwards: Vec<_> = edges.iter().map(|&(s, t)| (t, s)).collect();
        backwards.sort();
        prop_assert_eq!(of(&flat), edges.into_iter().collect::<Vec<_>>());
        prop_assert_eq!(of(&reversed), backwards);

        for state in graph.states() {
            let all = (0..graph.num_choices()).map(ChoiceId::from_index);
            let into: Vec<_> = all.filter(|&c| graph.targets(c).contains(&state)).collect();
            prop_assert_eq!(incoming.choices_into(state), into);
        }
    }
}

#[test]
fn wrong_chunks_are_refused() {
    let chunk = |choices: &[(u32, &[u32])]| {
        let mut chunk = ChunkBuilder::default();
        for &(state, targets) in choices {
            chunk.push_choice(StateId(state), StateId::cast_slice(targets));
        }
        chunk.finish()
    };
    let error = |n, chunks| {
        assemble(n, chunks, Deadlocks::Keep)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        error(3, vec![chunk(&[(1, &[0])]), chunk(&[(1, &[0])])]),
        "a choice of state 1 comes after one of state 1"
    );
    assert_eq!(
        error(2, vec![chunk(&[(2, &[0])])]),
        "a choice belongs to state 2, but the graph has 2 states"
    );
    assert_eq!(
        error(2, vec![chunk(&[(0, &[0]), (1, &[1, 2])])]),
        "a choice of state 1 leads to state 2, but the graph has 2 states"
    );
    assert_eq!(
        error(2, vec![chunk(&[(0, &[])])]),
        "a choice of state 0 has no target"
    );
    assert_eq!(
        error(u32::MAX, vec![]),
        "the model has 4294967295 states, but at most 4294967294 fit the graph"
    );
}

#[test]
fn wrong_arrays_are_refused() {
    let error = |choices: &[u32], branches: &[u32], targets: &[u32]| {
        let targets = StateId::cast_slice(targets).to_vec();
        MdpGraph::from_parts(choices.to_vec(), branches.to_vec(), targets).unwrap_err()
    };
    assert_eq!(
        error(&[], &[0], &[]),
        BuildError::Offsets { what: "choice" }
    );
    assert_eq!(
        error(&[0, 2], &[0, 1], &[0]),
        BuildError::Offsets { what: "choice" }
    );
    assert_eq!(
        error(&[0, 1], &[0, 2], &[0]),
        BuildError::Offsets { what: "branch" }
    );
    assert_eq!(
        error(&[0, 1], &[0, 0], &[]),
        BuildError::EmptyChoice { state: StateId(0) }
    );
}

#[test]
fn a_wrong_value_is_found_wherever_it_is() {
    // Each state leads to itself. Arrays are checked in pieces, so values at the ends of pieces are
    // tried.
    let n = 150_000;
    let offsets: Vec<u32> = (0..=n).collect();
    let targets: Vec<StateId> = (0..n).map(StateId).collect();
    for at in [0, 1, 65_535, 65_536, 65_537, 131_072, n - 1] {
        let state = StateId(at);
        let mut wrong = targets.clone();
        wrong[at as usize] = StateId(n);
        let error = MdpGraph::from_parts(offsets.clone(), offsets.clone(), wrong).unwrap_err();
        let (target, states) = (StateId(n), n as usize);
        let expected = BuildError::TargetOutOfRange {
            state,
            target,
            states,
        };
        assert_eq!(error, expected);

        let parts = |choices, branches| MdpGraph::from_parts(choices, branches, targets.clone());
        let mut falling = offsets.clone();
        falling[at as usize] = at + 2;
        let error = parts(falling, offsets.clone()).unwrap_err();
        assert_eq!(error, BuildError::Offsets { what: "choice" });

        let mut empty = offsets.clone();
        empty[at as usize + 1] = at;
        let error = parts(offsets.clone(), empty).unwrap_err();
        let expected = match at + 1 == n {
            true => BuildError::Offsets { what: "branch" },
            false => BuildError::EmptyChoice { state },
        };
        assert_eq!(error, expected);
    }
}

#[test]
fn components_are_named_by_their_smallest_states() {
    // States 0 and 2 lead to each other; 1 has a self-loop, and 3 does not.
    let model = vec![vec![vec![2]], vec![vec![1]], vec![vec![0]], vec![vec![0]]];
    let graph = build(&model, 1, Deadlocks::Keep).unwrap();
    let sccs = Components::from_scc_marks(&graph, vec![9, 7, 9, 8]);
    assert_eq!(sccs, Components::from_scc_marks(&graph, vec![0, 1, 0, 5]));
    let labels: Vec<_> = graph
        .states()
        .map(|s| sccs.smallest_of(s).unwrap().0)
        .collect();
    assert_eq!(labels, [0, 1, 0, 3]);
    assert_eq!(sccs.num_trivial(), 1);
    assert_eq!(sccs.largest_size(), Some(2));
    let members = sccs.members();
    let states: Vec<_> = sccs
        .ids()
        .map(|id| StateId::as_numbers(members.states(id)).to_vec())
        .collect();
    assert_eq!(states, [vec![0, 2], vec![1], vec![3]]);

    let mecs = Components::from_mec_marks(vec![5, Components::NONE, 5, Components::NONE]);
    assert_eq!(mecs.smallest_of(StateId(1)), None);
    assert_eq!(mecs.num_member_states(), 2);
    let retained: Vec<_> = graph
        .states()
        .map(|s| mecs.retained_choices(&graph, s).count())
        .collect();
    assert_eq!(retained, [1, 0, 1, 0]);
}

/// Returns the component number of each state: components are numbered in the order of their first
/// states.
fn numbered(marks: &[u32]) -> Vec<Option<u32>> {
    let mut numbers = BTreeMap::new();
    let number = |&mark: &u32| {
        let next = numbers.len() as u32;
        (mark != Components::NONE).then(|| *numbers.entry(mark).or_insert(next))
    };
    marks.iter().map(number).collect()
}

#[test]
fn many_components_are_numbered_by_several_threads() {
    // There are more states than a thread takes at a time. The marks form a few components that are
    // scattered everywhere, many small ones, runs, and gaps.
    let n = 300_000;
    let scattered = |i: u32, few: u32| (u64::from(i) * 2_654_435_761 % u64::from(few)) as u32;
    let forms: [&dyn Fn(u32) -> u32; 5] = [
        &|i| scattered(i, 3),
        &|i| n + scattered(i, n),
        &|i| (n - i) / 1000,
        &|i| match i % 5 {
            0 => 7 * i,
            _ => Components::NONE,
        },
        &|_| Components::NONE,
    ];
    for (form, mark) in forms.iter().enumerate() {
        let marks: Vec<u32> = (0..n).map(mark).collect();
        let expected = numbered(&marks);
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().expect("threads start");
            let found = pool.install(|| Components::from_mec_marks(marks.clone()));
            let numbers = (0..n).map(|s| found.component(StateId(s)).map(|id| id.0));
            assert!(numbers.eq(expected.iter().copied()), "form {form}");
            // Only 100 components are checked, because checking all of very many would take long.
            for id in found.ids().take(100) {
                let size = expected.iter().filter(|&&n| n == Some(id.0)).count();
                let first = expected.iter().position(|&n| n == Some(id.0));
                assert_eq!(found.size(id) as usize, size, "form {form}");
                assert_eq!(Some(found.smallest(id).index()), first, "form {form}");
                assert_eq!(found.is_trivial(id), size == 1, "form {form}");
            }
        }
    }
}

/// Returns for each pair of states whether a path leads from the first to the second.
fn closure(graph: &MdpGraph) -> Vec<Vec<bool>> {
    let n = graph.num_states();
    let mut leads = vec![vec![false; n]; n];
    for state in graph.states() {
        leads[state.index()][state.index()] = true;
        for target in graph.successors(state) {
            leads[state.index()][target.index()] = true;
        }
    }
    test_models::close(&mut leads, 0..n);
    leads
}

proptest! {
    #[test]
    fn reached_states_and_bottom_components_are_those_of_the_closure(
        model in model(),
        starts in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
    ) {
        let graph = build(&model, 8, Deadlocks::Keep).unwrap();
        let n = graph.num_states();
        let leads = closure(&graph);
        let starts = starts.iter().filter(|_| n > 0).map(|start| start.index(n));
        let starts: Vec<usize> = starts.collect();
        let reached = graph.reachable_from(starts.iter().copied().map(StateId::from_index));
        let is_reached = |state: usize| starts.iter().any(|&start| leads[start][state]);
        for state in 0..n {
            prop_assert_eq!(reached.contains(state), is_reached(state), "state {}", state);
        }

        // The mark of a state is the first state in its component.
        let together = |a: usize, b: usize| leads[a][b] && leads[b][a];
        let mark = |state| (0..n).find(|&other| together(state, other)).unwrap() as u32;
        let sccs = Components::from_scc_marks(&graph, (0..n).map(mark).collect::<Vec<_>>());
        let returns = |state: usize, other: usize| !leads[state][other] || leads[other][state];
        let is_bottom = |state: usize| (0..n).all(|other| returns(state, other));
        let bottom = sccs.bottom(&graph);
        let met = sccs.that_meet(&reached);
        for id in sccs.ids() {
            let state = sccs.smallest(id).index();
            prop_assert_eq!(bottom.contains(id.index()), is_bottom(state));
            prop_assert_eq!(met.contains(id.index()), reached.contains(state));
        }

        let bottoms = sccs.only_bottom(&graph);
        for state in graph.states() {
            let expected = sccs.smallest_of(state).filter(|_| is_bottom(state.index()));
            prop_assert_eq!(bottoms.smallest_of(state), expected);
        }
        for id in bottoms.ids() {
            let same = sccs.component(bottoms.smallest(id)).unwrap();
            prop_assert_eq!(bottoms.is_trivial(id), sccs.is_trivial(same));
            prop_assert_eq!(bottoms.size(id), sccs.size(same));
        }
    }

    #[test]
    fn sizes_are_counted_by_powers_of_two(marks in prop::collection::vec(0..12u32, 0..200)) {
        let components = Components::from_mec_marks(marks);
        let classes = components.size_classes();
        let sizes = || components.ids().map(|id| components.size(id));
        for class in &classes {
            prop_assert!(class.from.is_power_of_two() && class.to == 2 * class.from - 1);
            let range = class.from..=class.to;
            let own: Vec<u32> = sizes().filter(|size| range.contains(size)).collect();
            prop_assert_eq!(class.components, own.len() as u64);
            prop_assert!(class.components > 0);
            prop_assert_eq!(class.states, own.iter().map(|&size| u64::from(size)).sum::<u64>());
        }
        let counted: u64 = classes.iter().map(|class| class.components).sum();
        prop_assert_eq!(counted, components.len() as u64);
        prop_assert!(classes.is_sorted_by_key(|class| class.from));
    }
}

#[test]
fn wide_levels_are_searched_by_all_threads() {
    // The graph is a tree in which each state has ten children, and a state to which nothing leads.
    let n = 111_112;
    let mut chunk = ChunkBuilder::default();
    for state in 0..11_111u32 {
        let targets: Vec<u32> = (10 * state + 1..=10 * state + 10).collect();
        chunk.push_choice(StateId(state), StateId::cast_slice(&targets));
    }
    let graph = assemble(n, vec![chunk.finish()], Deadlocks::Keep)
        .unwrap()
        .graph;
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().expect("threads start");
        let from = |start| pool.install(|| graph.reachable_from([StateId(start)]).count());
        assert_eq!(from(0), n as usize - 1);
        assert_eq!(from(1), 1 + 10 + 100 + 1_000 + 10_000);
        assert_eq!(from(n - 1), 1);
    }
}
