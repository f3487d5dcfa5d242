//! Handles of results: a recording returns them in place of results, which exist only after a run.

use std::marker::PhantomData;

/// Stands for what a [`Recording::read`](crate::Recording::read) will bring.
#[derive(Debug)]
pub struct ReadHandle<T> {
    pub(crate) index: usize,
    element: PhantomData<fn() -> T>,
}

impl<T> ReadHandle<T> {
    /// The handle of a recording's read number `index`.
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

/// Stands for how a [`Recording::repeat`](crate::Recording::repeat) will have ended.
#[derive(Clone, Copy, Debug)]
pub struct LoopHandle(pub(crate) usize);
