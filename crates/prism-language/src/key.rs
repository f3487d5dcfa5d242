//! Keys: the parts of a packed state that commands read, such that states with equal keys have
//! equal results.
//!
//! For most variables, a key has all bits. But if only tests and tables read a variable, such as
//! `p` in `p!=13 & p!=0`, the key only has to distinguish the values that these distinguish: the
//! values fall into *classes*. So keys are narrow, and many states share a key.

use crate::code::Seen;
use crate::ir::Slot;
use crate::variables::{Field, Variable};
use std::collections::{BTreeMap, HashMap};

/// If a variable has more values than this, keys contain all of its bits.
const MAX_VALUES: u64 = 256;

/// Keys up to this width, in bits, are narrow enough, so that classes are not used.
pub(crate) const NARROW: u32 = 12;

/// The parts of variables that are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reads(BTreeMap<Slot, Read>);

/// The part of a variable that is read.
#[derive(Debug, Clone, PartialEq)]
enum Read {
    All,
    /// The class of each value, in ascending order of the values. Classes are numbered in the order
    /// in which they occur.
    Classes(Vec<u8>),
}

impl Reads {
    /// Adds the part of a variable that code depends on.
    pub(crate) fn add(&mut self, slot: Slot, variable: &Variable, seen: Seen<'_>) {
        match seen {
            Seen::Value => self.add_all(slot),
            Seen::Test(set) => self.tell_apart(slot, variable, |value| set >> value & 1),
            Seen::Table(results) => self.tell_apart(slot, variable, |value| results[value]),
        }
    }

    /// Adds the whole value of a variable.
    pub(crate) fn add_all(&mut self, slot: Slot) {
        self.0.insert(slot, Read::All);
    }

    /// Adds the distinctions that a function makes between a variable's values, which are given as
    /// offsets from the least value.
    pub(crate) fn tell_apart<T: std::hash::Hash + Eq>(
        &mut self,
        slot: Slot,
        variable: &Variable,
        result: impl Fn(usize) -> T,
    ) {
        let Some(values) = variable.domain.values(MAX_VALUES) else {
            return self.add_all(slot);
        };
        let alike = || Read::Classes(vec![0; values.len()]);
        if let Read::Classes(classes) = self.0.entry(slot).or_insert_with(alike) {
            let mut finer = HashMap::new();
            for (value, class) in classes.iter_mut().enumerate() {
                // There are at most as many classes as values.
                let next = finer.len() as u8;
                *class = *finer.entry((*class, result(value))).or_insert(next);
            }
        }
    }

    /// Returns the parts of variables that at least one of the two reads.
    pub(crate) fn union(&self, other: &Self, variables: &[Variable]) -> Self {
        let mut union = self.clone();
        for (&slot, read) in &other.0 {
            match read {
                Read::All => union.add_all(slot),
                Read::Classes(classes) => {
                    union.tell_apart(slot, &variables[usize::from(slot)], |value| classes[value]);
                }
            }
        }
        union
    }

    /// Returns the width of the key, in bits.
    pub(crate) fn bits(&self, variables: &[Variable]) -> u32 {
        let bits = |(&slot, read): (&Slot, &Read)| read.bits(&variables[usize::from(slot)]);
        self.0.iter().map(bits).sum()
    }

    /// Returns the width of a key that contains all bits of every variable that is read.
    fn all_bits(&self, variables: &[Variable]) -> u32 {
        let slots = self.0.keys();
        slots.map(|&slot| variables[usize::from(slot)].bits()).sum()
    }
}

impl Read {
    fn bits(&self, variable: &Variable) -> u32 {
        match self {
            Self::All => variable.bits(),
            Self::Classes(classes) => {
                let last = classes.iter().copied().max().unwrap_or(0);
                u8::BITS - last.leading_zeros()
            }
        }
    }
}

/// The parts of a packed state that are read, in one word of 64 bits.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pieces: Vec<Piece>,
    classes: Vec<Classes>,
}

/// Some bits of a word.
#[derive(Debug, Clone, Copy)]
struct Piece {
    word: u32,
    mask: u64,
    /// The number of bits by which these are rotated to a free position.
    rotate: u32,
}

/// The class of a variable's value.
#[derive(Debug, Clone)]
struct Classes {
    field: Field,
    /// The class of each value, shifted to a free position.
    of: Vec<u64>,
}

impl Key {
    /// Returns the key for the parts that are read, if they fit.
    pub(crate) fn new(reads: &Reads, variables: &[Variable], words: usize) -> Option<Self> {
        let is_narrow = reads.all_bits(variables) <= NARROW;
        let mut masks = vec![0; words];
        let mut classed = Vec::new();
        for (&slot, read) in &reads.0 {
            let variable = &variables[usize::from(slot)];
            let field = variable.field;
            match read {
                Read::Classes(of) if !is_narrow && read.bits(variable) < variable.bits() => {
                    classed.push((field, of, read.bits(variable)));
                }
                _ => masks[field.word as usize] |= field.mask << field.shift,
            }
        }
        let mut taken = 0;
        let mut key = Self {
            pieces: Vec::new(),
            classes: Vec::new(),
        };
        for (word, &mask) in masks.iter().enumerate().filter(|(_, mask)| **mask != 0) {
            let rotate = place(mask, &mut taken)?;
            let word = word as u32;
            key.pieces.push(Piece { word, mask, rotate });
        }
        for (field, of, bits) in classed.into_iter().filter(|(.., bits)| *bits > 0) {
            let shift = place((1 << bits) - 1, &mut taken)?;
            let of = of.iter().map(|&class| u64::from(class).rotate_left(shift));
            let of = of.collect();
            key.classes.push(Classes { field, of });
        }
        Some(key)
    }

    #[inline(always)]
    pub(crate) fn of(&self, state: &[u64]) -> u64 {
        let bits = |piece: &Piece| {
            let bits = state[piece.word as usize] & piece.mask;
            bits.rotate_left(piece.rotate)
        };
        let bits = match &self.pieces[..] {
            [piece] => bits(piece),
            pieces => pieces.iter().map(bits).fold(0, |key, bits| key | bits),
        };
        let class = |classes: &Classes| classes.of[classes.field.get(state) as usize];
        self.classes
            .iter()
            .map(class)
            .fold(bits, |key, class| key | class)
    }
}

/// Returns the number of bits by which `bits` have to be rotated to a free position, which is then
/// in use.
fn place(bits: u64, taken: &mut u64) -> Option<u32> {
    let rotate = (0..u64::BITS).find(|&by| bits.rotate_left(by) & *taken == 0)?;
    *taken |= bits.rotate_left(rotate);
    Some(rotate)
}

#[cfg(test)]
mod tests;
