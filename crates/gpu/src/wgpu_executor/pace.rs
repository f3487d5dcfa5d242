//! Limits the amount of work that is submitted to the device at a time.
//!
//! An operating system resets a device that works on one submission for some seconds, and a
//! submission cannot be stopped. So each should take well under a second, on slow devices too. The
//! time of a dispatch is not known in advance. But it has a bound, because no invocation walks a
//! long row alone: the bytes that the dispatch binds, divided by the bytes per second that the
//! device has processed so far.

use std::time::Duration;

/// The maximum time that a submission should take, if it can be divided.
pub(super) const AT_A_TIME: Duration = Duration::from_millis(400);

/// The maximum expected time of all submissions in flight before the first of them has been
/// measured.
const IN_FLIGHT: Duration = Duration::from_secs(1);

/// The assumed speed of an unknown device, in bytes per second. Integrated graphics with scattered
/// accesses are faster.
const UNKNOWN: f64 = 2e9;

/// A dispatch that binds fewer bytes does not show the speed, because it takes longer to start than
/// to run.
const TELLING: u64 = 16 << 20;

/// The known speed of the device.
#[derive(Debug, Default)]
pub(super) struct Pace {
    bytes_per_second: Option<f64>,
}

impl Pace {
    /// Returns the maximum expected time of a dispatch that binds this many bytes.
    pub(super) fn expect(&self, bytes: u64) -> Duration {
        let speed = self.bytes_per_second.unwrap_or(UNKNOWN);
        Duration::from_secs_f64(bytes as f64 / speed)
    }

    /// Returns the number of iterations in a submission, if each of them binds this many bytes. It
    /// is even.
    pub(super) fn iterations(&self, bytes: u64) -> u64 {
        let each = self.expect(bytes).max(Duration::from_nanos(1));
        let fit = (AT_A_TIME.as_nanos() / each.as_nanos()) as u64;
        (fit / 2 * 2).max(2)
    }

    /// Returns whether this many iterations can be submitted before any of them has been measured.
    pub(super) fn allows_in_flight(&self, iterations: u64, bytes: u64) -> bool {
        self.expect(bytes.saturating_mul(iterations)) <= IN_FLIGHT
    }

    /// Learns from dispatches that have processed all bytes that they bind: this many, in this
    /// time.
    pub(super) fn learn(&mut self, bytes: u64, took: Duration) {
        if let Some(speed) = speed(bytes, took) {
            // A slower measurement replaces the known speed at once. A faster one raises it only to
            // the geometric mean; several of them soon make the device count as fast again.
            self.bytes_per_second = Some(match self.bytes_per_second {
                Some(known) if speed > known => (known * speed).sqrt(),
                _ => speed,
            });
        }
    }

    /// Learns from iterations, which may have processed only a part of the bytes that they bind. So
    /// a known speed can only become lower.
    pub(super) fn learn_of_loop(&mut self, bytes: u64, took: Duration) {
        if let Some(speed) = speed(bytes, took)
            && self.bytes_per_second.is_none_or(|known| speed < known)
        {
            self.bytes_per_second = Some(speed);
        }
    }
}

fn speed(bytes: u64, took: Duration) -> Option<f64> {
    let is_telling = bytes >= TELLING && !took.is_zero();
    is_telling.then(|| bytes as f64 / took.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn little_is_in_flight_at_first_on_an_unknown_device() {
        let pace = Pace::default();
        assert!(pace.allows_in_flight(36, 50 * MIB));
        assert!(!pace.allows_in_flight(36, 60 * MIB));
        assert_eq!(pace.iterations(100 * MIB), 6);
        assert_eq!(pace.iterations(1 << 40), 2);
        assert_eq!(pace.iterations(0), 400_000_000);
    }

    #[test]
    fn much_is_in_flight_on_a_device_that_has_shown_that_it_is_fast() {
        let mut pace = Pace::default();
        // The rate is 4 GiB in 40 ms.
        pace.learn(4096 * MIB, Duration::from_millis(40));
        assert!(pace.allows_in_flight(36, 2048 * MIB));
        assert!(pace.iterations(1024 * MIB) >= 36);
        // It takes long to start something small on any device.
        pace.learn(MIB, Duration::from_millis(40));
        assert!(pace.allows_in_flight(36, 2048 * MIB));
    }

    #[test]
    fn little_is_in_flight_on_a_slow_device() {
        let mut pace = Pace::default();
        pace.learn(4096 * MIB, Duration::from_millis(40));
        // The rate is a gigabyte in a second.
        pace.learn_of_loop(1024 * MIB, Duration::from_secs(1));
        assert!(!pace.allows_in_flight(36, 64 * MIB));
        assert_eq!(pace.iterations(100 * MIB), 4);
        // Iterations that process nothing are no sign of speed.
        pace.learn_of_loop(1024 * MIB, Duration::from_micros(10));
        assert_eq!(pace.iterations(100 * MIB), 4);
        // Dispatches that process all bytes that they bind are a sign of speed.
        for _ in 0..8 {
            pace.learn(4096 * MIB, Duration::from_millis(40));
        }
        assert!(pace.allows_in_flight(36, 1024 * MIB));
    }
}
