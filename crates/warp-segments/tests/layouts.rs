//! Tests of warp-interleaved segments: the figures of the papers, and layouts of every shape, which
//! are read back.

use mdp_graph::{ChunkBuilder, Deadlocks, Digraph, MdpGraph, StateId, assemble};
use proptest::prelude::*;
use warp_segments::{
    Directions, EMPTY, EdgeRows, Entry, Layout, LayoutError, MAX_STATES, Segments, Shape,
};

/// The padding, which is blank in the figures.
const PAD: u32 = EMPTY;

fn edges<'a>(offsets: &'a [u32], targets: &'a [u32]) -> EdgeRows<'a> {
    EdgeRows {
        offsets,
        targets: StateId::cast_slice(targets),
    }
}

fn layout(rows: EdgeRows<'_>, lanes: u32, interval: u32) -> Layout {
    Layout::of_edges(rows, Shape { lanes, interval }, Directions::Forward)
        .expect("a small graph fits")
}

/// Returns the rows of a layout, with the state numbers of the graph.
fn read_back(layout: &Layout, segments: &Segments) -> Vec<Vec<(u32, u32)>> {
    let old = |entry: Entry| (entry.group, layout.order.to_old(entry.state).0);
    let row = |state| {
        segments
            .row_entries(layout.order.to_new(state))
            .map(old)
            .collect()
    };
    (0..segments.num_states())
        .map(StateId::from_index)
        .map(row)
        .collect()
}

#[test]
fn figure_3_is_the_layout_without_segments() {
    let offsets = [0, 3, 8, 9, 10, 12, 16, 19, 21];
    let trans = [
        1, 2, 4, 1, 2, 2, 3, 3, 2, 3, 5, 6, 2, 4, 6, 7, 4, 5, 6, 2, 3,
    ];
    let layout = layout(edges(&offsets, &trans), 32, 0);
    assert_eq!(layout.forward.offsets(), offsets);
    assert_eq!(layout.forward.entries(), trans);
    assert_eq!(layout.forward.padding(), 0);
    assert_eq!(layout.order.to_new(StateId(5)), StateId(5));
}

/// Figures 4 and 5 show warps of three lanes, which no device has. The same rows with an empty
/// fourth one have the same positions with warps of four. The rows are 0 1 2, 1 2 and 2.
const THREE_ROWS: ([u32; 5], [u32; 6]) = ([0, 3, 5, 6, 6], [0, 1, 2, 1, 2, 2]);

#[test]
fn figure_4_interleaves_one_segment() {
    let three = layout(edges(&THREE_ROWS.0[..4], &THREE_ROWS.1), 4, 3);
    // A segment that is not full is only as wide as its states, so the positions are those of the
    // figure.
    assert_eq!(three.forward.offsets(), [0, 1, 2, 9]);
    assert_eq!(three.forward.entries(), [0, 1, 2, 1, 2, PAD, 2, PAD, PAD]);
    assert_eq!(three.forward.padding(), 3);

    let four = layout(edges(&THREE_ROWS.0, &THREE_ROWS.1), 4, 3);
    assert_eq!(four.forward.offsets(), [0, 1, 2, 3, 12]);
    assert_eq!(
        four.forward.entries(),
        [0, 1, 2, PAD, 1, 2, PAD, PAD, 2, PAD, PAD, PAD]
    );
}

#[test]
fn figure_5_keeps_long_rows_out_of_the_segments() {
    let layout = layout(edges(&THREE_ROWS.0[..4], &THREE_ROWS.1), 4, 2);
    let new: Vec<u32> = (0..3).map(|s| layout.order.to_new(StateId(s)).0).collect();
    assert_eq!(new, [2, 0, 1]);
    assert_eq!(layout.forward.num_interleaved(), 2);
    assert_eq!(layout.forward.offsets(), [0, 1, 4, 7]);
    // This is t10 t20 t11 _ t00 t01 t02, with the targets renumbered.
    assert_eq!(layout.forward.entries(), [0, 1, 1, PAD, 2, 0, 1]);
    assert_eq!(layout.forward.padding(), 1);
}

#[test]
fn a_state_that_many_lead_to_pads_no_segment_of_the_transpose() {
    // Each of the 100 states leads to state 0 and to the next state.
    let n = 100;
    let targets: Vec<u32> = (0..n).flat_map(|s| [0, (s + 1) % n]).collect();
    let offsets: Vec<u32> = (0..=n).map(|s| 2 * s).collect();
    let shape = Shape {
        lanes: 32,
        interval: 2,
    };
    let layout = Layout::of_edges(edges(&offsets, &targets), shape, Directions::Both).unwrap();
    let backward = layout.backward.as_ref().unwrap();
    assert_eq!(layout.forward.num_interleaved(), 100);
    assert_eq!(layout.forward.padding(), 0);
    assert_eq!(backward.num_interleaved(), 99);
    assert_eq!(backward.padding(), 0);
    assert_eq!(layout.order.to_new(StateId(0)), StateId(99));
}

#[test]
fn groups_move_out_of_entries_that_are_too_small_for_them() {
    // 2^23 + 1 states take 24 bits. Together with the groups of 2^7 choices or more, they do not
    // fit 31 bits.
    let states = (1 << 23) + 1;
    let graph = |choices: u32| {
        let mut chunk = ChunkBuilder::default();
        for _ in 0..choices {
            chunk.push_choice(StateId(0), &[StateId(states - 1)]);
        }
        assemble(states, vec![chunk.finish()], Deadlocks::Keep)
            .unwrap()
            .graph
    };
    let shape = Shape {
        lanes: 32,
        interval: 0,
    };
    for (choices, packed) in [(1 << 7, false), ((1 << 7) - 1, true), (1 << 8, false)] {
        let layout = Layout::of_choices(&graph(choices), shape, Directions::Forward).unwrap();
        assert_eq!(
            layout.forward.groups().is_none(),
            packed,
            "{choices} choices"
        );
        let entries: Vec<Entry> = layout.forward.row_entries(StateId(0)).collect();
        let expected: Vec<Entry> = (0..choices)
            .map(|group| Entry {
                group,
                state: StateId(states - 1),
            })
            .collect();
        assert_eq!(entries, expected);
    }
}

#[test]
fn layouts_that_do_not_fit_are_refused_with_their_numbers() {
    let message = |error: LayoutError| error.to_string();
    let lanes = |lanes| {
        let shape = Shape { lanes, interval: 7 };
        message(Layout::of_edges(edges(&[0], &[]), shape, Directions::Forward).unwrap_err())
    };
    assert_eq!(
        lanes(3),
        "segments of 3 lanes were asked for, but they have 4 to 128"
    );
    assert_eq!(
        lanes(129),
        "segments of 129 lanes were asked for, but they have 4 to 128"
    );
    assert_eq!(
        message(LayoutError::TooManyStates {
            states: MAX_STATES + 1
        }),
        "the graph has 536870911 states, but at most 536870910 fit a device's layout"
    );
    assert_eq!(
        message(LayoutError::TooManyEntries { entries: 1 << 32 }),
        "the graph has 4294967296 edges with padding, but at most 4294967295 fit a device's layout"
    );
    let layout = layout(edges(&[0, 3, 4], &[0, 1, 1, 0]), 4, 0);
    assert_eq!(
        message(layout.forward.shards(3).unwrap_err()),
        "the edges of states 0 to 1 take 4 entries, but a shard holds at most 3"
    );
    assert_eq!(layout.forward.least_shard(), 4);
}

#[test]
fn too_many_states_are_refused_before_anything_is_laid_out() {
    // The half a billion equal offsets are zeros, which share a page of memory.
    let offsets = vec![0u32; MAX_STATES as usize + 2];
    let shape = Shape {
        lanes: 32,
        interval: 7,
    };
    let refused = Layout::of_edges(edges(&offsets, &[]), shape, Directions::Both);
    assert_eq!(
        refused,
        Err(LayoutError::TooManyStates {
            states: MAX_STATES + 1
        })
    );
}

/// The targets of each choice of each state.
type Model = Vec<Vec<Vec<u32>>>;

fn model() -> impl Strategy<Value = Model> {
    (1..200u32).prop_flat_map(|n| {
        let target = prop_oneof![3 => 0..n, 1 => 0..n.min(3)];
        let choice = prop::collection::btree_set(target, 1..6);
        let choice = choice.prop_map(|t| t.into_iter().collect::<Vec<_>>());
        prop::collection::vec(prop::collection::vec(choice, 0..5), n as usize)
    })
}

fn shape() -> impl Strategy<Value = Shape> {
    let lanes = prop_oneof![(2..8u32).prop_map(|exponent| 1 << exponent), 4..=128u32];
    (lanes, 0..12u32).prop_map(|(lanes, interval)| Shape { lanes, interval })
}

fn graph(model: &Model) -> MdpGraph {
    MdpGraph::from_choices(model).expect("a random model is well formed")
}

/// Returns the rows that a layout should contain, in both directions.
fn expected(model: &Model) -> [Vec<Vec<(u32, u32)>>; 2] {
    let mut forward = vec![Vec::new(); model.len()];
    let mut backward = vec![Vec::new(); model.len()];
    for (state, choices) in model.iter().enumerate() {
        for (group, targets) in choices.iter().enumerate() {
            for &target in targets {
                forward[state].push((group as u32, target));
                backward[target as usize].push((group as u32, state as u32));
            }
        }
    }
    [forward, backward]
}

/// Checks all guarantees of a layout for one direction. `lengths` has the lengths of the rows in
/// the new numbering.
fn check(segments: &Segments, lengths: &[usize], shape: Shape) -> Result<(), TestCaseError> {
    let (first, rest) = lengths.split_at(segments.num_interleaved() as usize);
    prop_assert!(
        first
            .iter()
            .all(|&length| length <= shape.interval as usize)
    );
    let padded = first.chunks(shape.lanes as usize).map(|segment| {
        let longest = segment.iter().copied().max().unwrap_or(0);
        longest * segment.len() - segment.iter().sum::<usize>()
    });
    prop_assert_eq!(segments.padding(), padded.sum::<usize>() as u64);
    let edges = lengths.iter().sum::<usize>() as u64;
    prop_assert_eq!(segments.entries().len() as u64, edges + segments.padding());
    let empty = segments
        .entries()
        .iter()
        .filter(|&&entry| entry == EMPTY)
        .count();
    prop_assert_eq!(empty as u64, segments.padding());
    for (i, &length) in rest.iter().enumerate() {
        let row = segments.row(StateId::from_index(first.len() + i));
        prop_assert_eq!((row.step, (row.end - row.start) as usize), (1, length));
    }
    for (i, _) in first.iter().enumerate() {
        let width = (first.len() - i / shape.lanes as usize * shape.lanes as usize)
            .min(shape.lanes as usize);
        prop_assert_eq!(segments.row(StateId::from_index(i)).step as usize, width);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn choices_come_back_from_every_shape(model in model(), shape in shape(), transpose: bool) {
        let directions = match transpose {
            true => Directions::Both,
            false => Directions::Forward,
        };
        let layout = Layout::of_choices(&graph(&model), shape, directions).unwrap();
        let [forward, backward] = expected(&model);
        prop_assert_eq!(read_back(&layout, &layout.forward), forward.clone());
        prop_assert_eq!(layout.backward.is_some(), transpose);
        if let Some(segments) = &layout.backward {
            prop_assert_eq!(read_back(&layout, segments), backward);
        }
        let lengths: Vec<usize> = (0..model.len())
            .map(|new| forward[layout.order.to_old(StateId::from_index(new)).index()].len())
            .collect();
        check(&layout.forward, &lengths, shape)?;
    }

    #[test]
    fn edges_come_back_from_every_shape(model in model(), shape in shape()) {
        let digraph = Digraph::new(&graph(&model));
        let layout = Layout::of_edges(&digraph, shape, Directions::Both).unwrap();
        let rows = |graph: &Digraph| -> Vec<Vec<(u32, u32)>> {
            let row = |s| {
                let targets = graph.successors(StateId::from_index(s)).iter();
                targets.map(|t| (0, t.0)).collect()
            };
            (0..graph.num_states()).map(row).collect()
        };
        prop_assert_eq!(read_back(&layout, &layout.forward), rows(&digraph));
        let backward = layout.backward.as_ref().unwrap();
        prop_assert_eq!(read_back(&layout, backward), rows(&digraph.transpose()));
        for old in 0..model.len() {
            let old = StateId::from_index(old);
            prop_assert_eq!(layout.order.to_old(layout.order.to_new(old)), old);
        }
    }

    #[test]
    fn without_a_transpose_states_keep_their_order(model in model(), shape in shape()) {
        let graph = graph(&model);
        let layout = Layout::of_choices(&graph, shape, Directions::Forward).unwrap();
        let few = |s: &StateId| {
            shape.interval > 0 && graph.successors(*s).len() <= shape.interval as usize
        };
        let (first, then): (Vec<_>, Vec<_>) = graph.states().partition(few);
        let order: Vec<_> = graph.states().map(|new| layout.order.to_old(new)).collect();
        prop_assert_eq!(order, [first, then].concat());
    }

    #[test]
    fn shards_cover_the_entries_and_cut_no_row(
        model in model(),
        shape in shape(),
        limit in 1..4000u64,
    ) {
        let layout = Layout::of_choices(&graph(&model), shape, Directions::Forward).unwrap();
        let segments = &layout.forward;
        let Ok(shards) = segments.shards(limit) else { return Ok(()) };
        let (mut state, mut entry) = (0, 0);
        for shard in &shards {
            prop_assert_eq!((shard.first_state, shard.first_entry), (state, entry));
            prop_assert_eq!(shard.first_state % 32, 0);
            prop_assert!(u64::from(shard.end_entry - shard.first_entry) <= limit);
            for state in shard.first_state..shard.end_state {
                let row = segments.row(StateId(state));
                prop_assert!(row.end <= shard.end_entry);
                prop_assert!(row.start >= shard.first_entry || row.start >= row.end);
            }
            (state, entry) = (shard.end_state, shard.end_entry);
        }
        prop_assert_eq!(state as usize, model.len());
        prop_assert_eq!(entry as usize, segments.entries().len());
    }
}
