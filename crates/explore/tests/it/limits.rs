//! Tests of searches that end early, and of their errors.

use crate::systems::{self, Grid, Stuck, endless};
use explore::{
    Choices, Error, InitialStates, Limits, Observer, Options, Progress, System, explore,
};
use insta::assert_snapshot;
use mdp_graph::{BuildError, Deadlocks, StateId};
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Explores with limits, on this many threads.
fn limited(threads: usize, side: u64, limits: Limits) -> Result<u64, Error<Stuck>> {
    let options = Options {
        limits,
        ..Options::default()
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool.build().expect("threads start");
    let found = pool.install(|| explore(&Grid::new(side).system(), &options))?;
    Ok(found.graph.num_states() as u64)
}

fn states(limit: u64) -> Limits {
    Limits {
        states: Some(limit),
        ..Limits::default()
    }
}

fn memory(limit: u64) -> Limits {
    Limits {
        memory: Some(limit),
        ..Limits::default()
    }
}

#[test]
fn as_many_states_as_allowed_are_found() {
    assert_eq!(limited(2, 100, states(10_000)), Ok(10_000));
    assert_eq!(limited(2, 1, states(1)), Ok(1));
    for limit in [0, 1, 9_999] {
        let error = limited(2, 100, states(limit)).expect_err("there are more");
        assert!(
            matches!(error, Error::TooManyStates { limit: l, .. } if l == limit),
            "{error}"
        );
    }
}

#[test]
fn the_error_of_the_state_limit_has_the_counts_so_far() {
    let error = limited(1, 1000, states(500)).expect_err("there are more");
    let Error::TooManyStates { reached, .. } = error else {
        panic!("{error}");
    };
    assert!(reached.expanded < reached.states && reached.states <= 500);
    let error: Error<Stuck> = Error::TooManyStates {
        limit: 500,
        reached: Progress {
            bytes: 3 << 20,
            ..reached
        },
    };
    assert_snapshot!(error, @"there are more than 500 states; found so far: 496 states, of which 465 were expanded, 930 choices and 930 branches, in 3,072 KiB");
}

#[test]
fn the_memory_limit_is_kept() {
    let error = limited(2, 1000, memory(20 << 20)).expect_err("it needs more");
    let Error::MemoryLimit { limit, reached } = error else {
        panic!("{error}");
    };
    assert_eq!(limit, 20 << 20);
    assert!(
        reached.bytes <= limit && reached.states > 100_000,
        "{reached:?}"
    );
    let error: Error<Stuck> = Error::MemoryLimit {
        limit,
        reached: Progress::default(),
    };
    assert_snapshot!(error, @"more than 20 MiB of memory are needed; no state was found yet");
    // A million states take 16 bytes each. There are also as many rows, and a table.
    assert_eq!(limited(2, 1000, memory(80 << 20)), Ok(1_000_000));
}

#[test]
fn no_memory_is_an_error_too() {
    for limit in [0, 1, 1000] {
        let error = limited(2, 10, memory(limit)).expect_err("it needs more");
        assert!(matches!(error, Error::MemoryLimit { .. }), "{error}");
    }
}

#[test]
fn a_state_with_too_many_branches_for_the_memory_is_an_error() {
    let options = Options {
        limits: memory(4 << 20),
        ..Options::default()
    };
    let error = explore(&endless(), &options).expect_err("it needs more");
    let Error::MemoryLimit { reached, .. } = error else {
        panic!("{error}");
    };
    // The branches of the state are kept in about as much memory as allowed, because arrays grow by
    // doubling.
    assert!(reached.bytes <= 8 << 20, "{reached:?}");
}

/// Returns a system with one state, whose choices or branches do not end until the search is over.
fn unending(tell: impl Fn(u64, &mut Choices<'_>) + Sync) -> impl System<Error = Infallible> {
    systems::system(
        vec![vec![3]],
        move |_: &[u64], choices: &mut Choices<'_>| {
            for next in 0.. {
                tell(next, choices);
                if next % 5000 == 0 && choices.is_over() {
                    break;
                }
            }
            Ok(())
        },
    )
}

fn of_one_state(error: &Error<Infallible>) -> &Error<Infallible> {
    let Error::InState {
        state,
        action,
        error,
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((&state[..], *action), (&[3][..], 7));
    error
}

#[test]
fn a_state_with_endless_choices_or_branches_exceeds_the_limits() {
    let branches = |next: u64, choices: &mut Choices<'_>| {
        if next == 0 {
            choices.begin(7);
        }
        choices.branch(&[next], 1.0);
    };
    let many = |next: u64, choices: &mut Choices<'_>| {
        choices.begin(7);
        choices.branch(&[next % 2], 1.0);
    };
    let with = |limits| Options {
        limits,
        ..Options::default()
    };

    let single = |next: u64, choices: &mut Choices<'_>| {
        choices.begin(7);
        choices.branch(&[next / 3], 1.0);
    };
    for error in [
        explore(&unending(branches), &with(states(100_000))),
        explore(&unending(single), &with(states(100_000))),
    ] {
        let error = error.expect_err("it never ends");
        assert!(
            matches!(
                of_one_state(&error),
                Error::TooManyStates { limit: 100_000, .. }
            ),
            "{error}"
        );
    }
    for error in [
        explore(&unending(branches), &with(memory(4 << 20))),
        explore(&unending(many), &with(memory(4 << 20))),
    ] {
        let error = error.expect_err("it never ends");
        let Error::MemoryLimit { reached, .. } = of_one_state(&error) else {
            panic!("{error}");
        };
        assert!(reached.bytes <= 8 << 20, "{reached:?}");
    }
}

#[test]
fn a_state_with_endless_choices_or_branches_can_be_cancelled() {
    for probability in [1.0, 0.0] {
        let tell = move |next: u64, choices: &mut Choices<'_>| {
            if next == 0 {
                choices.begin(7);
            }
            choices.branch(&[1], probability);
        };
        let observer = Stopping::after(9);
        let options = Options {
            observer: &observer,
            ..Options::default()
        };
        let error = explore(&unending(tell), &options).expect_err("it is stopped");
        assert!(matches!(error, Error::Cancelled { .. }), "{error}");
    }
    // Choices without branches take no memory.
    let empty = unending(|_, choices| choices.begin(7));
    let error = explore(&empty, &Options::default()).expect_err("a choice has no branch");
    let state = StateId(0);
    assert_eq!(error, Error::Graph(BuildError::EmptyChoice { state }));
}

#[test]
fn states_that_exceed_a_limit_together_are_not_taken_for_a_cancelled_search() {
    // No state has many branches, but the states of the first batch together have more targets than
    // allowed.
    let initial = (0..200).map(|state| vec![state]).collect();
    let system = systems::system(initial, |state: &[u64], choices: &mut Choices<'_>| {
        choices.begin(7);
        (0..2_000).for_each(|next| choices.branch(&[2_000 * state[0] + next], 1.0));
        Ok::<(), Infallible>(())
    });
    let options = Options {
        limits: states(100_000),
        ..Options::default()
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    let pool = pool.build().expect("a thread starts");
    let error = pool.install(|| explore(&system, &options));
    let error = error.expect_err("there are more");
    assert!(
        matches!(error, Error::TooManyStates { limit: 100_000, .. }),
        "{error}"
    );
}

/// A system whose initial states do not end until the search is over. Two of them are added after
/// every `every` numbers.
struct Beginnings {
    every: u64,
}

impl System for Beginnings {
    type Scratch = ();
    type Error = Infallible;

    fn words(&self) -> usize {
        1
    }

    fn scratch(&self) {}

    fn initial_states(
        &self,
        (): &mut (),
        initial: &mut InitialStates<'_, '_>,
    ) -> Result<(), Infallible> {
        for next in 0.. {
            if next % self.every == 0 {
                initial.add(&[next]);
                initial.add(&[next / 2]);
            }
            if next % 300 == 0 && initial.is_over() {
                break;
            }
        }
        Ok(())
    }

    fn successors(&self, (): &mut (), _: &[u64], _: &mut Choices<'_>) -> Result<(), Infallible> {
        Ok(())
    }
}

#[test]
fn endless_initial_states_exceed_the_limits() {
    let explored = |every, limits, observer: &dyn Observer| {
        let options = Options {
            limits,
            observer,
            ..Options::default()
        };
        explore(&Beginnings { every }, &options).expect_err("it never ends")
    };
    let error = explored(1, states(100_000), &explore::Silent);
    assert!(
        matches!(error, Error::TooManyStates { limit: 100_000, .. }),
        "{error}"
    );
    let error = explored(1, memory(4 << 20), &explore::Silent);
    let Error::MemoryLimit { reached, .. } = error else {
        panic!("{error}");
    };
    assert!(reached.bytes <= 16 << 20, "{reached:?}");
    for every in [1, u64::MAX] {
        let error = explored(every, Limits::default(), &Stopping::after(50));
        assert!(matches!(error, Error::Cancelled { .. }), "{error}");
    }
}

#[test]
fn the_first_failing_state_is_named() {
    // The first and the second failing state are in the same batch. The state that is listed second
    // comes first.
    let failing = vec![[700, 300], [299, 701], [900, 900]];
    for threads in [1, 2, 5] {
        let grid = Grid {
            failing: failing.clone(),
            ..Grid::new(1000)
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().expect("threads start");
        let error = pool.install(|| explore(&grid.system(), &Options::default()));
        let error = error.expect_err("it fails");
        assert_eq!(error, Error::System(Stuck([700, 300])));
        assert_eq!(error.to_string(), "state [700, 300] is not to be left");
    }
}

#[test]
fn a_choice_that_loses_all_branches_is_an_error() {
    let grid = Grid {
        failing: vec![[0, 1]],
        zeros: 2,
        ..Grid::new(3)
    };
    let error = explore(&grid.system(), &Options::default()).expect_err("a choice has no branch");
    let state = StateId(2);
    assert_eq!(error, Error::Graph(BuildError::EmptyChoice { state }));
}

#[test]
fn branches_of_probability_0_are_dropped_and_counted() {
    let grid = Grid {
        zeros: 2,
        ..Grid::new(3)
    };
    let found = explore(&grid.system(), &Options::default()).expect("it can be explored");
    assert_eq!(found.graph.num_branches(), found.graph.num_choices());
    assert_eq!(found.dropped_branches, 2 * 12);
}

#[test]
fn deadlocks_are_treated_as_requested() {
    let with = |deadlocks| {
        explore(
            &Grid::new(3).system(),
            &Options {
                deadlocks,
                ..Options::default()
            },
        )
    };
    let last = StateId(8);

    let found = with(Deadlocks::SelfLoop).expect("it can be explored");
    assert_eq!((found.deadlocks, found.graph.num_choices()), (1, 13));
    assert_eq!(found.graph.successors(last), [last]);

    let found = with(Deadlocks::Keep).expect("it can be explored");
    assert_eq!((found.deadlocks, found.graph.num_choices()), (1, 12));
    assert!(found.graph.is_deadlock(last));

    let error = with(Deadlocks::Refuse).expect_err("there is one");
    assert_eq!(
        error,
        Error::Deadlock {
            first: last,
            count: 1,
            state: found.states.get(last).to_vec(),
        }
    );
}

/// Counts the calls, and cancels after `after` of them.
struct Stopping {
    after: u64,
    asked: AtomicU64,
    heard: AtomicU64,
}

impl Stopping {
    fn after(after: u64) -> Self {
        Self {
            after,
            asked: AtomicU64::new(0),
            heard: AtomicU64::new(0),
        }
    }
}

impl Observer for Stopping {
    fn progress(&self, progress: Progress, elapsed: Duration) {
        assert!(progress.expanded < progress.states && progress.bytes > 0);
        assert!(elapsed > Duration::ZERO);
        self.heard.fetch_add(1, Ordering::Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.after
    }
}

#[test]
fn a_search_can_be_cancelled() {
    for after in [0, 1, 10, 100] {
        let observer = Stopping::after(after);
        let options = Options {
            observer: &observer,
            ..Options::default()
        };
        let error = explore(&Grid::new(1000).system(), &options).expect_err("it is stopped");
        assert!(matches!(error, Error::Cancelled { .. }), "{error}");
    }
    let error: Error<Stuck> = Error::Cancelled {
        reached: Progress::default(),
    };
    assert_snapshot!(error, @"the exploration was cancelled; no state was found yet");
}

#[test]
fn progress_is_told_a_few_times_a_second() {
    let observer = Stopping::after(u64::MAX);
    let options = Options {
        observer: &observer,
        ..Options::default()
    };
    let began = std::time::Instant::now();
    explore(&Grid::new(2000).system(), &options).expect("nothing stops it");
    let heard = observer.heard.into_inner();
    let most = began.elapsed().as_millis() as u64 / 200;
    assert!(
        heard <= most && (most < 2 || heard > 0),
        "{heard} of {most}"
    );
}
