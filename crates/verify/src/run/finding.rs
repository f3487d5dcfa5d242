//! What is wrong with a run, and where.

use std::collections::HashSet;
use std::fmt;

use crate::Place;

/// What kind of fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// Two invocations access a word, one of them writes, one not atomically, in no order.
    Race,
    /// An index lies outside its array.
    OutOfBounds,
    /// An integer is divided by zero, which WGSL defines, but nobody means.
    DivisionByZero,
    /// A function returns true again, of which the kernel promises that it does so once.
    Claim,
    /// Something does not hold that the kernel says its host promises.
    Promise,
    /// Not all invocations of a workgroup come to the same barrier.
    Barrier,
    /// An invocation does not end.
    Endless,
    /// An iteration behind the end of a loop changes a buffer.
    AfterEnd,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Finding {
    /// What.
    pub fault: Fault,
    /// About which variable, with which values.
    pub message: String,
    /// The invocations that have to do with it, and where they were.
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

/// What was found, each fault at each pair of lines once.
#[derive(Clone, Debug, Default)]
pub(super) struct Findings {
    pub(super) all: Vec<Finding>,
    seen: HashSet<(Fault, Vec<u32>)>,
}

impl Findings {
    /// Adds what `describe` says, unless there is one for the same operations.
    pub(super) fn add(&mut self, fault: Fault, pcs: &[u32], describe: impl FnOnce() -> Finding) {
        let mut key = pcs.to_vec();
        key.sort_unstable();
        if self.seen.insert((fault, key)) {
            self.all.push(describe());
        }
    }
}
