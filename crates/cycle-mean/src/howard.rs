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
//! least one becomes less. At the end no edge u -> v has `q weight - p time + value[v] < value[u]`,
//! and the sum of these inequalities along any cycle says that its value is at least p/q.
//!
//! With each policy, a better value reaches only the predecessors of a state. So if a value depends
//! on a distant state, there may be as many policies as states. After [`MAX_POLICIES`], policy
//! iteration therefore takes turns with the algorithm of Young, Tarjan and Orlin ([`yto`]), and the
//! one that ends first gives the answer. The length of a turn is a number of states and edges, so
//! the answer does not depend on the speed of the machine.

use crate::Error;
use crate::arc::Arc;
use crate::policy::Policy;
use crate::region::{Region, Transposed};
use crate::search::{Solution, Ticker};
use crate::yto;
use mdp_graph::check_room;

/// The number of policies after which another algorithm takes turns.
pub(crate) const MAX_POLICIES: u32 = 100;

/// The number of policies of the first turn. Each turn is twice as long as the one before.
const FIRST_TURN: u32 = 8;

/// Solves a component.
pub(crate) fn solve<A: Arc>(
    region: &Region<'_, A>,
    ticker: &Ticker<'_>,
) -> Result<Solution, Error> {
    go_on(region, Policy::cheapest(region), 0, ticker)
}

/// Solves a component, beginning with a policy after `number` others.
pub(crate) fn go_on<A: Arc>(
    region: &Region<'_, A>,
    policy: Policy<A>,
    number: u32,
    ticker: &Ticker<'_>,
) -> Result<Solution, Error> {
    let mut policies = Policies {
        region,
        policy,
        number,
        transposed: None,
    };
    if let Some(found) = policies.go_on(MAX_POLICIES.saturating_sub(number), ticker)? {
        return Ok(found);
    }
    match may_grow(region) {
        true => in_turns(policies, ticker),
        false => loop {
            if let Some(found) = policies.go_on(u32::MAX, ticker)? {
                return Ok(found);
            }
        },
    }
}

/// Solves a component by two algorithms that take turns.
fn in_turns<A: Arc>(
    mut policies: Policies<'_, '_, A>,
    ticker: &Ticker<'_>,
) -> Result<Solution, Error> {
    let region = policies.region;
    let size = (region.len() + region.num_arcs()) as u64;
    let mut growth = yto::ParametricSearch::new(region)?;
    let mut turn = FIRST_TURN;
    loop {
        if let Some(found) = policies.go_on(turn, ticker)? {
            return Ok(found);
        }
        if let Some(found) = growth.go_on(u64::from(turn) * size, ticker)? {
            let iterations = found.iterations.saturating_add(policies.number);
            return Ok(Solution {
                iterations,
                ..found
            });
        }
        turn = turn.saturating_mul(2);
    }
}

/// Returns whether the other algorithm has enough memory and begins in linear time. If an edge
/// takes no time, it may not.
fn may_grow<A: Arc>(region: &Region<'_, A>) -> bool {
    let [state, edge] = yto::ParametricSearch::<A>::BYTES;
    let room = [state * region.len(), edge * region.num_arcs()];
    let takes_time = |state: usize| region.row(state).all(|arc| region.arc(arc).time() > 0);
    check_room("the search", &room).is_ok() && (0..region.len()).all(takes_time)
}

/// The policies of a component, one after the other.
struct Policies<'a, 'g, A: Arc> {
    region: &'a Region<'g, A>,
    policy: Policy<A>,
    /// The number of policies before this one.
    number: u32,
    /// The edges into each state, once they are needed.
    transposed: Option<Transposed<u32>>,
}

impl<A: Arc> Policies<'_, '_, A> {
    /// Evaluates and improves at most this many policies. Returns the solution if one of them
    /// cannot be improved.
    fn go_on(&mut self, most: u32, ticker: &Ticker<'_>) -> Result<Option<Solution>, Error> {
        let (region, policy) = (self.region, &mut self.policy);
        for _ in 0..most {
            ticker.check()?;
            self.number = self.number.saturating_add(1);
            let best = policy.best_cycle(ticker)?;
            let scale = policy.evaluate(region, best, &mut self.transposed)?;
            ticker.check()?;
            if policy.improve(region, scale) == 0 {
                return Ok(Some(Solution {
                    weight: best.cycle.weight,
                    time: best.cycle.time,
                    arcs: policy.cycle(region, best.cycle.root),
                    potentials: policy.values.iter().map(|value| -value).collect(),
                    iterations: self.number,
                }));
            }
        }
        Ok(None)
    }
}
