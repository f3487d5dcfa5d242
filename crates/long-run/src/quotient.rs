//! The values of states, from the gains of the maximal end components: value iteration from below
//! and from above on the model in which each component is one node that may stay for its gain, or
//! leave.
//!
//! Each strongly connected component of that model is solved after all components that its edges
//! lead to (Dai, Mausam, Weld and Goldsmith, *Topological value iteration algorithms*, 2011).
//! Components that do not wait for each other are solved in parallel (`visit.rs`). A component
//! without a cycle is computed once.

use crate::bounds::Bounds;
use crate::context::Context;
use crate::error::{Error, Subject};
use crate::exact::part::{self, Pick, Target};
use crate::nodes::Nodes;
use crate::order::Order;
use crate::precision::Wanted;
use crate::problem::Problem;
use crate::residual::{Effort, Part};
use crate::shared::SharedBounds;
use crate::visit::{BusyComponents, visit_all};
use mdp_graph::{ComponentId, Components, StateId};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The search asks whether it is cancelled at one of this many nodes.
const PERIOD: usize = 1 << 8;

/// Components with at least this many states are solved one at a time, because they need much
/// memory. The threads share their sweeps.
const GIANT: usize = 1 << 18;

/// The number of sweeps of a component after which bounds are computed from residuals
/// (`residual.rs`).
const FEW: u64 = 64;

/// The state of the search for values.
struct Search<'a> {
    problem: &'a Problem<'a>,
    nodes: &'a Nodes,
    order: &'a Order,
    values: SharedBounds,
    context: &'a Context<'a>,
    /// The bounds of a component may be this much further apart than the bounds from which they are
    /// computed.
    share: f64,
    /// The maximum number of sweeps of a component so far.
    iterations: AtomicU64,
    /// Whether more sweeps could still move the bounds of a component.
    is_cut_short: AtomicBool,
    /// Whether a component was solved without rounding.
    is_exact: AtomicBool,
}

/// How the sweeps over a component ended.
enum End {
    /// The bounds are close enough.
    Close,
    /// A sweep changed nothing.
    Still,
    /// No more sweeps were allowed.
    CutShort,
}

/// Bounds on the value of each state.
pub(crate) struct Found {
    pub(crate) values: Vec<Bounds>,
    /// The maximum number of iterations of a component.
    pub(crate) iterations: u64,
    /// Whether more iterations would not move the bounds.
    is_settled: bool,
    /// Whether a component was solved without rounding.
    pub(crate) is_exact: bool,
}

impl Found {
    /// Takes the closer ones of these bounds and others on the same values.
    pub(crate) fn narrow(&mut self, others: Self) {
        for (own, other) in self.values.iter_mut().zip(others.values) {
            *own = own.meet(other);
        }
        self.iterations = self.iterations.max(others.iterations);
        self.is_settled = others.is_settled;
        self.is_exact |= others.is_exact;
    }
}

/// Computes bounds on the value of each state. They are no further apart than `epsilon`, if the
/// bounds on gains are no further apart than half of it, unless iterations end before.
pub(crate) fn values(
    problem: &Problem<'_>,
    mecs: &Components,
    gains: &[Bounds],
    epsilon: f64,
    context: &Context<'_>,
) -> Result<Found, Error> {
    // There is a gain, since there is a maximal end component in each model without deadlocks.
    let all = Bounds::spanning(gains).unwrap_or_default();
    if all.width() <= epsilon {
        return Ok(Found {
            values: vec![all; problem.graph.num_states()],
            iterations: 0,
            is_settled: true,
            is_exact: false,
        });
    }
    let nodes = Nodes::new(problem, mecs, gains, all)?;
    let order = Order::new(nodes.graph(), context.observer)?;
    let search = Search {
        problem,
        values: SharedBounds::new(nodes.all(), nodes.graph().num_states()),
        nodes: &nodes,
        order: &order,
        context,
        // On a path, each component with a cycle may add this much to the distance of the bounds.
        // One more share is left for rounding.
        share: epsilon / 2.0 / (order.depth() + 1) as f64,
        iterations: AtomicU64::new(0),
        is_cut_short: AtomicBool::new(false),
        is_exact: AtomicBool::new(false),
    };
    visit_all(&order, GIANT, |id, busy| search.solve(id, busy))?;
    let value = |state| nodes.value(state, |node| search.values.get(node));
    Ok(Found {
        values: problem.graph.states().map(value).collect(),
        iterations: search.iterations.into_inner(),
        is_settled: !search.is_cut_short.into_inner(),
        is_exact: search.is_exact.into_inner(),
    })
}

/// Checks that the bounds on the values of the wanted states are as close as wanted.
pub(crate) fn check(found: &Found, wanted: Wanted<'_>, context: &Context<'_>) -> Result<(), Error> {
    let Wanted { states, precision } = wanted;
    let all = states
        .iter()
        .map(|&state| (state, found.values[state.index()]));
    let far = all.filter(|&(_, bounds)| !precision.allows(bounds));
    let widest = far.max_by(|(_, a), (_, b)| a.width().total_cmp(&b.width()));
    match widest {
        Some((state, bounds)) => Err(Error::not_reached(
            Subject::From(state),
            context.signed(bounds),
            precision,
            found.iterations,
            found.is_settled,
        )),
        None => Ok(()),
    }
}

impl Search<'_> {
    /// Finds the values of a component, when the values of all components to which it leads are
    /// known.
    fn solve(&self, id: ComponentId, busy: &BusyComponents) -> Result<(), Error> {
        match *self.order.states(id) {
            [node] if !self.order.has_cycle(id) => {
                if node.index() % PERIOD == 0 {
                    self.context.check()?;
                }
                self.improve(node);
                Ok(())
            }
            [node] if let Some(gain) = self.nodes.settled(node) => {
                self.values.set(node, gain);
                Ok(())
            }
            ref members => self.converge(members, busy),
        }
    }

    /// Narrows the bounds of a component, until they are at most `share` further apart than the
    /// bounds from which its values are computed.
    fn converge(&self, members: &[StateId], busy: &BusyComponents) -> Result<(), Error> {
        let limit = self.width_from_outside(members) + self.share;
        let most = self.context.max_iterations;
        let mut end = self.sweep(members, limit, most.min(FEW))?;
        if matches!(end, End::Close) {
            return Ok(());
        }
        if most > FEW {
            let is_tried = most >= part::AFTER && self.is_small(members);
            if is_tried
                && (self.bound_residual(members, part::AFTER - FEW, busy)?
                    || self.solve_exactly(members)?)
            {
                return Ok(());
            }
            if self.bound_residual(members, most - FEW, busy)? {
                return Ok(());
            }
            end = self.sweep(members, limit, most - FEW)?;
        }
        if matches!(end, End::CutShort) {
            self.is_cut_short.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Sweeps over a component until its bounds are no further apart than `limit`, a sweep changes
    /// nothing, or there were `most` sweeps.
    fn sweep(&self, members: &[StateId], limit: f64, most: u64) -> Result<End, Error> {
        for sweeps in 1..=most {
            self.context.check()?;
            self.iterations.fetch_max(sweeps, Ordering::Relaxed);
            let (mut widest, mut has_changed) = (0.0f64, false);
            // Most edges lead from smaller to larger numbers.
            for &node in members.iter().rev() {
                has_changed |= self.improve(node);
                widest = widest.max(self.values.get(node).width());
            }
            if widest <= limit {
                return Ok(End::Close);
            }
            if !has_changed {
                return Ok(End::Still);
            }
        }
        Ok(End::CutShort)
    }

    /// Finds values of a component, and computes bounds from their residuals. Returns false if the
    /// bounds are not within the limit.
    fn bound_residual(
        &self,
        members: &[StateId],
        most: u64,
        busy: &BusyComponents,
    ) -> Result<bool, Error> {
        let part = Part::new(self.nodes, self.order, members, &self.values);
        if let Some(bounds) = part.bounds_of_chain(self.share, FEW, self.context) {
            self.narrow(members, bounds);
            return Ok(true);
        }
        // In values from below, slow choices with small gains have no effect.
        let guess = self.lower(members);
        let mut effort = Effort {
            sweeps: most,
            context: self.context,
            busy,
        };
        let bounds = part.bounds(guess, self.share, &mut effort)?;
        let sweeps = most - effort.sweeps + FEW;
        self.iterations.fetch_max(sweeps, Ordering::Relaxed);
        let bounds = bounds.or_else(|| part.bounds_of_chain(self.share, sweeps, self.context));
        let Some(bounds) = bounds else {
            return Ok(false);
        };
        self.narrow(members, bounds);
        Ok(true)
    }

    fn lower(&self, members: &[StateId]) -> Vec<f64> {
        let lower = |&node: &StateId| self.values.get(node).lower;
        members.iter().map(lower).collect()
    }

    fn is_small(&self, members: &[StateId]) -> bool {
        let graph = self.nodes.graph();
        let choices = members.iter().flat_map(|&node| graph.choices(node));
        let branches = choices.map(|choice| graph.targets(choice).len()).sum();
        part::is_small(members.len(), branches)
    }

    /// Computes the bounds of a component without rounding, from those outside. Returns false if
    /// its numbers have too many digits.
    fn solve_exactly(&self, members: &[StateId]) -> Result<bool, Error> {
        let actions = |pick: Pick| {
            let target = |from: StateId, to: StateId| match self.order.place_beside(from, to) {
                Some(place) => Target::Inside(place as usize),
                None => Target::Outside(pick(self.values.get(to))),
            };
            let of_node = |&node: &StateId| {
                let stay = self.nodes.gain(node).map(|gain| part::end(pick(gain)));
                let leave = self.nodes.graph().choices(node).map(|choice| {
                    let branches = self.nodes.given(self.problem, choice);
                    part::weighed(0.0, branches.map(|(to, p)| (target(node, to), p)))
                });
                stay.into_iter().chain(leave).collect()
            };
            members.iter().map(of_node).collect()
        };
        let part = Part::new(self.nodes, self.order, members, &self.values);
        let mut room = part.room(part::AFTER, self.context);
        let policy = part.policy(self.lower(members), &mut room, self.context)?;
        let Some(bounds) = part::values(actions, policy, self.context)? else {
            return Ok(false);
        };
        self.narrow(members, bounds);
        self.is_exact.store(true, Ordering::Relaxed);
        Ok(true)
    }

    fn narrow(&self, members: &[StateId], bounds: Vec<Bounds>) {
        for (&node, bounds) in members.iter().zip(bounds) {
            self.values.narrow(node, bounds);
        }
    }

    /// Returns the greatest width of the gains of a component, and of the values to which it leads.
    fn width_from_outside(&self, members: &[StateId]) -> f64 {
        let of = |&node: &StateId| {
            let targets = self.nodes.graph().successors(node).iter();
            let outside =
                targets.filter(|&&target| self.order.place_beside(node, target).is_none());
            outside
                .map(|&target| self.values.get(target).width())
                .fold(self.nodes.gain_width(node), f64::max)
        };
        members.iter().map(of).fold(0.0, f64::max)
    }

    /// Improves the bounds of a node. Returns whether they have changed.
    #[inline]
    fn improve(&self, node: StateId) -> bool {
        let improved = self.nodes.improved(node, |node| self.values.get(node));
        self.values.narrow(node, improved)
    }
}
