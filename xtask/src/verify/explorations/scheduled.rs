//! Networks and a program that are explored under certain schedulers. Other schedulers seldom
//! reveal an error by which one of several updates is lost, or which has an effect only if an
//! invocation is late.

use lts_formats::Behaviour;
use verify::run::Schedule;

use super::corner_cases::{branching, deadlocks, failing_level};
use super::processes::{labelled, parallel};
use super::setup::{SMALL_LISTS, Setup, USUAL};
use crate::rng::Rng;

/// Returns networks, each with a name and the way to explore it, and a program.
pub(super) fn scheduled(rng: &mut Rng) -> (Vec<(&'static str, Setup, Behaviour)>, Setup, String) {
    let under = |schedule| Setup {
        schedule: Some(schedule),
        ..USUAL
    };
    let late = Setup {
        has_whole_levels: true,
        ..under(Schedule::LateUpdates)
    };
    let refused = Setup {
        refuses: true,
        ..late
    };
    let by_priority = Setup {
        scales: SMALL_LISTS,
        ..under(Schedule::Priorities { changes: 3 })
    };
    let networks = vec![
        ("late deadlocks", refused, deadlocks(rng)),
        ("uneven network", under(Schedule::LateUpdates), uneven()),
        ("uneven network", under(Schedule::Random), uneven()),
        ("uneven network", by_priority, uneven()),
        ("branching", by_priority, branching()),
    ];
    (networks, late, failing_level(rng))
}

/// Returns a process that takes steps in one of two ways, and never returns. Each step is
/// synchronised with another process, which has a single way. Each state is found in one way only.
fn uneven() -> Behaviour {
    const INNER: u32 = 15;
    const DEPTH: u32 = 4;
    let steps = |from| [(from, "a", 2 * from + 1), (from, "b", 2 * from + 2)];
    let tree = labelled(2 * INNER + 1, 0, (0..INNER).flat_map(steps));
    let [first, second] = ["a", "b"]
        .map(|label| labelled(DEPTH + 1, 0, (0..DEPTH).map(|from| (from, label, from + 1))));
    let two = parallel(vec![second, tree], vec!["b".to_owned()]);
    parallel(vec![two, first], vec!["a".to_owned()])
}
