//! Opens a device for a test, or says loudly why the test does not run.

use gpu::{Error, Gpu, Request};

/// The best adapter there is, software included. Without one a test is skipped, unless it must not
/// be.
pub(crate) fn open(request: &Request) -> Option<Gpu> {
    match Gpu::open(request) {
        Ok(gpu) => Some(gpu),
        Err(error @ Error::NoAdapter { .. }) => {
            let required = ["CI", "MAXEND_REQUIRE_GPU"]
                .iter()
                .any(|name| std::env::var_os(name).is_some());
            assert!(!required, "{error}, and a GPU is required here");
            eprintln!("SKIPPED: {error}; install a Vulkan driver (Debian: mesa-vulkan-drivers)");
            None
        }
        Err(error) => panic!("{error}"),
    }
}
