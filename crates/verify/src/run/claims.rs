//! Checks functions that, by a promise of the kernel, return true at most once in a dispatch for
//! the same arguments (`promise.rs`).

use std::collections::HashMap;

/// The invocation for which a function returned true, and the operation after its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Granted {
    pub(super) invocation: u32,
    pub(super) pc: u32,
}

/// The calls in a dispatch that returned true, by function and arguments.
#[derive(Debug, Default)]
pub(super) struct Claims(HashMap<(String, Vec<u32>), Granted>);

impl Claims {
    /// Records that a function returned true. Returns the earlier call for which it did, if there
    /// is one.
    pub(super) fn grant(
        &mut self,
        function: &str,
        arguments: &[u32],
        to: Granted,
    ) -> Option<Granted> {
        self.0.insert((function.to_owned(), arguments.to_vec()), to)
    }
}
