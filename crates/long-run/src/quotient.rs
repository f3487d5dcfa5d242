//! The values of states, from the gains of the maximal end components: value iteration from below
//! and from above on the model in which each component is one node that may stay for its gain, or
//! leave.

use crate::bounds::Bounds;
use crate::control::Control;
use crate::error::Error;
use crate::problem::Problem;
use mdp_graph::{ChoiceId, ComponentId, Components, StateId};
use rayon::prelude::*;

/// The nodes, and what is known of their values.
struct Quotient<'a> {
    problem: &'a Problem<'a>,
    mecs: &'a Components,
    /// For each state outside of MECs its node; those of MECs come first.
    places: Vec<u32>,
    values: Vec<Bounds>,
    gains: &'a [Bounds],
    /// The sum of the probabilities of each choice.
    sums: Vec<Bounds>,
    /// Whether the last sweep changed nothing.
    is_still: bool,
}

/// Bounds on the value of each state; those of the states in `wanted` are no further apart than
/// `epsilon`.
pub(crate) fn values(
    problem: &Problem<'_>,
    mecs: &Components,
    gains: &[Bounds],
    wanted: &[StateId],
    epsilon: f64,
    control: &Control<'_>,
) -> Result<(Vec<Bounds>, u64), Error> {
    let mut quotient = Quotient::new(problem, mecs, gains);
    let graph = problem.graph;
    let mut iterations = 0;
    loop {
        let widest = wanted
            .iter()
            .map(|&state| (quotient.value(state), state))
            .max_by(|a, b| a.0.width().total_cmp(&b.0.width()));
        match widest {
            Some((bounds, _)) if bounds.width() > epsilon => {
                if iterations == control.max_iterations || quotient.is_still {
                    return Err(Error::NotReached {
                        component: None,
                        bounds: control.signed(bounds),
                        epsilon,
                        iterations,
                    });
                }
            }
            _ => {
                let all = graph.states().map(|state| quotient.value(state));
                return Ok((all.collect(), iterations));
            }
        }
        control.check()?;
        quotient.sweep();
        iterations += 1;
    }
}

impl<'a> Quotient<'a> {
    /// Nothing can be worse than the worst of all components, or better than the best.
    fn new(problem: &'a Problem<'a>, mecs: &'a Components, gains: &'a [Bounds]) -> Self {
        let worst = gains
            .iter()
            .map(|gain| gain.lower)
            .fold(f64::INFINITY, f64::min);
        let best = gains
            .iter()
            .map(|gain| gain.upper)
            .fold(f64::NEG_INFINITY, f64::max);
        let mut values: Vec<Bounds> = gains
            .iter()
            .map(|gain| Bounds {
                lower: gain.lower,
                upper: best,
            })
            .collect();
        let mut places = vec![0; problem.graph.num_states()];
        for state in problem.graph.states() {
            if mecs.component(state).is_none() {
                places[state.index()] = values.len() as u32;
                values.push(Bounds {
                    lower: worst,
                    upper: best,
                });
            }
        }
        let mut quotient = Self {
            problem,
            mecs,
            places,
            values,
            gains,
            sums: (0..problem.graph.num_choices())
                .into_par_iter()
                .map(|choice| problem.sum(ChoiceId::from_index(choice)))
                .collect(),
            is_still: false,
        };
        quotient.settle();
        quotient
    }

    /// A component that nothing leaves has its gain.
    fn settle(&mut self) {
        let leaves = |&state: &StateId| {
            let retained = self.mecs.retained_choices(self.problem.graph, state);
            retained.count() < self.problem.graph.choices(state).len()
        };
        let states = (0..self.problem.graph.num_states()).into_par_iter();
        let left: Vec<ComponentId> = states
            .map(StateId::from_index)
            .filter(leaves)
            .filter_map(|state| self.mecs.component(state))
            .collect();
        let mut stays = vec![true; self.gains.len()];
        for id in left {
            stays[id.index()] = false;
        }
        for (id, _) in stays.iter().enumerate().filter(|(_, stays)| **stays) {
            self.values[id] = self.gains[id];
        }
    }

    fn node(&self, state: StateId) -> usize {
        match self.mecs.component(state) {
            Some(id) => id.index(),
            None => self.places[state.index()] as usize,
        }
    }

    /// Improves the bounds of all nodes, from the last state to the first. A lower bound holds as
    /// soon as one choice attains it; an upper bound of a component, once all choices that leave it
    /// were looked at.
    fn sweep(&mut self) {
        let graph = self.problem.graph;
        self.is_still = true;
        let mut uppers: Vec<f64> = self.gains.iter().map(|gain| gain.upper).collect();
        for state in (0..graph.num_states()).rev().map(StateId::from_index) {
            let own = self.mecs.component(state);
            let stays = |choice: ChoiceId| {
                let targets = graph.targets(choice).iter();
                own.is_some() && targets.copied().all(|t| self.mecs.component(t) == own)
            };
            let leaving = graph.choices(state).filter(|&choice| !stays(choice));
            let best = leaving
                .map(|choice| self.expected(choice))
                .reduce(Bounds::max);
            let Some(best) = best else {
                continue;
            };
            let node = self.node(state);
            match own {
                Some(id) => {
                    let upper = &mut uppers[id.index()];
                    *upper = upper.max(best.upper);
                    self.narrow(node, best.lower, f64::INFINITY);
                }
                None => self.narrow(node, best.lower, best.upper),
            }
        }
        for (node, upper) in uppers.into_iter().enumerate() {
            self.narrow(node, f64::NEG_INFINITY, upper);
        }
    }

    /// What a choice leads to.
    fn expected(&self, choice: ChoiceId) -> Bounds {
        let branches = self.problem.branches(choice);
        let terms = branches.map(|branch| {
            let target = self.problem.graph.all_targets()[branch];
            self.value(target).times(self.problem.probabilities[branch])
        });
        let expected = terms.fold(Bounds::default(), Bounds::plus);
        expected.divided_by(self.sums[choice.index()])
    }

    fn narrow(&mut self, node: usize, lower: f64, upper: f64) {
        let value = &mut self.values[node];
        if lower > value.lower || upper < value.upper {
            value.lower = value.lower.max(lower);
            value.upper = value.upper.min(upper);
            self.is_still = false;
        }
    }

    fn value(&self, state: StateId) -> Bounds {
        self.values[self.node(state)]
    }
}
