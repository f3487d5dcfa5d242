//! The share of a thread in the search of a region that several threads search at the same time.
//!
//! A thread *claims* each state that it visits, by one atomic operation. All its open states have
//! numbers of its own share. If it comes to an open state of another thread, it does not know
//! whether that will be in the component of its own states. Then it *releases* all states that it
//! has claimed and not closed: they are unvisited again, as if it had never come to them.

use super::{Frame, MecSearch, Model, Region, Share};
use crate::cpu::interleave::pause;
use std::sync::atomic::Ordering::Relaxed;

/// Stands for the states that others have closed.
const OTHERS: usize = 1;

impl<'a> MecSearch<'a, true> {
    /// Returns the search of one thread, whose open states have numbers from `first` on. There are
    /// as many of these as `path` and `open` have room for. The mark of a MEC is the number of one
    /// of its states, subtracted from the region's next MEC.
    pub(in crate::cpu) fn shared(
        model: Model<'a>,
        region: Region,
        first: u32,
        path: &'a mut [Frame],
        open: &'a mut [u32],
    ) -> Self {
        let share = Share::new(first, open.len() as u32);
        let mut search = Self::with_share(model, region, share, path, open);
        // Other states are closed, which this search does not count.
        search.num_closed = OTHERS;
        search
    }

    /// Returns the number of states that this search has released.
    pub(in crate::cpu) fn num_released(&self) -> usize {
        self.share.num_released
    }

    /// Returns whether too many states were open for this search.
    pub(in crate::cpu) fn is_full(&self) -> bool {
        self.share.is_full
    }

    /// Returns the numbers of states that this search has closed, that are in doubt, and that it
    /// has released.
    pub(in crate::cpu) fn counts(&self) -> [usize; 3] {
        let closed = self.num_closed - OTHERS;
        [closed, self.doubtful.states.len(), self.share.num_released]
    }
}

impl<const SHARED: bool> MecSearch<'_, SHARED> {
    /// Returns whether a state that is not open in this search is unvisited, or is open in a search
    /// by another thread.
    #[inline]
    pub(super) fn may_be_visited(&self, state: u32) -> bool {
        match SHARED {
            true => {
                pause();
                !self.is_closed(state)
            }
            false => self.is_unvisited(state),
        }
    }

    /// Claims a state that is to be visited next, and returns it, unless another thread was faster
    /// or no number is left.
    #[inline]
    pub(super) fn claim(&mut self, state: u32) -> Option<u32> {
        if !SHARED {
            return Some(state);
        }
        pause();
        let (index, unvisited) = (self.next_index, self.region.unvisited);
        self.share.is_full |= index - self.share.first == self.share.span;
        let slot = &self.model.index[state as usize];
        let is_claimed = !self.share.is_full
            && slot
                .compare_exchange(unvisited, index, Relaxed, Relaxed)
                .is_ok();
        self.share.is_held = !is_claimed;
        is_claimed.then_some(state)
    }

    /// Makes all states unvisited that this search has claimed and not closed. `frame` is the last
    /// one of the path.
    #[cold]
    pub(super) fn release(&mut self, frame: Frame) {
        self.share.is_held = false;
        self.next_index = self.share.first;
        self.doubts.clear();
        let unvisited = self.region.unvisited;
        let mut last = Some(frame);
        while let Some(frame) = last {
            pause();
            self.set(frame.state, unvisited);
            self.share.num_released += 1;
            last = self.path.pop();
        }
        let open = self.open.pop_while(|_| true);
        self.share.num_released += open.len();
        for &mut state in open {
            self.model.index[state as usize].store(unvisited, Relaxed);
        }
    }
}
