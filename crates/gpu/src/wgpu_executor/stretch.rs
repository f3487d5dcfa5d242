//! A stretch while it is planned: which records size its dispatches, and what its gates ask. Nothing is encoded yet.

use std::time::Duration;

use super::gates::MAX_GATES;
use super::pace::AT_A_TIME;
use super::records::CAPACITY;
use crate::outcome::LoopRecord;

/// The most dispatches of a stretch that may be in vain.
const MAX_GATED: usize = 4096;

/// The conditions of `shaders/basic/gate.wgsl`.
pub(super) const ENDED: u32 = 0;
pub(super) const WITHOUT: u32 = 1;
pub(super) const WITH: u32 = 2;
pub(super) const WORD: u32 = 3;

/// What a gate is to find out, as `shaders/basic/gate.wgsl` has it.
#[derive(Clone, Copy, Default)]
pub(super) struct Question {
    pub(super) condition: u32,
    pub(super) first: u32,
    pub(super) iterations: u32,
    pub(super) dimension: u32,
    pub(super) close_from: u32,
    pub(super) close_end: u32,
}

impl Question {
    fn record(self) -> LoopRecord {
        let mut words = [0; LoopRecord::WORDS];
        words[..3].copy_from_slice(&[self.dimension, self.close_from, self.close_end]);
        LoopRecord {
            groups: [1, self.condition, self.first],
            iteration: self.iterations,
            words,
        }
    }
}

/// A gate: the record that holds its question, and the step before which what it closes ends, if there is one.
pub(super) struct Gated {
    pub(super) record: u64,
    question: Question,
    until: Option<usize>,
}

/// How a step is encoded.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// As it was recorded; or not at all, if it is a condition that is known to hold.
    Plain,
    /// A dispatch sized by a record.
    Sized(u64),
    /// So many iterations of a loop, from a record on.
    Loop(u64, u64),
    /// A condition, with the record that it is about.
    Asked(u64),
    /// Left out, by a condition that is known not to hold.
    Out,
}

/// A stretch while it is planned, before anything is encoded.
#[derive(Default)]
pub(super) struct Stretch {
    pub(super) forms: Vec<Form>,
    /// What the records are before the stretch runs.
    pub(super) records: Vec<LoopRecord>,
    pub(super) gates: Vec<Gated>,
    /// How many dispatches depend on gates.
    pub(super) gated: usize,
    /// How unlikely it is that all loops end as foreseen: 1 minus the likelihood.
    pub(super) doubt: f32,
    /// What it is expected to take, at most.
    pub(super) takes: Duration,
}

impl Stretch {
    /// Adds records, from an even one on; says which is the first.
    pub(super) fn place(&mut self, records: &[LoopRecord]) -> u64 {
        let first = self.records.len();
        self.records.extend_from_slice(records);
        let end = self.records.len().next_multiple_of(2);
        self.records.resize(end, LoopRecord::default());
        first as u64
    }

    pub(super) fn gate(&mut self, question: Question, until: Option<usize>) {
        let record = self.place(&[LoopRecord::default()]);
        let question = Question {
            close_from: self.records.len() as u32 / 2,
            ..question
        };
        self.gates.push(Gated {
            record,
            question,
            until,
        });
    }

    /// Ends what gates close where the records of a step begin.
    pub(super) fn close_before(&mut self, step: usize) {
        let end = self.records.len() as u32 / 2;
        for gate in self
            .gates
            .iter_mut()
            .filter(|gate| gate.until == Some(step))
        {
            gate.question.close_end = end;
        }
    }

    /// Ends what gates close that has no end yet, and writes their questions down.
    pub(super) fn close(&mut self) {
        let end = self.records.len() as u32 / 2;
        for gate in &mut self.gates {
            if gate.question.close_end == 0 {
                gate.question.close_end = end;
            }
            self.records[gate.record as usize] = gate.question.record();
        }
    }

    /// Whether what is expected to take so long can be added; if so, adds it. The first may take as long as it takes.
    pub(super) fn takes(&mut self, more: Duration) -> bool {
        let sum = self.takes.saturating_add(more);
        let fits = self.takes.is_zero() || sum <= AT_A_TIME;
        if fits {
            self.takes = sum;
        }
        fits
    }

    pub(super) fn has_room(&self, records: u64, dispatches: u64) -> bool {
        self.records.len() as u64 + records + 4 <= CAPACITY
            && self.gates.len() < MAX_GATES
            && self.gated as u64 + dispatches <= MAX_GATED as u64
    }
}
