//! Howard's policy iteration, as Algorithm 2 of Barnat, Bauch, Brim and Češka (2011).
//!
//! ```text
//! policy: the cheapest edge of each state
//! repeat
//!     p/q := the least value of a cycle of the policy graph
//!     lead the states that go to other cycles to this one
//!     value[s] := sum of q weight - p time along the policy from s to the least state of the cycle
//!     each state takes an edge s -> t that makes q weight - p time + value[t] least,
//!         if that is less than value[s]
//! until no state has changed its edge
//! ```
//!
//! It ends for the following reason. A step that changes edges makes p/q less or keeps it. An edge
//! changes only for a smaller sum, so a cycle with a changed edge has a sum below 0, and makes p/q
//! less. If a step keeps p/q, then no edge of the cycle has changed, and no other cycle has the
//! same value. So values are measured to the same state as before, no value becomes greater, and at
//! least one becomes less. At the end no edge u -> v has q weight - p time + value[v] < value[u],
//! and the sum of these inequalities along any cycle says that its value is at least p/q.

use crate::Error;
use crate::arc::Arc;
use crate::policy::Policy;
use crate::region::Region;
use crate::search::{Solution, Ticker};

/// Solves a component.
pub(crate) fn solve<A: Arc>(
    region: &Region<'_, A>,
    ticker: &Ticker<'_>,
) -> Result<Solution, Error> {
    go_on(region, Policy::cheapest(region), 0, ticker)
}

/// Solves a component, beginning with a policy after `iterations` others.
pub(crate) fn go_on<A: Arc>(
    region: &Region<'_, A>,
    mut policy: Policy<A>,
    mut iterations: u32,
    ticker: &Ticker<'_>,
) -> Result<Solution, Error> {
    let mut transposed = None;
    loop {
        ticker.check()?;
        iterations += 1;
        let best = policy.best_cycle(ticker)?;
        let scale = policy.evaluate(region, best, &mut transposed);
        ticker.check()?;
        if policy.improve(region, scale) == 0 {
            return Ok(Solution {
                weight: best.cycle.weight,
                time: best.cycle.time,
                arcs: policy.cycle(region, best.cycle.root),
                potentials: policy.values.iter().map(|value| -value).collect(),
                iterations,
            });
        }
    }
}
