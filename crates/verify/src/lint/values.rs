//! The uniformity of a value, component by component, and its reason.

use naga::{Span, TypeInner};

/// The invocations between which values may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Spread {
    /// The values are equal within a subgroup, but may differ between the subgroups of a workgroup.
    Subgroups,
    /// The values of any two invocations may differ.
    Invocations,
}

/// The reason why values may differ between invocations of a workgroup.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cause {
    pub(super) spread: Spread,
    /// The place at which the difference begins.
    pub(super) span: Span,
}

/// The reason why a value may differ; `None` if it is uniform.
pub(super) type Taint = Option<Cause>;

/// Returns the wider of two taints, or the first one if they are equally wide.
pub(super) fn join(a: Taint, b: Taint) -> Taint {
    match (a, b) {
        (Some(x), Some(y)) if y.spread > x.spread => b,
        (Some(_), _) => a,
        (None, _) => b,
    }
}

/// A value: a taint for each member of a structure or component of a vector, and a single one for
/// all other types.
#[derive(Clone, Debug)]
pub(super) struct Value(pub(super) Vec<Taint>);

impl Value {
    pub(super) fn uniform(parts: usize) -> Self {
        Self(vec![None; parts])
    }

    pub(super) fn all(parts: usize, taint: Taint) -> Self {
        Self(vec![taint; parts])
    }

    /// Returns the taint of the whole value.
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

    /// Joins another value of the same type. Returns whether this changed anything.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        let mut has_changed = false;
        for (part, &taint) in self.0.iter_mut().zip(&other.0) {
            let joined = join(*part, taint);
            has_changed |= spread(joined) != spread(*part);
            *part = joined;
        }
        has_changed
    }

    /// Returns the part that distinguishes the analyses of a function.
    pub(super) fn key(&self) -> Vec<Option<Spread>> {
        self.0.iter().map(|&taint| spread(taint)).collect()
    }
}

pub(super) fn spread(taint: Taint) -> Option<Spread> {
    taint.map(|cause| cause.spread)
}

/// Returns the number of parts of a value of this type that are distinguished.
pub(super) fn parts(inner: &TypeInner) -> usize {
    match inner {
        TypeInner::Struct { members, .. } => members.len(),
        TypeInner::Vector { size, .. } => *size as usize,
        _ => 1,
    }
}
