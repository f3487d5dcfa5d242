//! Pointers. They are resolved at compile time, so that only indices have to be computed at run
//! time.

use naga::{ArraySize, Expression, TypeInner};

use super::super::code::{Address, NONE, Op, Reg};
use super::builder::Builder;
use super::compiler::{Expr, Given, Result};
use super::pointer::{Pointee, Pointer, Root};
use super::types;

impl<'a> Builder<'_, 'a> {
    /// Returns a pointer that was evaluated, or that points to a whole variable.
    pub(super) fn pointer(&mut self, expression: Expr) -> Result<Pointer> {
        if let Some(pointer) = self.pointers.get(&expression) {
            return Ok(*pointer);
        }
        match &self.function.expressions[expression] {
            Expression::GlobalVariable(global) => Ok(self.compiler.globals[global]),
            Expression::LocalVariable(local) => Ok(self.locals[local]),
            Expression::FunctionArgument(index) => match &self.given[*index as usize] {
                Given::Pointer(pointer) => Ok(*pointer),
                Given::Value(_) => self.unsupported(self.span(expression), "this pointer"),
            },
            _ => self.unsupported(self.span(expression), "pointers that are computed"),
        }
    }

    /// Follows a pointer to a member, an element or a component.
    pub(super) fn follow(&mut self, expression: Expr) -> Result<Pointer> {
        let span = self.span(expression);
        let (base, index) = match &self.function.expressions[expression] {
            Expression::AccessIndex { base, index } => (*base, Index::Known(*index)),
            Expression::Access { base, index } => (*base, Index::Computed(self.value(*index)?)),
            _ => return self.unsupported(span, "this pointer"),
        };
        let from = self.pointer(base)?;
        let Pointee::Type(ty) = from.to else {
            return self.unsupported(span, "pointers into a scalar");
        };
        let module = &self.compiler.program.module;
        let unknown = || self.unsupported(span, "arrays of this type");
        match &module.types[ty].inner {
            TypeInner::Struct { members, .. } => {
                let Index::Known(index) = index else {
                    return unknown();
                };
                let Some(offset) = types::offset(module, from.layout, members, index as usize)
                else {
                    return unknown();
                };
                Ok(Pointer {
                    base: from.base + offset,
                    to: Pointee::Type(members[index as usize].ty),
                    ..from
                })
            }
            TypeInner::Array { base, size, stride } => {
                let Some(stride) = types::stride(module, from.layout, *base, *stride) else {
                    return unknown();
                };
                let to = Pointee::Type(*base);
                self.element(from, index, *size, stride, to)
            }
            TypeInner::Vector { size, .. } => {
                let length = ArraySize::Constant((*size).into_length());
                self.element(from, index, length, 1, Pointee::Scalar)
            }
            _ => unknown(),
        }
    }

    fn element(
        &mut self,
        from: Pointer,
        index: Index,
        length: ArraySize,
        stride: u32,
        to: Pointee,
    ) -> Result<Pointer> {
        let index = match (index, length) {
            // naga has checked that a constant index is within an array of fixed size.
            (Index::Known(index), ArraySize::Constant(_)) => {
                return Ok(Pointer {
                    base: from.base + index * stride,
                    to,
                    ..from
                });
            }
            (Index::Known(index), _) => self.compiler.constant(vec![index]),
            (Index::Computed(index), _) => index,
        };
        let dst = self.compiler.registers(1);
        let base = from.at;
        match (length, from.root) {
            (ArraySize::Constant(length), _) => self.push(Op::Index {
                dst,
                index,
                base,
                stride,
                length: length.get(),
            }),
            (_, Root::Object(object)) => self.push(Op::IndexRest {
                dst,
                index,
                base,
                stride,
                object,
                offset: from.base,
            }),
            (_, Root::Register(_)) => {
                return self.unsupported(naga::Span::default(), "local arrays of unknown length");
            }
        };
        Ok(Pointer {
            at: dst,
            to,
            ..from
        })
    }

    /// Returns the ranges of words of the target of a pointer.
    fn stretches(&self, pointer: &Pointer, expression: Expr) -> Result<Vec<(u32, u32)>> {
        let module = &self.compiler.program.module;
        let found = match pointer.to {
            Pointee::Scalar => Some(vec![(0, 1)]),
            Pointee::Type(ty) => types::stretches(module, pointer.layout, &module.types[ty].inner),
        };
        match found {
            Some(found) => Ok(found),
            None => self.unsupported(self.span(expression), "values of this type"),
        }
    }

    fn is_atomic(&self, pointer: &Pointer) -> bool {
        let module = &self.compiler.program.module;
        matches!(pointer.to, Pointee::Type(ty)
            if matches!(module.types[ty].inner, TypeInner::Atomic(_)))
    }

    /// Loads the target of a pointer into new registers.
    pub(super) fn load(&mut self, expression: Expr) -> Result<Reg> {
        let pointer = self.pointer(expression)?;
        let stretches = self.stretches(&pointer, expression)?;
        let is_atomic = self.is_atomic(&pointer);
        let total = stretches.iter().map(|(_, n)| n).sum();
        let first = self.compiler.registers(total);
        let mut dst = first;
        for (offset, n) in stretches {
            let base = pointer.base + offset;
            match (pointer.root, pointer.at) {
                (Root::Register(register), NONE) => {
                    let src = register + base;
                    self.push(Op::Copy { dst, src, n })
                }
                (Root::Register(register), at) => self.push(Op::Peek {
                    dst,
                    base: register + base,
                    at,
                    n,
                }),
                (Root::Object(object), at) => self.push(Op::Load {
                    dst,
                    from: Address { object, base, at },
                    n,
                    is_atomic,
                }),
            };
            dst += n;
        }
        Ok(first)
    }

    /// Stores registers to the target of a pointer.
    pub(super) fn store(&mut self, expression: Expr, value: Reg) -> Result<()> {
        let pointer = self.pointer(expression)?;
        let is_atomic = self.is_atomic(&pointer);
        let mut src = value;
        for (offset, n) in self.stretches(&pointer, expression)? {
            let base = pointer.base + offset;
            match (pointer.root, pointer.at) {
                (Root::Register(register), NONE) => {
                    let dst = register + base;
                    self.push(Op::Copy { dst, src, n })
                }
                (Root::Register(register), at) => self.push(Op::Poke {
                    base: register + base,
                    at,
                    src,
                    n,
                }),
                (Root::Object(object), at) => self.push(Op::Store {
                    src,
                    to: Address { object, base, at },
                    n,
                    is_atomic,
                }),
            };
            src += n;
        }
        Ok(())
    }

    /// Compiles `arrayLength`.
    pub(super) fn length(&mut self, array: Expr) -> Result<Reg> {
        let span = self.span(array);
        let pointer = match self.function.expressions[array] {
            Expression::AccessIndex { .. } => self.follow(array)?,
            _ => self.pointer(array)?,
        };
        let module = &self.compiler.program.module;
        let Pointee::Type(ty) = pointer.to else {
            return self.unsupported(span, "the length of a scalar");
        };
        let (TypeInner::Array { stride, .. }, Root::Object(object)) =
            (&module.types[ty].inner, pointer.root)
        else {
            return self.unsupported(span, "the length of this");
        };
        let (stride, offset) = (stride / 4, pointer.base);
        let dst = self.compiler.registers(1);
        self.push(Op::Length {
            dst,
            object,
            offset,
            stride,
        });
        Ok(dst)
    }
}

#[derive(Clone, Copy)]
enum Index {
    Known(u32),
    Computed(Reg),
}

/// The length of a vector.
trait Length {
    fn into_length(self) -> std::num::NonZeroU32;
}

impl Length for naga::VectorSize {
    fn into_length(self) -> std::num::NonZeroU32 {
        let lengths = [1, 2, 3, 4].map(|n| std::num::NonZeroU32::MIN.saturating_add(n - 1));
        lengths[self as usize - 1]
    }
}
