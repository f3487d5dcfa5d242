//! Memory: the values that loads read, the effects of stores, and the accesses that are recorded.

use naga::valid::GlobalUse;
use naga::{AddressSpace, GlobalVariable, Handle, ScalarKind, Span, Type, TypeInner};

use super::value::{Owner, Pointer, Root, Sort, Term, Value};
use super::walk::{Access, AccessKind, Expr, Frame, Touch, Walk};

impl Walk<'_> {
    /// Returns the address space that a pointer points into.
    pub(super) fn space(&self, frame: &Frame<'_>, pointer: Expr) -> Option<AddressSpace> {
        self.inner(frame, pointer).pointer_space()
    }

    pub(super) fn load(&mut self, pointer: &Pointer, span: Span) -> Value {
        let steps = &pointer.steps;
        let buffer = match pointer.root {
            Root::Local(..) => {
                let mut value = self.locals.get(&pointer.root).cloned();
                for step in steps {
                    let at = step.as_ref().and_then(Term::as_number);
                    value = at.zip(value).map(|(at, value)| value.part(at as usize));
                }
                return value.unwrap_or(Value::Unknown);
            }
            Root::Global(buffer) => buffer,
        };
        self.note(buffer, steps, AccessKind::Read, span);
        match self.program.is_constant(buffer) {
            true => self.constant(buffer, steps),
            false => Value::Unknown,
        }
    }

    /// Returns the element of a read-only buffer at a place.
    fn constant(&mut self, buffer: Handle<GlobalVariable>, steps: &[Option<Term>]) -> Value {
        let types = &self.program.module.types;
        let mut ty = self.program.module.global_variables[buffer].ty;
        let mut name = format!("buffer{}", buffer.index());
        let mut steps = steps.iter();
        let index = match types[ty].inner {
            TypeInner::Array { base, .. } => {
                ty = base;
                match steps.next() {
                    Some(Some(index)) => Some(index.clone()),
                    _ => return Value::Unknown,
                }
            }
            _ => None,
        };
        for step in steps {
            let Some(at) = step.as_ref().and_then(Term::as_number) else {
                return Value::Unknown;
            };
            name += &format!("_{at}");
            ty = match &types[ty].inner {
                TypeInner::Struct { members, .. } => match members.get(at as usize) {
                    Some(member) => member.ty,
                    None => return Value::Unknown,
                },
                TypeInner::Vector { scalar, .. } if scalar.kind == ScalarKind::Uint => {
                    return self.word(&name, index.as_ref());
                }
                _ => return Value::Unknown,
            };
        }
        self.words(&name, index.as_ref(), ty)
    }

    /// Returns the words of a constant.
    fn words(&mut self, name: &str, index: Option<&Term>, ty: Handle<Type>) -> Value {
        let types = &self.program.module.types;
        match &types[ty].inner {
            TypeInner::Scalar(scalar) if scalar.kind == ScalarKind::Uint => self.word(name, index),
            TypeInner::Vector { size, scalar } if scalar.kind == ScalarKind::Uint => {
                let parts = (0..*size as usize).map(|k| self.word(&format!("{name}_{k}"), index));
                Value::Parts(parts.collect())
            }
            TypeInner::Struct { members, .. } => {
                let parts = members.iter().enumerate();
                let parts = parts.map(|(k, one)| self.words(&format!("{name}_{k}"), index, one.ty));
                Value::Parts(parts.collect())
            }
            _ => Value::Unknown,
        }
    }

    fn word(&mut self, name: &str, index: Option<&Term>) -> Value {
        let names = &mut self.walked.names;
        Value::Scalar(match index {
            Some(index) => names.constant(name, index),
            None => names.shared(name, Sort::Bits),
        })
    }

    /// Returns the length of the array in a buffer, which extends to the end of the buffer.
    pub(super) fn length(&mut self, buffer: Handle<GlobalVariable>) -> Value {
        match self.program.stride(buffer) {
            Some(stride) => Value::Scalar(self.walked.names.length(buffer, stride)),
            None => Value::Unknown,
        }
    }

    pub(super) fn store(
        &mut self,
        pointer: Value,
        value: Value,
        space: Option<AddressSpace>,
        span: Span,
    ) {
        let Value::Pointer(Pointer { root, steps }) = pointer else {
            // The target may be any variable.
            self.locals
                .values_mut()
                .for_each(|one| *one = Value::Unknown);
            return self.note_anywhere(space, AccessKind::Write, span);
        };
        match root {
            Root::Global(buffer) => self.note(buffer, &steps, AccessKind::Write, span),
            Root::Local(..) if steps.is_empty() => {
                self.locals.insert(root, value);
            }
            Root::Local(..) => {
                let place = steps[0].as_ref().and_then(Term::as_number);
                let parts = self.locals.get_mut(&root);
                match (parts, place) {
                    (Some(Value::Parts(parts)), Some(place))
                        if steps.len() == 1 && (place as usize) < parts.len() =>
                    {
                        parts[place as usize] = value;
                    }
                    _ => {
                        self.locals.insert(root, Value::Unknown);
                    }
                }
            }
        }
    }

    /// Records an access to a buffer, if it is in storage.
    fn note(
        &mut self,
        buffer: Handle<GlobalVariable>,
        steps: &[Option<Term>],
        kind: AccessKind,
        span: Span,
    ) {
        let space = self.program.module.global_variables[buffer].space;
        if !matches!(space, AddressSpace::Storage { .. }) {
            return;
        }
        let module = &self.program.module;
        let ty = &module.types[module.global_variables[buffer].ty].inner;
        let index = match (steps.first(), ty) {
            (Some(index), _) => index.clone(),
            (None, TypeInner::Scalar(_)) => Some(Term::number(0)),
            // A vector, a structure or an array is accessed as a whole: each of its elements is.
            (None, _) => None,
        };
        self.walked.accesses.push(Access {
            buffer,
            index,
            conditions: self.conditions.clone(),
            kind,
            span,
            epoch: self.epoch,
        });
    }

    /// Records the indices of an access into arrays that are not variables of functions.
    pub(super) fn touch(&mut self, frame: &mut Frame<'_>, pointer: Expr, span: Span) {
        let Value::Pointer(Pointer {
            root: Root::Global(variable),
            steps,
        }) = self.value(frame, pointer)
        else {
            return;
        };
        let types = &self.program.module.types;
        let mut ty = self.program.module.global_variables[variable].ty;
        for step in steps {
            let (length, base) = match &types[ty].inner {
                TypeInner::Array { base, size, stride } => match size {
                    naga::ArraySize::Constant(size) => (Term::number(size.get()), *base),
                    _ => (self.walked.names.length(variable, *stride), *base),
                },
                TypeInner::Struct { members, .. } => {
                    let at = step.as_ref().and_then(Term::as_number);
                    match at.and_then(|at| members.get(at as usize)) {
                        Some(member) => ty = member.ty,
                        None => return,
                    }
                    continue;
                }
                _ => return,
            };
            ty = base;
            self.walked.touches.push(Touch {
                variable,
                index: step,
                length,
                conditions: self.conditions.clone(),
                span,
            });
        }
    }

    /// Records an access through an unknown pointer: to any element of any buffer.
    pub(super) fn note_anywhere(
        &mut self,
        space: Option<AddressSpace>,
        kind: AccessKind,
        span: Span,
    ) {
        if matches!(space, Some(AddressSpace::Function | AddressSpace::Private)) {
            return;
        }
        let variables = self.program.module.global_variables.iter();
        for (buffer, variable) in variables {
            if matches!(variable.space, AddressSpace::Storage { .. }) {
                self.note(buffer, &[None], kind, span);
            }
        }
    }

    /// Returns the result of `atomicAdd` on a buffer for which the host promises that no result
    /// occurs twice: a number that no other invocation gets.
    pub(super) fn ticket(
        &mut self,
        frame: &mut Frame<'_>,
        pointer: Expr,
        by: Expr,
    ) -> Option<Value> {
        let Value::Pointer(Pointer {
            root: Root::Global(buffer),
            ..
        }) = self.value(frame, pointer)
        else {
            return None;
        };
        let name = self.program.module.global_variables[buffer]
            .name
            .as_deref()?;
        let is_taken = self.scalar(frame, by).as_number() == Some(1);
        if !is_taken || !self.program.promises_tickets(name) {
            return None;
        }
        let owner = Owner::Ticket(buffer);
        Some(Value::Scalar(self.walked.names.fresh(Sort::Bits, owner)))
    }
}

impl crate::Program {
    /// Returns whether a buffer is read-only while the kernel runs.
    pub(crate) fn is_constant(&self, buffer: Handle<GlobalVariable>) -> bool {
        match self.module.global_variables[buffer].space {
            AddressSpace::Uniform => true,
            AddressSpace::Storage { .. } => {
                let uses = self.info.get_entry_point(0);
                !uses[buffer].contains(GlobalUse::WRITE)
            }
            _ => false,
        }
    }

    /// Returns the size in bytes of an element of the array in a buffer.
    pub(super) fn stride(&self, buffer: Handle<GlobalVariable>) -> Option<u32> {
        let ty = self.module.global_variables[buffer].ty;
        match self.module.types[ty].inner {
            TypeInner::Array { stride, .. } => Some(stride),
            _ => None,
        }
    }
}
