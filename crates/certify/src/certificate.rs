//! [`Certificate`]: the claims about an answer, and their meaning.

use crate::check::{self, Zeros};
use crate::observer::Silent;
use crate::{Error, Observer, Violation};
use mdp_graph::{Components, MdpGraph, StateId, Table};

/// A proof that a set of components is right: an order of all states, and a way back for each
/// state.
///
/// States are ordered by their *positions*; states with the same position are ordered by their
/// numbers. A *class* is a component, or a single state that is in no component. For the SCCs of a
/// graph
///
/// - S0: every state is in a component; if a component has several states, no other state has a
///   position between theirs;
/// - S1: every state except the first of its class has an edge from an earlier state of the class;
/// - S2: every state except the first of its class gets back to the first;
/// - S3: every edge that leaves a class leads to a later class.
///
/// For MECs, where a choice is *retained* if all its targets are in the class of its state,
///
/// - M1: if a component has several states, no other state has a position between theirs;
/// - M2: every state of a component has a retained choice;
/// - M3: S1 and S2 hold for the edges of retained choices alone;
/// - M4: no state outside all components has a choice whose only target is the state itself;
/// - O1: every choice that leaves its class has a target in a later class.
///
/// The number `back` proves that a state "gets back": the state has an edge within its class to a
/// state with a smaller `back`, or to a state with the same `back`, which is earlier if `back` is
/// 0, and later otherwise. Along such edges, `back` never grows. While it stays the same, the
/// states come later and later or, if it is 0, earlier and earlier. So these edges lead to the only
/// state without such an edge, the first.
///
/// Nothing in a certificate is trusted: any two arrays make a certificate, and
/// [`check`](Self::check) decides whether it is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    numbers: Numbers,
}

/// The position of each of the `n` states, which is at most `n`, and its number `back`. If bytes
/// are enough, they are used, because they may stay in a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Numbers {
    /// All positions are 0.
    Back(Table<u8>),
    Narrow {
        position: Table<u8>,
        back: Table<u8>,
    },
    Wide {
        position: Table<u32>,
        back: Table<u32>,
    },
}

impl Certificate {
    /// Makes a certificate from its arrays, the position and the number `back` of each state.
    /// [`check`](Self::check) judges it.
    pub fn from_parts(position: impl Into<Table<u32>>, back: impl Into<Table<u32>>) -> Self {
        let (position, back) = (position.into(), back.into());
        Self {
            numbers: Numbers::Wide { position, back },
        }
    }

    /// Returns the certificate with these numbers, all below 256.
    pub fn from_narrow_parts(position: impl Into<Table<u8>>, back: impl Into<Table<u8>>) -> Self {
        let (position, back) = (position.into(), back.into());
        Self {
            numbers: Numbers::Narrow { position, back },
        }
    }

    /// Returns the certificate with these numbers `back`, all below 256, and positions 0.
    pub(crate) fn from_back(back: impl Into<Table<u8>>) -> Self {
        Self {
            numbers: Numbers::Back(back.into()),
        }
    }

    /// Returns the position of a state in the order. States with the same position are ordered by
    /// their numbers.
    ///
    /// # Panics
    /// Panics if there is no such state.
    pub fn position(&self, state: StateId) -> u32 {
        match &self.numbers {
            Numbers::Back(_) => 0,
            Numbers::Narrow { position, .. } => position[state.index()].into(),
            Numbers::Wide { position, .. } => position[state.index()],
        }
    }

    /// Returns the number `back` of a state. It has no meaning in a class of one state.
    ///
    /// # Panics
    /// Panics if there is no such state.
    pub fn back(&self, state: StateId) -> u32 {
        match &self.numbers {
            Numbers::Back(back) | Numbers::Narrow { back, .. } => back[state.index()].into(),
            Numbers::Wide { back, .. } => back[state.index()],
        }
    }

    /// Checks whether this proves that `components` are the strongly connected or the maximal end
    /// components of `graph`, depending on their kind. This takes O(n + m) time on all threads of
    /// the current rayon pool, one bit per state for each thread, and 12 bytes per component.
    ///
    /// Bottom components are accepted only if all components are bottom components. Otherwise,
    /// certify all components, and see [`check_bottom`](crate::check_bottom).
    ///
    /// # Errors
    /// The violated obligation. If several states violate obligations, it is that of the smallest
    /// state.
    pub fn check(&self, graph: &MdpGraph, components: &Components) -> Result<(), Violation> {
        let checked = self.check_observed(graph, components, &Silent);
        checked.map_err(Error::into_violation)
    }

    /// Like [`check`](Self::check), with an observer.
    ///
    /// # Errors
    /// As [`check`](Self::check); [`Error::Cancelled`] if the observer cancels the check.
    pub fn check_observed(
        &self,
        graph: &MdpGraph,
        components: &Components,
        observer: &dyn Observer,
    ) -> Result<(), Error> {
        match &self.numbers {
            Numbers::Back(back) => {
                check::check(graph, components, observer, &Zeros(back.len()), &**back)
            }
            Numbers::Narrow { position, back } => {
                check::check(graph, components, observer, &**position, &**back)
            }
            Numbers::Wide { position, back } => {
                check::check(graph, components, observer, &**position, &**back)
            }
        }
    }
}
