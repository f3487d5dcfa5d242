//! The tables of a network as one array of 32-bit words, which kernels read.

use crate::encode::Dependent;
use crate::layout::{Field, fields};
use crate::network::Network;

/// The tables of a network in one array, as in section 3.1 of Wijs and Bošnački (2014).
///
/// All positions are indices of words in [`words`](Self::words).
///
/// | part | its words |
/// | --- | --- |
/// | field of a process, from [`fields`](Self::fields) on | which word of a state; the shift in it; the mask, shifted to bit 0; where the rows of the process begin (the paper's `ProcOffsets`) |
/// | row of a process's state (`StateOffsets`) | where its independent transitions begin; where its dependent ones do; the row after says where they end |
/// | independent transition (`TransArray`) | bit 0 is 0; the [label](Self::label_bits); the target, in a word of its own if [`entry_words`](Self::entry_words) is 2 |
/// | dependent transitions of one label (`TransArray`) | bit 0 is 1, above it the synchronisation label; the number of targets; the target or, if there are several, where they begin; where the rules begin of which the process is the first participant; where these end |
/// | rule, from which [`rule_words`](Self::rule_words) follow | the label of the system; a bit for each process, in words of 32 |
/// | from [`repeats`](Self::repeats) on | a bit for each label: whether two transitions of a state with it may have one target |
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordTables {
    /// The array.
    pub words: Vec<u32>,
    /// The number of processes.
    pub processes: u32,
    /// The position of the fields.
    pub fields: u32,
    /// The number of words of a rule.
    pub rule_words: u32,
    /// The position of the bits that say which labels may repeat.
    pub repeats: u32,
    /// Whether there is a label that may repeat.
    pub may_repeat: bool,
    /// The number of words of an independent transition, 1 or 2.
    pub entry_words: u32,
    /// The number of bits of the label of an independent transition.
    pub label_bits: u32,
    /// The initial state, word by word.
    pub initial: Vec<u32>,
}

/// The number of words of a field.
const FIELD_WORDS: usize = 4;

impl Network {
    /// Returns the tables as one array; `None` if positions in it do not fit into 32 bits.
    #[must_use]
    pub fn word_tables(&self) -> Option<WordTables> {
        self.tables_of(&self.fields, self.num_words())
    }

    /// As [`word_tables`](Self::word_tables), but uses only the lower `width` bits of each word of
    /// a state, so that states may have more words. Also `None` if the states of a process need
    /// more bits than that.
    #[must_use]
    pub fn word_tables_of(&self, width: u32) -> Option<WordTables> {
        let (fields, words) = fields(self.fields.iter().map(Field::num_states), width)?;
        self.tables_of(&fields, words)
    }

    fn tables_of(&self, fields: &[Field], state_words: usize) -> Option<WordTables> {
        let labels = self.labels().len() as u32;
        let label_bits = u32::BITS - labels.saturating_sub(1).leading_zeros();
        let most_states = fields.iter().map(Field::num_states).max();
        let target_bits = u32::BITS - most_states.unwrap_or(0).saturating_sub(1).leading_zeros();
        let entry_words = if 1 + label_bits + target_bits <= u32::BITS {
            1
        } else {
            2
        };
        let masks = self.tables.rules.words();
        let rules = FIELD_WORDS * fields.len();
        let repeats = rules + (1 + masks) * self.tables.rules.len();
        let mut tables = WordTables {
            words: Vec::new(),
            processes: fields.len() as u32,
            fields: 0,
            rule_words: 1 + masks as u32,
            repeats: u32::try_from(repeats).ok()?,
            may_repeat: self.tables.may_repeat.contains(&true),
            entry_words,
            label_bits: if entry_words == 1 {
                label_bits
            } else {
                u32::BITS - 1
            },
            initial: self.initial_words(fields, state_words),
        };
        // The rows come last; the fields have their positions.
        tables.words.resize(rules, 0);
        for rule in 0..self.tables.rules.len() {
            tables.words.push(self.tables.rules.label(rule));
            tables
                .words
                .extend_from_slice(self.tables.rules.masks(rule));
        }
        for labels in self.tables.may_repeat.chunks(32) {
            let bits = labels.iter().enumerate();
            let word = bits.fold(0, |word, (bit, &repeats)| word | u32::from(repeats) << bit);
            tables.words.push(word);
        }
        for (process, field) in fields.iter().enumerate() {
            self.push_process(process, field, rules, &mut tables)?;
        }
        u32::try_from(tables.words.len()).ok()?;
        Some(tables)
    }

    /// Returns the words of the initial state.
    pub(crate) fn initial_words(&self, fields: &[Field], state_words: usize) -> Vec<u32> {
        let mut words = vec![0; state_words];
        for (own, field) in self.fields.iter().zip(fields) {
            let (word, shift, _) = field.place();
            words[word as usize] |= own.get(self.initial_state()) << shift;
        }
        words
    }

    /// Writes the field of a process, and adds its rows, transitions and targets.
    fn push_process(
        &self,
        process: usize,
        field: &Field,
        rules: usize,
        tables: &mut WordTables,
    ) -> Option<()> {
        let rows = &self.tables.rows[process];
        let first_row = tables.words.len();
        let (word, shift, mask) = field.place();
        let own = [word, shift, mask, u32::try_from(first_row).ok()?];
        tables.words[FIELD_WORDS * process..][..FIELD_WORDS].copy_from_slice(&own);
        let num_rows = field.num_states() as usize + 1;
        tables.words.resize(first_row + 2 * num_rows, 0);
        for row in 0..num_rows {
            tables.words[first_row + 2 * row] = u32::try_from(tables.words.len()).ok()?;
            if row < field.num_states() as usize {
                for independent in rows.independent(row as u32) {
                    let label = independent.label << 1;
                    match tables.entry_words {
                        1 => {
                            let target = u64::from(independent.target) << (tables.label_bits + 1);
                            tables.words.push(label | target as u32);
                        }
                        _ => tables.words.extend([label, independent.target]),
                    }
                }
            }
        }
        // The independent transitions of all states come before the dependent ones.
        let mut runs = Vec::new();
        for row in 0..num_rows {
            tables.words[first_row + 2 * row + 1] = u32::try_from(tables.words.len()).ok()?;
            if row < field.num_states() as usize {
                for dependent in rows.dependent(row as u32) {
                    runs.push((tables.words.len(), *dependent));
                    tables.words.extend(self.dependent(dependent, rules));
                }
            }
        }
        for (at, dependent) in runs {
            let targets = rows.targets(dependent.targets);
            tables.words[at + 2] = match targets {
                [target] => *target,
                _ => u32::try_from(tables.words.len()).ok()?,
            };
            if targets.len() > 1 {
                tables.words.extend_from_slice(targets);
            }
        }
        Some(())
    }

    /// Returns the words of dependent transitions. The position of their targets is written later.
    fn dependent(&self, dependent: &Dependent, rules: usize) -> [u32; 5] {
        let rule_words = 1 + self.tables.rules.words();
        let own = dependent.rules.range();
        let position = |rule: usize| (rules + rule_words * rule) as u32;
        let targets = dependent.targets.range().len() as u32;
        let sync = dependent.sync << 1 | 1;
        [sync, targets, 0, position(own.start), position(own.end)]
    }
}
