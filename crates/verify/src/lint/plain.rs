//! The lint `plain`: without atomic operations, no invocation may read storage that another
//! invocation writes in the same dispatch.
//!
//! WGSL does not order the accesses of invocations of different workgroups. So if an entry point
//! both reads and writes a buffer, invocations may communicate through it, unless each invocation
//! accesses only its own elements. The lint assumes the latter if all accesses are in one function
//! and have the same index, which depends on an argument or a variable of this function. It does
//! not prove that different invocations have different indices; the interpreter checks that in each
//! dispatch that it runs. All other cases have to be declared in the kernel or in one of the files
//! that it imports:
//!
//! ```wgsl
//! //@ disjoint queue: an iteration reads what earlier ones wrote, and writes behind that
//! ```
//!
//! A declaration is not a proof either, and is checked in the same way. `//@ owned NAME: why` is a
//! declaration that [`race`](crate::race) also has to prove.

use std::collections::BTreeMap;

use naga::valid::GlobalUse;
use naga::{AddressSpace, Expression, Function, GlobalVariable, Handle, Span, Statement};

use super::finding::Finding;
use crate::Program;
use crate::syntax::{operands, visit};

type Expr = Handle<Expression>;

/// A non-atomic access to storage.
struct Access {
    function: Option<Handle<Function>>,
    /// The index of the pointer into the buffer, if it has one.
    index: Option<Expr>,
    is_write: bool,
    span: Span,
}

/// How the invocations of a dispatch share a storage buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Discipline {
    /// The kernel does not write to it, so accesses do not race.
    Read,
    /// All accesses are atomic operations, so they do not race.
    Atomic,
    /// It is written without atomic operations, and not read. Two invocations must not write to the
    /// same place.
    Write,
    /// All accesses without atomic operations have the same index. They do not race if different
    /// invocations have different indices.
    Own,
    /// It is read and written without atomic operations, and declared to be disjoint.
    Declared,
    /// It is read and written without atomic operations, and there is no declaration.
    Undeclared,
}

/// Returns the storage buffers that a kernel uses, by name, with the way in which its invocations
/// share them.
#[must_use]
pub fn disciplines(program: &Program) -> Vec<(String, Discipline)> {
    let plain = plain_accesses(program);
    let uses = program.info.get_entry_point(0);
    let variables = program.module.global_variables.iter();
    let each = variables.filter_map(|(handle, variable)| {
        let AddressSpace::Storage { access } = variable.space else {
            return None;
        };
        if uses[handle] == GlobalUse::empty() {
            return None;
        }
        let discipline = match plain.get(&handle.index()) {
            _ if !access.contains(naga::StorageAccess::STORE) => Discipline::Read,
            Some((_, accesses)) => discipline(program, handle, accesses),
            None if uses[handle].contains(GlobalUse::WRITE) => Discipline::Atomic,
            None => Discipline::Read,
        };
        Some((variable.name.clone().unwrap_or_default(), discipline))
    });
    let mut all: Vec<_> = each.collect();
    all.sort();
    all
}

/// Returns how the invocations share a buffer that is accessed without atomic operations.
fn discipline(
    program: &Program,
    global: Handle<GlobalVariable>,
    accesses: &[Access],
) -> Discipline {
    let reads = accesses.iter().any(|access| !access.is_write);
    let writes = accesses.iter().any(|access| access.is_write);
    let variable = &program.module.global_variables[global];
    let name = variable.name.as_deref().unwrap_or_default();
    let is_declared = program.declares("disjoint", name) || program.declares("owned", name);
    match (reads, writes) {
        (_, false) => Discipline::Read,
        (false, true) => Discipline::Write,
        _ if accesses.iter().all(|other| {
            differs(program, &accesses[0]) && is_same(program, &accesses[0], other)
        }) =>
        {
            Discipline::Own
        }
        _ if is_declared => Discipline::Declared,
        _ => Discipline::Undeclared,
    }
}

/// Finds buffers that are read and written without atomic operations.
pub(super) fn check(program: &Program) -> Vec<Finding> {
    let buffers = plain_accesses(program).into_values();
    buffers
        .filter_map(|(global, accesses)| finding(program, global, &accesses))
        .collect()
}

/// Returns the non-atomic accesses to each storage buffer.
fn plain_accesses(program: &Program) -> BTreeMap<usize, (Handle<GlobalVariable>, Vec<Access>)> {
    let mut by_buffer: BTreeMap<usize, (Handle<GlobalVariable>, Vec<Access>)> = BTreeMap::new();
    let handles = program.module.functions.iter().map(|(handle, _)| handle);
    for function in handles.map(Some).chain([None]) {
        for (global, access) in accesses(program, function) {
            let entry = by_buffer.entry(global.index());
            entry.or_insert_with(|| (global, Vec::new())).1.push(access);
        }
    }
    by_buffer
}

/// Returns the finding about a buffer, unless it is declared or each invocation has its own
/// elements.
fn finding(
    program: &Program,
    global: Handle<GlobalVariable>,
    accesses: &[Access],
) -> Option<Finding> {
    if discipline(program, global, accesses) != Discipline::Undeclared {
        return None;
    }
    let read = accesses.iter().find(|access| !access.is_write)?;
    let write = accesses.iter().find(|access| access.is_write)?;
    let variable = &program.module.global_variables[global];
    let name = variable.name.as_deref().unwrap_or("?");
    Some(Finding {
        place: program.place(write.span),
        lint: "plain",
        message: format!(
            "`{name}` is written here and read elsewhere in the same dispatch, without atomic operations"
        ),
        notes: vec![("it is read here".to_owned(), program.place(read.span))],
    })
}

/// Returns whether the index of an access can be different in each invocation: it depends on an
/// argument or a variable of the function.
fn differs(program: &Program, access: &Access) -> bool {
    let (function, _) = program.function(access.function);
    let mut todo: Vec<Expr> = access.index.into_iter().collect();
    while let Some(next) = todo.pop() {
        match &function.expressions[next] {
            Expression::FunctionArgument(_) | Expression::Load { .. } => return true,
            other => todo.extend(operands(other)),
        }
    }
    false
}

/// Returns whether two accesses certainly have the same index in the same function: it is the same
/// value, which naga evaluated once, or a load of a variable that is stored to only once.
fn is_same(program: &Program, a: &Access, b: &Access) -> bool {
    if a.function != b.function {
        return false;
    }
    let (Some(x), Some(y)) = (a.index, b.index) else {
        return false;
    };
    let (function, _) = program.function(a.function);
    same_value(function, x, y)
}

/// Returns whether two expressions certainly have the same value wherever both are evaluated in one
/// iteration of the loops around them.
fn same_value(function: &Function, x: Expr, y: Expr) -> bool {
    if x == y {
        return true;
    }
    let expressions = &function.expressions;
    match (&expressions[x], &expressions[y]) {
        (
            Expression::Binary { op, left, right },
            Expression::Binary {
                op: other,
                left: l,
                right: r,
            },
        ) => op == other && same_value(function, *left, *l) && same_value(function, *right, *r),
        (Expression::Literal(a), Expression::Literal(b)) => a == b,
        (Expression::Constant(a), Expression::Constant(b)) => a == b,
        (Expression::FunctionArgument(a), Expression::FunctionArgument(b)) => a == b,
        (
            Expression::AccessIndex { base, index },
            Expression::AccessIndex { base: b, index: i },
        ) => index == i && same_value(function, *base, *b),
        (Expression::Load { pointer: a }, Expression::Load { pointer: b }) => {
            matches!(
                (&expressions[*a], &expressions[*b]),
                (Expression::LocalVariable(p), Expression::LocalVariable(q))
                    if p == q && is_loop_variable(function, *p)
            )
        }
        _ => false,
    }
}

/// Returns whether a variable keeps its value in the body of a loop: it is stored to only in
/// `continuing`.
fn is_loop_variable(function: &Function, local: Handle<naga::LocalVariable>) -> bool {
    let mut in_body = 0;
    let mut in_continuing = 0;
    let stores = |statement: &Statement| {
        matches!(statement, Statement::Store { pointer, .. }
            if matches!(function.expressions[*pointer], Expression::LocalVariable(p) if p == local))
    };
    visit(&function.body, &mut |statement, _| {
        in_body += usize::from(stores(statement));
        if let Statement::Loop { continuing, .. } = statement {
            visit(continuing, &mut |statement, _| {
                in_continuing += usize::from(stores(statement));
            });
        }
    });
    // The first store is that of its initial value, before the loop.
    in_body <= in_continuing + 1
}

/// Returns the non-atomic accesses of a function to storage, each with its buffer. Those of the
/// functions that it calls are not among them.
fn accesses(
    program: &Program,
    handle: Option<Handle<Function>>,
) -> Vec<(Handle<GlobalVariable>, Access)> {
    let (function, _) = program.function(handle);
    let mut found = Vec::new();
    let mut note = |pointer: Expr, is_write: bool, span: Span| {
        if let Some((global, index)) = storage(program, function, pointer, None)
            && is_plain(program, handle, pointer)
        {
            let access = Access {
                function: handle,
                index,
                is_write,
                span,
            };
            found.push((global, access));
        }
    };
    visit(&function.body, &mut |statement, span| match statement {
        Statement::Store { pointer, .. } => note(*pointer, true, span),
        Statement::Emit(range) => {
            for expression in range.clone() {
                if let Expression::Load { pointer } = &function.expressions[expression] {
                    note(*pointer, false, function.expressions.get_span(expression));
                }
            }
        }
        _ => {}
    });
    found
}

/// Returns whether the target of a pointer is not atomic.
fn is_plain(program: &Program, handle: Option<Handle<Function>>, pointer: Expr) -> bool {
    let (_, info) = program.function(handle);
    let types = &program.module.types;
    !info[pointer].ty.inner_with(types).is_atomic_pointer(types)
}

/// Returns the storage buffer that a pointer points into, and the first index into it.
fn storage(
    program: &Program,
    function: &Function,
    pointer: Expr,
    index: Option<Expr>,
) -> Option<(Handle<GlobalVariable>, Option<Expr>)> {
    match &function.expressions[pointer] {
        Expression::GlobalVariable(global) => {
            let space = program.module.global_variables[*global].space;
            matches!(space, AddressSpace::Storage { .. }).then_some((*global, index))
        }
        Expression::Access { base, index } => storage(program, function, *base, Some(*index)),
        Expression::AccessIndex { base, .. } => storage(program, function, *base, index),
        _ => None,
    }
}
