//! Opens a device for a test, or says loudly why the test does not run.

use gpu::{Gpu, Request};
use test_models::device_or_skip;

/// The best adapter there is, software included. Without one a test is skipped, unless it must not
/// be.
pub(crate) fn open(request: &Request) -> Option<Gpu> {
    device_or_skip(Gpu::open(request))
}
