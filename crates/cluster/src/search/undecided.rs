//! The number of undecided states.

use crate::net::{Net, Progress};

/// Returns the total number of undecided elements of all workers, of which this worker has `own`.
/// It is reported to the observer.
pub(super) fn undecided(own: u64, net: &mut Net<'_>) -> u64 {
    let sums = net.sums(&[own, net.bytes_sent()]);
    net.report(&Progress::Decomposing {
        undecided: sums[0],
        bytes_sent: sums[1],
    });
    sums[0]
}
