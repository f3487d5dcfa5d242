//! The component that most of a graph is, if there is one: what a *pivot* reaches, and what of that
//! reaches the pivot.
//!
//! Both searches go by sweeps (see [`super::sweep`]). The backward one has no transpose: it asks
//! each state that is left whether it leads to one that is known to reach the pivot. It may be
//! given up on the way: the core that it has found by then is strongly connected, if not all of a
//! component.

use super::edges::Edges;
use super::forward::Forward;
use super::sweep::{Direction, sweep};
use super::threads;
use super::ticker::Ticker;
use crate::Error;
use mdp_graph::{SharedBits, descending};

/// The pivots that are tried.
const CANDIDATES: usize = 8;

/// A giant is at least this part of the states in question.
const SHARE: usize = 8;

/// A pivot that reaches no more states than these is passed over at once.
const FEW: usize = 1 << 12;

/// What a pivot reaches, the pivot included.
pub(super) struct Giant {
    /// Its edges lead nowhere else.
    pub(super) reached: SharedBits,
    pub(super) num_reached: usize,
    /// The states of `reached` that are known to reach the pivot.
    pub(super) core: SharedBits,
    pub(super) num_core: usize,
}

/// Looks for a giant among the `num_live` states that are not in `closed`; no edge leads there.
///
/// The last states are the first pivots: where states are numbered as they were found, they lie at
/// the end of most paths. They are reached from most states by few steps back, and search forward
/// is the cheaper one.
pub(super) fn find<E: Edges>(
    edges: &E,
    closed: &SharedBits,
    num_live: usize,
    ticker: &Ticker<'_>,
) -> Result<Option<Giant>, Error> {
    let num_states = closed.bound();
    let mut forward = Forward::new(edges, num_states);
    for candidate in (1..=CANDIDATES).rev() {
        let last = (num_states * candidate / CANDIDATES) as u32;
        let Some(pivot) = (0..last).rev().find(|&state| !closed.contains(state)) else {
            break;
        };
        // One state alone may have no edge to itself.
        if !forward.starts_well(pivot, FEW.min(num_live / SHARE).max(1)) {
            continue;
        }
        let complete = forward.run(ticker)?;
        let (reached, num_reached) = (forward.reached, forward.num_left);
        if !complete || num_reached < num_live / SHARE {
            return Ok(None);
        }
        let (core, num_core) = backward(edges, &reached, num_reached, pivot, ticker)?;
        return Ok(Some(Giant {
            reached,
            num_reached,
            core,
            num_core,
        }));
    }
    Ok(None)
}

/// The states of `reached` that reach the pivot, or those of them that are found quickly, and their
/// number.
fn backward<E: Edges>(
    edges: &E,
    reached: &SharedBits,
    num_reached: usize,
    pivot: u32,
    ticker: &Ticker<'_>,
) -> Result<(SharedBits, usize), Error> {
    let core = SharedBits::new(reached.bound());
    core.insert(pivot);
    let mut num_core = 1;
    let mut last = 0;
    // How much a sweep finds depends on which threads are ahead. So many sweeps of all threads take
    // as long as half a sweep of one thread, which is little beside a search of the graph: they
    // need not pay.
    let free = threads::useful() / 2;
    for sweeps in 1.. {
        let found = sweep(reached.num_words(), Direction::Descending, ticker, |word| {
            let rest = reached.word(word) & !core.word(word);
            let found = descending(word, rest)
                .filter(|&state| edges.lead_into(state, &core) && core.insert(state));
            found.count()
        })?;
        let rest = num_reached - num_core - found;
        num_core += found;
        let pays = match sweeps {
            _ if found == 0 => false,
            _ if sweeps <= free => true,
            // It is for the second sweep to find what leads to the first one's: much, or much more.
            1 => true,
            2 => num_core > num_reached / 256 || found > 16 * last,
            // More and more is found, or not much is left.
            _ => found > last / 2 * 3 || found > rest / 16,
        };
        if rest == 0 || !pays {
            break;
        }
        last = found;
    }
    Ok((core, num_core))
}
