//! Amounts in lines of progress: times and bytes.

use report::grouped;
use std::time::Duration;

/// The delay before anything is shown. Shorter work ends before anybody could read a line.
pub(super) const DELAY: Duration = Duration::from_millis(300);
/// The time between two drawings.
pub(super) const INTERVAL: Duration = Duration::from_millis(100);

/// Formats a time: in seconds; in minutes and seconds from a minute on; in hours and minutes from
/// an hour on.
pub(super) fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", grouped(seconds / 3600), seconds / 60 % 60),
    }
}

/// Formats a number of bytes, in the largest unit that is not larger.
pub(super) fn size(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units.iter().find(|&&(shift, _)| bytes >> shift > 0) {
        Some((shift, unit)) => format!("{:.1} {unit}", bytes as f64 / (1_u64 << shift) as f64),
        None => format!("{bytes} B"),
    }
}
