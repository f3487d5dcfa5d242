//! The values of states, from the gains of the maximal end components: value iteration from below
//! and from above on the model in which each component is one node that may stay for its gain, or
//! leave.
//!
//! The strongly connected components of that model are solved one after the other, each when all
//! that its edges lead to are solved (Dai, Mausam, Weld and Goldsmith, *Topological value iteration
//! algorithms*, 2011). One without a cycle is looked at once.

use crate::bounds::Bounds;
use crate::control::Control;
use crate::error::Error;
use crate::nodes::Nodes;
use crate::order::Order;
use crate::problem::Problem;
use crate::residual::{Effort, Part, Scratch};
use mdp_graph::{Components, StateId};

/// How many nodes are solved between two looks at whether the search is cancelled.
const PERIOD: usize = 1 << 12;

/// After so many sweeps of a component, bounds come from elsewhere (`residual.rs`).
const FEW: u64 = 64;

/// What is known of the values.
struct Search<'a> {
    nodes: &'a Nodes,
    order: &'a Order,
    values: Vec<Bounds>,
    control: &'a Control<'a>,
    /// The most sweeps of one component.
    iterations: u64,
    /// Made for the first component that takes long.
    scratch: Option<Scratch>,
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
    let mut search = Search {
        values: vec![nodes.all(); nodes.graph().num_states()],
        nodes: &nodes,
        order: &order,
        control,
        iterations: 0,
        scratch: None,
    };
    // On a path each component with a cycle may add as much to the distance of the bounds, and
    // something is left for rounding.
    let share = epsilon / 2.0 / (order.depth() + 1) as f64;
    search.run(share)?;
    let value = |state| nodes.value(state, &search.values);
    let widest = wanted
        .iter()
        .map(|&state| value(state))
        .max_by(|a, b| a.width().total_cmp(&b.width()));
    match widest {
        Some(bounds) if bounds.width() > epsilon => Err(Error::NotReached {
            component: None,
            bounds: control.signed(bounds),
            epsilon,
            iterations: search.iterations,
        }),
        _ => Ok((
            problem.graph.states().map(value).collect(),
            search.iterations,
        )),
    }
}

impl Search<'_> {
    fn run(&mut self, share: f64) -> Result<(), Error> {
        let mut solved = 0;
        for (has_cycle, members) in self.order.components() {
            solved += members.len();
            if solved >= PERIOD {
                self.control.check()?;
                solved = 0;
            }
            match *members {
                [node] if !has_cycle => {
                    self.improve(node);
                }
                [node] if let Some(gain) = self.nodes.settled(node) => {
                    self.values[node.index()] = gain;
                }
                _ => self.converge(members, share)?,
            }
        }
        Ok(())
    }

    /// Brings the bounds of a component so close that they are no more than `share` further apart
    /// than those that its values come from.
    fn converge(&mut self, members: &[StateId], share: f64) -> Result<(), Error> {
        let limit = self.width_from_outside(members) + share;
        let most = self.control.max_iterations;
        if self.sweep(members, limit, most.min(FEW))? || most <= FEW {
            return Ok(());
        }
        if !self.bound_residual(members, share, most - FEW)? {
            self.sweep(members, limit, most - FEW)?;
        }
        Ok(())
    }

    /// Sweeps over a component until its bounds are no further apart than `limit`, or that changes
    /// nothing; false if it takes more sweeps.
    fn sweep(&mut self, members: &[StateId], limit: f64, most: u64) -> Result<bool, Error> {
        for sweeps in 1..=most {
            self.control.check()?;
            self.iterations = self.iterations.max(sweeps);
            let (mut widest, mut has_changed) = (0.0f64, false);
            // States are mostly numbered along the edges.
            for &node in members.iter().rev() {
                has_changed |= self.improve(node);
                widest = widest.max(self.values[node.index()].width());
            }
            if widest <= limit || !has_changed {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Finds values of a component, and bounds by how far they are from being right; false if they
    /// are not within the limit.
    fn bound_residual(
        &mut self,
        members: &[StateId],
        share: f64,
        most: u64,
    ) -> Result<bool, Error> {
        let scratch = self
            .scratch
            .get_or_insert_with(|| Scratch::new(self.values.len()));
        let part = Part::new(self.nodes, members, &self.values, scratch);
        let middle = |node: &StateId| self.values[node.index()].middle();
        let guess = members.iter().map(middle).collect();
        let mut effort = Effort {
            sweeps: most,
            control: self.control,
        };
        let bounds = part.bounds(guess, share, scratch, &mut effort)?;
        self.iterations = self.iterations.max(most - effort.sweeps + FEW);
        let Some(bounds) = bounds else {
            return Ok(false);
        };
        for (node, bounds) in members.iter().zip(bounds) {
            let value = &mut self.values[node.index()];
            value.lower = value.lower.max(bounds.lower);
            value.upper = value.upper.min(bounds.upper);
        }
        Ok(true)
    }

    /// The greatest width of what a component may stay for, and of the values that it leads to.
    fn width_from_outside(&self, members: &[StateId]) -> f64 {
        let of = |&node: &StateId| {
            let targets = self.nodes.graph().successors(node).iter();
            let outside = targets.filter(|&&target| !self.order.together(node, target));
            outside
                .map(|target| self.values[target.index()].width())
                .fold(self.nodes.gain_width(node), f64::max)
        };
        members.iter().map(of).fold(0.0, f64::max)
    }

    /// Improves the bounds of a node, and says whether they have changed.
    #[inline]
    fn improve(&mut self, node: StateId) -> bool {
        let improved = self.nodes.improved(node, &self.values);
        let value = &mut self.values[node.index()];
        let has_changed = improved.lower > value.lower || improved.upper < value.upper;
        value.lower = value.lower.max(improved.lower);
        value.upper = value.upper.min(improved.upper);
        has_changed
    }
}
