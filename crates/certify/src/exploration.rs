//! Checks explorations, that is, the states that a system can reach, without a search.
//!
//! The packed states and the graph of an exploration are their own certificate: the graph gives the
//! numbers of the successors of each state, so the checker needs no hash table.

mod claim;
mod distinct;
mod expected;
mod numbers;
mod successor_check;
mod violation;

pub use claim::ClaimedExploration;
pub use successor_check::SuccessorCheck;
pub use violation::{ExplorationError, ExplorationViolation};

use crate::Observer;
use mdp_graph::StateId;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use successor_check::Scratch;
use violation::ExplorationViolation as Violation;

/// The number of states that are checked between two calls of the observer.
const REPORT: usize = 1 << 10;

/// The minimum number of states that a thread handles at a time, if no successors are computed.
const PIECE: usize = 1 << 14;

/// Checks that an exploration is right. `initial` contains the initial states of the system,
/// packed, in order and without duplicates. `successors` reports the choices of a packed state.
/// `scratch` makes the working memory of a thread.
///
/// - E1: the first states are the initial states, in order;
/// - E2: each state has the choices that the system reports, in order and with the same actions;
///   each choice leads to the reported targets, in the order in which they are first reported; the
///   claimed number of states has no choice, and if the policy requires it, these have self-loops;
/// - E3: each other state has an edge from a state with a smaller number;
/// - E4: no state has two numbers;
/// - E5: if states are numbered first in, first out, each state is found before all states with
///   larger numbers.
///
/// By E1 and E2, the states are closed under successors, and by E3 all of them can be reached. By
/// E4 and E2, the graph is that of the system, and E5 makes it the only one with these numbers. The
/// check computes the successors of each state once, on all threads of the current rayon pool.
///
/// # Errors
/// The violated obligation, with the smallest state that shows it; errors of the system;
/// [`ExplorationError::Cancelled`].
pub fn check_exploration<S, E: Send>(
    claim: &ClaimedExploration<'_>,
    initial: &[u64],
    scratch: impl Fn() -> S + Sync,
    successors: impl Fn(&mut S, &[u64], &mut SuccessorCheck<'_, '_>) -> Result<(), E> + Sync,
    observer: &dyn Observer,
) -> Result<(), ExplorationError<E>> {
    claim.check_form()?;
    claim.check_initial(initial)?;
    claim.check_numbers(observer)?;
    claim.check_distinct()?;
    if observer.is_cancelled() {
        return Err(ExplorationError::Cancelled);
    }
    claim.check_rows(&scratch, &successors, observer)
}

impl<'a> ClaimedExploration<'a> {
    /// Divides all states into pieces of at most `size` states.
    fn pieces(&self, size: usize) -> impl IndexedParallelIterator<Item = Range<u32>> + use<> {
        let n = self.num_states();
        let pieces = (0..n.div_ceil(size)).into_par_iter();
        pieces.map(move |piece| (piece * size) as u32..((piece + 1) * size).min(n) as u32)
    }

    /// Checks that the parts of the claim are about the same states.
    fn check_form(&self) -> Result<(), Violation> {
        let n = self.num_states();
        let states = self.states.len().checked_div(self.words).unwrap_or(0);
        if self.words == 0 || states != n || states * self.words != self.states.len() {
            return Err(Violation::OtherStates { graph: n, states });
        }
        let choices = self.graph.num_choices();
        match self.actions {
            Some(actions) if actions.len() != choices => Err(Violation::OtherActions {
                choices,
                actions: actions.len(),
            }),
            _ => Ok(()),
        }
    }

    /// Checks E1.
    fn check_initial(&self, initial: &[u64]) -> Result<(), Violation> {
        let claimed = self.num_initial;
        let count = initial.len() / self.words;
        if claimed != count || claimed > self.num_states() {
            return Err(Violation::NumInitial { claimed, count });
        }
        let mut pairs = initial
            .chunks(self.words)
            .zip(self.states.chunks(self.words));
        match pairs.position(|(initial, state)| initial != state) {
            Some(state) => Err(Violation::Initial {
                state: StateId::from_index(state),
            }),
            None => Ok(()),
        }
    }

    /// Checks E2.
    fn check_rows<S, E: Send>(
        &self,
        scratch: &(impl Fn() -> S + Sync),
        successors: &(impl Fn(&mut S, &[u64], &mut SuccessorCheck<'_, '_>) -> Result<(), E> + Sync),
        observer: &dyn Observer,
    ) -> Result<(), ExplorationError<E>> {
        let (done, deadlocks) = (AtomicU64::new(0), AtomicU64::new(0));
        let total = self.num_states() as u64;
        let begin = || (scratch(), Scratch::default());
        let check_states = |(scratch, own): &mut (S, Scratch<'a>), states: Range<u32>| {
            let count = u64::from(states.end - states.start);
            let mut without = 0;
            own.expected.begin(self.graph.branches_of(states.clone()));
            for state in states.map(StateId) {
                let mut check = SuccessorCheck::new(self, state, own, observer);
                let outcome = successors(scratch, self.key(state), &mut check);
                outcome.map_err(ExplorationError::System)?;
                if observer.is_cancelled() {
                    return Err(ExplorationError::Cancelled);
                }
                without += u64::from(check.finish()?);
            }
            deadlocks.fetch_add(without, Relaxed);
            observer.progress(done.fetch_add(count, Relaxed) + count, total);
            match observer.is_cancelled() {
                true => Err(ExplorationError::Cancelled),
                false => Ok(()),
            }
        };
        let pieces = self.pieces(REPORT).map_init(begin, check_states);
        pieces.find_map_first(Result::err).map_or(Ok(()), Err)?;
        let (claimed, count) = (self.deadlocks, deadlocks.into_inner());
        match claimed == count {
            true => Ok(()),
            false => Err(Violation::Deadlocks { claimed, count }.into()),
        }
    }
}
