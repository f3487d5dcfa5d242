//! Tests with components that are so large that sweeps order them. They are connected at random, so
//! that sweeps find much, and have states before and after them.

use crate::common::{KINDS, Model, components, decomposed, graph, marks_of};
use certify::certify;
use mdp_graph::{ComponentKind, Components};
use rayon::ThreadPoolBuilder;

/// The number of states of the component.
const LARGE: u32 = 20_000;

/// Returns a model in which states 0 to 9 lead into the component. Every tenth state of the
/// component may leave it for the last ten states. The last of these has a self-loop.
fn model() -> Model {
    let far = |s: u32, factor: u32| 10 + (s.wrapping_mul(factor) >> 7) % LARGE;
    let behind = 10 + LARGE;
    let states = 0..behind + 10;
    let choices = states.map(|s| match s {
        0..10 => vec![vec![s + 1]],
        _ if s >= behind => vec![vec![(s + 1).min(behind + 9)]],
        _ => {
            let next = if s + 1 < behind { s + 1 } else { 10 };
            let mut choices = vec![vec![next], vec![far(s, 2_654_435_761)]];
            if s % 10 == 0 {
                choices.push(vec![far(s, 40_503_001), behind]);
            }
            choices
        }
    });
    choices.collect()
}

#[test]
fn large_components_are_accepted_and_changed_ones_are_not() {
    let graph = graph(&model());
    for kind in KINDS {
        let right = decomposed(kind, &graph);
        assert_eq!(right.largest_size(), Some(LARGE));
        assert_eq!(certify(&graph, &right), Ok(()));
        // In turn, the component has one state more, one state less, and one state with another
        // mark.
        let large = marks_of(&right)[10];
        for (state, mark) in [(9, large), (12_345, Components::NONE - 1), (12_345, 0)] {
            let mut wrong = marks_of(&right);
            wrong[state] = mark;
            let wrong = components(kind, &graph, &wrong);
            let verdict = certify(&graph, &wrong);
            assert!(verdict.is_err(), "{kind:?} {state} {mark}");
            // The violation does not depend on the number of threads.
            for threads in [1, 5] {
                let pool = ThreadPoolBuilder::new().num_threads(threads).build();
                let pool = pool.expect("threads start");
                assert_eq!(pool.install(|| certify(&graph, &wrong)), verdict);
                assert_eq!(pool.install(|| certify(&graph, &right)), Ok(()));
            }
        }
    }
}

#[test]
fn a_large_component_that_only_leaving_choices_connect_is_none() {
    // Each state has a self-loop. All other choices may also leave the component, so that each
    // state is an end component by itself.
    let far = |s: u32| s.wrapping_mul(2_654_435_761) % LARGE;
    let choices = (0..LARGE).map(|s| vec![vec![s], vec![far(s), (s + 1) % LARGE, LARGE]]);
    let model: Model = choices.chain([vec![vec![LARGE]]]).collect();
    let graph = graph(&model);
    let right = decomposed(ComponentKind::Mec, &graph);
    assert_eq!(certify(&graph, &right), Ok(()));
    let mut one = vec![0; LARGE as usize];
    one.push(LARGE);
    let one = components(ComponentKind::Mec, &graph, &one);
    assert!(certify(&graph, &one).is_err());
}
