//! Formulas, and values that consist of them.
//!
//! A formula is written in SMT-LIB. Names that end in `@` are an invocation's own: the question has
//! them twice, once for each of the two invocations. Other names are common to all invocations.

use std::fmt::Write as _;

use naga::{GlobalVariable, Handle, LocalVariable};

/// What a formula is: a number of 32 bits, or a truth value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Bits,
    Bool,
}

impl Sort {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bits => "(_ BitVec 32)",
            Self::Bool => "Bool",
        }
    }
}

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) text: String,
    pub(super) sort: Sort,
}

impl Term {
    pub(super) fn number(value: u32) -> Self {
        Self {
            text: format!("#x{value:08x}"),
            sort: Sort::Bits,
        }
    }

    pub(super) fn truth(value: bool) -> Self {
        Self {
            text: value.to_string(),
            sort: Sort::Bool,
        }
    }

    /// The number that it is, if that is known.
    pub(super) fn as_number(&self) -> Option<u32> {
        u32::from_str_radix(self.text.strip_prefix("#x")?, 16).ok()
    }
}

/// Where a pointer leads.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pointer {
    pub(super) root: Root,
    /// Indices and members, from the outside in. `None` is an index that nothing is known of.
    pub(super) steps: Vec<Option<Term>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Root {
    /// A variable of a function, in one of its calls.
    Local(u32, Handle<LocalVariable>),
    Global(Handle<GlobalVariable>),
}

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Scalar(Term),
    /// Components or members.
    Parts(Vec<Value>),
    Pointer(Pointer),
    /// Anything.
    Unknown,
}

impl Value {
    pub(super) fn part(&self, index: usize) -> Self {
        match self {
            Self::Parts(parts) => parts.get(index).cloned().unwrap_or(Self::Unknown),
            _ => Self::Unknown,
        }
    }
}

/// What invocations differ in where two of them are told apart by a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// Nobody: it may be the same in several.
    Nobody,
    /// Different invocations have different ones.
    Invocation,
    /// Different workgroups have different ones.
    Workgroup,
}

/// All names, and what they stand for, in SMT-LIB.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Declarations of what invocations have in common.
    pub(super) common: String,
    /// Declarations and definitions of what each has, with `@` in the names.
    pub(super) own: String,
    /// The names of those numbers that tell invocations or workgroups apart.
    pub(super) owned: Vec<(String, Owner)>,
    count: u32,
}

impl Names {
    /// A new name, of which nothing is known but whose it is.
    pub(super) fn fresh(&mut self, sort: Sort, owner: Owner) -> Term {
        self.count += 1;
        let text = format!("v{}@", self.count);
        let _ = writeln!(self.own, "(declare-const {text} {})", sort.name());
        if owner != Owner::Nobody {
            self.owned.push((text.clone(), owner));
        }
        Term { text, sort }
    }

    /// A short name for a formula.
    pub(super) fn define(&mut self, text: &str, sort: Sort) -> Term {
        self.count += 1;
        let name = format!("v{}@", self.count);
        let _ = writeln!(self.own, "(define-fun {name} () {} {text})", sort.name());
        Term { text: name, sort }
    }

    /// A name that all invocations have in common.
    pub(super) fn shared(&mut self, name: &str, sort: Sort) -> Term {
        let declaration = format!("(declare-const {name} {})\n", sort.name());
        if !self.common.contains(&declaration) {
            self.common.push_str(&declaration);
        }
        Term {
            text: name.to_owned(),
            sort,
        }
    }

    /// What a buffer that nobody writes holds at an index.
    pub(super) fn constant(&mut self, buffer: &str, index: &Term) -> Term {
        let bits = Sort::Bits.name();
        let declaration = format!("(declare-fun {buffer} ({bits}) {bits})\n");
        if !self.common.contains(&declaration) {
            self.common.push_str(&declaration);
        }
        self.define(&format!("({buffer} {})", index.text), Sort::Bits)
    }

    /// Something that holds in any case.
    pub(super) fn assert_common(&mut self, text: &str) {
        let line = format!("(assert {text})\n");
        if !self.common.contains(&line) {
            self.common.push_str(&line);
        }
    }
}
