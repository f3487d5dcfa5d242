//! Sends all labels to one worker, in the order of the states, batch by batch.

use super::ComponentLabels;
use crate::error::{Error, agree};
use crate::net::Net;
use crate::part::Part;

/// The number of labels that are sent at once.
const BATCH: usize = 1 << 18;

/// Calls `write` on worker 0 with all labels, in the order of the states. On other workers, `write`
/// is not called.
///
/// # Errors
/// [`Error::Write`] on worker 0 if its `write` fails, and [`Error::Elsewhere`] on the others in
/// this case.
pub fn collect(
    part: &Part,
    labels: &ComponentLabels,
    net: &mut Net<'_>,
    mut write: impl FnMut(Option<u64>) -> std::io::Result<()>,
) -> Result<(), Error> {
    let mut own = labels.iter();
    for worker in 0..net.workers() {
        let batches = part.ranges().len_of(worker).div_ceil(BATCH as u64);
        for _ in 0..batches {
            let mut outbox = net.outbox();
            if net.me() == worker {
                for label in own.by_ref().take(BATCH) {
                    outbox.push(net, 0, label.unwrap_or(u64::MAX));
                }
            }
            let mut written = Ok(());
            for (_, label) in net.exchange(outbox) {
                let label = Some(label).filter(|&label| label != u64::MAX);
                written = written.and_then(|()| write(label));
            }
            agree(
                net,
                written.map_err(|error| Error::Write(error.to_string())),
            )?;
        }
    }
    Ok(())
}
