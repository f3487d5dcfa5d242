//! Evaluates expressions and variables of functions.

use naga::{
    AddressSpace, BinaryOperator, Expression, GlobalVariable, Handle, Literal, MathFunction,
    ScalarKind, Type, TypeInner, UnaryOperator,
};

use super::assertion::{Assertion, Meaning};
use super::value::{Node, Root, Scalar, Sign, TermId, Value, Word};
use super::walk::{Expr, Frame, Walk};

impl Walk<'_> {
    /// Returns the value of an expression, which was evaluated before or needs no evaluation.
    pub(super) fn value(&mut self, frame: &mut Frame<'_>, expression: Expr) -> Value {
        match frame.values.get(&expression) {
            Some(known) => known.clone(),
            None => self.evaluate(frame, expression),
        }
    }

    /// Returns a value of which only the direction is known.
    pub(super) fn unknown(&mut self, ty: Handle<Type>, sign: Sign) -> Value {
        let types = &self.program.module.types;
        match &types[ty].inner {
            TypeInner::Struct { members, .. } => {
                let parts: Vec<_> = members.iter().map(|one| one.ty).collect();
                Value::Parts(parts.into_iter().map(|ty| self.unknown(ty, sign)).collect())
            }
            TypeInner::Vector { size, .. } => {
                let parts = (0..*size as usize).map(|_| self.fresh(sign));
                Value::Parts(parts.collect())
            }
            _ => self.fresh(sign),
        }
    }

    fn fresh(&mut self, sign: Sign) -> Value {
        Value::Scalar(Scalar::of(self.terms.fresh(sign), sign))
    }

    pub(super) fn evaluate(&mut self, frame: &mut Frame<'_>, expression: Expr) -> Value {
        let function = frame.function;
        match &function.expressions[expression] {
            Expression::FunctionArgument(number) => {
                let given = frame.arguments.get(*number as usize).cloned();
                given.unwrap_or_else(|| self.fresh(Sign::Any))
            }
            Expression::LocalVariable(local) => {
                Value::Pointer(Root::Local(frame.number, *local), Vec::new())
            }
            Expression::GlobalVariable(global) => Value::Pointer(Root::Global(*global), Vec::new()),
            Expression::Access { base, index } => {
                let index = self.value(frame, *index).scalar(&mut self.terms);
                self.access(frame, *base, index)
            }
            Expression::AccessIndex { base, index } => {
                let index = Scalar::number(&mut self.terms, *index);
                self.access(frame, *base, index)
            }
            Expression::Load { pointer } => match self.value(frame, *pointer) {
                Value::Pointer(Root::Global(buffer), steps) => {
                    let (_, info) = self.program.function(frame.handle);
                    let types = &self.program.module.types;
                    let pointer = info[*pointer].ty.inner_with(types);
                    let is_atomic = pointer.is_atomic_pointer(types);
                    let base = pointer.pointer_base_type();
                    let base = base.and_then(|base| base.handle());
                    self.load(buffer, &steps, is_atomic, base)
                }
                Value::Pointer(root @ Root::Local(..), steps) => self.variable(root, &steps),
                _ => self.fresh(Sign::Any),
            },
            Expression::Compose { components, .. } => {
                let parts = components.iter().map(|&part| self.value(frame, part));
                Value::Parts(parts.collect())
            }
            Expression::Splat { size, value } => {
                let value = self.value(frame, *value);
                Value::Parts(vec![value; *size as usize])
            }
            Expression::Swizzle {
                size,
                vector,
                pattern,
            } => {
                let vector = self.value(frame, *vector);
                let at = pattern[..*size as usize].iter().map(|&at| at as usize);
                let parts: Vec<usize> = at.collect();
                Value::Parts(parts.into_iter().map(|at| self.part(&vector, at)).collect())
            }
            Expression::Literal(_) | Expression::Constant(_) | Expression::ZeroValue(_) => {
                self.constant(frame, expression)
            }
            _ => self.operator(frame, expression),
        }
    }

    fn constant(&mut self, frame: &mut Frame<'_>, expression: Expr) -> Value {
        match &frame.function.expressions[expression] {
            Expression::Literal(literal) => self.literal(*literal),
            Expression::Constant(constant) => {
                let module = &self.program.module;
                let init = module.constants[*constant].init;
                match module.global_expressions[init] {
                    Expression::Literal(literal) => self.literal(literal),
                    _ => self.unknown(module.constants[*constant].ty, Sign::Fixed),
                }
            }
            Expression::ZeroValue(ty) => self.zero(*ty),
            _ => self.fresh(Sign::Any),
        }
    }

    fn literal(&mut self, literal: Literal) -> Value {
        Value::Scalar(match literal {
            Literal::U32(number) => Scalar::number(&mut self.terms, number),
            Literal::Bool(truth) => Scalar::truth(&mut self.terms, truth),
            _ => Scalar::of(self.terms.fresh(Sign::Fixed), Sign::Fixed),
        })
    }

    fn zero(&mut self, ty: Handle<Type>) -> Value {
        match &self.program.module.types[ty].inner {
            TypeInner::Scalar(scalar) if scalar.kind == ScalarKind::Uint => {
                Value::Scalar(Scalar::number(&mut self.terms, 0))
            }
            TypeInner::Scalar(scalar) if scalar.kind == ScalarKind::Bool => {
                Value::Scalar(Scalar::truth(&mut self.terms, false))
            }
            TypeInner::Vector { size, scalar } if scalar.kind == ScalarKind::Uint => {
                let zero = Value::Scalar(Scalar::number(&mut self.terms, 0));
                Value::Parts(vec![zero; *size as usize])
            }
            _ => self.unknown(ty, Sign::Fixed),
        }
    }

    fn part(&mut self, value: &Value, at: usize) -> Value {
        match value {
            Value::Parts(parts) if at < parts.len() => parts[at].clone(),
            other => {
                let at = Scalar::number(&mut self.terms, at as u32);
                self.computed("part", &[other.clone(), Value::Scalar(at)])
            }
        }
    }

    /// Returns a component of a value, or a pointer to a part.
    fn access(&mut self, frame: &mut Frame<'_>, base: Expr, index: Scalar) -> Value {
        match self.value(frame, base) {
            Value::Pointer(root, mut steps) => {
                steps.push(index);
                Value::Pointer(root, steps)
            }
            value => match self.terms.number(index.term) {
                Some(at) => self.part(&value, at as usize),
                None => self.computed("element", &[value, Value::Scalar(index)]),
            },
        }
    }

    /// Returns the value of a load from a buffer.
    fn load(
        &mut self,
        buffer: Handle<GlobalVariable>,
        steps: &[Scalar],
        is_atomic: bool,
        ty: Option<Handle<Type>>,
    ) -> Value {
        let is_fixed = steps.iter().all(Scalar::is_fixed);
        let path: Vec<TermId> = steps.iter().map(|step| step.term).collect();
        if self.program.is_constant(buffer) {
            return match is_fixed {
                true => self.words(buffer, path, ty),
                false => self.fresh(Sign::Any),
            };
        }
        let space = self.program.module.global_variables[buffer].space;
        if !is_atomic || !is_fixed || !matches!(space, AddressSpace::Storage { .. }) {
            return self.fresh(Sign::Any);
        }
        let (sign, by_bits, varies) = match self.supposed.get(&buffer) {
            Some((kind, bits)) => (kind.sign(), kind.by_bits(), *bits),
            None => (Sign::Any, false, u32::MAX),
        };
        let term = self.terms.fresh(sign);
        let word = Word {
            buffer,
            steps: path,
        };
        self.terms.loads.insert(term, word);
        Value::Scalar(Scalar {
            by_bits,
            varies,
            ..Scalar::of(term, sign)
        })
    }

    /// Returns an element of a read-only buffer.
    fn words(
        &mut self,
        buffer: Handle<GlobalVariable>,
        path: Vec<TermId>,
        ty: Option<Handle<Type>>,
    ) -> Value {
        let inner = ty.map(|ty| &self.program.module.types[ty].inner);
        let parts = match inner {
            Some(TypeInner::Struct { members, .. }) => {
                members.iter().map(|one| Some(one.ty)).collect()
            }
            Some(TypeInner::Vector { size, .. }) => vec![None; *size as usize],
            _ => Vec::new(),
        };
        if !parts.is_empty() {
            let mut values = Vec::new();
            for (at, ty) in parts.into_iter().enumerate() {
                let at = Scalar::number(&mut self.terms, at as u32).term;
                let path = path.iter().copied().chain([at]).collect();
                values.push(self.words(buffer, path, ty));
            }
            return Value::Parts(values);
        }
        if let (Some((variable, member, number)), [step]) = (self.assumed.member, &path[..])
            && variable == buffer
            && self.terms.number(*step) == Some(member)
        {
            return Value::Scalar(Scalar::number(&mut self.terms, number));
        }
        let term = self.terms.term(Node::Constant(buffer, path), Sign::Fixed);
        Value::Scalar(Scalar::of(term, Sign::Fixed))
    }

    fn variable(&mut self, root: Root, steps: &[Scalar]) -> Value {
        let Some(mut value) = self.locals.get(&root).cloned() else {
            return self.fresh(Sign::Any);
        };
        for step in steps {
            value = match self.terms.number(step.term) {
                Some(at) => self.part(&value, at as usize),
                None => {
                    let sign = value.sign().join(step.sign);
                    let sign = if sign == Sign::Fixed { sign } else { Sign::Any };
                    self.fresh(sign)
                }
            };
        }
        value
    }

    /// Stores to a variable of a function.
    pub(super) fn assign(&mut self, root: Root, steps: &[Scalar], value: Value) {
        let Some(old) = self.locals.get(&root).cloned() else {
            return;
        };
        let new = match steps {
            [] => value,
            [step] => match (old, self.terms.number(step.term)) {
                (Value::Parts(mut parts), Some(at)) if (at as usize) < parts.len() => {
                    parts[at as usize] = value;
                    Value::Parts(parts)
                }
                (old, _) => {
                    let sign = old.sign().join(value.sign()).join(step.sign);
                    let sign = if sign == Sign::Fixed { sign } else { Sign::Any };
                    self.fresh(sign)
                }
            },
            _ => old.tainted(&mut self.terms),
        };
        self.locals.insert(root, new);
    }

    /// Returns the selection of one of two values.
    pub(super) fn select(&mut self, condition: Scalar, accept: Value, reject: Value) -> Value {
        match (accept, reject) {
            (accept, reject) if accept == reject => accept,
            (Value::Parts(a), Value::Parts(b)) if a.len() == b.len() => {
                let pairs = a.into_iter().zip(b);
                Value::Parts(pairs.map(|(a, b)| self.select(condition, a, b)).collect())
            }
            (Value::Scalar(a), Value::Scalar(b)) => {
                Value::Scalar(self.select_scalar(condition, a, b))
            }
            (accept, reject) => {
                let sign = accept.sign().join(reject.sign()).join(condition.sign);
                let sign = if sign == Sign::Fixed { sign } else { Sign::Any };
                self.fresh(sign)
            }
        }
    }

    fn select_scalar(&mut self, condition: Scalar, a: Scalar, b: Scalar) -> Scalar {
        match (self.terms.truth_of(a), self.terms.truth_of(b)) {
            (Some(true), _) => return self.terms.or(condition, b),
            (_, Some(false)) => return self.terms.and(condition, a),
            (Some(false), _) => {
                let opposite = self.terms.not(condition);
                return self.terms.and(opposite, b);
            }
            (_, Some(true)) => {
                let opposite = self.terms.not(condition);
                return self.terms.or(opposite, a);
            }
            _ => {}
        }
        let sign = match condition.is_fixed() {
            true => a.sign.join(b.sign),
            false => Sign::Any,
        };
        let operands = vec![condition.term, a.term, b.term];
        let term = self
            .terms
            .term(Node::Computed("select".to_owned(), operands), sign);
        Scalar {
            by_bits: a.by_bits && b.by_bits,
            varies: if sign == Sign::Fixed { 0 } else { u32::MAX },
            maybe: a.maybe | b.maybe,
            ones: a.ones & b.ones,
            ..Scalar::of(term, sign)
        }
    }

    /// Returns the result of a function about which only its arguments are known.
    fn computed(&mut self, name: &str, operands: &[Value]) -> Value {
        let sign = operands
            .iter()
            .map(Value::sign)
            .fold(Sign::Fixed, Sign::join);
        if sign != Sign::Fixed {
            return self.fresh(Sign::Any);
        }
        let terms: Vec<TermId> = operands
            .iter()
            .map(|operand| operand.scalar(&mut self.terms).term)
            .collect();
        let term = self
            .terms
            .term(Node::Computed(name.to_owned(), terms), Sign::Fixed);
        Value::Scalar(Scalar::of(term, Sign::Fixed))
    }

    fn operator(&mut self, frame: &mut Frame<'_>, expression: Expr) -> Value {
        let function = frame.function;
        match function.expressions[expression] {
            Expression::Binary { op, left, right } => {
                let (left, right) = (self.value(frame, left), self.value(frame, right));
                self.binary(op, &left, &right)
            }
            Expression::Unary { op, expr } => {
                let value = self.value(frame, expr);
                self.unary(op, value)
            }
            Expression::Select {
                condition,
                accept,
                reject,
            } => {
                let all = [condition, accept, reject];
                let [condition, accept, reject] = all.map(|one| self.value(frame, one));
                match condition {
                    Value::Scalar(condition) => self.select(condition, accept, reject),
                    other => self.computed("select", &[other, accept, reject]),
                }
            }
            Expression::As {
                expr,
                kind: ScalarKind::Uint,
                ..
            } => match self.value(frame, expr) {
                // For a number, this is the number itself; for a condition, it is 1 if the
                // condition holds.
                Value::Scalar(a) => self.computed_going("number", a),
                other => self.computed("number", &[other]),
            },
            Expression::ArrayLength(array) => match self.value(frame, array) {
                Value::Pointer(Root::Global(buffer), _) => {
                    let name = format!("length of {}", buffer.index());
                    self.computed(&name, &[])
                }
                _ => self.fresh(Sign::Any),
            },
            Expression::Math {
                fun,
                arg,
                arg1,
                arg2,
                arg3,
            } => {
                let all = [Some(arg), arg1, arg2, arg3].into_iter().flatten();
                let all: Vec<Value> = all.map(|one| self.value(frame, one)).collect();
                self.math(fun, &all)
            }
            // The results of calls and atomic operations are known already. All other expressions
            // may have any value.
            _ => self.fresh(Sign::Any),
        }
    }

    fn unary(&mut self, op: UnaryOperator, value: Value) -> Value {
        match (op, value) {
            (UnaryOperator::LogicalNot, Value::Scalar(a)) => Value::Scalar(self.terms.not(a)),
            (op, value) => self.computed(&format!("{op:?}"), &[value]),
        }
    }

    fn math(&mut self, fun: MathFunction, all: &[Value]) -> Value {
        match (fun, all) {
            (MathFunction::Min | MathFunction::Max, [Value::Scalar(a), Value::Scalar(b)]) => {
                let sign = a.sign.join(b.sign);
                let node = Node::Computed(format!("{fun:?}"), vec![a.term, b.term]);
                Value::Scalar(Scalar::of(self.terms.term(node, sign), sign))
            }
            _ => self.computed(&format!("{fun:?}"), all),
        }
    }

    fn computed_going(&mut self, name: &str, a: Scalar) -> Value {
        let term = self
            .terms
            .term(Node::Computed(name.to_owned(), vec![a.term]), a.sign);
        Value::Scalar(Scalar::of(term, a.sign))
    }

    fn binary(&mut self, op: BinaryOperator, left: &Value, right: &Value) -> Value {
        match (left, right) {
            (Value::Scalar(a), Value::Scalar(b)) => Value::Scalar(self.scalar_binary(op, *a, *b)),
            (Value::Parts(a), Value::Parts(b)) if a.len() == b.len() => {
                let pairs = a.iter().zip(b);
                Value::Parts(pairs.map(|(a, b)| self.binary(op, a, b)).collect())
            }
            (Value::Parts(a), Value::Scalar(_)) => {
                Value::Parts(a.iter().map(|a| self.binary(op, a, right)).collect())
            }
            (Value::Scalar(_), Value::Parts(b)) => {
                Value::Parts(b.iter().map(|b| self.binary(op, left, b)).collect())
            }
            _ => self.computed(&format!("{op:?}"), &[left.clone(), right.clone()]),
        }
    }

    fn scalar_binary(&mut self, op: BinaryOperator, a: Scalar, b: Scalar) -> Scalar {
        match op {
            BinaryOperator::Equal => self.terms.equal(a, b),
            BinaryOperator::NotEqual => {
                let equal = self.terms.equal(a, b);
                self.terms.not(equal)
            }
            BinaryOperator::Less => self.terms.less(a, b),
            BinaryOperator::LessEqual => self.terms.less_equal(a, b),
            BinaryOperator::Greater => self.terms.less(b, a),
            BinaryOperator::GreaterEqual => self.terms.less_equal(b, a),
            BinaryOperator::LogicalAnd => self.terms.and(a, b),
            BinaryOperator::LogicalOr => self.terms.or(a, b),
            BinaryOperator::And => self.masked(a, b),
            BinaryOperator::InclusiveOr => self.united(a, b),
            BinaryOperator::ShiftLeft if a.is_fixed() && b.is_fixed() => {
                let term = self
                    .terms
                    .term(Node::ShiftLeft(a.term, b.term), Sign::Fixed);
                self.known(term, a, b, |a, b| a.checked_shl(b).unwrap_or(0))
            }
            BinaryOperator::Add => {
                let sign = self.sum(a, b);
                let node = Node::Computed("Add".to_owned(), vec![a.term, b.term]);
                let term = self.terms.term(node, sign);
                match sign {
                    Sign::Fixed => self.known(term, a, b, u32::wrapping_add),
                    _ => Scalar::of(term, sign),
                }
            }
            _ => {
                let both = [Value::Scalar(a), Value::Scalar(b)];
                self.computed(&format!("{op:?}"), &both)
                    .scalar(&mut self.terms)
            }
        }
    }

    /// Returns a number, if both operands are known numbers, and otherwise a fixed term.
    fn known(&mut self, term: TermId, a: Scalar, b: Scalar, f: fn(u32, u32) -> u32) -> Scalar {
        match (self.terms.number(a.term), self.terms.number(b.term)) {
            (Some(a), Some(b)) => Scalar::number(&mut self.terms, f(a, b)),
            _ => Scalar::of(term, Sign::Fixed),
        }
    }

    /// Returns the sign of a sum, which must not overflow: one of the operands is 1, and the other
    /// is known not to be the largest number.
    fn sum(&mut self, a: Scalar, b: Scalar) -> Sign {
        if a.is_fixed() && b.is_fixed() {
            return Sign::Fixed;
        }
        let most = Scalar::number(&mut self.terms, u32::MAX).term;
        let is_most = self.terms.term(Node::Equal(a.term, most), Sign::Fixed);
        let holds_no = |walk: &Self| {
            let guards = walk.guards.iter();
            let mut denied = guards
                .clone()
                .any(|guard| walk.denies(Assertion::holds(guard.term), is_most));
            denied |= walk.skips.iter().any(|skip| {
                let mut open = skip
                    .conditions
                    .iter()
                    .filter(|one| !walk.guards.iter().any(|given| given.term == one.term));
                match (open.next(), open.next()) {
                    (Some(one), None) => walk.denies(Assertion::fails(one.term), is_most),
                    _ => false,
                }
            });
            denied
        };
        match self.terms.number(b.term) == Some(1) && holds_no(self) {
            true => a.sign,
            false => Sign::Any,
        }
    }

    /// Returns whether an assertion implies that a condition does not hold.
    fn denies(&self, assertion: Assertion, condition: TermId) -> bool {
        if assertion.condition == condition {
            return !assertion.holds;
        }
        match self.terms.meaning(assertion) {
            Meaning::Is(other) => self.denies(other, condition),
            Meaning::Both(a, b) => self.denies(a, condition) || self.denies(b, condition),
            _ => false,
        }
    }

    /// Evaluates `a & b`.
    fn masked(&mut self, a: Scalar, b: Scalar) -> Scalar {
        let maybe = a.maybe & b.maybe;
        let varies = (a.varies & b.maybe) | (b.varies & a.maybe);
        let sign = self.by_bits(a, b, varies);
        let term = self.terms.term(Node::BitAnd(a.term, b.term), sign);
        self.bits(term, sign, [a, b], varies, [maybe, a.ones & b.ones])
    }

    /// Evaluates `a | b`.
    fn united(&mut self, a: Scalar, b: Scalar) -> Scalar {
        let varies = (a.varies & !b.ones) | (b.varies & !a.ones);
        let sign = self.by_bits(a, b, varies);
        let node = Node::Computed("InclusiveOr".to_owned(), vec![a.term, b.term]);
        let term = self.terms.term(node, sign);
        self.bits(
            term,
            sign,
            [a, b],
            varies,
            [a.maybe | b.maybe, a.ones | b.ones],
        )
    }

    fn by_bits(&self, a: Scalar, b: Scalar, varies: u32) -> Sign {
        match a.sign.join(b.sign) {
            _ if varies == 0 && a.by_bits && b.by_bits => Sign::Fixed,
            sign if a.by_bits && b.by_bits => sign,
            _ => Sign::Any,
        }
    }

    fn bits(
        &mut self,
        term: TermId,
        sign: Sign,
        operands: [Scalar; 2],
        varies: u32,
        [maybe, ones]: [u32; 2],
    ) -> Scalar {
        if operands.iter().all(Scalar::is_fixed) && maybe == ones {
            return Scalar::number(&mut self.terms, ones);
        }
        Scalar {
            term,
            sign,
            by_bits: sign != Sign::Any,
            varies: if sign == Sign::Fixed { 0 } else { varies },
            maybe,
            ones,
        }
    }
}
