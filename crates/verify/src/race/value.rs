//! Formulas, and values that consist of formulas.
//!
//! A formula is written in SMT-LIB. Names that end in `@` belong to one invocation: the query
//! contains them twice, once for each of the two invocations. Other names are common to all
//! invocations.

use std::collections::BTreeSet;

use naga::{GlobalVariable, Handle, LocalVariable};

/// The sort of a formula: a 32-bit number or a truth value.
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

    /// Returns the number, if the formula is a known number.
    pub(super) fn as_number(&self) -> Option<u32> {
        u32::from_str_radix(self.text.strip_prefix("#x")?, 16).ok()
    }
}

/// The target of a pointer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pointer {
    pub(super) root: Root,
    /// Indices and members, from the outside in. `None` is an unknown index.
    pub(super) steps: Vec<Option<Term>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
    /// An unknown value.
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

/// The invocations for which the values of a name are known to be different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The value may be the same in several invocations.
    Nobody,
    /// Different invocations have different values.
    Invocation,
    /// Different workgroups have different values.
    Workgroup,
    /// Different invocations have different values, because they get them from the counters in a
    /// buffer.
    Ticket(Handle<GlobalVariable>),
}

/// All names and their definitions, in SMT-LIB.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The declarations that all invocations share.
    pub(super) common: String,
    /// The declarations and definitions for each invocation, with `@` in the names. That of `v3@`
    /// is the fourth.
    pub(super) own: Vec<String>,
    /// The names of the numbers that distinguish invocations or workgroups.
    pub(super) owned: Vec<(String, Owner)>,
    /// The buffers and indices of the read-only entries that the kernel reads.
    pub(super) reads: Vec<(String, Term)>,
}

impl Names {
    /// Returns a new name for an unknown value. `owner` says for which invocations its values
    /// differ.
    pub(super) fn fresh(&mut self, sort: Sort, owner: Owner) -> Term {
        let text = format!("v{}@", self.own.len());
        self.own
            .push(format!("(declare-const {text} {})", sort.name()));
        if owner != Owner::Nobody {
            self.owned.push((text.clone(), owner));
        }
        Term { text, sort }
    }

    /// Returns a short name for a formula.
    pub(super) fn define(&mut self, text: &str, sort: Sort) -> Term {
        let name = format!("v{}@", self.own.len());
        self.own
            .push(format!("(define-fun {name} () {} {text})", sort.name()));
        Term { text: name, sort }
    }

    /// Returns a name that all invocations share.
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

    /// Returns the element of a read-only buffer at an index that the kernel reads.
    pub(super) fn constant(&mut self, buffer: &str, index: &Term) -> Term {
        let read = (buffer.to_owned(), index.clone());
        if !self.reads.contains(&read) {
            self.reads.push(read);
        }
        let applied = self.applied(buffer, index);
        self.define(&applied.text, Sort::Bits)
    }

    /// Returns the element of a read-only buffer at an index.
    pub(super) fn applied(&mut self, buffer: &str, index: &Term) -> Term {
        let bits = Sort::Bits.name();
        let declaration = format!("(declare-fun {buffer} ({bits}) {bits})\n");
        if !self.common.contains(&declaration) {
            self.common.push_str(&declaration);
        }
        Term {
            text: format!("({buffer} {})", index.text),
            sort: Sort::Bits,
        }
    }

    /// Returns the length of the array in a buffer, whose elements have this many bytes.
    pub(super) fn length(&mut self, buffer: Handle<GlobalVariable>, stride: u32) -> Term {
        let length = self.shared(&format!("length{}", buffer.index()), Sort::Bits);
        let most = Term::number(u32::MAX / stride);
        self.assert_common(&format!("(bvule {} {})", length.text, most.text));
        // In WGSL, a buffer that is bound has at least one element.
        self.assert_common(&format!("(distinct {} #x00000000)", length.text));
        length
    }

    /// Adds an assertion that holds in any case.
    pub(super) fn assert_common(&mut self, text: &str) {
        let line = format!("(assert {text})\n");
        if !self.common.contains(&line) {
            self.common.push_str(&line);
        }
    }

    /// Returns the numbers of the names that some formulas need, directly or through others.
    pub(super) fn needed<'t>(&self, texts: impl Iterator<Item = &'t str>) -> BTreeSet<usize> {
        let mut todo: Vec<usize> = texts.flat_map(numbers_in).collect();
        let mut needed = BTreeSet::new();
        while let Some(next) = todo.pop() {
            if needed.insert(next) {
                todo.extend(numbers_in(&self.own[next]).filter(|other| *other != next));
            }
        }
        needed
    }
}

/// Returns the numbers of the names in a text.
pub(super) fn numbers_in(text: &str) -> impl Iterator<Item = usize> {
    let tokens = text.split([' ', '(', ')', '\n']);
    tokens.filter_map(|token| {
        token
            .strip_prefix('v')?
            .trim_end_matches(['@', 'a', 'b'])
            .parse()
            .ok()
    })
}
