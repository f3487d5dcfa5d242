//! Control flow: `if`, `switch` and loops.

use naga::{Block, SwitchValue};

use super::super::code::{Binary, Op, Unary};
use super::builder::{Builder, Jumps};
use super::compiler::{Expr, Result};

impl<'a> Builder<'_, 'a> {
    /// Compiles an `if`.
    pub(super) fn branch(
        &mut self,
        condition: Expr,
        accept: &'a Block,
        reject: &'a Block,
    ) -> Result<()> {
        let condition = self.value(condition)?;
        let skip = self.push(Op::JumpUnless { condition, to: 0 });
        self.block(accept)?;
        let end = self.push(Op::Jump { to: 0 });
        self.land(skip);
        self.block(reject)?;
        self.land(end);
        Ok(())
    }

    /// Compiles a `switch`: a comparison and a jump for each case, followed by the bodies.
    pub(super) fn switch(&mut self, selector: Expr, cases: &'a [naga::SwitchCase]) -> Result<()> {
        let selector = self.value(selector)?;
        let mut entries = vec![Vec::new(); cases.len()];
        let mut default = None;
        for (k, case) in cases.iter().enumerate() {
            let value = match case.value {
                SwitchValue::I32(value) => value as u32,
                SwitchValue::U32(value) => value,
                SwitchValue::Default => {
                    default = Some(k);
                    continue;
                }
            };
            let value = self.compiler.constant(vec![value]);
            let differs = self.compiler.registers(1);
            self.push(Op::Binary {
                op: Binary::Equal,
                dst: differs,
                a: selector,
                b: value,
            });
            self.push(Op::Unary {
                op: Unary::Not,
                dst: differs,
                a: differs,
            });
            let jump = self.push(Op::JumpUnless {
                condition: differs,
                to: 0,
            });
            entries[k].push(jump);
        }
        let jump = self.push(Op::Jump { to: 0 });
        self.jumps.push(Jumps::of_switch());
        match default {
            Some(k) => entries[k].push(jump),
            None => self.out(jump),
        }
        for (case, jumps) in cases.iter().zip(entries) {
            for jump in jumps {
                self.land(jump);
            }
            self.block(&case.body)?;
            if !case.fall_through {
                let jump = self.push(Op::Jump { to: 0 });
                self.out(jump);
            }
        }
        self.land_breaks();
        Ok(())
    }

    /// Adds a jump out of the innermost loop or `switch`.
    fn out(&mut self, jump: usize) {
        if let Some(jumps) = self.jumps.last_mut() {
            jumps.breaks.push(jump);
        }
    }

    /// Ends the innermost loop or `switch`: jumps out of it lead here.
    fn land_breaks(&mut self) {
        let breaks = self.jumps.pop().map(|jumps| jumps.breaks);
        for jump in breaks.unwrap_or_default() {
            self.land(jump);
        }
    }

    /// Compiles a loop.
    pub(super) fn repeat(
        &mut self,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Expr>,
    ) -> Result<()> {
        let head = self.here();
        self.jumps.push(Jumps::of_loop());
        self.block(body)?;
        let continues = self
            .jumps
            .last_mut()
            .map(|jumps| std::mem::take(&mut jumps.continues));
        for jump in continues.unwrap_or_default() {
            self.land(jump);
        }
        self.block(continuing)?;
        if let Some(condition) = break_if {
            let condition = self.value(condition)?;
            // The loop continues while the condition does not hold.
            self.push(Op::JumpUnless {
                condition,
                to: head,
            });
        } else {
            self.push(Op::Jump { to: head });
        }
        self.land_breaks();
        Ok(())
    }
}
