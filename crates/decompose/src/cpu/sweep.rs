//! Sweeps over the states ([`mdp_graph::sweep`]), which an observer can cancel.

use super::ticker::Ticker;
use crate::Error;
pub(super) use mdp_graph::sweep::Direction;

/// Calls `visit` with every word below `words`, and returns the sum of its results.
pub(super) fn sweep(
    words: usize,
    direction: Direction,
    ticker: &Ticker<'_>,
    visit: impl Fn(usize) -> usize + Sync,
) -> Result<usize, Error> {
    let sum = mdp_graph::sweep::sweep(words, direction, || ticker.is_cancelled(), visit);
    ticker.check()?;
    Ok(sum)
}
