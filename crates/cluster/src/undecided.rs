//! The number of undecided states.

use crate::net::Net;
use crate::progress::Progress;

/// How much is undecided, of all workers, if this one has so much. Whoever observes is told.
pub(crate) fn undecided(own: u64, net: &mut Net<'_>) -> u64 {
    let sums = net.sums(&[own, net.bytes_sent()]);
    net.tell(&Progress::Decomposing {
        undecided: sums[0],
        bytes_sent: sums[1],
    });
    sums[0]
}
