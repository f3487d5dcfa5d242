//! Checks functions that, by a promise of the kernel, return true at most once in a dispatch for
//! the same arguments (`promise.rs`).

use std::collections::HashMap;

/// Who was told that it may act, and the operation after its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Granted {
    pub(super) invocation: u32,
    pub(super) pc: u32,
}

/// What has been granted in a dispatch, by function and arguments.
#[derive(Debug, Default)]
pub(super) struct Claims(HashMap<(String, Vec<u32>), Granted>);

impl Claims {
    /// Notes that a function has returned true; to whom it did so before.
    pub(super) fn grant(
        &mut self,
        function: &str,
        arguments: &[u32],
        to: Granted,
    ) -> Option<Granted> {
        self.0.insert((function.to_owned(), arguments.to_vec()), to)
    }
}
