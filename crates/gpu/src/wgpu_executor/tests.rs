//! What only the inside of the executor can bring about.

use std::time::Duration;

use super::WgpuExecutor;
use super::repeat::{fresh, longer, paced};
use crate::buffer::BufferId;
use crate::executor::Executor;
use crate::outcome::LoopRecord;
use crate::recording::Groups;
use crate::repeat::{Repeated, Start};
use crate::{Error, Request};

#[test]
fn a_lost_device_is_an_error_from_then_on() {
    let executor = match WgpuExecutor::open(&Request::any()) {
        Ok(executor) => executor,
        Err(error @ Error::NoAdapter { .. }) => return eprintln!("SKIPPED: {error}"),
        Err(error) => panic!("{error}"),
    };
    let id = BufferId::fresh();
    executor.create(id, "words", 16, true).unwrap();
    executor.device.raw.destroy();
    let mut data = [0; 16];
    let results = [
        executor.download(id, 0, &mut data),
        executor.upload(id, 0, &data),
        executor.create(BufferId::fresh(), "more", 16, true),
    ];
    for result in results {
        assert!(
            matches!(result, Err(Error::DeviceLost { .. })),
            "{result:?}"
        );
    }
}

#[test]
fn batches_are_as_long_as_pays_and_short_enough_to_be_stopped() {
    let (fast, slow) = (Duration::from_micros(10), Duration::from_millis(20));
    assert_eq!(paced(fast, 36 * fast, 36), 24);
    // The root of 2 · 1000 · 5.
    assert_eq!(paced(fast, 1000 * fast, 1000), 100);
    // A tenth of a second.
    assert_eq!(paced(slow, 1000 * slow, 1000), 6);
    assert_eq!(paced(slow, Duration::ZERO, 36), 2);
    let slower = Duration::from_secs(1);
    assert_eq!(paced(slower, 1000 * slower, 1000), 2);
}

#[test]
fn batches_grow_while_they_are_short_and_shrink_when_they_are_not() {
    let (fast, slow) = (Duration::from_micros(10), Duration::from_millis(9));
    assert_eq!(longer(fast, 8), 16);
    assert_eq!(longer(fast, 256), 256);
    assert_eq!(longer(Duration::ZERO, 4), 8);
    assert_eq!(longer(slow, 8), 10);
    assert_eq!(longer(slow, 256), 10);
    assert_eq!(longer(Duration::from_secs(1), 256), 2);
}

#[test]
fn only_the_first_record_of_a_loop_says_what_it_begins_with() {
    let words = std::array::from_fn(|i| i as u32 + 1);
    let repeated = Repeated {
        name: "test".to_owned(),
        start: Start::Groups(Groups::Fixed([3, 2, 1])),
        fresh: [0, 0, 1],
        words,
        at_most: 8,
        ahead: true,
        alike: None,
        phases: Vec::new(),
    };
    let record = |groups, iteration, words| LoopRecord {
        groups,
        iteration,
        words,
    };
    let none = [0; LoopRecord::WORDS];
    let first = [record([3, 2, 1], 0, words), record([0, 0, 1], 1, none)];
    assert_eq!(fresh(&repeated, 0, 1), first);
    let later = [record([0, 0, 1], 4, none), record([0, 0, 1], 5, none)];
    assert_eq!(fresh(&repeated, 4, 1), later);
}
