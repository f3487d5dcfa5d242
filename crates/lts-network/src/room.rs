//! The number of rules that a network may have, and the memory that they may take.

use crate::error::CompileError;

/// The largest number of rules.
pub(crate) const MAX_RULES: usize = 1 << 22;

/// The memory that a rule needs while it is compiled, in bytes, without its participants: itself,
/// its places in the sets and lists in which equal rules are found and rules are sorted, and its
/// synchronisation label.
const RULE_BYTES: u64 = 160;

/// The memory that a participant of a rule needs: its label, and its places in the list of its own
/// rules and in the set of participants.
const PART_BYTES: u64 = 13;

/// The memory that the tables need when a transition of a process takes part in a rule.
const PARTICIPATION_BYTES: u64 = 40;

/// What rules have taken of the number and the memory that they may take. It is taken before they
/// are made.
pub(crate) struct Room {
    rules: usize,
    bytes: u64,
    /// The memory that may be taken, in bytes.
    memory: u64,
}

impl Room {
    pub(crate) fn new(memory: u64) -> Self {
        Self {
            rules: 0,
            bytes: 0,
            memory,
        }
    }

    /// Takes the room of as many rules, which have this many participants together.
    pub(crate) fn take<E>(
        &mut self,
        rules: Option<usize>,
        parts: u64,
    ) -> Result<(), CompileError<E>> {
        let total = rules.and_then(|rules| self.rules.checked_add(rules));
        let Some(total) = total.filter(|&total| total <= MAX_RULES) else {
            return Err(CompileError::TooManyRules { limit: MAX_RULES });
        };
        let new = (total - self.rules) as u64 * RULE_BYTES;
        self.rules = total;
        self.bytes = self.bytes.saturating_add(new);
        self.bytes = self.bytes.saturating_add(parts.saturating_mul(PART_BYTES));
        match self.bytes <= self.memory {
            true => Ok(()),
            false => Err(self.memory_error()),
        }
    }

    /// Gives back the room of rules that are no longer needed, which have this many participants
    /// together.
    pub(crate) fn give_back(&mut self, rules: usize, parts: u64) {
        self.rules -= rules;
        self.bytes -= rules as u64 * RULE_BYTES + parts * PART_BYTES;
    }

    /// Returns how many times transitions of processes may take part in rules, for the memory that
    /// remains.
    pub(crate) fn participations(&self) -> usize {
        let remaining = (self.memory - self.bytes) / PARTICIPATION_BYTES;
        usize::try_from(remaining).unwrap_or(usize::MAX)
    }

    /// Returns the error that says that the memory does not suffice.
    pub(crate) fn memory_error<E>(&self) -> CompileError<E> {
        CompileError::TooMuchMemory {
            rules: self.rules,
            limit: self.memory,
        }
    }
}
