//! The device that unit tests run on.

use super::context::GpuContext;
use std::sync::OnceLock;
use test_models::{adapter, device_or_skip};

/// The adapter under test; without it the tests are skipped, or fail where they must not be.
pub(super) fn context() -> Option<&'static GpuContext> {
    static CONTEXT: OnceLock<Option<GpuContext>> = OnceLock::new();
    let open = || device_or_skip(GpuContext::open(Some(&adapter())));
    CONTEXT.get_or_init(open).as_ref()
}
