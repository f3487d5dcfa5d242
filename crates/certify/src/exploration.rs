//! Checks explorations, that is, the states that a system can reach, without a search.
//!
//! The packed states and the graph of an exploration are their own certificate: the graph gives the
//! numbers of the successors of each state, so the checker needs no hash table.

mod claim;
mod successor_check;
mod violation;

pub use claim::ClaimedExploration;
pub use successor_check::SuccessorCheck;
pub use violation::{ExplorationError, ExplorationViolation};

use crate::Observer;
use mdp_graph::{SharedBits, StateId};
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
/// check computes the successors of each state once, and sorts one 64-bit number per state, on all
/// threads of the current rayon pool.
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

    /// Checks E3 and E5, which concern the graph alone.
    fn check_numbers<E>(&self, observer: &dyn Observer) -> Result<(), ExplorationError<E>> {
        let reached = SharedBits::new(self.num_states());
        self.pieces(PIECE).for_each(|piece| {
            for state in piece.map(StateId) {
                let later = self
                    .graph
                    .successors(state)
                    .iter()
                    .filter(|&&to| to > state);
                later.for_each(|to| {
                    reached.insert(to.0);
                });
            }
        });
        let unreached = self.pieces(PIECE).find_map_first(|mut piece| {
            piece.find(|&state| state as usize >= self.num_initial && !reached.contains(state))
        });
        if let Some(state) = unreached.map(StateId) {
            return Err(Violation::Unreached { state }.into());
        }
        if observer.is_cancelled() {
            return Err(ExplorationError::Cancelled);
        }
        match self.is_fifo {
            true => Ok(self.check_fifo()?),
            false => Ok(()),
        }
    }

    /// Checks E5: in the sequence of all targets, new states come in ascending order, without a
    /// gap.
    fn check_fifo(&self) -> Result<(), Violation> {
        let found = |piece: Range<u32>| {
            let targets = piece.flat_map(|state| self.graph.successors(StateId(state)));
            targets.map(|target| target.0 + 1).max().unwrap_or(0)
        };
        let mut known: Vec<u32> = self.pieces(PIECE).map(found).collect();
        // The number of states that are known before each piece.
        let mut before = self.num_initial as u32;
        for piece in &mut known {
            before = std::mem::replace(piece, before).max(before);
        }
        let wrong = self.pieces(PIECE).find_map_first(|piece| {
            let mut known = known[piece.start as usize / PIECE];
            piece
                .map(StateId)
                .find_map(|state| self.out_of_order(state, &mut known))
        });
        wrong.map_or(Ok(()), Err)
    }

    /// Returns the first violation of E5 among the targets of a state. `known` is the number of
    /// states that are found before, and is updated.
    fn out_of_order(&self, state: StateId, known: &mut u32) -> Option<Violation> {
        for &target in self.graph.successors(state) {
            if target.0 > *known {
                return Some(Violation::OutOfOrder {
                    state: target,
                    from: state,
                    smaller: StateId(*known),
                });
            }
            *known = (*known).max(target.0 + 1);
        }
        None
    }

    /// Checks E4: sorts the states by hashes, and compares states with equal hashes.
    fn check_distinct(&self) -> Result<(), Violation> {
        let states = self.states.par_chunks(self.words).with_min_len(PIECE);
        let number = |(state, key)| u64::from(hash(key)) << 32 | state as u64;
        let mut order: Vec<u64> = states.enumerate().map(number).collect();
        order.par_sort_unstable();
        let same = |a: &u64, b: &u64| a >> 32 == b >> 32;
        let repeated = |run: &[u64]| {
            if run.len() == 1 {
                return None;
            }
            let states = run.iter().map(|&number| StateId(number as u32));
            let mut states: Vec<StateId> = states.collect();
            states.sort_by_key(|&state| self.key(state));
            let pairs = states.windows(2).map(|pair| (pair[1], pair[0]));
            let equal = |pair: &(StateId, StateId)| self.key(pair.0) == self.key(pair.1);
            pairs.filter(equal).min()
        };
        match order.par_chunk_by(same).filter_map(repeated).min() {
            None => Ok(()),
            Some((state, first)) => Err(Violation::Twice { state, first }),
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

/// Hashes a packed state. Different states may have the same hash, which only takes time.
fn hash(key: &[u64]) -> u32 {
    let mix = |hash: u64, &word: &u64| {
        let mixed = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ mixed >> 32
    };
    let mixed = key.iter().fold(0, mix).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (mixed >> 32) as u32
}
