//! The lint `waiting`: no loop waits for another invocation to change storage.
//!
//! WGSL guarantees no progress between workgroups: a workgroup that waits for another may prevent
//! the other from ever being started. A loop waits if one of its exits depends on storage that
//! other invocations may change, and nothing in the loop itself makes progress towards an exit. A
//! local variable that the loop advances (`i += 1`) makes progress. So does a compare-and-swap
//! whose expected value the loop has just read, because it fails only if another invocation has
//! made progress.

use std::collections::HashSet;

use naga::{
    AddressSpace, AtomicFunction, Block, Expression, Function, Handle, LocalVariable, Span,
    Statement, StorageAccess,
};

use super::finding::Finding;
use crate::Program;
use crate::syntax::{blocks_of, local_of, operands, visit};

type Expr = Handle<Expression>;

/// Finds loops that wait.
pub(super) fn check(program: &Program) -> Vec<Finding> {
    let handles = program.module.functions.iter().map(|(handle, _)| handle);
    let mut findings = Vec::new();
    for handle in handles.map(Some).chain([None]) {
        let (function, _) = program.function(handle);
        let search = Search { program, function };
        search.block(&function.body, &mut findings);
    }
    findings
}

struct Search<'a> {
    program: &'a Program,
    function: &'a Function,
}

impl Search<'_> {
    fn block(&self, block: &Block, findings: &mut Vec<Finding>) {
        visit(block, &mut |statement, span| {
            if let Statement::Loop {
                body,
                continuing,
                break_if,
            } = statement
            {
                let waits = Loop::new(self, body, continuing, *break_if).waits();
                findings.extend(waits.map(|read| self.finding(span, read)));
            }
        });
    }

    fn finding(&self, span: Span, read: Span) -> Finding {
        Finding {
            place: self.program.place(span),
            lint: "waiting",
            message: "a loop that ends only once another invocation has changed storage".to_owned(),
            notes: vec![("it waits for this".to_owned(), self.program.place(read))],
        }
    }
}

/// A loop: its stores, and the conditions of its exits.
struct Loop<'a> {
    search: &'a Search<'a>,
    stores: Vec<(Handle<LocalVariable>, Expr)>,
    atomics: Vec<(Expr, &'a AtomicFunction, Expr)>,
    calls: Vec<(Expr, Handle<Function>, &'a [Expr])>,
    /// The expressions that are evaluated in the loop.
    emitted: HashSet<Expr>,
    ends: Vec<Expr>,
}

/// The dependencies of an expression within a loop.
#[derive(Clone, Copy, Default)]
struct Depends {
    /// Whether it depends on something that the loop itself advances.
    advances: bool,
    /// The place at which it depends on storage that other invocations may change.
    storage: Option<Span>,
}

impl Depends {
    fn or(self, other: Self) -> Self {
        Self {
            advances: self.advances || other.advances,
            storage: self.storage.or(other.storage),
        }
    }
}

impl<'a> Loop<'a> {
    /// Collects the data of a loop.
    fn new(
        search: &'a Search<'a>,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Expr>,
    ) -> Self {
        let mut found = Self {
            search,
            stores: Vec::new(),
            atomics: Vec::new(),
            calls: Vec::new(),
            emitted: HashSet::new(),
            ends: break_if.into_iter().collect(),
        };
        for block in [body, continuing] {
            visit(block, &mut |statement, _| found.note(statement));
            found.conditions(block, &[], 0);
        }
        found
    }

    /// Collects what a statement evaluates and stores.
    fn note(&mut self, statement: &'a Statement) {
        match statement {
            Statement::Emit(range) => self.emitted.extend(range.clone()),
            Statement::Store { pointer, value } => {
                if let Some(local) = self.local(*pointer) {
                    self.stores.push((local, *value));
                }
            }
            Statement::Atomic {
                fun,
                value,
                result: Some(result),
                ..
            } => self.atomics.push((*result, fun, *value)),
            Statement::Call {
                function,
                arguments,
                result,
            } => {
                if let Some(result) = result {
                    self.calls.push((*result, *function, arguments));
                }
                // A function may advance the target of a pointer argument.
                for &argument in arguments {
                    if let Some(local) = self.local(argument)
                        && self.is_pointer(argument)
                    {
                        self.stores.push((local, argument));
                    }
                }
            }
            _ => {}
        }
    }

    fn is_pointer(&self, expression: Expr) -> bool {
        matches!(
            self.search.function.expressions[expression],
            Expression::LocalVariable(_)
                | Expression::AccessIndex { .. }
                | Expression::Access { .. }
        )
    }

    /// Collects the conditions of the exits of the loop: those around `break` and `return`.
    fn conditions(&mut self, block: &'a Block, around: &[Expr], depth: usize) {
        for statement in block {
            let mut around = around.to_vec();
            let mut depth = depth;
            match statement {
                Statement::Break if depth == 0 => self.ends.extend(around.iter()),
                Statement::Return { .. } => self.ends.extend(around.iter()),
                Statement::If { condition, .. } => around.push(*condition),
                Statement::Switch { selector, .. } => {
                    around.push(*selector);
                    depth += 1;
                }
                Statement::Loop { .. } => depth += 1,
                _ => {}
            }
            for block in blocks_of(statement) {
                self.conditions(block, &around, depth);
            }
        }
    }

    /// Returns the place of the storage that the loop waits for, if it waits.
    fn waits(&self) -> Option<Span> {
        let ends = self.ends.iter();
        let all = ends.map(|&end| self.depends(end, &mut HashSet::new()));
        let all = all.fold(Depends::default(), Depends::or);
        all.storage.filter(|_| !all.advances)
    }

    /// Returns the local variable that a pointer points into.
    fn local(&self, pointer: Expr) -> Option<Handle<LocalVariable>> {
        local_of(self.search.function, pointer)
    }

    /// Returns the dependencies of an expression, apart from those of expressions in `seen`.
    fn depends(&self, expression: Expr, seen: &mut HashSet<Expr>) -> Depends {
        if !seen.insert(expression) {
            return Depends::default();
        }
        let mut all = match &self.search.function.expressions[expression] {
            Expression::Load { pointer } => self.load(expression, *pointer, seen),
            Expression::AtomicResult { .. } => self.atomic(expression, seen),
            Expression::CallResult(_) => self.call(expression, seen),
            _ => Depends::default(),
        };
        for operand in operands(&self.search.function.expressions[expression]) {
            all = all.or(self.depends(operand, seen));
        }
        all
    }

    /// Returns the dependencies of a load: those of the values that the loop stores to the
    /// variable, or storage.
    fn load(&self, expression: Expr, pointer: Expr, seen: &mut HashSet<Expr>) -> Depends {
        let Some(local) = self.local(pointer) else {
            let is_read = self.emitted.contains(&expression) && self.is_shared(pointer);
            let span = self.search.function.expressions.get_span(expression);
            return Depends {
                advances: false,
                storage: is_read.then_some(span),
            };
        };
        let mut all = Depends {
            advances: self.is_advanced(local),
            storage: None,
        };
        for &(_, value) in self.stores.iter().filter(|(stored, _)| *stored == local) {
            all = all.or(self.depends(value, seen));
        }
        all
    }

    /// Returns whether the next value of a variable is computed from its last one.
    fn is_advanced(&self, local: Handle<LocalVariable>) -> bool {
        let own = self.stores.iter().filter(|(stored, _)| *stored == local);
        own.into_iter().any(|&(_, value)| {
            let is_pointer = self.local(value) == Some(local) && self.is_pointer(value);
            is_pointer || self.reads(value, local, &mut HashSet::new())
        })
    }

    /// Returns whether a value is computed from a variable, directly or through others.
    fn reads(&self, value: Expr, local: Handle<LocalVariable>, seen: &mut HashSet<Expr>) -> bool {
        if !seen.insert(value) {
            return false;
        }
        let expression = &self.search.function.expressions[value];
        if let Expression::Load { pointer } = expression
            && let Some(other) = self.local(*pointer)
        {
            let stored = self.stores.iter().filter(|(stored, _)| *stored == other);
            return other == local
                || stored
                    .into_iter()
                    .any(|&(_, value)| self.reads(value, local, seen));
        }
        let mut inputs = operands(expression);
        for (result, _, arguments) in &self.calls {
            if *result == value {
                inputs.extend(arguments.iter().copied());
            }
        }
        inputs
            .into_iter()
            .any(|input| self.reads(input, local, seen))
    }

    /// Returns the dependencies of the result of an atomic operation in the loop.
    fn atomic(&self, expression: Expr, seen: &mut HashSet<Expr>) -> Depends {
        let Some((_, fun, value)) = self
            .atomics
            .iter()
            .find(|(result, ..)| *result == expression)
        else {
            return Depends::default();
        };
        let span = self.search.function.expressions.get_span(expression);
        let waits = Depends {
            advances: false,
            storage: Some(span),
        };
        match fun {
            // This is a counter that the loop itself advances.
            AtomicFunction::Add | AtomicFunction::Subtract => Depends {
                advances: true,
                storage: Some(span),
            },
            AtomicFunction::Exchange {
                compare: Some(expected),
            } => Depends {
                advances: self.is_fresh(*expected, &mut HashSet::new()),
                ..waits
            },
            _ => waits.or(self.depends(*value, seen)),
        }
    }

    /// Returns whether a value is read from memory in the loop.
    fn is_fresh(&self, value: Expr, seen: &mut HashSet<Expr>) -> bool {
        if !seen.insert(value) {
            return false;
        }
        let expression = &self.search.function.expressions[value];
        let mut inputs = operands(expression);
        match expression {
            Expression::AtomicResult { .. } => return true,
            Expression::Load { pointer } => match self.local(*pointer) {
                Some(local) => {
                    let stores = self.stores.iter().filter(|(stored, _)| *stored == local);
                    inputs.extend(stores.map(|&(_, value)| value));
                }
                None => return self.emitted.contains(&value) && self.is_shared(*pointer),
            },
            _ => {}
        }
        inputs.into_iter().any(|input| self.is_fresh(input, seen))
    }

    /// Returns the dependencies of the result of a call in the loop.
    fn call(&self, expression: Expr, seen: &mut HashSet<Expr>) -> Depends {
        let Some((_, function, arguments)) =
            self.calls.iter().find(|(result, ..)| *result == expression)
        else {
            return Depends::default();
        };
        let span = self.search.function.expressions.get_span(expression);
        let mut all = Depends {
            advances: false,
            storage: reads_shared(self.search.program, *function).then_some(span),
        };
        for &argument in *arguments {
            all = all.or(self.depends(argument, seen));
        }
        all
    }

    /// Returns whether a pointer points to storage that a kernel may write to.
    fn is_shared(&self, pointer: Expr) -> bool {
        match &self.search.function.expressions[pointer] {
            Expression::GlobalVariable(global) => is_shared(self.search.program, *global),
            Expression::AccessIndex { base, .. } | Expression::Access { base, .. } => {
                self.is_shared(*base)
            }
            _ => false,
        }
    }
}

fn is_shared(program: &Program, global: Handle<naga::GlobalVariable>) -> bool {
    matches!(
        program.module.global_variables[global].space,
        AddressSpace::Storage { access } if access.contains(StorageAccess::STORE)
    )
}

/// Returns whether a function, or one that it calls, reads storage that a kernel may write to.
fn reads_shared(program: &Program, function: Handle<Function>) -> bool {
    let uses = &program.info[function].global_uses;
    let mut globals = program.module.global_variables.iter();
    globals.any(|(handle, _)| {
        let used = uses.get(handle.index());
        is_shared(program, handle)
            && used.is_some_and(|used| used.contains(naga::valid::GlobalUse::READ))
    })
}
