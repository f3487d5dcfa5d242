//! Evaluates single commands in a state: whether they are enabled, their weights, and the values
//! that they write.

use crate::arith::{to_double, to_int};
use crate::commands::{Bound, Branch, Computation, Sum, Weight, is_one};
use crate::moves::Change;
use crate::program::Program;
use crate::stop::Stop;
use model_type::SUM_TOLERANCE;

impl Program {
    /// Lists the commands of a group whose guards hold.
    pub(crate) fn list_enabled(
        &self,
        group: u32,
        values: &[i64],
        stack: &mut [u64],
        enabled: &mut Vec<u32>,
    ) -> Result<(), Stop> {
        enabled.clear();
        for &index in self.groups[group as usize].candidates(values) {
            let command = &self.commands[index as usize];
            if let Some(guard) = command.guard
                && self.code.run(guard, values, stack)? == 0
            {
                continue;
            }
            match command.sum {
                Sum::Right => {}
                Sum::Wrong(sum) => {
                    return Err(Stop::Sum {
                        command: index,
                        sum,
                    });
                }
                Sum::Varies => self.check_sum(index, values, stack)?,
            }
            enabled.push(index);
        }
        Ok(())
    }

    /// Checks the sum of the weights of a command in a state.
    fn check_sum(&self, command: u32, values: &[i64], stack: &mut [u64]) -> Result<(), Stop> {
        let [mut low, mut high] = [0.0; 2];
        for branch in self.commands[command as usize].branches.clone() {
            let weights = self.weights(branch, command, values, stack)?;
            low += weights[0];
            high += weights[1];
        }
        let sums = [low, high];
        match self.model_type.has_intervals() {
            true if low <= 1.0 + SUM_TOLERANCE && high >= 1.0 - SUM_TOLERANCE => Ok(()),
            true => Err(Stop::Intervals { command, sums }),
            false if is_one(high) => Ok(()),
            false => Err(Stop::Sum { command, sum: high }),
        }
    }

    /// Returns the weight of a branch; `None` if the branch cannot be taken.
    pub(crate) fn weight(
        &self,
        branch: u32,
        command: u32,
        values: &[i64],
        stack: &mut [u64],
    ) -> Result<Option<f64>, Stop> {
        let [low, high] = self.weights(branch, command, values, stack)?;
        let weight = match self.bound {
            Bound::Lower => low,
            Bound::Upper => high,
        };
        Ok((high > 0.0).then_some(weight))
    }

    /// Returns the bounds of the weight of a branch, which are equal if it is not an interval.
    fn weights(
        &self,
        branch: u32,
        command: u32,
        values: &[i64],
        stack: &mut [u64],
    ) -> Result<[f64; 2], Stop> {
        let mut number = |weight| {
            let value = match weight {
                Weight::Constant(weight) => weight,
                Weight::Code(code) => to_double(self.code.run(code, values, stack)?),
            };
            match (0.0..f64::INFINITY).contains(&value) {
                true => Ok(value),
                false => Err(Stop::Weight {
                    branch,
                    command,
                    value,
                }),
            }
        };
        let &Branch { weight, lower, .. } = &self.branches[branch as usize];
        let high = number(weight)?;
        let low = lower.map_or(Ok(high), number)?;
        match low <= high {
            true => Ok([low, high]),
            false => Err(Stop::Interval {
                branch,
                command,
                bounds: [low, high],
            }),
        }
    }

    /// Adds the values that a branch writes to the changes of each word.
    pub(crate) fn write(
        &self,
        branch: u32,
        command: u32,
        values: &[i64],
        stack: &mut [u64],
        changes: &mut [Change],
    ) -> Result<(), Stop> {
        let Branch {
            fixed, computed, ..
        } = &self.branches[branch as usize];
        for fixed in &self.fixed[fixed.start as usize..fixed.end as usize] {
            let change = &mut changes[fixed.word as usize];
            change.keep &= fixed.keep;
            change.put |= fixed.put;
        }
        for index in computed.clone() {
            let computed = &self.computed[index as usize];
            let value = match computed.value {
                Computation::Sum(slot, constant) => values[usize::from(slot)] + constant,
                Computation::Code(code) => to_int(self.code.run(code, values, stack)?),
            };
            if value < computed.low || value > computed.high {
                return Err(Stop::OutOfRange {
                    computed: index,
                    command,
                    value,
                });
            }
            let offset = value.wrapping_sub(computed.low).cast_unsigned();
            let change = &mut changes[computed.field.word as usize];
            change.keep &= !(computed.field.mask << computed.field.shift);
            change.put |= offset << computed.field.shift;
        }
        Ok(())
    }
}
