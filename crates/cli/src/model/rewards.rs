//! The rewards of the states, choices and branches of a model, and their conversion to weights of
//! edges.

mod select;

pub(crate) use select::select;

use crate::error::Error;
use cycle_mean::{Ratio, Scale, ScaleError};
use mdp_graph::{MdpGraph, check_room};
use prism_explicit::Reward;
use std::collections::{HashMap, TryReserveError};

/// A reward structure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rewards {
    pub(crate) name: Option<String>,
    /// The reward of each state, if any state has one.
    pub(crate) states: Option<Amounts>,
    /// The reward of each choice, if any choice has one.
    pub(crate) choices: Option<Amounts>,
    /// The reward of each branch, if any branch has one.
    pub(crate) branches: Option<Amounts>,
}

/// Rewards of states, choices or branches, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Amounts {
    pub(crate) values: Vec<f64>,
    /// The amounts that are not equal to the decimal that is printed for their double.
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
    /// Returns all amounts, rounded to doubles.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns this many zeros.
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

    /// Sets an amount to a reward of a file, if there is enough memory.
    pub(crate) fn try_set_reward(
        &mut self,
        i: usize,
        reward: Reward,
    ) -> Result<(), TryReserveError> {
        match reward {
            Reward::Decimal(value) => self.values[i] = value,
            Reward::Fraction(over, under) => {
                self.fractions.try_reserve(1)?;
                self.set(i, Ratio::new(over.into(), under));
            }
        }
        Ok(())
    }

    /// Appends a reward of a file, if there is enough memory.
    pub(crate) fn try_push_reward(&mut self, reward: Reward) -> Result<(), TryReserveError> {
        self.values.try_reserve(1)?;
        self.values.push(0.0);
        self.try_set_reward(self.values.len() - 1, reward)
    }

    /// Returns the memory that the amounts take, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let fractions = self.fractions.len() * size_of::<(usize, Ratio)>();
        size_of_val(self.values.as_slice()) + fractions
    }

    /// Appends other amounts.
    pub(crate) fn append(&mut self, others: Self) {
        let start = self.values.len();
        let fractions = others.fractions.into_iter();
        self.fractions
            .extend(fractions.map(|(i, fraction)| (start + i, fraction)));
        self.values.extend(others.values);
    }

    /// Returns whether all amounts are 0.
    pub(crate) fn are_zeros(&self) -> bool {
        self.fractions.is_empty() && self.values.iter().all(|&value| value == 0.0)
    }

    /// Returns amount `i` as a fraction, if it is not equal to the decimal that is printed for its
    /// double.
    pub(crate) fn fraction(&self, i: usize) -> Option<Ratio> {
        self.fractions.get(&i).copied()
    }

    /// Returns all amounts that are not equal to the decimals that are printed for their doubles.
    pub(crate) fn fractions(&self) -> impl Iterator<Item = (usize, Ratio)> {
        self.fractions.iter().map(|(&i, &fraction)| (i, fraction))
    }

    /// Returns amount `i` without rounding.
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
        // A list that is collected from results grows by doubling.
        let mut scaled = Vec::with_capacity(self.values.len());
        for i in 0..self.values.len() {
            scaled.push(scale.apply(self.exact(i)?)?);
        }
        Ok(scaled)
    }
}

/// The weight of each branch as an integer.
pub(crate) struct Weights {
    pub(crate) values: Vec<i64>,
    /// The number by which the rewards were multiplied.
    pub(crate) factor: u64,
}

impl Rewards {
    /// Returns the name of the structure in messages.
    fn shown(&self) -> String {
        match &self.name {
            Some(name) => format!("`{name}`"),
            None => "one without a name".to_owned(),
        }
    }

    /// Returns the amounts that it has: those of states, choices and branches.
    fn amounts(&self) -> impl Iterator<Item = &Amounts> {
        [&self.states, &self.choices, &self.branches]
            .into_iter()
            .flatten()
    }

    /// Returns whether all amounts are equal to the decimals that are printed for their doubles.
    pub(crate) fn are_decimals(&self) -> bool {
        self.amounts().all(|amounts| amounts.fractions.is_empty())
    }

    /// Returns the weights of branches, as integers: the sums of the rewards of state, choice and
    /// branch.
    ///
    /// # Errors
    /// Rewards that do not become integers of 64 bits, with the reason. If there is not enough
    /// memory.
    pub(crate) fn weights(&self, graph: &MdpGraph) -> Result<Weights, Error> {
        let sizes = self.amounts().map(|amounts| 8 * amounts.values.len());
        let tables: Vec<usize> = sizes.chain([8 * graph.num_branches()]).collect();
        check_room("the weights of edges", &tables)?;
        self.try_weights(graph).map_err(|error| {
            let name = self.name.as_ref();
            let shown = name.map_or_else(String::new, |name| format!(" `{name}`"));
            Error::wrong(format!(
                "the rewards{shown} do not become integers of 64 bits: {error}"
            ))
        })
    }

    fn try_weights(&self, graph: &MdpGraph) -> Result<Weights, ScaleError> {
        let mut scale = Scale::default();
        self.amounts()
            .try_for_each(|amounts| amounts.include_in(&mut scale))?;
        let scaled = |amounts: &Option<Amounts>| {
            let scaled = amounts.as_ref().map(|amounts| amounts.scaled(scale));
            scaled.transpose()
        };
        let states = scaled(&self.states)?;
        let choices = scaled(&self.choices)?;
        let branches = scaled(&self.branches)?;
        let at = |all: &Option<Vec<i64>>, i: usize| all.as_ref().map_or(0, |all| all[i]);
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
