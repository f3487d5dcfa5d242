//! Memory that callers have freed, and that is kept for other buffers.
//!
//! A driver may take 20 ms or more to allocate a gigabyte, and as long to free it. That is more
//! than most kernels need to go through it. So large buffers are not returned to the driver when
//! they are freed. They are returned when it has no memory left, or with the device.

use crate::adapter::AdapterKind;

/// Smaller buffers are not kept. They take little time, because wgpu cuts them from larger blocks.
const LEAST: u64 = 16 << 20;

/// A kept buffer may be up to this many times as large as the requested one.
const PART: u64 = 4;

/// Freed buffers, with their sizes in bytes.
pub(super) struct FreedBuffers<T> {
    kept: Vec<(u64, T)>,
    bytes: u64,
    /// The maximum number of bytes that are kept.
    most: u64,
}

impl<T> FreedBuffers<T> {
    /// Makes an empty collection. At most 16 GiB of the memory of a card are kept, so that some is
    /// left for other devices and programs. These need the memory of the processor even more, so
    /// little of it is kept, or none.
    pub(super) fn of(kind: AdapterKind) -> Self {
        Self::limited(match kind {
            AdapterKind::Discrete | AdapterKind::Virtual => 16 << 30,
            AdapterKind::Software => 64 << 20,
            AdapterKind::Integrated | AdapterKind::Other => 0,
        })
    }

    fn limited(most: u64) -> Self {
        Self {
            kept: Vec::new(),
            bytes: 0,
            most,
        }
    }

    /// Takes the smallest buffer of at least this size, and at most [`PART`] times this size.
    pub(super) fn take(&mut self, bytes: u64) -> Option<T> {
        let sizes = bytes..=bytes.saturating_mul(PART);
        let fit = |(_, (size, _)): &(usize, &(u64, T))| sizes.contains(size);
        let all = self.kept.iter().enumerate().filter(fit);
        let (best, _) = all.min_by_key(|(_, (size, _))| *size)?;
        let (size, buffer) = self.kept.swap_remove(best);
        self.bytes -= size;
        Some(buffer)
    }

    /// Keeps a buffer of this size. Returns the buffer if it cannot be kept.
    pub(super) fn keep(&mut self, bytes: u64, buffer: T) -> Option<T> {
        if bytes < LEAST || bytes > self.most - self.bytes {
            return Some(buffer);
        }
        self.bytes += bytes;
        self.kept.push((bytes, buffer));
        None
    }

    /// Takes all buffers.
    pub(super) fn give_back(&mut self) -> impl Iterator<Item = T> {
        self.bytes = 0;
        std::mem::take(&mut self.kept)
            .into_iter()
            .map(|(_, buffer)| buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::{FreedBuffers, LEAST};

    #[test]
    fn the_smallest_buffer_that_is_large_enough_is_taken_unless_much_would_be_wasted() {
        let mut freed = FreedBuffers::limited(u64::MAX);
        for (size, name) in [(100, 'a'), (80, 'b'), (90, 'c'), (400, 'd')] {
            assert_eq!(freed.keep(size * LEAST, name), None);
        }
        assert_eq!(freed.take(85 * LEAST), Some('c'));
        assert_eq!(freed.take(85 * LEAST), Some('a'));
        assert_eq!(
            freed.take(85 * LEAST),
            None,
            "the buffer of size 400 is too large"
        );
        assert_eq!(freed.take(20 * LEAST - 4), None);
        assert_eq!(freed.take(20 * LEAST), Some('b'));
        assert_eq!(freed.take(400 * LEAST + 4), None);
        assert_eq!(freed.take(400 * LEAST), Some('d'));
        assert_eq!(freed.bytes, 0);
    }

    #[test]
    fn small_buffers_are_not_kept_nor_more_than_allowed() {
        let mut freed = FreedBuffers::limited(3 * LEAST);
        assert_eq!(freed.keep(LEAST - 4, 'a'), Some('a'));
        assert_eq!(freed.keep(2 * LEAST, 'b'), None);
        assert_eq!(freed.keep(LEAST + 4, 'c'), Some('c'));
        assert_eq!(freed.keep(LEAST, 'd'), None);
        assert_eq!(freed.give_back().collect::<String>(), "bd");
        assert_eq!(freed.take(LEAST), None);
        assert_eq!(freed.keep(3 * LEAST, 'e'), None);
    }
}
