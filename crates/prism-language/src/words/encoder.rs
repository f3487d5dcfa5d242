//! Writes the array.

use super::layout::{FIELD_BITS, VARIABLE_WORDS};
use super::unsuited::{TableBits, Unsuited};
use crate::ast::Span;
use crate::moves::Workspace;
use crate::program::Program;
use crate::rule::Rule;
use crate::variables::Field;

/// The largest number of words of an array.
const MAX: usize = 1 << 24;

/// Encodes the parts of a program, and appends them to an array.
pub(super) struct Encoder<'p> {
    pub(super) program: &'p Program,
    pub(super) bits: TableBits,
    pub(super) words: Vec<u32>,
    /// The number of entries of all tables so far.
    pub(super) entries: u64,
    /// The memory for computing the entries of tables.
    pub(super) space: Workspace,
    /// The position of each group.
    pub(super) groups: Vec<u32>,
    /// The maximal work for visiting all commands of a row of each group, and for taking a branch.
    pub(super) work: Vec<Work>,
}

/// The largest numbers of iterations of loops.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Work {
    pub(super) scan: u32,
    pub(super) branch: u32,
}

/// Returns a field as one word.
pub(super) fn descriptor(field: Field) -> u32 {
    let width = field.mask.count_ones();
    match width {
        0 => 0,
        _ => (u64::BITS * field.word + field.shift) | width << FIELD_BITS,
    }
}

impl<'p> Encoder<'p> {
    pub(super) fn new(program: &'p Program, bits: TableBits) -> Self {
        Self {
            program,
            bits,
            words: Vec::new(),
            entries: 0,
            space: Workspace::new(program),
            groups: Vec::new(),
            work: Vec::new(),
        }
    }

    /// Returns the array.
    pub(super) fn finish(self) -> Result<Vec<u32>, Unsuited> {
        self.check_size()?;
        Ok(self.words)
    }

    /// Checks that the array is not too large, so that positions remain small.
    pub(super) fn check_size(&self) -> Result<(), Unsuited> {
        match self.words.len() > MAX {
            true => Err(Unsuited::TooLarge),
            false => Ok(()),
        }
    }

    /// Returns the position of the next word.
    pub(super) fn here(&self) -> u32 {
        // `MAX` ensures that it is far below 2^32.
        self.words.len() as u32
    }

    /// Returns the position of a variable. Variables come first.
    pub(super) fn variable(slot: u16) -> u32 {
        VARIABLE_WORDS * u32::from(slot)
    }

    /// Returns the line of a place in the text.
    pub(super) fn line(&self, span: Span) -> u64 {
        let before = &self.program.text[..span.start()];
        before.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1
    }
}

/// Returns the groups that take part in a rule.
pub(super) fn parties(rule: &Rule) -> &[u32] {
    match rule {
        Rule::Alone(group) | Rule::Markovian(group) => std::slice::from_ref(group),
        Rule::Together(_, groups) => groups,
    }
}
