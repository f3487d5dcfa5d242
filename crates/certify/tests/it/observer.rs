//! Tests that observers receive the progress of the work, and can cancel it at any time.

use certify::{Error, Observer};
use mdp_graph::{ChunkBuilder, Components, Deadlocks, MdpGraph, StateId, assemble};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Counts the calls, and cancels the work after `last` of them.
struct Impatient {
    asked: AtomicUsize,
    last: usize,
}

impl Observer for Impatient {
    fn is_cancelled(&self) -> bool {
        self.asked.fetch_add(1, Relaxed) >= self.last
    }
}

/// Returns a cycle whose states may also stay. The number of each next state is larger by `step`.
fn long(states: u32, step: u32) -> MdpGraph {
    let mut chunk = ChunkBuilder::default();
    let at = |i: u32| StateId((u64::from(i) * u64::from(step) % u64::from(states)) as u32);
    let mut choices: Vec<[StateId; 2]> =
        (0..states).map(|i| [at(i), at((i + 1) % states)]).collect();
    choices.sort_unstable();
    for [state, next] in choices {
        chunk.push_choice(state, &[next]);
        chunk.push_choice(state, &[state, next]);
    }
    let built = assemble(states, vec![chunk.finish()], Deadlocks::Keep);
    built.expect("it is a graph").graph
}

#[test]
fn an_observer_can_cancel_at_any_time() {
    // These numbers have no common divisor with the number of states.
    for step in [1, 77_777] {
        let graph = long(200_000, step);
        for components in [
            Components::from_scc_marks(&graph, vec![0; 200_000]),
            Components::from_mec_marks(vec![0; 200_000]),
        ] {
            let watch = |last| Impatient {
                asked: AtomicUsize::new(0),
                last,
            };
            let patient = watch(usize::MAX);
            let certificate = certify::produce_observed(&graph, &components, &patient);
            let certificate = certificate.expect("the answer is right");
            let times = patient.asked.into_inner();
            assert!(times > 3, "the observer is asked {times} times");
            for last in 0..times.min(40) {
                let outcome = certify::produce_observed(&graph, &components, &watch(last));
                assert_eq!(outcome, Err(Error::Cancelled), "{last} of {times}");
            }
            let patient = watch(usize::MAX);
            assert_eq!(
                certificate.check_observed(&graph, &components, &patient),
                Ok(())
            );
            assert!(patient.asked.into_inner() > 3);
            let outcome = certificate.check_observed(&graph, &components, &watch(1));
            assert_eq!(outcome, Err(Error::Cancelled));
        }
    }
}

#[test]
fn progress_is_reported() {
    #[derive(Default)]
    struct Last(AtomicU64);
    impl Observer for Last {
        fn progress(&self, done: u64, total: u64) {
            assert!(done <= total && total == 200_000);
            self.0.fetch_max(done, Relaxed);
        }
    }
    let graph = long(200_000, 77_777);
    let sccs = Components::from_scc_marks(&graph, vec![0; 200_000]);
    let (produced, checked) = (Last::default(), Last::default());
    let certificate =
        certify::produce_observed(&graph, &sccs, &produced).expect("the answer is right");
    assert_eq!(certificate.check_observed(&graph, &sccs, &checked), Ok(()));
    assert!(checked.0.into_inner() > 100_000);
}
