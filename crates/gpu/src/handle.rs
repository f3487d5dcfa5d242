//! Handles for results. A recording returns handles, because results exist only after a run.

use std::marker::PhantomData;

/// A handle for the data that a [`Recording::read`](crate::Recording::read) reads.
#[derive(Debug)]
pub struct ReadHandle<T> {
    pub(crate) index: usize,
    element: PhantomData<fn() -> T>,
}

impl<T> ReadHandle<T> {
    /// Makes the handle for read number `index` of a recording.
    pub(crate) fn new(index: usize) -> Self {
        Self {
            index,
            element: PhantomData,
        }
    }
}

impl<T> Clone for ReadHandle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ReadHandle<T> {}

/// A handle for the outcome of a [`Recording::repeat`](crate::Recording::repeat).
#[derive(Clone, Copy, Debug)]
pub struct LoopHandle(pub(crate) usize);
