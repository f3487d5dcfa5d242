//! The device that unit tests run on.

use super::context::GpuContext;
use test_models::{Devices, adapter, device_or_skip};

/// Returns the adapter under test; without it the tests are skipped, or fail where they must not
/// be.
pub(super) fn context() -> Option<&'static GpuContext> {
    static CONTEXTS: Devices<GpuContext> = Devices::new();
    CONTEXTS.of_thread(|| device_or_skip(GpuContext::open(Some(&adapter()))))
}
