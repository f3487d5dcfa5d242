//! The device that tests run on, if there is one.

use std::env;
use std::fmt::Display;
use std::sync::{Mutex, OnceLock};

/// Returns the adapter under test: the one that `MAXEND_ADAPTER` names or, by default, Mesa's
/// software device.
#[must_use]
pub fn adapter() -> String {
    env::var("MAXEND_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned())
}

/// Returns whether a test fails without a device: in CI, and if `MAXEND_REQUIRE_GPU` is set.
#[must_use]
pub fn device_is_required() -> bool {
    ["CI", "MAXEND_REQUIRE_GPU"]
        .iter()
        .any(|name| env::var_os(name).is_some())
}

/// Returns the device, if it could be opened. Otherwise the test is skipped, with a message on
/// standard error.
///
/// # Panics
///
/// If there is no device, and one is required.
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

/// The number of devices for the tests of a program. Each test runs on a thread, and usually there
/// are as many threads as processors.
const DEVICES: usize = 2;

/// The number of threads that use each device at present.
static USERS: Mutex<[usize; DEVICES]> = Mutex::new([0; DEVICES]);

/// The device that a thread uses as long as the thread runs.
struct Seat(usize);

thread_local!(static SEAT: Seat = Seat::take());

impl Seat {
    /// Takes the device with the fewest users.
    fn take() -> Self {
        let mut users = USERS.lock().expect("nobody panics with it");
        let device = (0..DEVICES).min_by_key(|&device| users[device]);
        let device = device.expect("there are devices");
        users[device] += 1;
        Self(device)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        USERS.lock().expect("nobody panics with it")[self.0] -= 1;
    }
}

/// A few devices for all tests of a program. Each device compiles a kernel once, so there is not
/// one device for each test. A device does one thing at a time, and Mesa's software device does it
/// on the calling thread. With a single device, all tests but one would wait.
///
/// ```
/// static DEVICES: test_models::Devices<String> = test_models::Devices::new();
/// let device = DEVICES.of_thread(|| Some("opened".to_owned()));
/// assert_eq!(DEVICES.of_thread(|| None), device);
/// ```
#[derive(Debug)]
pub struct Devices<D>([OnceLock<Option<D>>; DEVICES]);

impl<D> Devices<D> {
    /// Makes the devices, none of which is open yet.
    #[must_use]
    pub const fn new() -> Self {
        Self([const { OnceLock::new() }; DEVICES])
    }

    /// Returns the device of this thread, which is always the same. It is opened when the first
    /// thread requests it.
    pub fn of_thread(&self, open: impl FnOnce() -> Option<D>) -> Option<&D> {
        SEAT.with(|seat| self.0[seat.0].get_or_init(open).as_ref())
    }
}

impl<D> Default for Devices<D> {
    fn default() -> Self {
        Self::new()
    }
}
