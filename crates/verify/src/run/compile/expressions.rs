//! Expressions without side effects: constants, operators, built-in functions.

use naga::{
    Arena, BinaryOperator, Expression, Literal, MathFunction, RelationalFunction, ScalarKind, Span,
    TypeInner, UnaryOperator,
};

use super::super::code::{Binary, Gather, NONE, Op, Reg, Scan, Unary};
use super::builder::Builder;
use super::compiler::{Compiler, Expr, Given, Result};
use super::types;

impl Compiler<'_> {
    /// Returns the words of an expression that is known at compile time.
    pub(super) fn literal(
        &self,
        arena: &Arena<Expression>,
        expression: Expr,
        span: Span,
    ) -> Result<Vec<u32>> {
        let module = &self.program.module;
        Ok(match &arena[expression] {
            Expression::Literal(literal) => vec![match *literal {
                Literal::U32(value) => value,
                Literal::I32(value) => value as u32,
                Literal::F32(value) => value.to_bits(),
                Literal::Bool(value) => u32::from(value),
                other => return self.unsupported(span, format!("the literal {other:?}")),
            }],
            Expression::Constant(constant) => {
                let init = module.constants[*constant].init;
                self.literal(&module.global_expressions, init, span)?
            }
            Expression::ZeroValue(ty) => {
                vec![0; self.words(&module.types[*ty].inner, span)? as usize]
            }
            Expression::Compose { components, .. } => {
                let mut words = Vec::new();
                for &component in components {
                    words.extend(self.literal(arena, component, span)?);
                }
                words
            }
            Expression::Splat { size, value } => {
                let word = self.literal(arena, *value, span)?;
                word.repeat(*size as usize)
            }
            other => return self.unsupported(span, format!("the constant {other:?}")),
        })
    }
}

/// An operand: its registers, and whether it is a scalar that is used for all components.
#[derive(Clone, Copy)]
struct Operand {
    register: Reg,
    is_scalar: bool,
}

impl Operand {
    fn component(self, k: u32) -> Reg {
        match self.is_scalar {
            true => self.register,
            false => self.register + k,
        }
    }
}

impl Builder<'_, '_> {
    fn words(&self, expression: Expr) -> Result<u32> {
        self.compiler
            .words(self.inner(expression), self.span(expression))
    }

    /// Allocates registers for the value of an expression.
    pub(super) fn new_value(&mut self, expression: Expr) -> Result<Reg> {
        let n = self.words(expression)?;
        let register = self.compiler.registers(n);
        self.values.insert(expression, register);
        Ok(register)
    }

    /// Returns the registers of a value.
    pub(super) fn value(&mut self, expression: Expr) -> Result<Reg> {
        if let Some(&register) = self.values.get(&expression) {
            return Ok(register);
        }
        match &self.function.expressions[expression] {
            Expression::FunctionArgument(index) => match self.given[*index as usize] {
                Given::Value(register) => Ok(register),
                Given::Pointer(_) => self.unsupported(self.span(expression), "pointers as values"),
            },
            Expression::Literal(_)
            | Expression::Constant(_)
            | Expression::ZeroValue(_)
            | Expression::Compose { .. }
            | Expression::Splat { .. } => {
                let arena = &self.function.expressions;
                let span = self.span(expression);
                let words = self.compiler.literal(arena, expression, span)?;
                Ok(self.compiler.constant(words))
            }
            other => {
                let what = format!("this expression here: {other:?}");
                self.unsupported(self.span(expression), what)
            }
        }
    }

    fn operand(&mut self, expression: Expr) -> Result<Operand> {
        Ok(Operand {
            register: self.value(expression)?,
            is_scalar: !matches!(self.inner(expression), TypeInner::Vector { .. }),
        })
    }

    /// Compiles the evaluation of an expression.
    pub(super) fn evaluate(&mut self, expression: Expr) -> Result<()> {
        if self.inner(expression).pointer_space().is_some() {
            if matches!(
                self.function.expressions[expression],
                Expression::Access { .. } | Expression::AccessIndex { .. }
            ) {
                let pointer = self.follow(expression)?;
                self.pointers.insert(expression, pointer);
            }
            return Ok(());
        }
        let arena = &self.function.expressions;
        match &arena[expression] {
            Expression::Load { pointer } => {
                let register = self.load(*pointer)?;
                self.values.insert(expression, register);
            }
            Expression::ArrayLength(array) => {
                let register = self.length(*array)?;
                self.values.insert(expression, register);
            }
            Expression::Compose { components, .. } => {
                let mut dst = self.new_value(expression)?;
                for &component in components {
                    let (src, n) = (self.value(component)?, self.words(component)?);
                    self.push(Op::Copy { dst, src, n });
                    dst += n;
                }
            }
            Expression::Splat { value, .. } => {
                let dst = self.new_value(expression)?;
                let src = self.value(*value)?;
                for k in 0..self.words(expression)? {
                    let dst = dst + k;
                    self.push(Op::Copy { dst, src, n: 1 });
                }
            }
            Expression::Swizzle {
                vector, pattern, ..
            } => {
                let dst = self.new_value(expression)?;
                let src = self.value(*vector)?;
                for k in 0..self.words(expression)? {
                    let (dst, src) = (dst + k, src + pattern[k as usize] as u32);
                    self.push(Op::Copy { dst, src, n: 1 });
                }
            }
            Expression::AccessIndex { base, index } => {
                let (offset, _) = self.part(*base, Some(*index))?;
                let register = self.value(*base)? + offset;
                self.values.insert(expression, register);
            }
            Expression::Access { base, index } => self.element_of(expression, *base, *index)?,
            _ => self.compute(expression)?,
        }
        Ok(())
    }

    /// Compiles the access to a part of a value at a computed index.
    fn element_of(&mut self, expression: Expr, base: Expr, index: Expr) -> Result<()> {
        let (stride, length) = self.part(base, None)?;
        let (base, index) = (self.value(base)?, self.value(index)?);
        let at = self.compiler.registers(1);
        self.push(Op::Index {
            dst: at,
            index,
            base: NONE,
            stride,
            length,
        });
        let n = self.words(expression)?;
        let dst = self.new_value(expression)?;
        self.push(Op::Peek { dst, base, at, n });
        Ok(())
    }

    /// Returns the offset of a part of a value, if its index is known; otherwise the stride and the
    /// number of parts.
    fn part(&self, base: Expr, index: Option<u32>) -> Result<(u32, u32)> {
        let module = &self.compiler.program.module;
        let found = match (self.inner(base), index) {
            (TypeInner::Vector { size, .. }, index) => Some((index.unwrap_or(1), *size as u32)),
            (
                TypeInner::Array {
                    base,
                    size: naga::ArraySize::Constant(length),
                    ..
                },
                index,
            ) => types::words_of(module, *base)
                .map(|words| (words * index.unwrap_or(1), length.get())),
            (TypeInner::Struct { members, .. }, Some(index)) => {
                let packed = types::Layout::Packed;
                types::offset(module, packed, members, index as usize).map(|offset| (offset, 0))
            }
            _ => None,
        };
        match found {
            Some(found) => Ok(found),
            None => self.unsupported(self.span(base), "parts of this value"),
        }
    }

    fn select(
        &mut self,
        expression: Expr,
        condition: Expr,
        accept: Expr,
        reject: Expr,
    ) -> Result<()> {
        let condition = self.operand(condition)?;
        let (accept, reject) = (self.operand(accept)?, self.operand(reject)?);
        let dst = self.new_value(expression)?;
        let n = self.words(expression)?;
        let is_vector = matches!(self.inner(expression), TypeInner::Vector { .. });
        for k in 0..n {
            let part = |operand: Operand| match is_vector {
                true => operand.component(k),
                false => operand.register + k,
            };
            self.push(Op::Select {
                dst: dst + k,
                condition: condition.component(k),
                accept: part(accept),
                reject: part(reject),
            });
        }
        Ok(())
    }

    /// Compiles operators and built-in functions, component by component.
    fn compute(&mut self, expression: Expr) -> Result<()> {
        let span = self.span(expression);
        let arena = &self.function.expressions;
        match &arena[expression] {
            Expression::Unary { op, expr } => {
                let kind = self.inner(*expr).scalar_kind();
                let op = match (op, kind) {
                    (UnaryOperator::Negate, Some(ScalarKind::Float)) => Unary::NegateFloat,
                    (UnaryOperator::Negate, _) => Unary::Negate,
                    (UnaryOperator::LogicalNot, _) => Unary::Not,
                    (UnaryOperator::BitwiseNot, _) => Unary::Complement,
                };
                self.unary(expression, op, *expr)
            }
            Expression::Binary { op, left, right } => {
                let kind = self.inner(*left).scalar_kind();
                let Some((op, is_swapped)) = binary(*op, kind) else {
                    return self.unsupported(span, format!("{op:?} on {kind:?}"));
                };
                match is_swapped {
                    false => self.binary(expression, op, *left, *right),
                    true => self.binary(expression, op, *right, *left),
                }
            }
            Expression::Select {
                condition,
                accept,
                reject,
            } => self.select(expression, *condition, *accept, *reject),
            Expression::As {
                expr,
                kind,
                convert,
            } => self.convert(expression, *expr, *kind, *convert),
            Expression::Relational { fun, argument } => {
                let op = match fun {
                    RelationalFunction::All => Binary::And,
                    RelationalFunction::Any => Binary::Or,
                    other => return self.unsupported(span, format!("{other:?}")),
                };
                let (src, n) = (self.value(*argument)?, self.words(*argument)?);
                let dst = self.new_value(expression)?;
                self.push(Op::Copy { dst, src, n: 1 });
                for k in 1..n {
                    let (a, b) = (dst, src + k);
                    self.push(Op::Binary { op, dst, a, b });
                }
                Ok(())
            }
            Expression::Math {
                fun,
                arg,
                arg1,
                arg2,
                ..
            } => self.math(expression, *fun, *arg, (*arg1, *arg2)),
            other => self.unsupported(span, format!("this expression: {other:?}")),
        }
    }

    fn unary(&mut self, expression: Expr, op: Unary, a: Expr) -> Result<()> {
        let a = self.value(a)?;
        let dst = self.new_value(expression)?;
        for k in 0..self.words(expression)? {
            let (dst, a) = (dst + k, a + k);
            self.push(Op::Unary { op, dst, a });
        }
        Ok(())
    }

    fn binary(&mut self, expression: Expr, op: Binary, a: Expr, b: Expr) -> Result<()> {
        let (a, b) = (self.operand(a)?, self.operand(b)?);
        let dst = self.new_value(expression)?;
        for k in 0..self.words(expression)? {
            let (a, b) = (a.component(k), b.component(k));
            let dst = dst + k;
            self.push(Op::Binary { op, dst, a, b });
        }
        Ok(())
    }

    /// Compiles a conversion, or a reinterpretation of bits, which needs no operation.
    fn convert(
        &mut self,
        expression: Expr,
        from: Expr,
        kind: ScalarKind,
        convert: Option<u8>,
    ) -> Result<()> {
        use ScalarKind::{Bool, Float, Sint, Uint};
        let source = self.inner(from).scalar_kind();
        let op = match (convert, source, kind) {
            (None, ..) | (_, Some(Uint | Sint | Bool), Uint | Sint) | (_, Some(Float), Float) => {
                None
            }
            (_, Some(Float), Uint) => Some(Unary::FloatToUnsigned),
            (_, Some(Float), Sint) => Some(Unary::FloatToSigned),
            (_, Some(Uint), Float) => Some(Unary::UnsignedToFloat),
            (_, Some(Sint), Float) => Some(Unary::SignedToFloat),
            (_, Some(Bool), Float) => Some(Unary::BoolToFloat),
            (_, Some(Float), Bool) => Some(Unary::FloatToBool),
            (_, Some(Uint | Sint | Bool), Bool) => Some(Unary::ToBool),
            other => {
                return self.unsupported(self.span(expression), format!("conversion {other:?}"));
            }
        };
        match op {
            Some(op) => self.unary(expression, op, from)?,
            None => {
                let register = self.value(from)?;
                self.values.insert(expression, register);
            }
        }
        Ok(())
    }

    fn math(
        &mut self,
        expression: Expr,
        fun: MathFunction,
        arg: Expr,
        (arg1, arg2): (Option<Expr>, Option<Expr>),
    ) -> Result<()> {
        let span = self.span(expression);
        let kind = self.inner(arg).scalar_kind();
        let is_float = kind == Some(ScalarKind::Float);
        let is_signed = kind == Some(ScalarKind::Sint);
        let pick = |float, signed, unsigned| match (is_float, is_signed) {
            (true, _) => float,
            (_, true) => signed,
            _ => unsigned,
        };
        let min = pick(Binary::MinFloat, Binary::MinSigned, Binary::Min);
        let max = pick(Binary::MaxFloat, Binary::MaxSigned, Binary::Max);
        let single = unary_function(fun, kind);
        if let Some(op) = single {
            return self.unary(expression, op, arg);
        }
        match (fun, arg1, arg2) {
            (MathFunction::Min, Some(b), _) => self.binary(expression, min, arg, b),
            (MathFunction::Max, Some(b), _) => self.binary(expression, max, arg, b),
            (MathFunction::Clamp, Some(low), Some(high)) => {
                self.binary(expression, max, arg, low)?;
                let dst = self.value(expression)?;
                let high = self.operand(high)?;
                for k in 0..self.words(expression)? {
                    let (dst, b) = (dst + k, high.component(k));
                    self.push(Op::Binary {
                        op: min,
                        dst,
                        a: dst,
                        b,
                    });
                }
                Ok(())
            }
            (MathFunction::Dot, Some(b), _) if !is_float => self.dot(expression, arg, b),
            (MathFunction::ExtractBits, Some(from), Some(count)) => {
                let (a, from) = (self.operand(arg)?, self.value(from)?);
                let count = self.value(count)?;
                let dst = self.new_value(expression)?;
                for k in 0..self.words(expression)? {
                    self.push(Op::Extract {
                        dst: dst + k,
                        a: a.component(k),
                        from,
                        count,
                        is_signed,
                    });
                }
                Ok(())
            }
            _ => self.unsupported(span, format!("the function {fun:?}")),
        }
    }

    fn dot(&mut self, expression: Expr, a: Expr, b: Expr) -> Result<()> {
        let n = self.words(a)?;
        let (a, b) = (self.value(a)?, self.value(b)?);
        let dst = self.new_value(expression)?;
        let src = self.compiler.constant(vec![0]);
        self.push(Op::Copy { dst, src, n: 1 });
        let product = self.compiler.registers(1);
        for k in 0..n {
            let (a, b) = (a + k, b + k);
            self.push(Op::Binary {
                op: Binary::Multiply,
                dst: product,
                a,
                b,
            });
            self.push(Op::Binary {
                op: Binary::Add,
                dst,
                a: dst,
                b: product,
            });
        }
        Ok(())
    }
}

/// Communication between the invocations of a subgroup.
impl Builder<'_, '_> {
    pub(super) fn gather(
        &mut self,
        mode: naga::GatherMode,
        argument: Expr,
        result: Expr,
        span: Span,
    ) -> Result<()> {
        use naga::GatherMode;
        let (how, at) = match mode {
            GatherMode::BroadcastFirst => (Gather::First, None),
            GatherMode::Broadcast(at) | GatherMode::Shuffle(at) => (Gather::From, Some(at)),
            GatherMode::ShuffleDown(at) => (Gather::Down, Some(at)),
            GatherMode::ShuffleUp(at) => (Gather::Up, Some(at)),
            GatherMode::ShuffleXor(at) => (Gather::Xor, Some(at)),
            other => return self.unsupported(span, format!("{other:?}")),
        };
        let at = match at {
            Some(at) => self.value(at)?,
            None => NONE,
        };
        let (src, n) = (self.value(argument)?, self.words(argument)?);
        let dst = self.new_value(result)?;
        self.push(Op::Gather {
            how,
            dst,
            src,
            at,
            n,
        });
        Ok(())
    }

    /// Compiles an operation on the values of all invocations: a reduction, or the results up to
    /// each invocation.
    pub(super) fn scan(
        &mut self,
        op: naga::SubgroupOperation,
        how: naga::CollectiveOperation,
        argument: Expr,
        result: Expr,
        span: Span,
    ) -> Result<()> {
        use naga::SubgroupOperation;
        let kind = self.inner(argument).scalar_kind();
        let is_signed = kind == Some(ScalarKind::Sint);
        if kind == Some(ScalarKind::Float) {
            return self.unsupported(span, "subgroup operations on floats");
        }
        let (op, identity) = match op {
            SubgroupOperation::All => (Binary::And, 1),
            SubgroupOperation::Any | SubgroupOperation::Or => (Binary::Or, 0),
            SubgroupOperation::Add => (Binary::Add, 0),
            SubgroupOperation::Mul => (Binary::Multiply, 1),
            SubgroupOperation::Min if is_signed => (Binary::MinSigned, i32::MAX as u32),
            SubgroupOperation::Min => (Binary::Min, u32::MAX),
            SubgroupOperation::Max if is_signed => (Binary::MaxSigned, i32::MIN as u32),
            SubgroupOperation::Max => (Binary::Max, 0),
            SubgroupOperation::And => (Binary::And, u32::MAX),
            SubgroupOperation::Xor => (Binary::Xor, 0),
        };
        let how = match how {
            naga::CollectiveOperation::Reduce => Scan::Reduce,
            naga::CollectiveOperation::InclusiveScan => Scan::Inclusive,
            naga::CollectiveOperation::ExclusiveScan => Scan::Exclusive,
        };
        let (src, n) = (self.value(argument)?, self.words(argument)?);
        let dst = self.new_value(result)?;
        for k in 0..n {
            let (dst, src) = (dst + k, src + k);
            self.push(Op::Scan {
                how,
                op,
                dst,
                src,
                identity,
            });
        }
        Ok(())
    }
}

/// Returns the operation for an operator on scalars of a kind, and whether its operands are
/// swapped.
fn binary(op: BinaryOperator, kind: Option<ScalarKind>) -> Option<(Binary, bool)> {
    let is_signed = match kind? {
        ScalarKind::Float => return float(op),
        ScalarKind::Sint => true,
        _ => false,
    };
    let pick = |signed, unsigned| if is_signed { signed } else { unsigned };
    let less = pick(Binary::LessSigned, Binary::Less);
    let less_equal = pick(Binary::LessEqualSigned, Binary::LessEqual);
    let plain = |op| Some((op, false));
    match op {
        BinaryOperator::Add => plain(Binary::Add),
        BinaryOperator::Subtract => plain(Binary::Subtract),
        BinaryOperator::Multiply => plain(Binary::Multiply),
        BinaryOperator::Divide => plain(pick(Binary::DivideSigned, Binary::Divide)),
        BinaryOperator::Modulo => plain(pick(Binary::ModuloSigned, Binary::Modulo)),
        BinaryOperator::Equal => plain(Binary::Equal),
        BinaryOperator::NotEqual => plain(Binary::NotEqual),
        BinaryOperator::Less => plain(less),
        BinaryOperator::LessEqual => plain(less_equal),
        BinaryOperator::Greater => Some((less, true)),
        BinaryOperator::GreaterEqual => Some((less_equal, true)),
        BinaryOperator::And | BinaryOperator::LogicalAnd => plain(Binary::And),
        BinaryOperator::InclusiveOr | BinaryOperator::LogicalOr => plain(Binary::Or),
        BinaryOperator::ExclusiveOr => plain(Binary::Xor),
        BinaryOperator::ShiftLeft => plain(Binary::ShiftLeft),
        BinaryOperator::ShiftRight => plain(pick(Binary::ShiftRightSigned, Binary::ShiftRight)),
    }
}

/// Returns the same as [`binary`], for floating-point numbers.
fn float(op: BinaryOperator) -> Option<(Binary, bool)> {
    let plain = |op| Some((op, false));
    match op {
        BinaryOperator::Add => plain(Binary::AddFloat),
        BinaryOperator::Subtract => plain(Binary::SubtractFloat),
        BinaryOperator::Multiply => plain(Binary::MultiplyFloat),
        BinaryOperator::Divide => plain(Binary::DivideFloat),
        BinaryOperator::Modulo => plain(Binary::ModuloFloat),
        BinaryOperator::Equal => plain(Binary::EqualFloat),
        BinaryOperator::NotEqual => plain(Binary::NotEqualFloat),
        BinaryOperator::Less => plain(Binary::LessFloat),
        BinaryOperator::LessEqual => plain(Binary::LessEqualFloat),
        BinaryOperator::Greater => Some((Binary::LessFloat, true)),
        BinaryOperator::GreaterEqual => Some((Binary::LessEqualFloat, true)),
        _ => None,
    }
}

/// Returns the unary operation for a built-in function of scalars of a kind, if there is one.
fn unary_function(fun: MathFunction, kind: Option<ScalarKind>) -> Option<Unary> {
    let is_signed = kind == Some(ScalarKind::Sint);
    Some(match fun {
        MathFunction::CountOneBits => Unary::CountOnes,
        MathFunction::CountTrailingZeros => Unary::TrailingZeros,
        MathFunction::CountLeadingZeros => Unary::LeadingZeros,
        MathFunction::ReverseBits => Unary::Reverse,
        MathFunction::FirstTrailingBit => Unary::FirstTrailing,
        MathFunction::FirstLeadingBit if is_signed => Unary::FirstLeadingSigned,
        MathFunction::FirstLeadingBit => Unary::FirstLeading,
        MathFunction::Abs if kind == Some(ScalarKind::Float) => Unary::AbsFloat,
        MathFunction::Abs if is_signed => Unary::AbsSigned,
        _ => return None,
    })
}
