//! Encodes functions of a state as words: as tables of their results for all values of the few
//! variables that they read, or as instructions.

use super::encoder::{Encoder, descriptor};
use super::layout::{
    self, CODE, COMPARISON_SHIFT, CONDITIONS, FAILED_CONDITION, INSTRUCTION_WORDS, MAX_STACK,
    NO_VALUE, NO_WEIGHTS, NOWHERE, ON_SHIFT, SUM, TABLE,
};
use super::unsuited::Unsuited;
use crate::arith::{Binary, Bits, Comparison, Unary, to_int};
use crate::ast::Span;
use crate::code::{Instruction, Pc, Seen};
use crate::commands::{Command, Computation, Computed, Sum, Weight, is_one};
use crate::ir::Slot;
use std::collections::BTreeSet;

/// Once tables have this many entries, instructions replace them if possible.
const MANY_ENTRIES: u64 = 1 << 22;

/// The largest number of branches in a set of bits.
const MAX_BRANCHES: usize = 30;

impl Encoder<'_> {
    /// Encodes a condition. Returns the position of its function.
    pub(super) fn condition(&mut self, code: Pc, span: Span) -> Result<u32, Unsuited> {
        let slots = self.reads([code]);
        let few = self.bits.conditions;
        if let Some(at) = self.code_unless_few(code, &slots, few, span)? {
            return Ok(at);
        }
        let mut packed = Vec::new();
        self.tabulate(&slots, |encoder, key| {
            let (values, stack) = (&encoder.space.values, &mut encoder.space.stack);
            let result = match encoder.program.code.run(code, values, stack) {
                Ok(bits) => u32::from(bits != 0),
                Err(_) => FAILED_CONDITION,
            };
            if key % 16 == 0 {
                packed.push(0);
            }
            if let Some(word) = packed.last_mut() {
                *word |= result << (2 * (key % 16));
            }
        });
        Ok(self.table(CONDITIONS, &slots, packed))
    }

    /// Encodes a value that is written. Returns the position of its function.
    pub(super) fn value(&mut self, computed: &Computed) -> Result<u32, Unsuited> {
        let code = match computed.value {
            Computation::Sum(slot, constant) => return Ok(self.sum(slot, constant, computed)),
            Computation::Code(code) => code,
        };
        let slots = self.reads([code]);
        let few = self.bits.values;
        if let Some(at) = self.code_unless_few(code, &slots, few, computed.span)? {
            return Ok(at);
        }
        let (low, high) = (computed.low, computed.high);
        let mut offsets = Vec::new();
        self.tabulate(&slots, |encoder, _| {
            let (values, stack) = (&encoder.space.values, &mut encoder.space.stack);
            let value = encoder.program.code.run(code, values, stack).map(to_int);
            let fitting = value.ok().filter(|value| (low..=high).contains(value));
            offsets.push(fitting.map_or(NO_VALUE, |value| (value - low) as u32));
        });
        Ok(self.table(TABLE, &slots, offsets))
    }

    /// Encodes a variable plus a constant. Constants that lead far out of the range are clamped,
    /// and still do so.
    fn sum(&mut self, slot: Slot, constant: i64, computed: &Computed) -> u32 {
        let domain = self.program.variables[usize::from(slot)].domain;
        // Values, and the differences between them, are below 2^31.
        let (least, most) = (
            computed.low - domain.high - 1,
            computed.high - domain.low + 1,
        );
        let constant = constant.clamp(least, most) as i32;
        let at = self.here();
        let words = [SUM, Self::variable(slot), constant.cast_unsigned()];
        self.words.extend(words);
        at
    }

    /// Encodes the function that determines which branches of a command have a probability above 0.
    /// It checks that all have a probability, and that these sum to 1 if they have to. Returns the
    /// position of the function.
    pub(super) fn weight_table(&mut self, index: u32, command: &Command) -> Result<u32, Unsuited> {
        let line = self.line(command.span);
        if command.branches.len() > MAX_BRANCHES {
            return Err(Unsuited::Branches { line });
        }
        let branches = &self.program.branches;
        let codes =
            command
                .branches
                .clone()
                .filter_map(|branch| match branches[branch as usize].weight {
                    Weight::Code(code) => Some(code),
                    Weight::Constant(_) => None,
                });
        let slots = self.reads(codes.collect::<Vec<_>>());
        let bits = self.width(&slots);
        if bits > self.bits.most {
            return Err(Unsuited::Expression { line, bits });
        }
        let mut sets = Vec::new();
        self.tabulate(&slots, |encoder, _| {
            sets.push(encoder.positive(index, command).unwrap_or(NO_WEIGHTS));
        });
        Ok(self.table(TABLE, &slots, sets))
    }

    /// Returns the branches of a command with a probability above 0; `None` if a probability is not
    /// valid.
    fn positive(&mut self, index: u32, command: &Command) -> Option<u32> {
        let (mut set, mut sum) = (0, 0.0);
        for (bit, branch) in command.branches.clone().enumerate() {
            let (values, stack) = (&self.space.values, &mut self.space.stack);
            let weight = self.program.weight(branch, index, values, stack).ok()?;
            let weight = weight.unwrap_or(0.0);
            sum += weight;
            if weight > 0.0 {
                set |= 1 << bit;
            }
        }
        let is_right = match command.sum {
            Sum::Right => true,
            Sum::Wrong(_) => false,
            Sum::Varies => is_one(sum),
        };
        is_right.then_some(set)
    }

    /// Returns the variables that this code reads.
    fn reads(&self, codes: impl IntoIterator<Item = Pc>) -> Vec<Slot> {
        let mut slots = BTreeSet::new();
        for code in codes {
            let mut read = |slot, _: Seen<'_>| {
                slots.insert(slot);
            };
            self.program.code.reads(code, &mut read);
        }
        slots.into_iter().collect()
    }

    /// Returns the total number of bits of these variables.
    fn width(&self, slots: &[Slot]) -> u32 {
        let bits = |&slot: &Slot| self.program.variables[usize::from(slot)].bits();
        slots.iter().map(bits).sum()
    }

    /// Calls `entry` with all keys in order, while the variables have the values of the key. A
    /// value that a variable cannot have is replaced by its least value.
    fn tabulate(&mut self, slots: &[Slot], mut entry: impl FnMut(&mut Self, u32)) {
        self.entries += 1 << self.width(slots);
        for key in 0..1_u32 << self.width(slots) {
            let mut rest = key;
            for &slot in slots {
                let variable = &self.program.variables[usize::from(slot)];
                let offset = i64::from(rest & ((1 << variable.bits()) - 1));
                rest >>= variable.bits();
                let value = variable.low() + offset;
                let is_possible = value <= variable.high();
                let value = if is_possible { value } else { variable.low() };
                self.space.values[usize::from(slot)] = value;
            }
            entry(self, key);
        }
    }

    /// Encodes a function as a table. Returns its position.
    fn table(&mut self, kind: u32, slots: &[Slot], entries: Vec<u32>) -> u32 {
        let first = self.here();
        self.words.extend(entries);
        let at = self.here();
        self.words.extend([kind, slots.len() as u32, first]);
        let variables = &self.program.variables;
        let fields = slots
            .iter()
            .map(|&slot| descriptor(variables[usize::from(slot)].field));
        self.words.extend(fields);
        at
    }

    /// Encodes a function as instructions, unless a table with keys of at most this many bits is
    /// sufficient.
    fn code_unless_few(
        &mut self,
        code: Pc,
        slots: &[Slot],
        few: u32,
        span: Span,
    ) -> Result<Option<u32>, Unsuited> {
        let bits = self.width(slots);
        if bits <= few && self.entries < MANY_ENTRIES {
            return Ok(None);
        }
        if let Some(at) = self.instructions(code) {
            return Ok(Some(at));
        }
        match bits <= self.bits.most {
            true => Ok(None),
            false => Err(Unsuited::Expression {
                line: self.line(span),
                bits,
            }),
        }
    }

    /// Encodes a function as instructions. Returns its position; `None` if an operation has no
    /// instruction, or if numbers do not fit.
    fn instructions(&mut self, code: Pc) -> Option<u32> {
        let program = self.program;
        let all = program.code.expression(code);
        let words = self.words.len();
        // Tables come first, so that instructions are contiguous.
        let mut tables = Vec::with_capacity(all.len());
        for &instruction in all {
            let Ok(table) = self.instruction_table(instruction) else {
                self.words.truncate(words);
                return None;
            };
            tables.push(table);
        }
        let first = self.here();
        let mut depth = 0_usize;
        for (&instruction, table) in all.iter().zip(tables) {
            let to = |to: Pc| first + INSTRUCTION_WORDS * (to - code);
            let (popped, pushed) = instruction.stack_effect();
            depth = (depth + pushed).saturating_sub(popped);
            let encoded = encode(instruction, table, to);
            let Some(encoded) = encoded.filter(|_| depth <= MAX_STACK as usize) else {
                self.words.truncate(words);
                return None;
            };
            self.words.extend(encoded);
        }
        let at = self.here();
        self.words.extend([CODE, first]);
        Some(at)
    }

    /// Encodes the table of an instruction, if it has one: entries of 32 bits, or a set of bits in
    /// two words.
    fn instruction_table(&mut self, instruction: Instruction) -> Result<u32, ()> {
        let at = self.here();
        match instruction {
            Instruction::InSet { set, .. } => {
                self.words.extend([set as u32, (set >> 32) as u32]);
                Ok(at)
            }
            Instruction::LookUp { slot, first, .. } => {
                let variable = &self.program.variables[usize::from(slot)];
                let count = (variable.high() - variable.low()) as usize + 1;
                for &bits in &self.program.code.table(first)[..count] {
                    self.words.push(fitting(bits).ok_or(())?);
                }
                Ok(at)
            }
            _ => Ok(NOWHERE),
        }
    }
}

/// Returns an integer as 32 bits, if it fits.
fn fitting(bits: Bits) -> Option<u32> {
    i32::try_from(to_int(bits)).ok().map(i32::cast_unsigned)
}

/// Returns the words of an instruction: its operation, two operands, and the target of a jump.
/// `None` if there is no such instruction.
fn encode(
    instruction: Instruction,
    table: u32,
    place: impl Fn(Pc) -> u32,
) -> Option<[u32; INSTRUCTION_WORDS as usize]> {
    let variable = Encoder::variable;
    let test = |op: u32, comparison: Option<Comparison>, on: bool| {
        op | comparison.map_or(0, comparison_code) << COMPARISON_SHIFT | u32::from(on) << ON_SHIFT
    };
    Some(match instruction {
        Instruction::Push(bits) => [layout::PUSH, fitting(bits)?, 0, 0],
        Instruction::Answer(answer) => [layout::ANSWER, u32::from(answer), 0, 0],
        Instruction::Load(slot) => [layout::LOAD, variable(slot), 0, 0],
        Instruction::LookUp { slot, .. } => [layout::LOOK_UP, variable(slot), table, 0],
        Instruction::Unary(Unary::NegateInt) => [layout::NEGATE, 0, 0, 0],
        Instruction::Unary(_) => return None,
        Instruction::Binary(op) => [binary(op)?, 0, 0, 0],
        Instruction::Jump(to) => [layout::JUMP, 0, 0, place(to)],
        Instruction::Test { on, to } => [test(layout::TEST, None, on), 0, 0, place(to)],
        Instruction::CompareInts { op, on, to } => {
            [test(layout::COMPARE, Some(op), on), 0, 0, place(to)]
        }
        Instruction::CompareDoubles { .. } => return None,
        Instruction::InSet { slot, on, to, .. } => {
            let head = test(layout::IN_SET, None, on);
            [head, variable(slot), table, place(to)]
        }
        Instruction::CompareConstant {
            slot,
            op,
            to,
            constant,
        } => {
            let head = test(layout::COMPARE_CONSTANT, Some(op), true);
            // No variable has the least or the greatest 32-bit integer as a value.
            let constant = constant.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
            [head, variable(slot), constant.cast_unsigned(), place(to)]
        }
        Instruction::CompareVariables {
            left,
            right,
            op,
            to,
        } => {
            let head = test(layout::COMPARE_VARIABLES, Some(op), true);
            [head, variable(left), variable(right), place(to)]
        }
        Instruction::Return => [layout::RETURN, 0, 0, 0],
    })
}

fn binary(op: Binary) -> Option<u32> {
    Some(match op {
        Binary::AddInt => layout::ADD,
        Binary::SubtractInt => layout::SUBTRACT,
        Binary::MultiplyInt => layout::MULTIPLY,
        Binary::MinInt => layout::MINIMUM,
        Binary::MaxInt => layout::MAXIMUM,
        Binary::Mod => layout::MODULO,
        _ => return None,
    })
}

fn comparison_code(comparison: Comparison) -> u32 {
    match comparison {
        Comparison::Equal => layout::EQUAL,
        Comparison::NotEqual => layout::NOT_EQUAL,
        Comparison::Less => layout::LESS,
        Comparison::LessEqual => layout::LESS_EQUAL,
        Comparison::Greater => layout::GREATER,
        Comparison::GreaterEqual => layout::GREATER_EQUAL,
    }
}
