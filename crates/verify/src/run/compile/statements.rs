//! Statements: accesses to memory, communication between invocations, and calls.

use naga::{Function, Handle, Span, Statement};

use super::super::code::{NONE, Op, Rmw};
use super::builder::Builder;
use super::compiler::{Expr, Given, Result};

impl<'a> Builder<'_, 'a> {
    pub(super) fn statement(&mut self, statement: &'a Statement, span: Span) -> Result<()> {
        match statement {
            Statement::Emit(range) => {
                for expression in range.clone() {
                    self.at(self.span(expression));
                    self.evaluate(expression)?;
                }
            }
            Statement::Block(block) => self.block(block)?,
            Statement::If {
                condition,
                accept,
                reject,
            } => self.branch(*condition, accept, reject)?,
            Statement::Switch { selector, cases } => self.switch(*selector, cases)?,
            Statement::Loop {
                body,
                continuing,
                break_if,
            } => self.repeat(body, continuing, *break_if)?,
            Statement::Break => {
                let jump = self.push(Op::Jump { to: 0 });
                self.jumps
                    .last_mut()
                    .into_iter()
                    .for_each(|jumps| jumps.breaks.push(jump));
            }
            Statement::Continue => {
                let jump = self.push(Op::Jump { to: 0 });
                let mut loops = self.jumps.iter_mut().rev();
                loops
                    .find(|jumps| jumps.is_loop)
                    .into_iter()
                    .for_each(|jumps| jumps.continues.push(jump));
            }
            Statement::Return { value } => {
                if let Some(value) = value {
                    let n = self.compiler.words(self.inner(*value), span)?;
                    let (dst, src) = (self.compiled.result, self.value(*value)?);
                    self.push(Op::Copy { dst, src, n });
                }
                self.end();
            }
            Statement::Call {
                function,
                arguments,
                result,
            } => self.call(*function, arguments, *result)?,
            _ => self.act(statement, span)?,
        }
        Ok(())
    }

    /// Compiles statements that access memory or communicate between invocations.
    fn act(&mut self, statement: &'a Statement, span: Span) -> Result<()> {
        match statement {
            Statement::Store { pointer, value } => {
                let src = self.value(*value)?;
                self.store(*pointer, src)?;
            }
            Statement::Atomic {
                pointer,
                fun,
                value,
                result,
            } => self.atomic(*pointer, *fun, *value, *result, span)?,
            Statement::ControlBarrier(barrier) => {
                if barrier.contains(naga::Barrier::SUB_GROUP) {
                    return self.unsupported(span, "subgroup barriers");
                }
                self.push(Op::Barrier {
                    storage: barrier.contains(naga::Barrier::STORAGE),
                    workgroup: barrier.contains(naga::Barrier::WORK_GROUP),
                });
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let barrier = Op::Barrier {
                    storage: false,
                    workgroup: true,
                };
                self.push(barrier);
                let loaded = self.load(*pointer)?;
                self.values.insert(*result, loaded);
                self.push(barrier);
            }
            Statement::SubgroupBallot { result, predicate } => {
                let predicate = match predicate {
                    Some(predicate) => self.value(*predicate)?,
                    None => self.compiler.constant(vec![1]),
                };
                let dst = self.new_value(*result)?;
                self.push(Op::Ballot { dst, predicate });
            }
            Statement::SubgroupGather {
                mode,
                argument,
                result,
            } => self.gather(*mode, *argument, *result, span)?,
            Statement::SubgroupCollectiveOperation {
                op,
                collective_op,
                argument,
                result,
            } => self.scan(*op, *collective_op, *argument, *result, span)?,
            other => return self.unsupported(span, format!("this statement: {other:?}")),
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        pointer: Expr,
        fun: naga::AtomicFunction,
        value: Expr,
        result: Option<Expr>,
        span: Span,
    ) -> Result<()> {
        let is_signed = self.inner(value).scalar_kind() == Some(naga::ScalarKind::Sint);
        let mut expected = NONE;
        let op = match fun {
            naga::AtomicFunction::Add => Rmw::Add,
            naga::AtomicFunction::Subtract => Rmw::Subtract,
            naga::AtomicFunction::And => Rmw::And,
            naga::AtomicFunction::ExclusiveOr => Rmw::Xor,
            naga::AtomicFunction::InclusiveOr => Rmw::Or,
            naga::AtomicFunction::Min if is_signed => Rmw::MinSigned,
            naga::AtomicFunction::Min => Rmw::Min,
            naga::AtomicFunction::Max if is_signed => Rmw::MaxSigned,
            naga::AtomicFunction::Max => Rmw::Max,
            naga::AtomicFunction::Exchange { compare: None } => Rmw::Exchange,
            naga::AtomicFunction::Exchange {
                compare: Some(compare),
            } => {
                expected = self.value(compare)?;
                Rmw::CompareExchange
            }
        };
        let value = self.value(value)?;
        let dst = match result {
            Some(result) => self.new_value(result)?,
            None => NONE,
        };
        let target = self.pointer(pointer)?;
        let Some(at) = target.address() else {
            return self.unsupported(span, "atomic operations on variables of a function");
        };
        self.push(Op::Atomic {
            op,
            dst,
            at,
            value,
            expected,
        });
        Ok(())
    }

    fn call(
        &mut self,
        function: Handle<Function>,
        arguments: &[Expr],
        result: Option<Expr>,
    ) -> Result<()> {
        let program = self.compiler.program;
        let declared = &program.module.functions[function].arguments;
        let mut given = Vec::new();
        let mut values = Vec::new();
        for (&argument, declared) in arguments.iter().zip(declared) {
            let inner = &program.module.types[declared.ty].inner;
            if inner.pointer_space().is_some() {
                given.push(Given::Pointer(self.pointer(argument)?));
            } else {
                let n = self.compiler.words(inner, self.span(argument))?;
                values.push((self.value(argument)?, n));
                given.push(Given::Value(0));
            }
        }
        let takes_pointers = given.iter().any(|given| given.register().is_none());
        let compiled = match self.compiler.known.get(&function) {
            Some(known) if !takes_pointers => known.clone(),
            _ => {
                let mut sizes = values.iter().map(|&(_, n)| n);
                for given in &mut given {
                    if let Given::Value(register) = given {
                        *register = self.compiler.registers(sizes.next().unwrap_or(0));
                    }
                }
                let compiled = self.compiler.function(Some(function), given)?;
                self.compiler.known.insert(function, compiled.clone());
                compiled
            }
        };
        for (&dst, (src, n)) in compiled.arguments.iter().zip(values) {
            self.push(Op::Copy { dst, src, n });
        }
        self.push(Op::Call {
            to: compiled.body,
            back: compiled.back,
        });
        if let Some(result) = result {
            let dst = self.new_value(result)?;
            let n = self.compiler.words(self.inner(result), self.span(result))?;
            let src = compiled.result;
            self.push(Op::Copy { dst, src, n });
        }
        Ok(())
    }
}
