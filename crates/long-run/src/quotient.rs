//! The values of states, from the gains of the maximal end components: value iteration from below
//! and from above on the model in which each component is one node that may stay for its gain, or
//! leave.
//!
//! Each strongly connected component of that model is solved after all components that its edges
//! lead to (Dai, Mausam, Weld and Goldsmith, *Topological value iteration algorithms*, 2011).
//! Components that do not wait for each other are solved in parallel (`visit.rs`). A component
//! without a cycle is computed once.

use crate::bounds::Bounds;
use crate::control::Control;
use crate::error::Error;
use crate::nodes::Nodes;
use crate::order::Order;
use crate::problem::Problem;
use crate::residual::{Effort, Part};
use crate::shared::SharedBounds;
use crate::visit::{Crowd, visit_all};
use mdp_graph::{ComponentId, Components, StateId};
use std::sync::atomic::{AtomicU64, Ordering};

/// One node of this many looks whether the search is cancelled.
const PERIOD: usize = 1 << 8;

/// Components with this many states are solved one at a time, for what they need in memory. Their
/// sweeps are shared by the threads.
const GIANT: usize = 1 << 18;

/// After this many sweeps of a component, bounds come from elsewhere (`residual.rs`).
const FEW: u64 = 64;

/// What is known of the values.
struct Search<'a> {
    nodes: &'a Nodes,
    order: &'a Order,
    values: SharedBounds,
    control: &'a Control<'a>,
    /// How much further apart than those that they come from the bounds of a component may be.
    share: f64,
    /// The most sweeps of one component.
    iterations: AtomicU64,
}

/// Bounds on the value of each state; those of the states in `wanted` are no further apart than
/// `epsilon`, if the gains are no further apart than half of it. And the most iterations that a
/// component took.
pub(crate) fn values(
    problem: &Problem<'_>,
    mecs: &Components,
    gains: &[Bounds],
    wanted: &[StateId],
    epsilon: f64,
    control: &Control<'_>,
) -> Result<(Vec<Bounds>, u64), Error> {
    // There is a gain, since there is a maximal end component in each model without deadlocks.
    let all = Bounds::spanning(gains).unwrap_or_default();
    if all.width() <= epsilon {
        return Ok((vec![all; problem.graph.num_states()], 0));
    }
    let nodes = Nodes::new(problem, mecs, gains, all)?;
    let order = Order::new(nodes.graph(), control.observer)?;
    let search = Search {
        values: SharedBounds::new(nodes.all(), nodes.graph().num_states()),
        nodes: &nodes,
        order: &order,
        control,
        // On a path each component with a cycle may add as much to the distance of the bounds, and
        // something is left for rounding.
        share: epsilon / 2.0 / (order.depth() + 1) as f64,
        iterations: AtomicU64::new(0),
    };
    visit_all(&order, GIANT, |id, crowd| search.solve(id, crowd))?;
    let iterations = search.iterations.into_inner();
    let value = |state| nodes.value(state, |node| search.values.get(node));
    let widest = wanted
        .iter()
        .map(|&state| value(state))
        .max_by(|a, b| a.width().total_cmp(&b.width()));
    match widest {
        Some(bounds) if bounds.width() > epsilon => Err(Error::NotReached {
            component: None,
            bounds: control.signed(bounds),
            epsilon,
            iterations,
        }),
        _ => Ok((problem.graph.states().map(value).collect(), iterations)),
    }
}

impl Search<'_> {
    /// Finds the values of a component, when those that it leads to are known.
    fn solve(&self, id: ComponentId, crowd: &Crowd) -> Result<(), Error> {
        match *self.order.states(id) {
            [node] if !self.order.has_cycle(id) => {
                if node.index() % PERIOD == 0 {
                    self.control.check()?;
                }
                self.improve(node);
                Ok(())
            }
            [node] if let Some(gain) = self.nodes.settled(node) => {
                self.values.set(node, gain);
                Ok(())
            }
            ref members => self.converge(members, crowd),
        }
    }

    /// Brings the bounds of a component so close that they are no more than `share` further apart
    /// than those that its values come from.
    fn converge(&self, members: &[StateId], crowd: &Crowd) -> Result<(), Error> {
        let limit = self.width_from_outside(members) + self.share;
        let most = self.control.max_iterations;
        if self.sweep(members, limit, most.min(FEW))? || most <= FEW {
            return Ok(());
        }
        if !self.bound_residual(members, most - FEW, crowd)? {
            self.sweep(members, limit, most - FEW)?;
        }
        Ok(())
    }

    /// Sweeps over a component until its bounds are no further apart than `limit`, or that changes
    /// nothing; false if it takes more sweeps.
    fn sweep(&self, members: &[StateId], limit: f64, most: u64) -> Result<bool, Error> {
        for sweeps in 1..=most {
            self.control.check()?;
            self.iterations.fetch_max(sweeps, Ordering::Relaxed);
            let (mut widest, mut has_changed) = (0.0f64, false);
            // States are mostly numbered along the edges.
            for &node in members.iter().rev() {
                has_changed |= self.improve(node);
                widest = widest.max(self.values.get(node).width());
            }
            if widest <= limit || !has_changed {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Finds values of a component, and bounds by how far they are from being right; false if they
    /// are not within the limit.
    fn bound_residual(&self, members: &[StateId], most: u64, crowd: &Crowd) -> Result<bool, Error> {
        let part = Part::new(self.nodes, self.order, members, &self.values);
        // From below, a choice that takes long and brings little changes nothing.
        let guess = members.iter().map(|&node| self.values.get(node).lower);
        let guess = guess.collect();
        let mut effort = Effort {
            sweeps: most,
            control: self.control,
            crowd,
        };
        let bounds = part.bounds(guess, self.share, &mut effort)?;
        let sweeps = most - effort.sweeps + FEW;
        self.iterations.fetch_max(sweeps, Ordering::Relaxed);
        let Some(bounds) = bounds else {
            return Ok(false);
        };
        for (&node, bounds) in members.iter().zip(bounds) {
            self.values.narrow(node, bounds);
        }
        Ok(true)
    }

    /// The greatest width of what a component may stay for, and of the values that it leads to.
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

    /// Improves the bounds of a node, and says whether they have changed.
    #[inline]
    fn improve(&self, node: StateId) -> bool {
        let improved = self.nodes.improved(node, |node| self.values.get(node));
        self.values.narrow(node, improved)
    }
}
