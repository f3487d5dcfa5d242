//! The uniformity of a value, component by component, and the reason for it.

use naga::{Span, TypeInner};

/// Which invocations may see different values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Spread {
    /// The invocations of a subgroup see the same, those of a workgroup may not.
    Subgroups,
    /// Any two may differ.
    Invocations,
}

/// Why values may differ between invocations of a workgroup.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cause {
    pub(super) spread: Spread,
    /// Where the difference begins.
    pub(super) span: Span,
}

/// Whether, and why, something may differ.
pub(super) type Taint = Option<Cause>;

/// The wider of two, the first if both are alike.
pub(super) fn join(a: Taint, b: Taint) -> Taint {
    match (a, b) {
        (Some(x), Some(y)) if y.spread > x.spread => b,
        (Some(_), _) => a,
        (None, _) => b,
    }
}

/// A value: a taint for each member of a structure or component of a vector; one for all else.
#[derive(Clone, Debug)]
pub(super) struct Value(pub(super) Vec<Taint>);

impl Value {
    pub(super) fn uniform(parts: usize) -> Self {
        Self(vec![None; parts])
    }

    pub(super) fn all(parts: usize, taint: Taint) -> Self {
        Self(vec![taint; parts])
    }

    /// The taint of the whole.
    pub(super) fn taint(&self) -> Taint {
        self.0.iter().copied().fold(None, join)
    }

    /// Adds a taint to all parts.
    pub(super) fn tainted(mut self, taint: Taint) -> Self {
        for part in &mut self.0 {
            *part = join(*part, taint);
        }
        self
    }

    /// Joins another of the same type; whether that changed anything.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        let mut has_changed = false;
        for (part, &taint) in self.0.iter_mut().zip(&other.0) {
            let joined = join(*part, taint);
            has_changed |= spread(joined) != spread(*part);
            *part = joined;
        }
        has_changed
    }

    /// What tells one analysis of a function from another.
    pub(super) fn key(&self) -> Vec<Option<Spread>> {
        self.0.iter().map(|&taint| spread(taint)).collect()
    }
}

pub(super) fn spread(taint: Taint) -> Option<Spread> {
    taint.map(|cause| cause.spread)
}

/// How many parts of a value of this type are told apart.
pub(super) fn parts(inner: &TypeInner) -> usize {
    match inner {
        TypeInner::Struct { members, .. } => members.len(),
        TypeInner::Vector { size, .. } => *size as usize,
        _ => 1,
    }
}
