//! The rewards of the states, choices and branches of a model, and their conversion to weights of
//! edges.

mod select;

pub(crate) use select::select;

use crate::error::Error;
use cycle_mean::{Ratio, Scale, ScaleError};
use mdp_graph::MdpGraph;
use prism_explicit::Reward;
use std::collections::HashMap;

/// A reward structure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rewards {
    pub(crate) name: Option<String>,
    /// What each state earns, if any does.
    pub(crate) states: Option<Amounts>,
    /// What each choice earns.
    pub(crate) choices: Option<Amounts>,
    /// What each branch earns.
    pub(crate) branches: Option<Amounts>,
}

/// Amounts side by side with states, choices or branches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Amounts {
    pub(crate) values: Vec<f64>,
    /// Those that are not the decimals that are printed for their doubles.
    fractions: HashMap<usize, Ratio>,
}

impl From<Vec<f64>> for Amounts {
    fn from(values: Vec<f64>) -> Self {
        Self {
            values,
            fractions: HashMap::new(),
        }
    }
}

impl Amounts {
    /// All amounts, rounded to doubles.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// This many amounts of 0.
    pub(crate) fn zeros(count: usize) -> Self {
        vec![0.0; count].into()
    }

    pub(crate) fn set(&mut self, i: usize, amount: Ratio) {
        self.values[i] = amount.to_f64();
        match Ratio::from_decimal(self.values[i]) {
            Ok(decimal) if decimal == amount => self.fractions.remove(&i),
            _ => self.fractions.insert(i, amount),
        };
    }

    /// Sets an amount to a reward that was read.
    pub(crate) fn set_reward(&mut self, i: usize, reward: Reward) {
        match reward {
            Reward::Decimal(value) => self.values[i] = value,
            Reward::Fraction(over, under) => self.set(i, Ratio::new(over.into(), under)),
        }
    }

    /// Appends a reward that was read.
    pub(crate) fn push_reward(&mut self, reward: Reward) {
        self.values.push(0.0);
        self.set_reward(self.values.len() - 1, reward);
    }

    /// Appends others.
    pub(crate) fn append(&mut self, others: Self) {
        let start = self.values.len();
        let fractions = others.fractions.into_iter();
        self.fractions
            .extend(fractions.map(|(i, fraction)| (start + i, fraction)));
        self.values.extend(others.values);
    }

    /// Whether nothing is earned.
    pub(crate) fn are_zeros(&self) -> bool {
        self.fractions.is_empty() && self.values.iter().all(|&value| value == 0.0)
    }

    /// Amount `i` as a fraction, if it is not the decimal that is printed for its double.
    pub(crate) fn fraction(&self, i: usize) -> Option<Ratio> {
        self.fractions.get(&i).copied()
    }

    /// Amount `i` without rounding.
    pub(crate) fn exact(&self, i: usize) -> Result<Ratio, ScaleError> {
        match self.fractions.get(&i) {
            Some(&fraction) => Ok(fraction),
            None => Ratio::from_decimal(self.values[i]),
        }
    }

    fn include_in(&self, scale: &mut Scale) -> Result<(), ScaleError> {
        (0..self.values.len()).try_for_each(|i| scale.include(self.exact(i)?))
    }

    fn scaled(&self, scale: Scale) -> Result<Vec<i64>, ScaleError> {
        let all = 0..self.values.len();
        all.map(|i| scale.apply(self.exact(i)?)).collect()
    }
}

/// The weight of each branch as an integer.
pub(crate) struct Weights {
    pub(crate) values: Vec<i64>,
    /// What the rewards were multiplied by.
    pub(crate) factor: u64,
}

impl Rewards {
    /// What messages call it.
    fn shown(&self) -> String {
        match &self.name {
            Some(name) => format!("`{name}`"),
            None => "one without a name".to_owned(),
        }
    }

    fn parts(&self) -> impl Iterator<Item = &Amounts> {
        [&self.states, &self.choices, &self.branches]
            .into_iter()
            .flatten()
    }

    /// Whether all amounts are what is printed for their doubles.
    pub(crate) fn are_decimals(&self) -> bool {
        self.parts().all(|part| part.fractions.is_empty())
    }

    /// The weights of branches: what the state, the choice and the branch earn together, as
    /// integers.
    ///
    /// # Errors
    /// Rewards that do not become integers of 64 bits, with the reason.
    pub(crate) fn weights(&self, graph: &MdpGraph) -> Result<Weights, Error> {
        self.try_weights(graph).map_err(|error| {
            let name = self.name.as_ref();
            let shown = name.map_or_else(String::new, |name| format!(" `{name}`"));
            Error::wrong(format!(
                "the rewards{shown} cannot be computed with exactly: {error}"
            ))
        })
    }

    fn try_weights(&self, graph: &MdpGraph) -> Result<Weights, ScaleError> {
        let mut scale = Scale::default();
        self.parts()
            .try_for_each(|part| part.include_in(&mut scale))?;
        let scaled = |part: &Option<Amounts>| {
            let part = part.as_ref().map(|amounts| amounts.scaled(scale));
            part.transpose()
        };
        let states = scaled(&self.states)?;
        let choices = scaled(&self.choices)?;
        let branches = scaled(&self.branches)?;
        let at = |part: &Option<Vec<i64>>, i: usize| part.as_ref().map_or(0, |part| part[i]);
        let mut values = Vec::with_capacity(graph.num_branches());
        for state in graph.states() {
            for choice in graph.choices(state) {
                let earned = at(&states, state.index()).checked_add(at(&choices, choice.index()));
                for _ in graph.targets(choice) {
                    let branch = at(&branches, values.len());
                    let weight = earned.and_then(|earned| earned.checked_add(branch));
                    let too_large = || {
                        let factor = scale.factor();
                        ScaleError::TooLarge(
                            Ratio::new(at(&states, state.index()).into(), factor),
                            factor,
                        )
                    };
                    values.push(weight.ok_or_else(too_large)?);
                }
            }
        }
        Ok(Weights {
            values,
            factor: scale.factor(),
        })
    }
}
