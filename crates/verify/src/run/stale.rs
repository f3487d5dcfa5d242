//! The values that a relaxed atomic load may see.
//!
//! All writes to a word are in one order, and an invocation never goes back in this order: once it
//! has seen a write, it sees no earlier one (coherence). Writes that other invocations of its
//! workgroup saw before the last barrier count as seen. Apart from that, a load may see any write,
//! however old. An operation that reads and writes sees the last write.
//!
//! Writes are ordered by the time at which they are made. The memory model also allows that an
//! atomic store is ordered before an earlier store of another invocation; the interpreter does not
//! simulate this.

use super::races::{Stamp, WordMap, clear};

/// The writes to a word, and the number of them that each invocation has seen.
#[derive(Debug, Default)]
struct History {
    values: Vec<u32>,
    seen: Vec<(Stamp, usize)>,
}

impl History {
    /// Returns the first write that an invocation may see.
    fn floor(&self, who: Stamp) -> usize {
        let counts = |at: &Stamp| {
            at.invocation == who.invocation || at.group == who.group && at.epoch < who.epoch
        };
        let known = self.seen.iter().filter(|(at, _)| counts(at));
        known.map(|&(_, index)| index).max().unwrap_or(0)
    }

    fn see(&mut self, who: Stamp, index: usize) {
        let mut known = self.seen.iter_mut();
        match known.find(|(at, _)| at.invocation == who.invocation && at.epoch == who.epoch) {
            Some((_, known)) => *known = index.max(*known),
            None => self.seen.push((who, index)),
        }
    }
}

/// All words that were written atomically in a dispatch.
#[derive(Debug, Default)]
pub(super) struct Stale {
    words: WordMap<History>,
}

impl Stale {
    /// Clears the words, but keeps the memory.
    pub(super) fn clear(&mut self) {
        clear(&mut self.words);
    }

    /// Records a write that replaces `old`.
    pub(super) fn write(&mut self, word: u64, who: Stamp, old: u32, new: u32) {
        let history = self.words.entry(word).or_default();
        if history.values.is_empty() {
            history.values.push(old);
        }
        history.values.push(new);
        let last = history.values.len() - 1;
        history.see(who, last);
    }

    /// Returns the number of values that a load may see.
    pub(super) fn choices(&self, word: u64, who: Stamp) -> usize {
        self.words.get(&word).map_or(1, |history| {
            (history.values.len() - history.floor(who)).max(1)
        })
    }

    /// Returns the value of a load that sees the write `back` writes before the last one; `now` if
    /// nothing was written.
    pub(super) fn read(&mut self, word: u64, who: Stamp, back: usize, now: u32) -> u32 {
        let Some(history) = self.words.get_mut(&word) else {
            return now;
        };
        let index = history.values.len() - 1 - back;
        history.see(who, index);
        history.values[index]
    }
}
