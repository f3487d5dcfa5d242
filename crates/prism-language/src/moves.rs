//! Caches the effects of the commands of a bundle, which are computed once for each key.
//!
//! A thread has a [`Memory`] for each bundle. An *entry* is the result for one key: for each group
//! of the bundle its *moves*, one for each enabled command, and for each move its branches, each
//! with a weight and the values that it writes. An entry is computed independently of the other
//! modules. Therefore it also contains failed computations, as branches that return the error when
//! they are taken.
//!
//! A memory is small, so that it fits the cache of a core, and is cleared when it is full. If it
//! had few hits until then, or if there is no memory for it, it is switched off, and each entry is
//! computed when it is needed.

use crate::bundles::Bundle;
use crate::composition::ActionId;
use crate::program::Program;
use crate::stop::Stop;
use std::collections::TryReserveError;

/// The least ratio of hits to computed entries. If a full cache has fewer hits, it is switched off.
const WORTH: u64 = 4;

/// The change of a word by a branch: it becomes `word & keep | put`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change {
    pub(crate) keep: u64,
    pub(crate) put: u64,
}

impl Change {
    #[inline(always)]
    pub(crate) fn apply(self, word: u64) -> u64 {
        word & self.keep | self.put
    }
}

/// An enabled command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Move {
    /// The action of a step that consists of this command alone.
    pub(crate) action: Option<ActionId>,
    /// The index of its first branch.
    pub(crate) start: u32,
    pub(crate) end: u32,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    key: u64,
    entry: u32,
}

/// The entry of an unused slot.
const NONE: u32 = u32::MAX;

/// A cache of the moves of a bundle.
#[derive(Debug, Clone)]
pub(crate) struct Memory {
    /// Entries by key, with linear probing. At most half of the slots are used, and their number is
    /// a power of 2.
    slots: Vec<Slot>,
    shift: u32,
    num_entries: u32,
    /// For each entry one bit for each rule, in the words of the bundle. It is 0 if one of the
    /// bundle's groups takes part in the rule and has no move.
    allowed: Vec<u64>,
    /// For each entry, the end of the moves before it, and then the end of the moves of each group.
    move_ends: Vec<u32>,
    moves: Vec<Move>,
    /// The weight of each branch; not a number if the branch is a stop.
    weights: Vec<f64>,
    /// The changes of each word by each branch.
    changes: Vec<Change>,
    /// The branches that are stops, with the reasons.
    stops: Vec<(u32, Stop)>,

    /// The number of queries before the cache was last cleared.
    since: u64,
    is_given_up: bool,
    max_bytes: usize,
    largest: EntrySize,
}

/// The largest number of elements that one entry of a bundle can add to each table.
#[derive(Debug, Clone, Copy)]
struct EntrySize {
    allowed: usize,
    move_ends: usize,
    moves: usize,
    branches: usize,
    changes: usize,
}

impl EntrySize {
    /// Returns the maximum over all states of the size of a bundle's entry.
    fn largest(program: &Program, bundle: &Bundle) -> Self {
        let branches_of = |&command: &u32| program.commands[command as usize].branches.len();
        let (mut moves, mut branches) = (0, 0);
        for &group in &bundle.groups {
            // A group without enabled commands may still add a stop.
            let mut most = (1, 1);
            program.groups[group as usize].for_each_row(|row| {
                most.0 = row.len().max(most.0);
                most.1 = row.iter().map(branches_of).sum::<usize>().max(most.1);
            });
            moves += most.0;
            branches += most.1;
        }
        Self {
            allowed: bundle.words.len(),
            move_ends: bundle.groups.len() + 1,
            moves,
            branches,
            changes: branches * program.words,
        }
    }
}

impl Memory {
    /// Returns a cache that is cleared when it is larger than `max_bytes`.
    pub(crate) fn new(program: &Program, bundle: &Bundle, max_bytes: usize) -> Self {
        let largest = EntrySize::largest(program, bundle);
        Self::empty(bundle.key.is_none(), max_bytes, largest)
    }

    fn empty(is_given_up: bool, max_bytes: usize, largest: EntrySize) -> Self {
        let empty = Slot {
            key: 0,
            entry: NONE,
        };
        Self {
            slots: vec![empty; 2],
            shift: u64::BITS - 1,
            num_entries: 0,
            allowed: Vec::new(),
            move_ends: Vec::new(),
            moves: Vec::new(),
            weights: Vec::new(),
            changes: Vec::new(),
            stops: Vec::new(),
            since: 0,
            is_given_up,
            max_bytes,
            largest,
        }
    }

    /// Returns the size of the cache in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
            + (self.allowed.capacity() + self.weights.capacity()) * 8
            + self.move_ends.capacity() * 4
            + self.moves.capacity() * size_of::<Move>()
            + self.changes.capacity() * size_of::<Change>()
            + self.stops.capacity() * size_of::<(u32, Stop)>()
    }

    /// Returns whether entries are kept by their keys.
    #[inline(always)]
    pub(crate) fn remembers(&self) -> bool {
        !self.is_given_up
    }

    /// Returns the entry for a key.
    #[inline(always)]
    pub(crate) fn find(&self, key: u64) -> Option<u32> {
        let mut place = self.home(key);
        loop {
            let slot = self.slots[place];
            if slot.key == key && slot.entry != NONE {
                return Some(slot.entry);
            }
            if slot.entry == NONE {
                return None;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
    }

    /// Returns the bits of the rules that an entry permits, in `words` words.
    #[inline(always)]
    pub(crate) fn allowed(&self, entry: u32, words: usize) -> &[u64] {
        &self.allowed[entry as usize * words..][..words]
    }

    /// Returns the moves of the group with index `at`, of `groups` groups.
    #[inline(always)]
    pub(crate) fn moves(&self, entry: u32, at: u32, groups: usize) -> &[Move] {
        let (start, end) = self.move_range(entry, at, groups);
        &self.moves[start as usize..end as usize]
    }

    /// Returns the range of the moves of the group with index `at`, of `groups` groups.
    #[inline(always)]
    pub(crate) fn move_range(&self, entry: u32, at: u32, groups: usize) -> (u32, u32) {
        let ends = &self.move_ends[entry as usize * (groups + 1)..][..=groups];
        (ends[at as usize], ends[at as usize + 1])
    }

    /// Returns the move with this index.
    #[inline(always)]
    pub(crate) fn get(&self, index: u32) -> Move {
        self.moves[index as usize]
    }

    /// Returns the changes of each of `words` words by a branch.
    #[inline(always)]
    pub(crate) fn changes(&self, branch: u32, words: usize) -> &[Change] {
        &self.changes[branch as usize * words..][..words]
    }

    /// Returns the weight of a branch.
    ///
    /// # Errors
    /// If the branch is a stop.
    #[inline(always)]
    pub(crate) fn weight(&self, branch: u32) -> Result<f64, Stop> {
        let weight = self.weights[branch as usize];
        if weight.is_nan() {
            self.stop(branch)?;
        }
        Ok(weight)
    }

    /// Returns an error if a branch cannot be taken.
    #[cold]
    fn stop(&self, branch: u32) -> Result<(), Stop> {
        match self.stops.binary_search_by_key(&branch, |stop| stop.0) {
            Ok(index) => Err(self.stops[index].1),
            Err(_) => Ok(()),
        }
    }

    #[inline(always)]
    fn home(&self, key: u64) -> usize {
        // Digits of the golden ratio distribute keys that are close to each other.
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    /// Makes room for an entry. `asked` is the number of queries so far.
    fn begin_entry(&mut self, asked: u64) {
        let is_full = self.bytes() > self.max_bytes;
        if is_full && !self.is_given_up {
            let answered = asked - self.since;
            self.since = asked;
            if answered < WORTH * u64::from(self.num_entries) {
                self.give_up();
            }
            self.slots.fill(Slot {
                key: 0,
                entry: NONE,
            });
        }
        if is_full || self.is_given_up {
            self.num_entries = 0;
            self.allowed.clear();
            self.move_ends.clear();
            self.moves.clear();
            self.weights.clear();
            self.changes.clear();
            self.stops.clear();
        }
        if !self.is_given_up && self.reserve_entry().is_err() {
            self.give_up();
        }
    }

    /// Releases the memory. From now on there is only one entry at a time.
    fn give_up(&mut self) {
        *self = Self::empty(true, self.max_bytes, self.largest);
    }

    /// Reserves the memory that one more entry may need, so that adding it cannot fail.
    fn reserve_entry(&mut self) -> Result<(), TryReserveError> {
        let largest = self.largest;
        self.allowed.try_reserve(largest.allowed)?;
        self.move_ends.try_reserve(largest.move_ends)?;
        self.moves.try_reserve(largest.moves)?;
        self.weights.try_reserve(largest.branches)?;
        self.changes.try_reserve(largest.changes)?;
        self.stops.try_reserve(largest.branches)?;
        match self.slots.len() < 2 * (self.num_entries as usize + 1) {
            true => self.grow(),
            false => Ok(()),
        }
    }

    /// Ends the entry that is being made, and stores it under its key.
    fn end_entry(&mut self, key: Option<u64>) -> u32 {
        let entry = self.num_entries;
        self.num_entries += 1;
        if let Some(key) = key.filter(|_| !self.is_given_up) {
            self.insert(Slot { key, entry });
        }
        entry
    }

    /// Doubles the number of slots.
    fn grow(&mut self) -> Result<(), TryReserveError> {
        let size = self.slots.len() * 2;
        let empty = Slot {
            key: 0,
            entry: NONE,
        };
        let mut slots = Vec::new();
        slots.try_reserve_exact(size)?;
        slots.resize(size, empty);
        let old = std::mem::replace(&mut self.slots, slots);
        self.shift -= 1;
        for slot in old.into_iter().filter(|slot| slot.entry != NONE) {
            self.insert(slot);
        }
        Ok(())
    }

    fn insert(&mut self, slot: Slot) {
        let mut place = self.home(slot.key);
        while self.slots[place].entry != NONE {
            place = (place + 1) & (self.slots.len() - 1);
        }
        self.slots[place] = slot;
    }

    /// Adds a branch that returns an error when it is taken.
    fn push_stop(&mut self, stop: Stop, words: usize) {
        let branch = self.weights.len() as u32;
        self.stops.push((branch, stop));
        self.weights.push(f64::NAN);
        let len = self.changes.len() + words;
        self.changes.resize(len, Change { keep: 0, put: 0 });
    }
}

/// The memory for computing an entry.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    /// The values of the variables in a state, which is identified by the number of queries before
    /// it.
    pub(crate) values: Vec<i64>,
    pub(crate) unpacked: u64,
    pub(crate) stack: Vec<u64>,
    /// The enabled commands of a group.
    enabled: Vec<u32>,
}

impl Workspace {
    pub(crate) fn new(program: &Program) -> Self {
        Self {
            values: vec![0; program.variables.len()],
            unpacked: 0,
            stack: program.code.stack(),
            enabled: Vec::new(),
        }
    }
}

impl Program {
    /// Computes the moves of a bundle in `state`, and returns their entry. `asked` is the number of
    /// queries so far.
    #[cold]
    pub(crate) fn compute(
        &self,
        bundle: &Bundle,
        state: &[u64],
        memory: &mut Memory,
        space: &mut Workspace,
        asked: u64,
    ) -> u32 {
        if space.unpacked != asked {
            self.unpack(state, &mut space.values);
            space.unpacked = asked;
        }
        memory.begin_entry(asked);
        let first_end = memory.move_ends.len();
        memory.move_ends.push(memory.moves.len() as u32);
        match &bundle.index {
            None => {
                for &group in &bundle.groups {
                    self.compute_group(group, memory, space);
                    memory.move_ends.push(memory.moves.len() as u32);
                }
            }
            Some((slot, groups)) => {
                for &at in groups.of(space.values[usize::from(*slot)]) {
                    // The groups before it have no moves.
                    let before = first_end + 1 + at as usize;
                    memory.move_ends.resize(before, memory.moves.len() as u32);
                    self.compute_group(bundle.groups[at as usize], memory, space);
                }
                let all = first_end + 1 + bundle.groups.len();
                memory.move_ends.resize(all, memory.moves.len() as u32);
            }
        }
        let first_word = memory.allowed.len();
        let words = first_word + bundle.words.len();
        memory.allowed.resize(words, u64::MAX);
        for &(rule, at) in &bundle.rules {
            let end = first_end + at as usize;
            if memory.move_ends[end] == memory.move_ends[end + 1] {
                let word = first_word + rule as usize / 64 - bundle.words.start;
                memory.allowed[word] &= !(1 << (rule % 64));
            }
        }
        let key = bundle.key.as_ref().map(|key| key.of(state));
        memory.end_entry(key)
    }

    /// Adds the moves of a group. If the enabled commands cannot be computed, the only move is a
    /// stop.
    fn compute_group(&self, group: u32, memory: &mut Memory, space: &mut Workspace) {
        let Workspace {
            values,
            stack,
            enabled,
            ..
        } = space;
        let start = memory.weights.len() as u32;
        if let Err(stop) = self.list_enabled(group, values, stack, enabled) {
            memory.push_stop(stop, self.words);
            let end = start + 1;
            let action = None;
            memory.moves.push(Move { action, start, end });
            return;
        }
        for &command in &*enabled {
            let start = memory.weights.len() as u32;
            self.compute_branches(command, values, stack, memory);
            memory.moves.push(Move {
                action: self.commands[command as usize].action,
                start,
                end: memory.weights.len() as u32,
            });
        }
    }

    /// Adds the branches of a command, up to the first one that cannot be computed.
    fn compute_branches(
        &self,
        command: u32,
        values: &[i64],
        stack: &mut [u64],
        memory: &mut Memory,
    ) {
        for branch in self.commands[command as usize].branches.clone() {
            let weight = match self.weight(branch, command, values, stack) {
                Ok(Some(weight)) => weight,
                Ok(None) => continue,
                Err(stop) => return memory.push_stop(stop, self.words),
            };
            let first = memory.changes.len();
            let nothing = Change {
                keep: u64::MAX,
                put: 0,
            };
            memory.changes.resize(first + self.words, nothing);
            let changes = &mut memory.changes[first..];
            match self.write(branch, command, values, stack, changes) {
                Ok(()) => memory.weights.push(weight),
                Err(stop) => {
                    memory.changes.truncate(first);
                    return memory.push_stop(stop, self.words);
                }
            }
        }
    }
}
