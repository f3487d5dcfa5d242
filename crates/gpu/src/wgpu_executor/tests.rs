//! What only the inside of the executor can bring about.

use std::time::Duration;

use super::WgpuExecutor;
use super::repeat::paced;
use crate::buffer::BufferId;
use crate::executor::Executor;
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
    assert_eq!(paced(slow, Duration::ZERO, 36), 4);
}
