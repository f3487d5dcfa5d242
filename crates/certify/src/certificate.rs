//! [`Certificate`]: the claims about an answer, and their meaning.

use crate::check::{self, Same};
use crate::observer::Silent;
use crate::{Error, Observer, Violation};
use mdp_graph::{Components, MdpGraph, StateId, Table};

/// Why a set of components is right: an order of all states, and for each a way back.
///
/// States are ordered by their *positions*, and by their numbers where these are the same. A
/// *class* is a component, or a state that is in none, alone. For the SCCs of a graph
///
/// - S0: every state is in a component, and between the positions of a component of several states
///   there is none of another state;
/// - S1: every state but the first of its class has an edge from an earlier state of the class;
/// - S2: every state but the first of its class gets back to that;
/// - S3: every edge that leaves a class leads to a later one.
///
/// For MECs, where a choice is *retained* if all its targets are in the class of its state,
///
/// - M1: between the positions of a component of several states there is none of another state;
/// - M2: every state of a component has a retained choice;
/// - M3: S1 and S2 hold for the edges of retained choices alone;
/// - M4: no state that is in no component has a choice whose only target is itself;
/// - O1: every choice that leaves its class has a target in a later class.
///
/// "Gets back" is shown by a number, `back`: the state has an edge within its class to a state with
/// a smaller `back`, or to one with the same, which is earlier if that is 0, and else later.
/// Following such edges, `back` never grows, and while it stays the same, states come later, or at
/// last earlier: so they lead to the one state that has no such edge, the first.
///
/// Nothing here is trusted: any two arrays make a certificate, and [`check`](Self::check) decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    numbers: Numbers,
}

/// For each of the `n` states its position, at most `n`, and how soon it gets back to the first one
/// of its class. Bytes, where they are enough, stay in a cache that is too small for more.
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
    /// A certificate from its arrays, which [`check`](Self::check) will judge: for each state its
    /// position, and how soon it gets back.
    pub fn from_parts(position: impl Into<Table<u32>>, back: impl Into<Table<u32>>) -> Self {
        let (position, back) = (position.into(), back.into());
        Self {
            numbers: Numbers::Wide { position, back },
        }
    }

    /// The same, of small numbers.
    pub fn from_narrow_parts(position: impl Into<Table<u8>>, back: impl Into<Table<u8>>) -> Self {
        let (position, back) = (position.into(), back.into());
        Self {
            numbers: Numbers::Narrow { position, back },
        }
    }

    /// The same, of small numbers, where all positions are 0.
    pub fn from_back(back: impl Into<Table<u8>>) -> Self {
        Self {
            numbers: Numbers::Back(back.into()),
        }
    }

    /// The position of a state in the order; states with the same one are ordered by their numbers.
    ///
    /// # Panics
    /// Panics if there is none.
    pub fn position(&self, state: StateId) -> u32 {
        match &self.numbers {
            Numbers::Back(_) => 0,
            Numbers::Narrow { position, .. } => position[state.index()].into(),
            Numbers::Wide { position, .. } => position[state.index()],
        }
    }

    /// How soon a state gets back to the first one of its class; no matter what for a class of one.
    ///
    /// # Panics
    /// Panics if there is no such number.
    pub fn back(&self, state: StateId) -> u32 {
        match &self.numbers {
            Numbers::Back(back) | Numbers::Narrow { back, .. } => back[state.index()].into(),
            Numbers::Wide { back, .. } => back[state.index()],
        }
    }

    /// Whether this shows that `components` are the strongly connected or the maximal end
    /// components of `graph`, as their kind says. O(n + m) time on all threads of the current
    /// rayon pool, which each take a bit a state, and 12 bytes a component.
    ///
    /// Bottom components are accepted only where all components are such: else certify all, and see
    /// [`check_bottom`](crate::check_bottom).
    ///
    /// # Errors
    /// The violated obligation: of those of single states, the one of the smallest state.
    pub fn check(&self, graph: &MdpGraph, components: &Components) -> Result<(), Violation> {
        let checked = self.check_observed(graph, components, &Silent);
        checked.map_err(Error::into_violation)
    }

    /// Like [`check`](Self::check), with an observer.
    ///
    /// # Errors
    /// The same, and [`Error::Cancelled`], if the observer says so.
    pub fn check_observed(
        &self,
        graph: &MdpGraph,
        components: &Components,
        observer: &dyn Observer,
    ) -> Result<(), Error> {
        match &self.numbers {
            Numbers::Back(back) => {
                check::check(graph, components, observer, &Same(back.len()), &**back)
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
