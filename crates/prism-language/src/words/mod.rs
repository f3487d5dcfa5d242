//! The program as one array of 32-bit words, from which a device computes successors.

mod commands;
mod encoder;
mod functions;
mod layout;
mod unsuited;

use crate::code::Domain;
use crate::program::Program;
use crate::variables::{Field, Variable};
use encoder::Encoder;

pub use layout::LAYOUT;
pub use unsuited::{TableBits, Unsuited};

/// A program in one array of words. States are those of the program, with each of their 64-bit
/// words as two 32-bit words, the low one first.
///
/// All positions are indices of words in [`words`](Self::words). A *field* describes the place of a
/// variable in a state: its first bit and, after 8 bits, its width. Most functions of few variables
/// are tables; the others are instructions for a stack of 32-bit integers.
///
/// | part | its words |
/// | --- | --- |
/// | variable | its field; its least value |
/// | rule, from [`rules`](Self::rules) on | where the positions of its groups begin, and where they end |
/// | group | the field of the variable that selects commands, or none; where the rows begin |
/// | row of a group, by the offset of that variable from its least value | where the positions of its commands begin; those of the next row begin where they end |
/// | command | where the function of its guard is; where its branches begin; their number; where the function is that says which of them have a probability above 0, as a set of bits |
/// | branch | where the values begin that it writes, and their number; where the computed ones do, and their number |
/// | value | the word of a state; the bits that stay; the bits that are set |
/// | computed value | the field; its least and its greatest value; where the function is |
/// | function | its kind; for a table the number of fields, where it begins, and the fields; for instructions where they begin; for a sum the position of the variable, and what is added |
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordTables {
    /// The array.
    pub words: Vec<u32>,
    /// The number of words of a state, from 1 to 8.
    pub state_words: usize,
    /// The position of the rules.
    pub rules: u32,
    /// The number of rules.
    pub num_rules: u32,
    /// Whether each state has only one choice, as in a Markov chain.
    pub is_chain: bool,
    /// Whether every choice has one branch.
    pub is_plain: bool,
    /// The largest number of iterations of loops for finding the enabled commands in a state.
    pub scan_work: u32,
    /// The largest number of iterations for each of its successors.
    pub step_work: u32,
}

impl Program {
    /// Encodes the program as one array of 32-bit words.
    ///
    /// # Errors
    /// If the program cannot be encoded; see [`Unsuited`].
    pub fn word_tables(&self, bits: TableBits) -> Result<WordTables, Unsuited> {
        if self.rules.is_empty() {
            return Err(Unsuited::NoCommands);
        }
        if self.first_markovian < self.rules.len() {
            return Err(Unsuited::Markovian);
        }
        if self.model_type.has_intervals() {
            return Err(Unsuited::Intervals);
        }
        let state_words = self.state_words();
        let most = layout::MAX_STATE_WORDS as usize;
        if state_words > most {
            let words = state_words;
            return Err(Unsuited::States { words, most });
        }
        if let Some(variable) = self.variables.iter().find(|v| !is_narrow(v.domain)) {
            return Err(Unsuited::Variable {
                name: variable.name().to_owned(),
                is_bounded: variable.is_bounded(),
            });
        }
        let mut encoder = Encoder::new(self, bits);
        encoder.variables();
        encoder.groups()?;
        let rules = encoder.rules()?;
        let (scan_work, step_work) = encoder.work();
        let is_chain = !self.model_type.is_nondeterministic();
        let is_plain = self.commands.iter().all(|c| c.branches.len() == 1);
        Ok(WordTables {
            words: encoder.finish()?,
            state_words,
            rules,
            num_rules: self.rules.len() as u32,
            is_chain,
            is_plain: is_plain && !is_chain,
            scan_work,
            step_work,
        })
    }

    /// Returns the number of 32-bit words of a state. The upper half of the last 64-bit word may be
    /// unused.
    fn state_words(&self) -> usize {
        let last = self.words as u32 - 1;
        let is_upper = |variable: &Variable| {
            let Field { word, shift, .. } = variable.field;
            word == last && variable.bits() > 0 && shift + variable.bits() > u32::BITS
        };
        2 * self.words - usize::from(!self.variables.iter().any(is_upper))
    }
}

/// Returns whether the values of a variable, and their differences, are 32-bit integers, with one
/// more bit for sums.
fn is_narrow(domain: Domain) -> bool {
    const MAX: i64 = 1 << 29;
    domain.low >= -MAX && domain.high <= MAX
}
