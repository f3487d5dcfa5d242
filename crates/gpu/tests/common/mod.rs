//! Opens a device for a test, or says why the test does not run.

use gpu::{Gpu, Request};
use test_models::device_or_skip;

/// Opens the best adapter, including software. Without one, a test is skipped, unless the
/// environment forbids it.
pub(crate) fn open(request: &Request) -> Option<Gpu> {
    device_or_skip(Gpu::open(request))
}
