//! [`ResumePoint`]: where a loop of the worklist engine starts, and what it is to do.

use super::profile::INIT;
use ::gpu::LoopRecord;

/// Which parts of the decomposition to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stages {
    /// Peel, once.
    Peel,
    /// Search, without peeling anything.
    Search,
    /// Everything.
    All,
}

impl Stages {
    /// As `worklist/lib/control.wgsl` has it.
    pub(super) fn bits(self) -> u32 {
        match self {
            Self::Peel => 1,
            Self::Search => 2,
            Self::All => 3,
        }
    }
}

/// From where on a loop goes, and how far.
pub(super) struct ResumePoint {
    pub(super) stages: Stages,
    /// What the record says that it begins with, as `worklist/lib/control.wgsl` has it.
    pub(super) words: [u32; LoopRecord::WORDS],
    pub(super) most_rounds: u32,
}

impl ResumePoint {
    pub(super) fn first(stages: Stages, most_rounds: u32) -> Self {
        Self {
            stages,
            words: [0; LoopRecord::WORDS],
            most_rounds,
        }
        .then(INIT)
    }

    /// What comes behind the last iteration of a loop.
    pub(super) fn after(self, last: LoopRecord, part: u32) -> Self {
        Self {
            words: last.words,
            ..self
        }
        .then(part)
    }

    fn then(mut self, part: u32) -> Self {
        self.words[3] = part;
        self
    }
}
