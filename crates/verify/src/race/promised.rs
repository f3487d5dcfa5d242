//! The promises of hosts ([`gpu::Promise`]), as formulas.
//!
//! Promises about the entries of an array are instantiated for the indices at which the kernel
//! reads it, in both invocations.

use std::fmt::Write as _;

use gpu::{Atom, Comparison, Entries, Promise, PromiseKind, Relation, Sum};
use naga::{GlobalVariable, Handle, TypeInner};

use super::value::{Names, Sort, Term};
use crate::Program;

/// The number of bits in which sums do not overflow: a promise has few terms, each of which is less
/// than 2^38.
const WIDTH: u32 = 44;

/// Returns the usable promises of a kernel, as assertions about the invocations `a` and `b`.
pub(super) fn assertions(program: &Program, names: &mut Names) -> String {
    let mut text = String::new();
    for promise in program.host_promises() {
        match promise.kind {
            PromiseKind::Assume(comparison) => {
                if let Some(formula) = compared(program, names, &comparison) {
                    let _ = writeln!(text, "(assert {formula})");
                }
            }
            PromiseKind::Ascending(entries) => {
                pairs(program, names, &entries, &mut text, |x, y| {
                    let (first, second) = (&x.index, &y.index);
                    let (low, high) = (&x.value, &y.value);
                    format!("(=> (bvule {first} {second}) (bvule {low} {high}))")
                });
            }
            PromiseKind::Distinct(entries) => {
                pairs(program, names, &entries, &mut text, |x, y| {
                    let (first, second) = (&x.index, &y.index);
                    let (one, other) = (&x.value, &y.value);
                    format!("(=> (= {one} {other}) (= {first} {second}))")
                });
            }
            // This promise is used where `atomicAdd` is evaluated.
            PromiseKind::Tickets(_) => {}
        }
    }
    text
}

impl Program {
    /// Returns the promises of the host in the kernel. Lines that are not valid are compile errors.
    pub(crate) fn host_promises(&self) -> Vec<Promise> {
        let lines = self.text().lines();
        lines
            .filter_map(Promise::read)
            .filter_map(Result::ok)
            .collect()
    }

    /// Returns whether the host promises that no result of `atomicAdd` on a buffer occurs twice.
    pub(crate) fn promises_tickets(&self, buffer: &str) -> bool {
        let promises = self.host_promises();
        promises
            .iter()
            .any(|one| matches!(&one.kind, PromiseKind::Tickets(name) if name == buffer))
    }

    /// Returns the global variable with this name.
    fn named(&self, name: &str) -> Option<Handle<GlobalVariable>> {
        let mut variables = self.module.global_variables.iter();
        let is_it = |one: &(_, &GlobalVariable)| one.1.name.as_deref() == Some(name);
        variables.find(is_it).map(|(handle, _)| handle)
    }
}

/// Returns a comparison as a formula, if all of its terms keep their values.
fn compared(program: &Program, names: &mut Names, comparison: &Comparison) -> Option<String> {
    let left = sum(program, names, &comparison.left)?;
    let right = sum(program, names, &comparison.right)?;
    Some(relation(comparison.relation, &left, &right))
}

fn relation(relation: Relation, left: &str, right: &str) -> String {
    let name = match relation {
        Relation::Less => "bvslt",
        Relation::LessEqual => "bvsle",
        Relation::Greater => "bvsgt",
        Relation::GreaterEqual => "bvsge",
        Relation::Equal => "=",
    };
    format!("({name} {left} {right})")
}

/// Returns a sum with so many bits that it does not overflow, if all of its terms keep their
/// values.
fn sum(program: &Program, names: &mut Names, sum: &Sum) -> Option<String> {
    let mut terms = Vec::new();
    for (times, atom) in &sum.0 {
        terms.push(match (times, atom) {
            (_, None) => number(*times),
            (1, Some(atom)) => wide(&self::atom(program, names, atom)?.text),
            (_, Some(atom)) => {
                let term = wide(&self::atom(program, names, atom)?.text);
                format!("(bvmul {} {term})", number(*times))
            }
        });
    }
    let first = terms.remove(0);
    let rest = terms.iter();
    Some(rest.fold(first, |all, term| format!("(bvadd {all} {term})")))
}

/// Returns a number with the width of sums.
fn number(number: i64) -> String {
    let digits = format!("{number:016x}");
    format!("#x{}", &digits[digits.len() - WIDTH as usize / 4..])
}

/// Extends a word to the width of sums.
fn wide(term: &str) -> String {
    format!("((_ zero_extend {}) {term})", WIDTH - 32)
}

/// Returns the value of a part of a sum, if it is a word, and keeps its value.
fn atom(program: &Program, names: &mut Names, atom: &Atom) -> Option<Term> {
    match atom {
        Atom::Groups(axis) => Some(names.shared(["cx", "cy", "cz"][*axis], Sort::Bits)),
        Atom::Length(name) => {
            let buffer = program.named(name)?;
            let stride = program.stride(buffer)?;
            Some(names.length(buffer, stride))
        }
        Atom::Word(name, path) => {
            let buffer = program.named(name)?;
            let is_constant = program.is_constant(buffer);
            let mut symbol = format!("buffer{}", buffer.index());
            let types = &program.module.types;
            let inner = &types[program.module.global_variables[buffer].ty].inner;
            match (inner, &path[..]) {
                _ if !is_constant => None,
                (TypeInner::Array { .. }, [index]) => {
                    let index = Term::number(index.parse().ok()?);
                    Some(names.applied(&symbol, &index))
                }
                (TypeInner::Struct { members, .. }, [member]) => {
                    let is_it = |one: &naga::StructMember| one.name.as_ref() == Some(member);
                    symbol += &format!("_{}", members.iter().position(is_it)?);
                    Some(names.shared(&symbol, Sort::Bits))
                }
                (TypeInner::Scalar(_), []) => Some(names.shared(&symbol, Sort::Bits)),
                _ => None,
            }
        }
    }
}

/// An entry of an array at an index that the kernel reads.
struct Entry {
    index: String,
    value: String,
    /// The condition that the promise is about this entry.
    is_meant: String,
}

/// Adds assertions about all pairs of entries that the kernel reads.
fn pairs(
    program: &Program,
    names: &mut Names,
    entries: &Entries,
    text: &mut String,
    state: impl Fn(&Entry, &Entry) -> String,
) {
    let Some(read) = entries_read(program, names, entries) else {
        return;
    };
    for x in &read {
        for y in &read {
            let meant = format!("(and {} {})", x.is_meant, y.is_meant);
            let _ = writeln!(text, "(assert (=> {meant} {}))", state(x, y));
        }
    }
}

/// Returns the entries of a promise that the two invocations read. `None` if the array may change,
/// or if the promise refers to something that may.
fn entries_read(program: &Program, names: &mut Names, entries: &Entries) -> Option<Vec<Entry>> {
    let buffer = program.named(&entries.array)?;
    if !program.is_constant(buffer) {
        return None;
    }
    let symbol = symbol(program, buffer, entries.member.as_ref())?;
    let from = entries.from.as_ref();
    let from = from.map(|from| sum(program, names, from));
    let below = entries.below.as_ref();
    let below = below.map(|below| sum(program, names, below));
    let indices = names.reads.iter().filter(|(name, _)| *name == symbol);
    let indices: Vec<Term> = indices.map(|(_, index)| index.clone()).collect();
    let mut read = Vec::new();
    for index in indices {
        let mut meant = vec!["true".to_owned()];
        if let Some(from) = &from {
            meant.push(relation(
                Relation::LessEqual,
                from.as_ref()?,
                &wide(&index.text),
            ));
        }
        if let Some(below) = &below {
            meant.push(relation(
                Relation::Less,
                &wide(&index.text),
                below.as_ref()?,
            ));
        }
        if let Some((array, how, limit)) = &entries.only {
            let other = program
                .named(array)
                .filter(|&one| program.is_constant(one))?;
            let other = names.applied(&format!("buffer{}", other.index()), &index);
            let limit = sum(program, names, limit)?;
            meant.push(relation(*how, &wide(&other.text), &limit));
        }
        for which in ["a", "b"] {
            let own = |text: &str| text.replace('@', which);
            read.push(Entry {
                index: own(&index.text),
                value: format!("({symbol} {})", own(&index.text)),
                is_meant: own(&format!("(and {})", meant.join(" "))),
            });
        }
    }
    Some(read)
}

/// Returns the name of the function that returns the entries of an array, or a member of them.
fn symbol(
    program: &Program,
    buffer: Handle<GlobalVariable>,
    member: Option<&String>,
) -> Option<String> {
    let symbol = format!("buffer{}", buffer.index());
    let Some(member) = member else {
        return Some(symbol);
    };
    let ty = program.module.global_variables[buffer].ty;
    let TypeInner::Array { base, .. } = program.module.types[ty].inner else {
        return None;
    };
    let at = match &program.module.types[base].inner {
        TypeInner::Struct { members, .. } => {
            let is_it = |one: &naga::StructMember| one.name.as_ref() == Some(member);
            members.iter().position(is_it)
        }
        _ => ["x", "y", "z", "w"].iter().position(|one| one == member),
    };
    Some(format!("{symbol}_{}", at?))
}
