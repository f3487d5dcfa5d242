//! [`Inbox`]: the messages that a worker received in a superstep.

use super::batch::Batch;
use bytemuck::Pod;
use std::marker::PhantomData;

/// The messages of a superstep, by sender and in the order in which each sent them.
pub struct Inbox<T> {
    total: u64,
    batches: Vec<Batch>,
    of: PhantomData<T>,
}

impl<T: Pod> Inbox<T> {
    pub(super) fn new(total: u64, batches: Vec<Batch>) -> Self {
        Self {
            total,
            batches,
            of: PhantomData,
        }
    }

    /// Returns the total number of messages from all workers.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }
}

impl<T: Pod> IntoIterator for Inbox<T> {
    /// The sender, and the message.
    type Item = (usize, T);
    type IntoIter = Messages<T>;

    fn into_iter(self) -> Messages<T> {
        Messages {
            batches: self.batches.into_iter(),
            open: None,
            of: PhantomData,
        }
    }
}

/// The messages of an [`Inbox`]. Each batch is freed when it has been read.
pub struct Messages<T> {
    batches: std::vec::IntoIter<Batch>,
    /// The batch that is being read, and the position in it.
    open: Option<(Batch, usize)>,
    of: PhantomData<T>,
}

impl<T: Pod> Iterator for Messages<T> {
    type Item = (usize, T);

    #[inline]
    fn next(&mut self) -> Option<(usize, T)> {
        loop {
            if let Some((batch, place)) = &mut self.open
                && let Some(bytes) = batch.bytes.0.get(*place..*place + size_of::<T>())
            {
                *place += size_of::<T>();
                return Some((batch.from as usize, bytemuck::pod_read_unaligned(bytes)));
            }
            self.open = Some((self.batches.next()?, 0));
        }
    }
}
