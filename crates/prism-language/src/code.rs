//! Bytecode: the compiled form of expressions, which is evaluated for millions of states.
//!
//! Values are computed on a stack. A condition is a sequence of tests that jump as soon as the
//! result is known. Most tests need no stack: a comparison of a variable with a constant or with
//! another variable is one instruction. So is any condition on a single variable with at most 64
//! values, because it is a set of values, however it is written. A number that depends on one
//! variable is looked up in a table.
//!
//! `run` is, in pseudo-code:
//!
//! ```text
//! loop: match instruction at pc, pc += 1
//!     push, load, look up            stack <- value
//!     operator                       stack <- operator(operands <- stack), or fail at pc
//!     test with `on`, `to`           if test == on: pc = to
//!     return                         the value on the stack, or the truth value in the instruction
//! ```

mod compile;
mod merge;

use crate::arith::{self, Binary, Bits, Comparison, Unary, of_int, to_double, to_int};
use crate::ast::Span;
use crate::error::ArithmeticError;
use crate::ir::Slot;

pub(crate) use compile::{Compiler, Domain};

/// The index of an instruction.
pub(crate) type Pc = u32;

/// An instruction. A test jumps to `to` if its result is `on`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Instruction {
    Push(Bits),
    Load(Slot),
    /// Pushes `tables[first + variable - low]`.
    LookUp {
        slot: Slot,
        low: i64,
        first: u32,
    },
    Unary(Unary),
    Binary(Binary),
    Jump(Pc),
    /// Tests the value on the stack.
    Test {
        on: bool,
        to: Pc,
    },
    /// Compares two integers on the stack.
    CompareInts {
        op: Comparison,
        on: bool,
        to: Pc,
    },
    /// Compares two floating-point numbers on the stack.
    CompareDoubles {
        op: Comparison,
        on: bool,
        to: Pc,
    },
    /// Tests the bit `variable - low` of `set`. (`low` is the least value of the variable, which
    /// fits into 32 bits.)
    InSet {
        slot: Slot,
        on: bool,
        to: Pc,
        low: i32,
        set: u64,
    },
    CompareConstant {
        slot: Slot,
        op: Comparison,
        to: Pc,
        constant: i64,
    },
    CompareVariables {
        left: Slot,
        right: Slot,
        op: Comparison,
        to: Pc,
    },
    /// Ends with the value on the stack as the result.
    Return,
    /// Ends with this truth value as the result.
    Answer(bool),
}

impl Instruction {
    /// Returns the number of values that it takes from the stack, and the number of those that it
    /// pushes.
    pub(crate) fn stack_effect(self) -> (usize, usize) {
        match self {
            Self::Push(_) | Self::Load(_) | Self::LookUp { .. } => (0, 1),
            Self::Unary(_) => (1, 1),
            Self::Binary(_) => (2, 1),
            Self::Test { .. } | Self::Return => (1, 0),
            Self::CompareInts { .. } | Self::CompareDoubles { .. } => (2, 0),
            Self::Jump(_)
            | Self::InSet { .. }
            | Self::CompareConstant { .. }
            | Self::CompareVariables { .. }
            | Self::Answer(_) => (0, 0),
        }
    }

    /// Returns the target of a jump or test.
    fn target(mut self) -> Option<Pc> {
        self.target_mut().copied()
    }

    /// Returns the target of a jump or test, to be changed.
    fn target_mut(&mut self) -> Option<&mut Pc> {
        match self {
            Self::Jump(to)
            | Self::Test { to, .. }
            | Self::CompareInts { to, .. }
            | Self::CompareDoubles { to, .. }
            | Self::InSet { to, .. }
            | Self::CompareConstant { to, .. }
            | Self::CompareVariables { to, .. } => Some(to),
            _ => None,
        }
    }
}

/// The code of all expressions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Code {
    instructions: Vec<Instruction>,
    /// The tables of [`Instruction::LookUp`].
    tables: Vec<Bits>,
    /// The places in the text of the instructions that can fail, in order.
    origins: Vec<(Pc, Span)>,
    /// The largest number of values on the stack.
    depth: usize,
}

/// The part of a variable's value that an instruction depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Seen<'c> {
    /// Its value.
    Value,
    /// Whether the bit `value - low` is set.
    Test(u64),
    /// Entry `value - low` of a table; more entries may follow.
    Table(&'c [Bits]),
}

/// An operation that has no result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Failure {
    pub(crate) at: Pc,
    pub(crate) error: ArithmeticError,
}

impl Code {
    /// Returns a stack that is large enough for every expression.
    pub(crate) fn stack(&self) -> Vec<Bits> {
        vec![0; self.depth]
    }

    /// Returns the place in the text of the operation that failed.
    pub(crate) fn origin(&self, failure: Failure) -> Span {
        let found = self.origins.binary_search_by_key(&failure.at, |o| o.0);
        found.map_or(Span::default(), |index| self.origins[index].1)
    }

    /// Returns the instructions of the expression whose code is at `start`. They are contiguous,
    /// and jump only forward.
    pub(crate) fn expression(&self, start: Pc) -> &[Instruction] {
        let instructions = &self.instructions[start as usize..];
        let mut last = start;
        for (instruction, pc) in instructions.iter().zip(start..) {
            match instruction {
                Instruction::Return | Instruction::Answer(_) if pc >= last => {
                    return &instructions[..=(pc - start) as usize];
                }
                _ => last = instruction.target().map_or(last, |to| last.max(to)),
            }
        }
        instructions
    }

    /// Returns the table of [`Instruction::LookUp`] that begins at `first`.
    pub(crate) fn table(&self, first: u32) -> &[Bits] {
        &self.tables[first as usize..]
    }

    /// Calls `read` with each variable that the code at `start` may read, and the part of its value
    /// that the code depends on.
    pub(crate) fn reads(&self, start: Pc, read: &mut impl FnMut(Slot, Seen<'_>)) {
        for &instruction in self.expression(start) {
            match instruction {
                Instruction::Load(slot) | Instruction::CompareConstant { slot, .. } => {
                    read(slot, Seen::Value);
                }
                Instruction::InSet { slot, set, .. } => read(slot, Seen::Test(set)),
                Instruction::LookUp { slot, first, .. } => {
                    read(slot, Seen::Table(self.table(first)));
                }
                Instruction::CompareVariables { left, right, .. } => {
                    read(left, Seen::Value);
                    read(right, Seen::Value);
                }
                _ => {}
            }
        }
    }

    /// Runs the code at `start` in a state, given as the values of the variables.
    pub(crate) fn run(
        &self,
        start: Pc,
        state: &[i64],
        stack: &mut [Bits],
    ) -> Result<Bits, Failure> {
        let mut pc = start;
        let mut top = 0;
        loop {
            let instruction = self.instructions[pc as usize];
            pc += 1;
            let jump = match instruction {
                Instruction::InSet {
                    slot,
                    on,
                    to,
                    low,
                    set,
                } => {
                    let bit = state[usize::from(slot)] - i64::from(low);
                    ((set >> bit & 1 == 1) == on).then_some(to)
                }
                Instruction::CompareConstant {
                    slot,
                    op,
                    to,
                    constant,
                } => op.holds(state[usize::from(slot)], constant).then_some(to),
                Instruction::CompareVariables {
                    left,
                    right,
                    op,
                    to,
                } => {
                    let values = (state[usize::from(left)], state[usize::from(right)]);
                    op.holds(values.0, values.1).then_some(to)
                }
                Instruction::Push(bits) => {
                    stack[top] = bits;
                    top += 1;
                    None
                }
                Instruction::Load(slot) => {
                    stack[top] = of_int(state[usize::from(slot)]);
                    top += 1;
                    None
                }
                Instruction::LookUp { slot, low, first } => {
                    let row = state[usize::from(slot)] - low;
                    stack[top] = self.tables[first as usize + row as usize];
                    top += 1;
                    None
                }
                Instruction::Unary(op) => {
                    let result = arith::unary(op, stack[top - 1]);
                    stack[top - 1] = result.map_err(|error| Failure { at: pc - 1, error })?;
                    None
                }
                Instruction::Binary(op) => {
                    top -= 1;
                    let result = arith::binary(op, stack[top - 1], stack[top]);
                    stack[top - 1] = result.map_err(|error| Failure { at: pc - 1, error })?;
                    None
                }
                Instruction::Jump(to) => Some(to),
                Instruction::Test { on, to } => {
                    top -= 1;
                    ((stack[top] != 0) == on).then_some(to)
                }
                Instruction::CompareInts { op, on, to } => {
                    top -= 2;
                    let holds = op.holds(to_int(stack[top]), to_int(stack[top + 1]));
                    (holds == on).then_some(to)
                }
                Instruction::CompareDoubles { op, on, to } => {
                    top -= 2;
                    let holds = op.holds(to_double(stack[top]), to_double(stack[top + 1]));
                    (holds == on).then_some(to)
                }
                Instruction::Return => return Ok(stack[top - 1]),
                Instruction::Answer(answer) => return Ok(Bits::from(answer)),
            };
            if let Some(to) = jump {
                pc = to;
            }
        }
    }
}

#[cfg(test)]
mod tests;
