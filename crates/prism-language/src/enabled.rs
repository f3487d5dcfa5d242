//! What single commands do in a state: whether they are enabled, with which weights, and what they
//! write.

use crate::arith::{to_double, to_int};
use crate::commands::{Branch, Computation, Sum, Weight, is_one};
use crate::moves::Change;
use crate::program::Program;
use crate::stop::Stop;

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

    fn check_sum(&self, index: u32, values: &[i64], stack: &mut [u64]) -> Result<(), Stop> {
        let mut sum = 0.0;
        for branch in self.commands[index as usize].branches.clone() {
            sum += self.weight(branch, index, values, stack)?;
        }
        match is_one(sum) {
            true => Ok(()),
            false => Err(Stop::Sum {
                command: index,
                sum,
            }),
        }
    }

    /// The weight of a branch.
    pub(crate) fn weight(
        &self,
        branch: u32,
        command: u32,
        values: &[i64],
        stack: &mut [u64],
    ) -> Result<f64, Stop> {
        let value = match self.branches[branch as usize].weight {
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
    }

    /// Adds what a branch writes to the changes of each word.
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
