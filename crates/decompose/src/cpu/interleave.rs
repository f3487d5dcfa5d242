//! In tests, makes threads wait at random, so that the tests see many interleavings. Outside tests,
//! these functions do nothing.

#[cfg(test)]
use std::cell::Cell;

#[cfg(test)]
thread_local! {
    /// Pseudo-random numbers; 0 in threads that never wait.
    static DRAW: Cell<u32> = const { Cell::new(0) };
}

/// Marks a point at which another thread may run.
#[inline(always)]
pub(super) fn pause() {
    #[cfg(test)]
    {
        let mut draw = DRAW.get();
        draw ^= draw << 13;
        draw ^= draw >> 17;
        draw ^= draw << 5;
        DRAW.set(draw);
        match draw % 8 {
            1 => std::thread::yield_now(),
            2 | 3 => (0..draw >> 8 & 0x1ff).for_each(|_| std::hint::spin_loop()),
            _ => {}
        }
    }
}

/// From now on, this thread waits at random.
#[cfg(test)]
pub(super) fn start(thread: usize) {
    DRAW.set(0x9E37_79B9_u32.wrapping_mul(thread as u32 + 1));
}
