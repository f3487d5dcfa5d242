//! The device that unit tests run on.

use super::context::GpuContext;
use std::sync::OnceLock;

/// The adapter under test; without it the tests are skipped, or fail where they must not be.
pub(super) fn context() -> Option<&'static GpuContext> {
    static CONTEXT: OnceLock<Option<GpuContext>> = OnceLock::new();
    let open = || {
        let adapter = std::env::var("MAXEND_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
        let required = std::env::var_os("CI").or_else(|| std::env::var_os("MAXEND_REQUIRE_GPU"));
        match GpuContext::open(Some(&adapter)) {
            Ok(context) => Some(context),
            Err(error) if required.is_some() => panic!("{error}, and it is required here"),
            Err(error) => {
                eprintln!("SKIPPED: {error}");
                None
            }
        }
    };
    CONTEXT.get_or_init(open).as_ref()
}
