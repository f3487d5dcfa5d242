//! Lawler's binary search (section 2.4.2 of Barnat, Bauch, Brim and Češka, 2011), with an exact
//! end.
//!
//! Two values of cycles that differ do so by at least 1/M², where M is the most time that a simple
//! cycle may take. The search halves an interval of multiples of 1/(2 M²), with the optimal value
//! in it, and the value of a known cycle at its upper end. When the interval is one step wide, that
//! cycle is optimal.

use crate::arc::Arc;
use crate::feasibility::{Verdict, feasible};
use crate::policy::{Cycle, Policy};
use crate::region::Region;
use crate::search::{Solution, Ticker};
use crate::{Error, Ratio};

/// Solves a component.
pub(crate) fn solve<A: Arc>(
    region: &Region<'_, A>,
    ticker: &Ticker<'_>,
) -> Result<Solution, Error> {
    let mut policy = Policy::cheapest(region);
    let mut cycle = policy.best_cycle(ticker)?.cycle;
    let mut arcs = policy.cycle(region, cycle.root);
    drop(policy);

    let longest = region.len() as i128 * i128::from(region.longest());
    let steps = 2 * longest * longest;
    let mut low = lowest(region) * steps;
    let mut high = steps_up(&cycle, steps);
    let mut iterations = 0;
    while high - low > 1 {
        iterations += 1;
        let middle = low + (high - low) / 2;
        match feasible(region, middle, steps, ticker)? {
            Verdict::Feasible(_) => low = middle,
            Verdict::Negative(better, its_arcs) => {
                high = steps_up(&better, steps).min(middle);
                (cycle, arcs) = (better, its_arcs);
            }
        }
    }
    finish(region, cycle, arcs, iterations, ticker)
}

/// Returns the value of a cycle in steps, rounded up.
fn steps_up(cycle: &Cycle, steps: i128) -> i128 {
    let time = i128::from(cycle.time);
    (i128::from(cycle.weight) * steps + time - 1).div_euclid(time)
}

/// Returns an integer that is not above the value of any cycle. (Some edge of a cycle has a time
/// above 0.)
fn lowest<A: Arc>(region: &Region<'_, A>) -> i128 {
    let weights = region.all().map(|arc| region.arc(arc).weight());
    let least = weights.min().unwrap_or_default();
    i128::from(least.min(0)) * region.len() as i128
}

/// Finds potentials for the value of the cycle. If another cycle is better, continues with that
/// one.
fn finish<A: Arc>(
    region: &Region<'_, A>,
    mut cycle: Cycle,
    mut arcs: Vec<u32>,
    iterations: u32,
    ticker: &Ticker<'_>,
) -> Result<Solution, Error> {
    loop {
        let value = Ratio::new(cycle.weight.into(), cycle.time as u64);
        match feasible(
            region,
            value.numerator(),
            value.denominator().into(),
            ticker,
        )? {
            Verdict::Feasible(distances) => {
                return Ok(Solution {
                    weight: cycle.weight,
                    time: cycle.time,
                    arcs,
                    // Shortest paths are simple, and the lengths of simple paths fit.
                    potentials: distances.iter().map(|&distance| distance as i64).collect(),
                    iterations,
                });
            }
            Verdict::Negative(better, its_arcs) => (cycle, arcs) = (better, its_arcs),
        }
    }
}
