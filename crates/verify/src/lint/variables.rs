//! The uniformity of expressions, and the values of variables.

use naga::{AddressSpace, Expression, GlobalVariable, Handle, StorageAccess};

use super::uniformity::{Expr, Walker};
use super::values::{Cause, Spread, Taint, Value, join, parts};
use crate::syntax::operands;

/// A variable, and the part of it that a pointer points to.
#[derive(Clone, Copy)]
pub(super) struct Target {
    root: Root,
    /// The first member or component, if it is known.
    part: Option<usize>,
    /// Whether the pointer points to exactly that part, or to the whole variable if the part is not
    /// known.
    is_exact: bool,
    /// The uniformity of the indices.
    pub(super) indices: Taint,
}

#[derive(Clone, Copy)]
enum Root {
    Global(Handle<GlobalVariable>),
    Local(usize),
    Argument(usize),
}

impl Walker<'_, '_> {
    /// Returns the uniformity of an expression whose operands are evaluated. Operations that
    /// combine all operands differ wherever one of them does.
    pub(super) fn evaluate(&self, expression: Expr) -> Value {
        let parts = self.parts(expression);
        match &self.function.expressions[expression] {
            Expression::Compose { components, .. } if components.len() == parts => Value(
                components
                    .iter()
                    .map(|&component| self.taint(component))
                    .collect(),
            ),
            Expression::AccessIndex { base, index } => {
                let base = self.value(*base);
                let part = base.0.get(*index as usize).copied();
                Value::all(parts, part.unwrap_or_else(|| base.taint()))
            }
            Expression::Swizzle {
                vector,
                pattern,
                size,
            } => {
                let value = self.value(*vector);
                let picked = pattern[..*size as usize].iter();
                Value(picked.map(|&c| value.0[c as usize]).collect())
            }
            Expression::Load { pointer } => self.load(*pointer),
            Expression::Unary { expr, .. } | Expression::As { expr, .. } => {
                Value(self.value(*expr).0)
            }
            Expression::Binary { left, right, .. } => {
                both(parts, &self.value(*left), &self.value(*right))
            }
            Expression::Select {
                condition,
                accept,
                reject,
            } => {
                let mut value = self.value(*accept);
                value.join(&self.value(*reject));
                value.tainted(self.taint(*condition))
            }
            whole @ (Expression::Compose { .. }
            | Expression::Access { .. }
            | Expression::Splat { .. }
            | Expression::Relational { .. }
            | Expression::Math { .. }) => {
                let taints = operands(whole).into_iter();
                let taints = taints.map(|operand| self.taint(operand));
                Value::all(parts, taints.fold(None, join))
            }
            _ => Value::uniform(parts),
        }
    }

    /// Returns the variable that a pointer points to.
    pub(super) fn target(&self, pointer: Expr) -> Target {
        let whole = |root| Target {
            root,
            part: None,
            is_exact: true,
            indices: None,
        };
        match &self.function.expressions[pointer] {
            Expression::GlobalVariable(global) => whole(Root::Global(*global)),
            Expression::LocalVariable(local) => whole(Root::Local(local.index())),
            Expression::FunctionArgument(index) => whole(Root::Argument(*index as usize)),
            Expression::AccessIndex { base, index } => {
                let base_parts = self.pointee_parts(*base);
                let base = self.target(*base);
                let is_first = base.part.is_none() && base.is_exact && base_parts > 1;
                Target {
                    part: if is_first {
                        Some(*index as usize)
                    } else {
                        base.part
                    },
                    is_exact: is_first,
                    ..base
                }
            }
            Expression::Access { base, index } => {
                let base = self.target(*base);
                Target {
                    is_exact: false,
                    indices: join(base.indices, self.taint(*index)),
                    ..base
                }
            }
            _ => Target {
                is_exact: false,
                ..whole(Root::Argument(usize::MAX))
            },
        }
    }

    /// Returns the number of parts of the target of a pointer.
    fn pointee_parts(&self, pointer: Expr) -> usize {
        let program = self.analysis.program;
        let (_, info) = program.function(self.handle);
        match info[pointer].ty.inner_with(&program.module.types) {
            naga::TypeInner::Pointer { base, .. } => parts(&program.module.types[*base].inner),
            naga::TypeInner::ValuePointer {
                size: Some(size), ..
            } => *size as usize,
            _ => 1,
        }
    }

    pub(super) fn load(&self, pointer: Expr) -> Value {
        let target = self.target(pointer);
        let parts = self.pointee_parts(pointer);
        let value = match target.root {
            Root::Local(index) => pick(&self.state.locals[index], target, parts),
            Root::Argument(index) => match self.state.arguments.get(index) {
                Some(value) => pick(value, target, parts),
                None => Value::all(parts, self.memory(pointer)),
            },
            Root::Global(global) => {
                let variable = &self.analysis.program.module.global_variables[global];
                match variable.space {
                    AddressSpace::Uniform => Value::uniform(parts),
                    AddressSpace::Storage { access } if !access.contains(StorageAccess::STORE) => {
                        Value::uniform(parts)
                    }
                    AddressSpace::Private => match self.analysis.privates.get(&global) {
                        Some(value) => pick(value, target, parts),
                        None => Value::uniform(parts),
                    },
                    _ => Value::all(parts, self.memory(pointer)),
                }
            }
        };
        value.tainted(target.indices)
    }

    /// Returns the taint of memory that other invocations may write to.
    fn memory(&self, pointer: Expr) -> Taint {
        Some(Cause {
            spread: Spread::Invocations,
            span: self.span(pointer),
        })
    }

    pub(super) fn store(&mut self, pointer: Expr, value: &Value) {
        let target = self.target(pointer);
        let value = value.clone().tainted(target.indices);
        let variable = match target.root {
            Root::Local(index) => &mut self.state.locals[index],
            Root::Argument(index) => match self.state.arguments.get_mut(index) {
                Some(argument) => argument,
                None => return,
            },
            Root::Global(global) => {
                let module = &self.analysis.program.module;
                let variable = &module.global_variables[global];
                if variable.space != AddressSpace::Private {
                    return;
                }
                let parts = parts(&module.types[variable.ty].inner);
                let known = self.analysis.privates.entry(global);
                let known = known.or_insert_with(|| Value::uniform(parts));
                *known = std::mem::replace(known, Value(Vec::new())).tainted(value.taint());
                return;
            }
        };
        match target.part {
            None if target.is_exact => variable.0.clone_from(&value.0),
            Some(part) if target.is_exact => variable.0[part] = value.taint(),
            Some(part) => variable.0[part] = join(variable.0[part], value.taint()),
            None => {
                let taint = value.taint();
                *variable = std::mem::replace(variable, Value(Vec::new())).tainted(taint);
            }
        }
    }
}

/// Returns the part of a variable that a pointer points to, as a value with this many parts.
fn pick(variable: &Value, target: Target, parts: usize) -> Value {
    match target.part {
        Some(part) => Value::all(parts, variable.0[part]),
        None if target.is_exact => variable.clone(),
        None => Value::all(parts, variable.taint()),
    }
}

/// Returns the value that is computed from two values: part by part, if both have as many parts as
/// the result.
fn both(parts: usize, left: &Value, right: &Value) -> Value {
    match left.0.len() == parts && right.0.len() == parts {
        true => Value((0..parts).map(|k| join(left.0[k], right.0[k])).collect()),
        false => Value::all(parts, join(left.taint(), right.taint())),
    }
}
