//! Computes how many iterations a device needs for the gains of maximal end components, by the same
//! iteration as its kernel, with the same integers, one state after another.
//!
//! The host corrects errors of a device: bounds on a gain are valid whichever values they are
//! computed from, and if they are not close enough, the host continues. So a kernel is correct only
//! if the numbers of iterations are, too.

use mdp_graph::{ComponentId, Components, MdpGraph, StateId};

/// The number of units in the wanted distance of bounds, at least.
const UNITS: f64 = 4096.0;
/// The largest absolute value.
const LIMIT: i128 = 1 << 60;

/// A model whose choices have rewards.
pub(super) struct Earning<'a> {
    pub(super) graph: &'a MdpGraph,
    pub(super) probabilities: &'a [f64],
    /// The reward of each choice. The greatest average is sought.
    pub(super) earned: &'a [f64],
}

/// The state of the iteration for a component.
struct Iterated {
    states: Vec<StateId>,
    values: Vec<i128>,
    /// The last change of the first state's value.
    change: i128,
    /// The last iteration in which the values of some states changed by different numbers.
    far: u64,
}

/// Returns the number of iterations for each component, if bounds on its gain are to have the
/// distance `epsilon`, and a device makes at most about `most` iterations, in pairs.
pub(super) fn iterations(
    model: &Earning<'_>,
    mecs: &Components,
    epsilon: f64,
    most: u64,
) -> Vec<(ComponentId, u64)> {
    let unit = 2_f64.powi((epsilon / UNITS).log2().floor() as i32);
    let tolerance = ((epsilon / 8.0 / unit) as i128).max(1);
    let members = mecs.members();
    let mut components: Vec<(ComponentId, Iterated)> = mecs
        .ids()
        .map(|id| {
            let states = members.states(id).to_vec();
            let values = vec![0; states.len()];
            let begin = Iterated {
                states,
                values,
                change: 0,
                far: 0,
            };
            (id, begin)
        })
        .collect();
    let mut goes_on = true;
    for now in (1..).step_by(2) {
        if !goes_on {
            break;
        }
        goes_on = false;
        for now in [now, now + 1] {
            let open = components.iter_mut().map(|(_, one)| one);
            for component in open.filter(|one| one.far + 1 >= now) {
                if component.step(model, mecs, unit, tolerance) {
                    component.far = now;
                    goes_on |= now < most;
                }
            }
        }
    }
    let counts = components.iter();
    counts.map(|(id, one)| (*id, one.far + 1)).collect()
}

impl Iterated {
    /// Makes one iteration. Returns whether the changes of the states are far from equal.
    fn step(&mut self, model: &Earning<'_>, mecs: &Components, unit: f64, tolerance: i128) -> bool {
        let changes = self.states.iter().zip(&self.values).map(|(&state, value)| {
            let choices = mecs.retained_choices(model.graph, state);
            let outcomes = choices.map(|choice| self.outcome(model, choice.index(), unit));
            outcomes.max().unwrap_or_default() - value
        });
        let changes: Vec<i128> = changes.collect();
        let differences: Vec<i128> = changes.iter().map(|own| own - self.change).collect();
        self.change = changes[0];
        for (value, difference) in self.values.iter_mut().zip(&differences) {
            *value = (*value + difference - (difference >> 3)).clamp(-LIMIT, LIMIT);
        }
        differences
            .iter()
            .any(|difference| difference.abs() > tolerance)
    }

    /// Returns the reward of a choice plus the expected value of its target.
    fn outcome(&self, model: &Earning<'_>, choice: usize, unit: f64) -> i128 {
        let offsets = model.graph.branch_offsets();
        let row = offsets[choice] as usize..offsets[choice + 1] as usize;
        let targets = &model.graph.all_targets()[row.clone()];
        let value = |target: &StateId| {
            let place = self.states.binary_search(target);
            self.values[place.expect("a retained choice stays inside")]
        };
        let base = value(&targets[0]);
        let others = targets.iter().zip(&model.probabilities[row]).skip(1);
        let shares = others.map(|(target, p)| {
            let digits = (p * 2_f64.powi(64)) as u64;
            let difference = value(target) - base;
            ((difference.unsigned_abs() * u128::from(digits)) >> 64) as i128 * difference.signum()
        });
        (model.earned[choice] / unit).round() as i128 + base + shares.sum::<i128>()
    }
}
