//! Evaluates expressions.

use naga::{
    Arena, BinaryOperator, Expression, Literal, MathFunction, ScalarKind, TypeInner, UnaryOperator,
};

use super::value::{Owner, Pointer, Root, Sort, Term, Value};
use super::walk::{AccessKind, Expr, Frame, Walk};

impl Walk<'_> {
    /// Returns the value of an expression, which was evaluated before or needs no evaluation.
    pub(super) fn value(&mut self, frame: &mut Frame<'_>, expression: Expr) -> Value {
        match frame.values.get(&expression) {
            Some(known) => known.clone(),
            None => self.evaluate(frame, expression),
        }
    }

    /// Returns the value of an expression as one formula.
    pub(super) fn scalar(&mut self, frame: &mut Frame<'_>, expression: Expr) -> Term {
        let sort = self.sort(frame, expression).unwrap_or(Sort::Bits);
        match self.value(frame, expression) {
            Value::Scalar(term) => term,
            _ => {
                let term = self.walked.names.fresh(sort, Owner::Nobody);
                let value = Value::Scalar(term.clone());
                frame.values.insert(expression, value);
                term
            }
        }
    }

    /// Returns an unknown value of a type.
    pub(super) fn anything(&mut self, inner: &TypeInner) -> Value {
        match inner {
            TypeInner::Scalar(scalar) => {
                let sort = match scalar.kind {
                    ScalarKind::Bool => Sort::Bool,
                    ScalarKind::Uint => Sort::Bits,
                    _ => return Value::Unknown,
                };
                Value::Scalar(self.walked.names.fresh(sort, Owner::Nobody))
            }
            TypeInner::Vector { size, scalar } => {
                let parts = (0..*size as usize).map(|_| self.anything(&TypeInner::Scalar(*scalar)));
                Value::Parts(parts.collect())
            }
            TypeInner::Struct { members, .. } => {
                let types = &self.program.module.types;
                let parts = members
                    .iter()
                    .map(|one| self.anything(&types[one.ty].inner));
                Value::Parts(parts.collect())
            }
            _ => Value::Unknown,
        }
    }

    pub(super) fn inner<'s>(&'s self, frame: &Frame<'_>, expression: Expr) -> &'s TypeInner {
        let (_, info) = self.program.function(frame.handle);
        info[expression].ty.inner_with(&self.program.module.types)
    }

    fn sort(&self, frame: &Frame<'_>, expression: Expr) -> Option<Sort> {
        match self.inner(frame, expression).scalar_kind()? {
            ScalarKind::Bool => Some(Sort::Bool),
            ScalarKind::Uint => Some(Sort::Bits),
            _ => None,
        }
    }

    pub(super) fn zero(&self, inner: &TypeInner) -> Value {
        match inner {
            TypeInner::Scalar(scalar) => match scalar.kind {
                ScalarKind::Bool => Value::Scalar(Term::truth(false)),
                ScalarKind::Uint => Value::Scalar(Term::number(0)),
                _ => Value::Unknown,
            },
            TypeInner::Vector { size, scalar } => {
                Value::Parts(vec![self.zero(&TypeInner::Scalar(*scalar)); *size as usize])
            }
            TypeInner::Struct { members, .. } => {
                let types = &self.program.module.types;
                let parts = members.iter().map(|one| self.zero(&types[one.ty].inner));
                Value::Parts(parts.collect())
            }
            _ => Value::Unknown,
        }
    }

    /// Returns a constant of the module.
    fn global(&self, arena: &Arena<Expression>, expression: Expr) -> Value {
        match &arena[expression] {
            Expression::Literal(Literal::U32(value)) => Value::Scalar(Term::number(*value)),
            Expression::Literal(Literal::Bool(value)) => Value::Scalar(Term::truth(*value)),
            Expression::Constant(constant) => {
                let module = &self.program.module;
                let init = module.constants[*constant].init;
                self.global(&module.global_expressions, init)
            }
            Expression::ZeroValue(ty) => self.zero(&self.program.module.types[*ty].inner),
            Expression::Compose { components, .. } => {
                let parts = components.iter();
                Value::Parts(parts.map(|&part| self.global(arena, part)).collect())
            }
            Expression::Splat { size, value } => {
                Value::Parts(vec![self.global(arena, *value); *size as usize])
            }
            _ => Value::Unknown,
        }
    }

    /// Evaluates an expression.
    pub(super) fn evaluate(&mut self, frame: &mut Frame<'_>, expression: Expr) -> Value {
        let function = frame.function;
        match &function.expressions[expression] {
            Expression::FunctionArgument(number) => {
                let given = frame.arguments.get(*number as usize);
                given.cloned().unwrap_or(Value::Unknown)
            }
            Expression::LocalVariable(local) => Value::Pointer(Pointer {
                root: Root::Local(frame.number, *local),
                steps: Vec::new(),
            }),
            Expression::GlobalVariable(global) => Value::Pointer(Pointer {
                root: Root::Global(*global),
                steps: Vec::new(),
            }),
            Expression::Access { base, index } => {
                let index = self.scalar(frame, *index);
                self.access(frame, *base, index)
            }
            Expression::AccessIndex { base, index } => {
                self.access(frame, *base, Term::number(*index))
            }
            Expression::Load { pointer } => self.read(frame, expression, *pointer),
            Expression::Compose { components, .. } => {
                let parts = components.clone();
                let parts = parts.into_iter().map(|part| self.value(frame, part));
                Value::Parts(parts.collect())
            }
            Expression::Splat { size, value } => {
                Value::Parts(vec![self.value(frame, *value); *size as usize])
            }
            Expression::Swizzle {
                size,
                vector,
                pattern,
            } => {
                let vector = self.value(frame, *vector);
                let parts = pattern[..*size as usize].iter();
                Value::Parts(parts.map(|&at| vector.part(at as usize)).collect())
            }
            Expression::ArrayLength(array) => match self.value(frame, *array) {
                Value::Pointer(Pointer {
                    root: Root::Global(buffer),
                    ..
                }) => self.length(buffer),
                _ => Value::Unknown,
            },
            _ => self.compute(frame, expression),
        }
    }

    /// Returns the value of a load.
    fn read(&mut self, frame: &mut Frame<'_>, expression: Expr, pointer: Expr) -> Value {
        let span = frame.function.expressions.get_span(expression);
        let is_atomic = {
            let types = &self.program.module.types;
            self.inner(frame, pointer).is_atomic_pointer(types)
        };
        let space = self.space(frame, pointer);
        self.touch(frame, pointer, span);
        match self.value(frame, pointer) {
            _ if is_atomic => Value::Unknown,
            Value::Pointer(pointer) => self.load(&pointer, span),
            _ => {
                self.note_anywhere(space, AccessKind::Read, span);
                Value::Unknown
            }
        }
    }

    /// Evaluates operators.
    fn compute(&mut self, frame: &mut Frame<'_>, expression: Expr) -> Value {
        let function = frame.function;
        let is_scalar = matches!(self.inner(frame, expression), TypeInner::Scalar(_));
        match function.expressions[expression] {
            Expression::Binary { op, left, right } if is_scalar => {
                if self.sort(frame, left).is_none() {
                    return Value::Unknown;
                }
                let (left, right) = (self.scalar(frame, left), self.scalar(frame, right));
                self.binary(op, &left, &right)
            }
            Expression::Unary { op, expr } if is_scalar && self.sort(frame, expr).is_some() => {
                let operand = self.scalar(frame, expr);
                match op {
                    UnaryOperator::LogicalNot => Value::Scalar(self.not(&operand)),
                    UnaryOperator::BitwiseNot => self.formula("bvnot", &[&operand], Sort::Bits),
                    UnaryOperator::Negate => self.formula("bvneg", &[&operand], Sort::Bits),
                }
            }
            Expression::Select {
                condition,
                accept,
                reject,
            } if is_scalar => {
                let condition = self.scalar(frame, condition);
                let (accept, reject) = (self.value(frame, accept), self.value(frame, reject));
                self.either(&condition, accept, reject)
            }
            Expression::Math {
                fun,
                arg,
                arg1: Some(other),
                ..
            } if is_scalar && self.sort(frame, arg) == Some(Sort::Bits) => {
                let (a, b) = (self.scalar(frame, arg), self.scalar(frame, other));
                self.least_or_greatest(fun, &a, &b)
            }
            Expression::As {
                expr,
                kind: ScalarKind::Uint,
                ..
            } if is_scalar => match self.sort(frame, expr) {
                Some(Sort::Bool) => {
                    let condition = self.scalar(frame, expr);
                    let (one, zero) = (Term::number(1), Term::number(0));
                    self.either(&condition, Value::Scalar(one), Value::Scalar(zero))
                }
                Some(Sort::Bits) => self.value(frame, expr),
                None => Value::Unknown,
            },
            Expression::Literal(_) | Expression::Constant(_) | Expression::ZeroValue(_) => {
                self.global(&function.expressions, expression)
            }
            _ => Value::Unknown,
        }
    }

    fn least_or_greatest(&mut self, fun: MathFunction, a: &Term, b: &Term) -> Value {
        let (below, above) = match fun {
            MathFunction::Min => (a, b),
            MathFunction::Max => (b, a),
            _ => return Value::Unknown,
        };
        let (below, above) = (&below.text, &above.text);
        let text = format!("(ite (bvult {} {}) {below} {above})", a.text, b.text);
        Value::Scalar(self.walked.names.define(&text, Sort::Bits))
    }

    fn binary(&mut self, op: BinaryOperator, a: &Term, b: &Term) -> Value {
        let is_bool = a.sort == Sort::Bool;
        let (name, sort) = match op {
            BinaryOperator::Add => ("bvadd", Sort::Bits),
            BinaryOperator::Subtract => ("bvsub", Sort::Bits),
            BinaryOperator::Multiply => ("bvmul", Sort::Bits),
            BinaryOperator::Divide if b.as_number().is_some_and(|b| b != 0) => {
                ("bvudiv", Sort::Bits)
            }
            BinaryOperator::Modulo if b.as_number().is_some_and(|b| b != 0) => {
                ("bvurem", Sort::Bits)
            }
            BinaryOperator::Equal => ("=", Sort::Bool),
            BinaryOperator::NotEqual => ("distinct", Sort::Bool),
            BinaryOperator::Less => ("bvult", Sort::Bool),
            BinaryOperator::LessEqual => ("bvule", Sort::Bool),
            BinaryOperator::Greater => ("bvugt", Sort::Bool),
            BinaryOperator::GreaterEqual => ("bvuge", Sort::Bool),
            BinaryOperator::And if is_bool => ("and", Sort::Bool),
            BinaryOperator::InclusiveOr if is_bool => ("or", Sort::Bool),
            BinaryOperator::LogicalAnd => ("and", Sort::Bool),
            BinaryOperator::LogicalOr => ("or", Sort::Bool),
            BinaryOperator::And => ("bvand", Sort::Bits),
            BinaryOperator::InclusiveOr => ("bvor", Sort::Bits),
            BinaryOperator::ExclusiveOr => ("bvxor", Sort::Bits),
            BinaryOperator::ShiftLeft if b.as_number().is_some() => ("bvshl", Sort::Bits),
            BinaryOperator::ShiftRight if b.as_number().is_some() => ("bvlshr", Sort::Bits),
            _ => return Value::Unknown,
        };
        self.formula(name, &[a, b], sort)
    }

    fn formula(&mut self, name: &str, operands: &[&Term], sort: Sort) -> Value {
        let operands: Vec<&str> = operands.iter().map(|term| term.text.as_str()).collect();
        let text = format!("({name} {})", operands.join(" "));
        Value::Scalar(self.walked.names.define(&text, sort))
    }

    pub(super) fn not(&mut self, term: &Term) -> Term {
        let text = format!("(not {})", term.text);
        self.walked.names.define(&text, Sort::Bool)
    }

    /// Returns the selection of one of two values.
    pub(super) fn either(&mut self, condition: &Term, accept: Value, reject: Value) -> Value {
        match (accept, reject) {
            (accept, reject) if accept == reject => accept,
            (Value::Scalar(a), Value::Scalar(b)) if a.sort == b.sort => {
                let text = format!("(ite {} {} {})", condition.text, a.text, b.text);
                Value::Scalar(self.walked.names.define(&text, a.sort))
            }
            (Value::Scalar(a), Value::Unknown) => {
                let other = self.walked.names.fresh(a.sort, Owner::Nobody);
                self.either(condition, Value::Scalar(a), Value::Scalar(other))
            }
            (Value::Unknown, Value::Scalar(b)) => {
                let other = self.walked.names.fresh(b.sort, Owner::Nobody);
                self.either(condition, Value::Scalar(other), Value::Scalar(b))
            }
            (Value::Parts(a), Value::Parts(b)) if a.len() == b.len() => {
                let pairs = a.into_iter().zip(b);
                Value::Parts(pairs.map(|(a, b)| self.either(condition, a, b)).collect())
            }
            (Value::Parts(a), Value::Unknown) => {
                let b = Value::Parts(vec![Value::Unknown; a.len()]);
                self.either(condition, Value::Parts(a), b)
            }
            (Value::Unknown, Value::Parts(b)) => {
                let a = Value::Parts(vec![Value::Unknown; b.len()]);
                self.either(condition, a, Value::Parts(b))
            }
            _ => Value::Unknown,
        }
    }

    /// Returns a component of a value, or a pointer to a part.
    fn access(&mut self, frame: &mut Frame<'_>, base: Expr, index: Term) -> Value {
        match self.value(frame, base) {
            Value::Pointer(mut pointer) => {
                pointer.steps.push(Some(index));
                Value::Pointer(pointer)
            }
            value => match index.as_number() {
                Some(index) => value.part(index as usize),
                None => Value::Unknown,
            },
        }
    }
}
