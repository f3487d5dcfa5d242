//! The faults of a run, and their places.

use std::collections::HashSet;
use std::fmt;

use crate::Place;

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// A data race: two invocations access a word, at least one writes, at least one access is not
    /// atomic, and nothing orders them.
    Race,
    /// An index lies outside its array.
    OutOfBounds,
    /// An integer is divided by zero. WGSL defines the result, but it is never intended.
    DivisionByZero,
    /// A function that promises to return true only once returns true again.
    Claim,
    /// A promise of the host is broken.
    Promise,
    /// Not all invocations of a workgroup reach the same barrier.
    Barrier,
    /// An invocation does not end.
    Endless,
    /// An iteration after the end of a loop changes a buffer.
    AfterEnd,
}

/// A fault.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Finding {
    /// The kind of the fault.
    pub fault: Fault,
    /// A message with the variable and the values concerned.
    pub message: String,
    /// The invocations concerned, and their places.
    pub at: Vec<(String, Place)>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        for (who, Place { file, line, text }) in &self.at {
            write!(f, "\n  {who} at {file}:{line}\n    {text}")?;
        }
        Ok(())
    }
}

/// The faults that were found. Each is recorded once for each pair of lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Findings {
    pub(super) all: Vec<Finding>,
    seen: HashSet<(Fault, Vec<u32>)>,
}

impl Findings {
    /// Adds the result of `describe`, unless there is a fault of this kind for the same operations.
    pub(super) fn add(&mut self, fault: Fault, pcs: &[u32], describe: impl FnOnce() -> Finding) {
        let mut key = pcs.to_vec();
        key.sort_unstable();
        if self.seen.insert((fault, key)) {
            self.all.push(describe());
        }
    }
}
