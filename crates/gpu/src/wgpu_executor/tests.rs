//! What only the inside of the executor can bring about.

use super::WgpuExecutor;
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
