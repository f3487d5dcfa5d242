//! The device that tests run on, if there is one.

use std::env;
use std::fmt::Display;

/// The adapter under test: the one that `MAXEND_ADAPTER` names, or else Mesa's software device.
#[must_use]
pub fn adapter() -> String {
    env::var("MAXEND_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned())
}

/// Whether a test fails where there is no device: in CI, and where `MAXEND_REQUIRE_GPU` is set.
#[must_use]
pub fn device_is_required() -> bool {
    ["CI", "MAXEND_REQUIRE_GPU"]
        .iter()
        .any(|name| env::var_os(name).is_some())
}

/// The device, if it could be opened. Without one a test is skipped, and that is said on standard
/// error.
///
/// # Panics
///
/// Where a device is required.
pub fn device_or_skip<D, E: Display>(opened: Result<D, E>) -> Option<D> {
    match opened {
        Ok(device) => Some(device),
        Err(error) => {
            assert!(!device_is_required(), "{error}, and a device is required");
            eprintln!("SKIPPED: {error}; install a Vulkan driver (Debian: mesa-vulkan-drivers)");
            None
        }
    }
}
