//! A speculative batch while it is planned: how its steps are encoded, which records size its
//! dispatches, and which predicates they depend on.

use std::time::Duration;

use super::predicate::{MAX_PREDICATES, Predicate, Question};
use crate::record::LoopRecord;
use crate::wgpu_executor::pace::AT_A_TIME;
use crate::wgpu_executor::records::CAPACITY;

/// The most dispatches of a batch that may be in vain.
const MAX_DISPATCHES: usize = 4096;

/// How a step is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepEncoding {
    /// As it was recorded; or not at all, if it is a condition that is known to hold.
    AsRecorded,
    /// A dispatch sized by a record.
    Sized {
        /// The record.
        record: u64,
    },
    /// Some iterations of a loop.
    Loop {
        /// The record of the first.
        first: u64,
        /// How many.
        count: u64,
    },
    /// A condition that is evaluated on the device.
    Predicate {
        /// The record that it is about.
        record: u64,
    },
    /// Not at all, because of a condition that is known not to hold.
    Skipped,
}

/// A predicate in its place.
pub(super) struct Placed {
    /// The record that holds it.
    pub(super) record: u64,
    predicate: Predicate,
    /// The first step that does not depend on it; all steps do, if not set.
    end: Option<usize>,
}

/// Steps of a recording that share a submission.
#[derive(Default)]
pub(super) struct SpeculativeBatch {
    /// How each step is encoded.
    pub(super) encodings: Vec<StepEncoding>,
    /// What the records are before the batch runs.
    pub(super) records: Vec<LoopRecord>,
    pub(super) predicates: Vec<Placed>,
    /// How many dispatches depend on predicates.
    pub(super) dispatches: usize,
    /// How likely it is that not all loops end as predicted.
    doubt: f32,
    /// What it is expected to take, at most.
    expected: Duration,
}

impl SpeculativeBatch {
    /// Adds records, from an even one on. Returns the number of the first.
    pub(super) fn place(&mut self, records: &[LoopRecord]) -> u64 {
        let first = self.records.len();
        self.records.extend_from_slice(records);
        let end = self.records.len().next_multiple_of(2);
        self.records.resize(end, LoopRecord::default());
        first as u64
    }

    /// Adds a predicate about `iterations` records from `first` on. Steps up to `end` depend on it.
    pub(super) fn ask(
        &mut self,
        question: Question,
        (first, iterations): (u64, u64),
        end: Option<usize>,
    ) {
        let record = self.place(&[LoopRecord::default()]);
        let predicate = Predicate {
            question,
            first: first as u32,
            iterations: iterations as u32,
            close_from: self.records.len() as u32 / 2,
            close_end: 0,
        };
        self.predicates.push(Placed {
            record,
            predicate,
            end,
        });
    }

    /// The records of step `at` begin: predicates on which it does not depend end before it.
    pub(super) fn begin_step(&mut self, at: usize) {
        let end = self.records.len() as u32 / 2;
        let placed = self.predicates.iter_mut();
        for placed in placed.filter(|placed| placed.end == Some(at)) {
            placed.predicate.close_end = end;
        }
    }

    /// Ends all other predicates where the records end, and writes all of them down.
    pub(super) fn finish(&mut self) {
        let end = self.records.len() as u32 / 2;
        for placed in &mut self.predicates {
            if placed.predicate.close_end == 0 {
                placed.predicate.close_end = end;
            }
            self.records[placed.record as usize] = placed.predicate.record();
        }
    }

    /// Adds an expected time, if it fits. The first may be as long as it likes.
    pub(super) fn expect(&mut self, more: Duration) -> bool {
        let sum = self.expected.saturating_add(more);
        let fits = self.expected.is_zero() || sum <= AT_A_TIME;
        if fits {
            self.expected = sum;
        }
        fits
    }

    /// Whether so many further records and dispatches fit.
    pub(super) fn has_room(&self, records: u64, dispatches: u64) -> bool {
        self.records.len() as u64 + records + 4 <= CAPACITY
            && self.predicates.len() < MAX_PREDICATES
            && self.dispatches as u64 + dispatches <= MAX_DISPATCHES as u64
    }

    /// How likely it is that all loops end as predicted.
    pub(super) fn likelihood(&self) -> f32 {
        1.0 - self.doubt
    }

    /// A loop was added whose prediction is right with this likelihood.
    pub(super) fn rely_on(&mut self, confidence: f32) {
        self.doubt = 1.0 - (1.0 - self.doubt) * confidence;
    }

    /// Whether any work depends on a predicate.
    pub(super) fn is_speculative(&self) -> bool {
        self.dispatches > 0
    }
}
