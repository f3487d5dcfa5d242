//! The model in which each maximal end component is one node, laid out for value iteration.
//!
//! The worst gain is subtracted from all values, so that none is negative. Then the sum of `k`
//! products of non-negative numbers, and its quotient by another such number, have a relative error
//! of at most about `k + 1` roundings, in any order (Higham, *Accuracy and stability of numerical
//! algorithms*, section 3.1). For each choice, one factor that is computed beforehand compensates
//! for this error.
//!
//! A choice that may lead back to its own node is replaced by its other branches, whose
//! probabilities are divided by their sum: v >= p v + rest holds if and only if v >= rest / (1 - p)
//! does. This sum is that of the other probabilities, not 1 - p, so it has no large rounding error
//! however close p is to 1. A step of the new choice stands for all steps until the node is left.

use crate::bounds::{Bounds, add_down, add_up};
use crate::error::Error;
use crate::problem::{Problem, sum};
use mdp_graph::{ChoiceId, Components, MdpGraph, Quotient, StateId, StayPolicy};
use rayon::prelude::*;

/// Products with smaller probabilities may have larger rounding errors. The bounds of a choice with
/// such a probability allow for an error of this size for each branch.
const LEAST: f64 = 1e-150;

/// The numbers that turn the sum of a choice's products into bounds: the sum is multiplied by a
/// factor, and `slack` is subtracted or added.
#[derive(Clone, Copy)]
struct Rounding {
    down: f64,
    up: f64,
    slack: f64,
}

/// The model in which each maximal end component is one node.
pub(crate) struct Nodes {
    quotient: Quotient,
    /// The graph of the quotient without branches back, if it has any.
    onward: Option<MdpGraph>,
    /// The probability of each branch of the quotient.
    probabilities: Vec<f64>,
    /// The rounding of each choice of the quotient.
    roundings: Vec<Rounding>,
    /// The gain for which each node may stay. It is below all values if the node is not a
    /// component.
    gains: Vec<Bounds>,
    /// The worst and the best gain.
    all: Bounds,
}

impl Nodes {
    /// Makes the nodes of a model whose components have these gains, which are all within `all`.
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
        let merged = quotient.merge_values(problem.graph, problem.probabilities);
        let backs = backs(problem, &quotient);
        let rounding = |(choice, &back)| {
            let choice = ChoiceId::from_index(choice);
            Rounding::of(problem, &quotient, choice, back)
        };
        let roundings = backs.par_iter().enumerate().map(rounding).collect();
        let (onward, probabilities) = match backs.iter().all(Option::is_none) {
            true => (None, merged),
            false => {
                let (onward, probabilities) = without(quotient.graph(), &merged, &backs)?;
                (Some(onward), probabilities)
            }
        };
        Ok(Self {
            onward,
            probabilities,
            roundings,
            gains: of_nodes,
            quotient,
            all,
        })
    }

    /// Returns the graph whose states are the nodes. A component that no choice leaves has one
    /// choice in this graph, which is not a choice of the model.
    pub(crate) fn graph(&self) -> &MdpGraph {
        self.onward.as_ref().unwrap_or(self.quotient.graph())
    }

    /// Returns the bounds on all values that are known in advance.
    pub(crate) fn all(&self) -> Bounds {
        from_worst(self.all, self.all.lower)
    }

    /// Returns the value of a node, if it is a component that no choice leaves.
    pub(crate) fn settled(&self, node: StateId) -> Option<Bounds> {
        let mut choices = self.graph().choices(node);
        let stays = choices.any(|choice| self.quotient.origin(choice).is_none());
        stays.then(|| self.gains[node.index()])
    }

    /// Returns the gain for which a node may stay, if it is a component.
    pub(crate) fn gain(&self, node: StateId) -> Option<Bounds> {
        let gain = self.gains[node.index()];
        (gain.upper >= 0.0).then_some(gain)
    }

    /// Returns the branches of a choice with their probabilities, and the approximate factor by
    /// which these must be multiplied so that their sum is 1.
    pub(crate) fn branches(&self, choice: ChoiceId) -> (f64, impl Iterator<Item = (StateId, f64)>) {
        let offsets = self.graph().branch_offsets();
        let row = offsets[choice.index()] as usize..offsets[choice.index() + 1] as usize;
        let Rounding { down, up, .. } = self.roundings[choice.index()];
        let targets = self.graph().all_targets()[row.clone()].iter().copied();
        let probabilities = self.probabilities[row].iter().copied();
        ((down + up) / 2.0, targets.zip(probabilities))
    }

    /// Returns the branches of a choice as the model has them, with those back to its own node.
    /// Nothing, if it is not a choice of the model.
    pub(crate) fn given(
        &self,
        problem: &Problem<'_>,
        choice: ChoiceId,
    ) -> impl Iterator<Item = (StateId, f64)> {
        let origin = self.quotient.origin(choice).into_iter();
        origin.flat_map(|choice| branches(problem, &self.quotient, choice))
    }

    /// Returns a bound on the relative error of the values that a choice brings, if they and the
    /// probabilities that `branches` returns are multiplied and added up with ordinary rounding.
    pub(crate) fn error(&self, choice: ChoiceId) -> f64 {
        let Rounding { down, up, .. } = self.roundings[choice.index()];
        (up - down) / down
    }

    /// Returns the part of the width of a node's value that comes from its gain.
    pub(crate) fn gain_width(&self, node: StateId) -> f64 {
        self.gain(node).map_or(0.0, Bounds::width)
    }

    /// Returns the value of a state of the model, from the values of the nodes.
    pub(crate) fn value(&self, state: StateId, values: impl Fn(StateId) -> Bounds) -> Bounds {
        let value = values(self.quotient.state_of(state));
        Bounds {
            lower: add_down(value.lower, self.all.lower).max(self.all.lower),
            upper: add_up(value.upper, self.all.lower).min(self.all.upper),
        }
    }

    /// Returns the best value that a node can attain if the other nodes have these values.
    #[inline]
    pub(crate) fn improved(&self, node: StateId, values: impl Fn(StateId) -> Bounds) -> Bounds {
        let gain = self.gains[node.index()];
        let choices = self.graph().choices(node);
        choices.fold(gain, |best, choice| {
            best.max(self.expected(choice, &values))
        })
    }

    /// Returns the expected value after a choice if nodes have these values, which must not be
    /// negative.
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
        // An infinite sum gives no lower bound.
        let lower = if lower.is_finite() { lower } else { 0.0 };
        Bounds {
            lower: (lower * rounding.down - rounding.slack).max(0.0),
            upper: upper * rounding.up + rounding.slack,
        }
    }
}

impl Rounding {
    /// Returns the rounding of a choice of the quotient. Branches of the model's choice to the same
    /// node were added, and those to the node `back` are left out. Without a choice of the model,
    /// there is no rounding.
    fn of(
        problem: &Problem<'_>,
        quotient: &Quotient,
        choice: ChoiceId,
        back: Option<StateId>,
    ) -> Self {
        let Some(choice) = quotient.origin(choice) else {
            return Self {
                down: 1.0,
                up: 1.0,
                slack: 0.0,
            };
        };
        let all = || onward(problem, quotient, choice, back);
        let branches = all().count() as f64;
        let is_small = all().any(|p| p < LEAST);
        // There is at most one addition per branch for merging, one product and one addition for
        // the sum, and the operations below. Each has an error of half an EPSILON, and as much
        // again is allowed for products of errors.
        let error = (2.0 * branches + 8.0) * f64::EPSILON;
        let sum = sum(all());
        Self {
            down: ((1.0 - error) / sum.upper).next_down(),
            up: ((1.0 + error) / sum.lower).next_up(),
            // If other branches are left out, a small sum may have magnified small errors.
            slack: match is_small || back.is_some() {
                true => branches * LEAST,
                false => 0.0,
            },
        }
    }
}

/// Returns the branches of a choice of the model.
fn branches(
    problem: &Problem<'_>,
    quotient: &Quotient,
    choice: ChoiceId,
) -> impl Iterator<Item = (StateId, f64)> {
    let targets = problem.graph.targets(choice).iter();
    let nodes = targets.map(|&target| quotient.state_of(target));
    let probabilities = problem.probabilities[problem.branches(choice)].iter();
    nodes.zip(probabilities.copied())
}

/// Returns the probabilities of a choice of the model, except for those of branches to `back`.
fn onward(
    problem: &Problem<'_>,
    quotient: &Quotient,
    choice: ChoiceId,
    back: Option<StateId>,
) -> impl Iterator<Item = f64> {
    let each = branches(problem, quotient, choice);
    each.filter(move |&(node, _)| Some(node) != back)
        .map(|(_, p)| p)
}

/// Returns, for each choice of the quotient, the node whose branches are left out.
fn backs(problem: &Problem<'_>, quotient: &Quotient) -> Vec<Option<StateId>> {
    let of_node = |node: usize| {
        let node = StateId::from_index(node);
        let choices = quotient.graph().choices(node);
        choices.map(move |choice| back(problem, quotient, node, choice))
    };
    let nodes = (0..quotient.graph().num_states()).into_par_iter();
    nodes.flat_map_iter(of_node).collect()
}

/// Returns the node of a choice of the quotient, if the choice may lead back to it, and the sum of
/// the other probabilities is large enough to divide by. This also holds for the bounds on rounding
/// errors of small products.
fn back(
    problem: &Problem<'_>,
    quotient: &Quotient,
    node: StateId,
    choice: ChoiceId,
) -> Option<StateId> {
    let targets = quotient.graph().targets(choice);
    let leads_back = targets.len() > 1 && targets.binary_search(&node).is_ok();
    let origin = quotient.origin(choice).filter(|_| leads_back)?;
    let others = sum(onward(problem, quotient, origin, Some(node)));
    (others.lower >= LEAST).then_some(node)
}

/// Returns a graph and its probabilities without the branches of each choice to a given node.
fn without(
    graph: &MdpGraph,
    probabilities: &[f64],
    backs: &[Option<StateId>],
) -> Result<(MdpGraph, Vec<f64>), Error> {
    let left_out = backs.iter().flatten().count();
    let room = graph.num_branches() - left_out;
    let (mut targets, mut kept) = (Vec::with_capacity(room), Vec::with_capacity(room));
    let mut ends = Vec::with_capacity(backs.len() + 1);
    ends.push(0);
    for (row, &back) in graph.branch_offsets().windows(2).zip(backs) {
        let row = row[0] as usize..row[1] as usize;
        let branches = graph.all_targets()[row.clone()]
            .iter()
            .zip(&probabilities[row]);
        for (&target, &p) in branches.filter(|&(&target, _)| Some(target) != back) {
            targets.push(target);
            kept.push(p);
        }
        ends.push(targets.len() as u32);
    }
    let graph = MdpGraph::from_parts(graph.choice_offsets().to_vec(), ends, targets)?;
    Ok((graph, kept))
}

/// Subtracts the worst gain from bounds.
fn from_worst(bounds: Bounds, worst: f64) -> Bounds {
    let lower = add_down(bounds.lower, -worst).max(0.0);
    let upper = add_up(bounds.upper, -worst);
    Bounds {
        lower: if lower < LEAST { 0.0 } else { lower },
        upper: if upper > 0.0 { upper.max(LEAST) } else { upper },
    }
}
