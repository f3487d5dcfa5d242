//! The device that unit tests run on.

use ::gpu::{Gpu, Request};
use test_models::{Devices, adapter, device_or_skip};

/// Returns the adapter under test; without it the tests are skipped, or fail where they must not
/// be.
pub(super) fn gpu() -> Option<&'static Gpu> {
    static GPUS: Devices<Gpu> = Devices::new();
    GPUS.of_thread(|| device_or_skip(Gpu::open(&Request::named(adapter()))))
}
