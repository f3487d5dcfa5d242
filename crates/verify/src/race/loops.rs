//! Loops: the body is walked once, for an arbitrary iteration. Variables that it stores may have
//! any value, except those that are only incremented at the end of the loop, by the same step each
//! time.
//!
//! Such a variable is its first value plus a multiple of the step, modulo 2^32. If it begins at an
//! index of a grid and the step is the stride of this grid, no other invocation has any of its
//! values. If the step is 1 and the loop ends once the variable reaches a bound, it cannot have
//! wrapped around, so it is at least its first value.

use naga::{BinaryOperator, Block, Expression, Function, Handle, LocalVariable, Statement};

use super::value::{Owner, Root, Sort, Term, Value};
use super::walk::{Expr, Frame, Walk, is_of_grid, is_whole_grid};
use crate::Program;
use crate::syntax::{local_of, visit};

/// The step by which a loop increments a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Number(u32),
    /// The stride of a grid that has this many indices for each workgroup.
    Grid(u32),
}

impl<'a> Walk<'a> {
    pub(super) fn repeat(&mut self, frame: &mut Frame<'a>, body: &'a Block, continuing: &'a Block) {
        let depth = self.conditions.len();
        let raised = self.raised(frame, body, continuing);
        self.forget(frame, &[body, continuing]);
        for (local, first, step) in raised {
            let is_bounded = is_below(frame.function, body, local);
            let value = self.any_iteration(&first, step, is_bounded);
            let root = Root::Local(frame.number, local);
            self.locals.insert(root, Value::Scalar(value));
        }
        self.level += 1;
        self.unknowns += 1;
        self.block(frame, body);
        self.conditions.truncate(depth);
        self.forget(frame, &[body, continuing]);
        self.apart(frame, continuing);
        self.level -= 1;
        self.unknowns -= 1;
        self.forget(frame, &[body, continuing]);
    }

    /// Returns the number of invocations of a workgroup.
    pub(super) fn invocations(&self) -> u32 {
        self.program.entry().workgroup_size.iter().product()
    }

    /// Returns the variables that are incremented only at the end of a loop, with their first
    /// values and steps.
    fn raised(
        &self,
        frame: &Frame<'a>,
        body: &Block,
        continuing: &Block,
    ) -> Vec<(Handle<LocalVariable>, Term, Step)> {
        let mut found = Vec::new();
        for (local, _) in frame.function.local_variables.iter() {
            let first = self.locals.get(&Root::Local(frame.number, local));
            if let Some(Value::Scalar(first)) = first
                && first.sort == Sort::Bits
                && stores(frame.function, body, local) == 0
                && stores(frame.function, continuing, local) == 1
                && let Some(step) = step(self.program, frame, continuing, local)
            {
                found.push((local, first.clone(), step));
            }
        }
        found
    }

    /// Returns the value of a variable in an arbitrary iteration.
    fn any_iteration(&mut self, first: &Term, step: Step, is_bounded: bool) -> Term {
        let owned = self.walked.names.owned.iter();
        let owner = owned.clone().find(|(name, _)| *name == first.text);
        let owner = owner.map_or(Owner::Nobody, |(_, owner)| *owner);
        let strides = match owner {
            Owner::Workgroup => step == Step::Grid(1),
            Owner::Invocation => step == Step::Grid(self.invocations()),
            Owner::Nobody | Owner::Ticket(_) => false,
        };
        let names = &mut self.walked.names;
        if strides {
            return names.fresh(Sort::Bits, owner);
        }
        let Step::Number(step) = step else {
            return names.fresh(Sort::Bits, Owner::Nobody);
        };
        let times = names.fresh(Sort::Bits, Owner::Nobody);
        let first = &first.text;
        let by = match step {
            1 => times.text,
            _ => format!("(bvmul {} {})", Term::number(step).text, times.text),
        };
        let raised = format!("(bvadd {first} {by})");
        let value = names.define(&raised, Sort::Bits);
        if is_bounded && step == 1 {
            let since = names.define(&format!("(bvule {first} {})", value.text), Sort::Bool);
            self.conditions.push(since);
        }
        value
    }
}

/// Returns the number of times that a block stores to a variable, or passes it to a function that
/// may.
fn stores(function: &Function, block: &Block, wanted: Handle<LocalVariable>) -> usize {
    let mut count = 0;
    visit(block, &mut |statement, _| {
        let pointers = match statement {
            Statement::Store { pointer, .. } => vec![*pointer],
            Statement::Call { arguments, .. } => arguments.clone(),
            _ => Vec::new(),
        };
        let mut pointers = pointers.into_iter();
        count += usize::from(pointers.any(|at| local_of(function, at) == Some(wanted)));
    });
    count
}

/// Returns whether the loop begins by testing that a variable is less than a bound, and ends if it
/// is not.
fn is_below(function: &Function, body: &Block, local: Handle<LocalVariable>) -> bool {
    let mut statements = body.iter();
    let first = statements.find(|statement| !matches!(statement, Statement::Emit(_)));
    match first {
        Some(Statement::Block(block)) => is_below(function, block, local),
        Some(Statement::If {
            condition,
            accept,
            reject,
        }) => {
            accept.is_empty()
                && matches!(reject[..], [Statement::Break])
                && matches!(&function.expressions[*condition], Expression::Binary {
                    op: BinaryOperator::Less,
                    left,
                    ..
                } if is_load(function, *left, local))
        }
        _ => false,
    }
}

fn is_load(function: &Function, value: Expr, local: Handle<LocalVariable>) -> bool {
    matches!(&function.expressions[value], Expression::Load { pointer }
        if matches!(function.expressions[*pointer], Expression::LocalVariable(one) if one == local))
}

/// Returns the step by which the end of a loop increments a variable.
fn step(
    program: &Program,
    frame: &Frame<'_>,
    continuing: &Block,
    local: Handle<LocalVariable>,
) -> Option<Step> {
    let function = frame.function;
    let is_grid = |at: Expr| match function.expressions[at] {
        Expression::FunctionArgument(number) => {
            let given = frame.arguments.get(number as usize);
            given.is_some_and(is_whole_grid)
        }
        _ => false,
    };
    let mut found = None;
    visit(continuing, &mut |statement, _| {
        if let Statement::Store { pointer, value } = statement
            && local_of(function, *pointer) == Some(local)
            && let Expression::Binary {
                op: BinaryOperator::Add,
                left,
                right,
            } = function.expressions[*value]
            && is_load(function, left, local)
        {
            found = match literal(program, function, right) {
                Some(number) => Some(Step::Number(number)),
                None => stride(program, function, &is_grid, right).map(Step::Grid),
            };
        }
    });
    found
}

/// Returns the number of indices for each workgroup, if a value is the stride of a grid, that is, a
/// result of `grid_stride` or of a function that only calls it.
fn stride(
    program: &Program,
    function: &Function,
    is_grid: &dyn Fn(Expr) -> bool,
    value: Expr,
) -> Option<u32> {
    let mut found = None;
    // The stride may be computed before the loop.
    visit(&function.body, &mut |statement, _| {
        let Statement::Call {
            function: called,
            arguments,
            result: Some(result),
        } = statement
        else {
            return;
        };
        if *result != value {
            return;
        }
        let inner = &program.module.functions[*called];
        found = match arguments[..] {
            [grid, by] if is_of_grid(program, *called, "grid_stride") && is_grid(grid) => {
                literal(program, function, by)
            }
            _ => {
                let is_given = |at: Expr| match inner.expressions[at] {
                    Expression::FunctionArgument(number) => arguments
                        .get(number as usize)
                        .is_some_and(|&given| is_grid(given)),
                    _ => false,
                };
                only_result(inner).and_then(|value| stride(program, inner, &is_given, value))
            }
        };
    });
    found
}

/// Returns the result of a function, if it has a single `return`.
fn only_result(function: &Function) -> Option<Expr> {
    let mut results = Vec::new();
    visit(&function.body, &mut |statement, _| {
        if let Statement::Return { value } = statement {
            results.push(*value);
        }
    });
    match results[..] {
        [result] => result,
        _ => None,
    }
}

/// Returns the number that an expression denotes, if it is a literal.
fn literal(program: &Program, function: &Function, at: Expr) -> Option<u32> {
    match function.expressions[at] {
        Expression::Literal(naga::Literal::U32(value)) => Some(value),
        Expression::Constant(constant) => {
            let init = program.module.constants[constant].init;
            match program.module.global_expressions[init] {
                Expression::Literal(naga::Literal::U32(value)) => Some(value),
                _ => None,
            }
        }
        _ => None,
    }
}
