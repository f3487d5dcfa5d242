//! The model in which each maximal end component is one node, laid out for value iteration.
//!
//! The worst gain is subtracted from all values, so that none is negative. Then the sum of `k`
//! products of non-negative numbers, and its quotient by another such number, have a relative error
//! of at most about `k + 1` roundings, in any order (Higham, *Accuracy and stability of numerical
//! algorithms*, section 3.1). For each choice, one factor that is computed beforehand compensates
//! for this error.

use crate::bounds::{Bounds, add_down, add_up};
use crate::error::Error;
use crate::problem::Problem;
use mdp_graph::{ChoiceId, Components, MdpGraph, Quotient, StateId, StayPolicy};
use rayon::prelude::*;

/// Choices with smaller probabilities, whose products with values may be rounded more than other
/// numbers, are given this much for each of them.
const LEAST: f64 = 1e-150;

/// What makes bounds of the sum of a choice's products: it is multiplied by a factor, and `slack`
/// is added or taken away.
#[derive(Clone, Copy)]
struct Rounding {
    down: f64,
    up: f64,
    slack: f64,
}

/// The model in which each maximal end component is one node.
pub(crate) struct Nodes {
    quotient: Quotient,
    /// One a branch of the quotient.
    probabilities: Vec<f64>,
    /// One a choice of the quotient.
    roundings: Vec<Rounding>,
    /// What a node may stay for; below all values, if it is no component.
    gains: Vec<Bounds>,
    /// From the worst to the best gain.
    all: Bounds,
}

impl Nodes {
    /// The nodes of a model whose components have these gains, which lie within `all`.
    pub(crate) fn new(
        problem: &Problem<'_>,
        mecs: &Components,
        gains: &[Bounds],
        all: Bounds,
    ) -> Result<Self, Error> {
        let quotient = Quotient::of_end_components(problem.graph, mecs, StayPolicy::MustLeave)?;
        let nowhere = Bounds::exactly(f64::NEG_INFINITY);
        let mut of_nodes = vec![nowhere; quotient.graph().num_states()];
        for id in mecs.ids() {
            let node = quotient.state_of(mecs.smallest(id));
            of_nodes[node.index()] = from_worst(gains[id.index()], all.lower);
        }
        let choices = (0..quotient.graph().num_choices()).into_par_iter();
        let rounding =
            |choice| Rounding::of(problem, quotient.origin(ChoiceId::from_index(choice)));
        Ok(Self {
            probabilities: quotient.merge_values(problem.graph, problem.probabilities),
            roundings: choices.map(rounding).collect(),
            gains: of_nodes,
            quotient,
            all,
        })
    }

    /// The graph whose states are the nodes. A component that nothing leaves has one choice there,
    /// which is none of the model's.
    pub(crate) fn graph(&self) -> &MdpGraph {
        self.quotient.graph()
    }

    /// What is known of all values beforehand.
    pub(crate) fn all(&self) -> Bounds {
        from_worst(self.all, self.all.lower)
    }

    /// The value of a component that nothing leaves.
    pub(crate) fn settled(&self, node: StateId) -> Option<Bounds> {
        let mut choices = self.graph().choices(node);
        let stays = choices.any(|choice| self.quotient.origin(choice).is_none());
        stays.then(|| self.gains[node.index()])
    }

    /// What a node may stay for, if it is a component.
    pub(crate) fn gain(&self, node: StateId) -> Option<Bounds> {
        let gain = self.gains[node.index()];
        (gain.upper >= 0.0).then_some(gain)
    }

    /// The branches of a choice with their probabilities, and about the number by which these have
    /// to be multiplied for a sum of 1.
    pub(crate) fn branches(&self, choice: ChoiceId) -> (f64, impl Iterator<Item = (StateId, f64)>) {
        let offsets = self.graph().branch_offsets();
        let row = offsets[choice.index()] as usize..offsets[choice.index() + 1] as usize;
        let Rounding { down, up, .. } = self.roundings[choice.index()];
        let targets = self.graph().all_targets()[row.clone()].iter().copied();
        let probabilities = self.probabilities[row].iter().copied();
        ((down + up) / 2.0, targets.zip(probabilities))
    }

    /// How much of the width of a node's value comes from what it may stay for.
    pub(crate) fn gain_width(&self, node: StateId) -> f64 {
        self.gain(node).map_or(0.0, Bounds::width)
    }

    /// The value of a state of the model, by those of the nodes.
    pub(crate) fn value(&self, state: StateId, values: impl Fn(StateId) -> Bounds) -> Bounds {
        let value = values(self.quotient.state_of(state));
        Bounds {
            lower: add_down(value.lower, self.all.lower).max(self.all.lower),
            upper: add_up(value.upper, self.all.lower).min(self.all.upper),
        }
    }

    /// The best that a node can do, if others have these values.
    #[inline]
    pub(crate) fn improved(&self, node: StateId, values: impl Fn(StateId) -> Bounds) -> Bounds {
        let gain = self.gains[node.index()];
        let choices = self.graph().choices(node);
        choices.fold(gain, |best, choice| {
            best.max(self.expected(choice, &values))
        })
    }

    /// What a choice leads to, if nodes have these values, which are not negative.
    #[inline]
    pub(crate) fn expected(&self, choice: ChoiceId, values: &impl Fn(StateId) -> Bounds) -> Bounds {
        let offsets = self.graph().branch_offsets();
        let row = offsets[choice.index()] as usize..offsets[choice.index() + 1] as usize;
        let targets = &self.graph().all_targets()[row.clone()];
        if let [target] = targets {
            return values(*target);
        }
        let (mut lower, mut upper) = (0.0, 0.0);
        for (target, p) in targets.iter().zip(&self.probabilities[row]) {
            let value = values(*target);
            lower += p * value.lower;
            upper += p * value.upper;
        }
        let rounding = self.roundings[choice.index()];
        // A sum that is beyond all doubles says nothing from below.
        let lower = if lower.is_finite() { lower } else { 0.0 };
        Bounds {
            lower: (lower * rounding.down - rounding.slack).max(0.0),
            upper: upper * rounding.up + rounding.slack,
        }
    }
}

impl Rounding {
    /// That of a choice of the model, whose branches to the same node were added; or of none.
    fn of(problem: &Problem<'_>, origin: Option<ChoiceId>) -> Self {
        let Some(choice) = origin else {
            return Self {
                down: 1.0,
                up: 1.0,
                slack: 0.0,
            };
        };
        let probabilities = &problem.probabilities[problem.branches(choice)];
        let branches = probabilities.len() as f64;
        let is_small = probabilities.iter().any(|&p| p < LEAST);
        // At most one addition a branch to merge them, one product and one addition for the sum,
        // and those below: half an EPSILON each, and as much again for products of errors.
        let error = (2.0 * branches + 8.0) * f64::EPSILON;
        let sum = problem.sum(choice);
        Self {
            down: ((1.0 - error) / sum.upper).next_down(),
            up: ((1.0 + error) / sum.lower).next_up(),
            slack: if is_small { branches * LEAST } else { 0.0 },
        }
    }
}

/// Bounds counted from the worst gain.
fn from_worst(bounds: Bounds, worst: f64) -> Bounds {
    let lower = add_down(bounds.lower, -worst).max(0.0);
    let upper = add_up(bounds.upper, -worst);
    Bounds {
        lower: if lower < LEAST { 0.0 } else { lower },
        upper: if upper > 0.0 { upper.max(LEAST) } else { upper },
    }
}
