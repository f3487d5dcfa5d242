//! The steps of a network as tables, from which kernels compute successors in any order.

use crate::layout::Field;
use crate::network::Network;
use std::ops::Range;

/// The steps of a state, indexed by its bits.
///
/// A *group* is a range of bits of one word of a state, which contains the states of some
/// processes. A *row* lists, for one value of a group, the steps that the processes of the group
/// can take with this value, alone or with others. A step belongs to one process, which is its
/// first participant.
///
/// A step has a guard, which requires certain values of certain bits of the state. The step changes
/// the state by an exclusive or.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepTables {
    /// For each group: the index of the word, the shift in it, the mask after this shift to bit 0,
    /// and the first row.
    pub groups: Vec<[u32; 4]>,
    /// The index in `steps` of the first step of each row, followed by the number of steps.
    pub rows: Vec<u32>,
    /// For each step and each word of a state: a mask of the bits that the guard tests, without
    /// those of the group; their required values; and the bits that change. The last element is 0.
    pub steps: Vec<[u32; 4]>,
    /// The largest number of successors of a state.
    pub most_successors: u32,
    /// The initial state, word by word.
    pub initial: Vec<u32>,
    /// Whether no word of a state has all its bits set.
    pub leaves_free: bool,
}

/// The number of entries of `rows` and `steps` together that fit into the caches of a device.
const CACHED: usize = 1 << 13;

/// The largest number of entries.
const MAX: usize = 1 << 20;

/// The numbers of bits of a group that are tried, from the largest, as long as the tables are
/// small.
const BITS: [u32; 4] = [8, 6, 4, 0];

/// A step of a process in a state: for each word, the bits that the guard tests, their values, and
/// the bits that change, as in [`StepTables::steps`].
type Step = Vec<[u32; 4]>;

/// A group of processes.
struct Group {
    processes: Range<usize>,
    word: u32,
    shift: u32,
    bits: u32,
}

impl Group {
    /// Returns the mask of its bits in the word.
    fn mask(&self) -> u32 {
        (((1_u64 << self.bits) - 1) << self.shift) as u32
    }
}

impl Network {
    /// Returns the steps as tables; `None` if they are too large, or if two transitions of a state
    /// with the same label may have the same target, because steps are then not transitions.
    #[must_use]
    pub fn step_tables(&self) -> Option<StepTables> {
        if self.tables.may_repeat.contains(&true) {
            return None;
        }
        let steps = self.all_steps()?;
        let fitting = |&bits: &u32| self.grouped(&steps, bits, CACHED);
        let tables = BITS.iter().find_map(fitting);
        tables.or_else(|| self.grouped(&steps, 0, MAX))
    }

    /// Returns, for each process and each of its states, the steps of which the process is the
    /// first participant.
    fn all_steps(&self) -> Option<Vec<Vec<Vec<Step>>>> {
        let mut room = MAX;
        let processes = 0..self.fields.len();
        let of_process = |process: usize| {
            let states = 0..self.fields[process].num_states();
            let of_state = |state| self.steps_of(process, state, &mut room);
            states.map(of_state).collect()
        };
        processes.map(of_process).collect()
    }

    /// Returns the steps of which a process in a state is the first participant; `None` if there
    /// are too many.
    fn steps_of(&self, process: usize, state: u32, room: &mut usize) -> Option<Vec<Step>> {
        let rows = &self.tables.rows[process];
        let mut steps = Vec::new();
        *room = room.checked_sub(1)?;
        for independent in rows.independent(state) {
            *room = room.checked_sub(self.num_words())?;
            let mut step = vec![[0; 4]; self.num_words()];
            self.add_participant(&mut step, process, state, independent.target);
            steps.push(step);
        }
        for dependent in rows.dependent(state) {
            for rule in dependent.rules.range() {
                let empty = vec![[0; 4]; self.num_words()];
                let mut together = vec![empty];
                for other in self.tables.rules.participants(rule) {
                    let only = (other == process).then_some(state);
                    let ways = self.ways(other, only, dependent.sync);
                    *room = room.checked_sub(together.len() * ways.len() * self.num_words())?;
                    let extended = together.iter().flat_map(|step| {
                        ways.iter().map(|&(from, to)| {
                            let mut step = step.clone();
                            self.add_participant(&mut step, other, from, to);
                            step
                        })
                    });
                    together = extended.collect();
                }
                steps.append(&mut together);
            }
        }
        Some(steps)
    }

    /// Returns the transitions with which a process takes part in a synchronisation label, from one
    /// state or from all states.
    fn ways(&self, process: usize, only: Option<u32>, sync: u32) -> Vec<(u32, u32)> {
        let rows = &self.tables.rows[process];
        let states = match only {
            Some(state) => state..state + 1,
            None => 0..self.fields[process].num_states(),
        };
        let of_state = |state: u32| {
            let own = rows.dependent(state).iter().filter(|own| own.sync == sync);
            let targets = own.flat_map(|own| rows.targets(own.targets));
            targets.map(move |&target| (state, target))
        };
        states.flat_map(of_state).collect()
    }

    /// Adds a participant to a step: a process that changes its state from `from` to `to`.
    fn add_participant(&self, step: &mut Step, process: usize, from: u32, to: u32) {
        let (word, shift, mask) = self.fields[process].place();
        let [tested, value, change, _] = &mut step[word as usize];
        *tested |= mask << shift;
        *value |= from << shift;
        *change |= (from ^ to) << shift;
    }

    /// Returns the tables with groups of up to this many bits, or of one process each; `None` if
    /// they have more than `most` entries.
    fn grouped(&self, steps: &[Vec<Vec<Step>>], bits: u32, most: usize) -> Option<StepTables> {
        let groups = groups(&self.fields, bits);
        let words = self.num_words();
        let mut tables = StepTables {
            groups: Vec::new(),
            rows: Vec::new(),
            steps: Vec::new(),
            most_successors: 0,
            initial: self.initial_words(&self.fields, words),
            leaves_free: self.leaves_free(),
        };
        let mut most_successors = 0_usize;
        for group in &groups {
            let mask = (1_u64 << group.bits) - 1;
            let first_row = tables.rows.len() as u32;
            let own = [group.word, group.shift, mask as u32, first_row];
            tables.groups.push(own);
            let mut longest = 0;
            for value in 0..=mask {
                let first = tables.steps.len() / words;
                tables.rows.push(first as u32);
                self.push_row(
                    steps,
                    group,
                    (value as u32) << group.shift,
                    &mut tables.steps,
                );
                longest = longest.max(tables.steps.len() / words - first);
                if tables.rows.len() + tables.steps.len() > most {
                    return None;
                }
            }
            most_successors += longest;
        }
        tables.rows.push((tables.steps.len() / words) as u32);
        tables.most_successors = most_successors as u32;
        Some(tables)
    }

    /// Adds the row with the steps of the processes of a group whose bits have this value.
    fn push_row(
        &self,
        steps: &[Vec<Vec<Step>>],
        group: &Group,
        value: u32,
        row: &mut Vec<[u32; 4]>,
    ) {
        let mask = group.mask();
        for process in group.processes.clone() {
            let (_, shift, own) = self.fields[process].place();
            let state = (value >> shift) & own;
            // If the bits do not represent a state of the process, it has no steps.
            let of_state = steps[process].get(state as usize).into_iter().flatten();
            for step in of_state {
                let [tested, wanted, ..] = step[group.word as usize];
                if (wanted ^ value) & tested & mask != 0 {
                    continue;
                }
                let first = row.len();
                row.extend(step);
                let [tested, wanted, ..] = &mut row[first + group.word as usize];
                *tested &= !mask;
                *wanted &= !mask;
            }
        }
    }

    /// Returns whether no word of a state has all its bits set.
    fn leaves_free(&self) -> bool {
        let mut greatest = vec![0_u32; self.num_words()];
        for field in &self.fields {
            let (word, shift, _) = field.place();
            greatest[word as usize] |= (field.num_states() - 1) << shift;
        }
        !greatest.contains(&u32::MAX)
    }
}

/// Groups of adjacent fields in one word that have up to this many bits together, or of one field
/// each.
fn groups(fields: &[Field], most_bits: u32) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (process, field) in fields.iter().enumerate() {
        let (word, shift, mask) = field.place();
        let bits = mask.count_ones();
        let last = groups.last_mut();
        match last {
            // The fields of a word are adjacent.
            Some(last)
                if bits > 0
                    && last.bits > 0
                    && last.word == word
                    && last.bits + bits <= most_bits =>
            {
                last.bits += bits;
                last.processes.end = process + 1;
            }
            _ => groups.push(Group {
                processes: process..process + 1,
                word,
                shift,
                bits,
            }),
        }
    }
    groups
}
