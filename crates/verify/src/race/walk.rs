//! Statements: the accesses of an invocation, and their conditions.
//!
//! Calls are walked inline.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use naga::{
    Block, BuiltIn, Expression, Function, GlobalVariable, Handle, Span, Statement, SwitchCase,
    TypeInner,
};

use super::promised;
use super::value::{Names, Owner, Pointer, Root, Sort, Term, Value};
use crate::Program;
use crate::syntax::{local_of, visit};

pub(super) type Expr = Handle<Expression>;

/// Whether an access reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessKind {
    Read,
    Write,
}

/// A non-atomic access to a storage buffer.
#[derive(Debug)]
pub(super) struct Access {
    pub(super) buffer: Handle<GlobalVariable>,
    /// The index of the element; `None` if it may be any.
    pub(super) index: Option<Term>,
    /// The conditions of the access, all of which must hold.
    pub(super) conditions: Vec<Term>,
    pub(super) kind: AccessKind,
    pub(super) span: Span,
    /// The number of storage barriers before the access. All invocations of a workgroup pass each
    /// of them.
    pub(super) epoch: u32,
}

/// An index into an array that invocations share, or that belongs to an invocation.
#[derive(Debug)]
pub(super) struct Touch {
    pub(super) variable: Handle<GlobalVariable>,
    /// The index; `None` if it may be any.
    pub(super) index: Option<Term>,
    pub(super) length: Term,
    /// The conditions of the access, all of which must hold.
    pub(super) conditions: Vec<Term>,
    pub(super) span: Span,
}

/// The results of a walk.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) names: Names,
    pub(super) accesses: Vec<Access>,
    /// The indices of all accesses, including atomic ones.
    pub(super) touches: Vec<Touch>,
    /// The promises of the host about any two invocations, as assertions.
    pub(super) promised: String,
}

/// A call of a function.
pub(super) struct Frame<'a> {
    pub(super) number: u32,
    pub(super) handle: Option<Handle<Function>>,
    pub(super) function: &'a Function,
    pub(super) arguments: Vec<Value>,
    pub(super) values: HashMap<Expr, Value>,
    /// The returned values in order, with their conditions if these are known.
    returns: Vec<(Option<Term>, Value)>,
    /// The number of conditions, loops and cases around the call.
    depth: usize,
    unknowns: u32,
}

pub(super) struct Walk<'a> {
    pub(super) program: &'a Program,
    pub(super) walked: Walked,
    pub(super) locals: BTreeMap<Root, Value>,
    pub(super) conditions: Vec<Term>,
    frames: u32,
    /// The number of branches, loops and functions with early returns around a statement.
    pub(super) level: u32,
    /// The number of loops and cases around a statement. The conditions do not determine whether it
    /// is reached.
    pub(super) unknowns: u32,
    /// The number of storage barriers that an invocation has certainly passed, that is, those
    /// outside of all these constructs.
    pub(super) epoch: u32,
}

/// Returns the accesses of an invocation.
pub(super) fn accesses(program: &Program) -> Walked {
    let mut walk = Walk {
        program,
        walked: Walked::default(),
        locals: BTreeMap::new(),
        conditions: Vec::new(),
        frames: 0,
        level: 0,
        unknowns: 0,
        epoch: 0,
    };
    let arguments = walk.inputs();
    walk.call(None, arguments);
    let mut walked = walk.walked;
    walked.promised = promised::assertions(program, &mut walked.names);
    walked
}

impl<'a> Walk<'a> {
    /// Returns the arguments of the entry point.
    fn inputs(&mut self) -> Vec<Value> {
        let entry = self.program.entry();
        let types = &self.program.module.types;
        let arguments = entry.function.arguments.iter();
        arguments
            .map(|argument| match &types[argument.ty].inner {
                TypeInner::Struct { members, .. } => {
                    let members = members.iter();
                    Value::Parts(
                        members
                            .map(|one| self.input(one.binding.as_ref()))
                            .collect(),
                    )
                }
                _ => self.input(argument.binding.as_ref()),
            })
            .collect()
    }

    fn input(&mut self, binding: Option<&naga::Binding>) -> Value {
        let Some(naga::Binding::BuiltIn(builtin)) = binding else {
            return Value::Unknown;
        };
        let own = |text: &str| {
            Value::Scalar(Term {
                text: text.to_owned(),
                sort: Sort::Bits,
            })
        };
        match builtin {
            BuiltIn::LocalInvocationIndex => own("local@"),
            BuiltIn::WorkGroupId => Value::Parts(vec![own("wx@"), own("wy@"), own("wz@")]),
            BuiltIn::NumWorkGroups => {
                let counts = ["cx", "cy", "cz"];
                let names = &mut self.walked.names;
                let count = |name| Value::Scalar(names.shared(name, Sort::Bits));
                Value::Parts(counts.map(count).to_vec())
            }
            _ => Value::Unknown,
        }
    }

    /// Walks a call of a function. Returns its result.
    fn call(&mut self, handle: Option<Handle<Function>>, arguments: Vec<Value>) -> Value {
        let (function, _) = self.program.function(handle);
        self.frames += 1;
        let mut frame = Frame {
            number: self.frames,
            handle,
            function,
            arguments,
            values: HashMap::new(),
            returns: Vec::new(),
            depth: self.conditions.len(),
            unknowns: self.unknowns,
        };
        let depth = frame.depth;
        for (local, variable) in function.local_variables.iter() {
            let first = variable.init.map(|init| self.value(&mut frame, init));
            let ty = &self.program.module.types[variable.ty].inner;
            let first = first.unwrap_or_else(|| self.zero(ty));
            self.locals.insert(Root::Local(frame.number, local), first);
        }
        // An invocation that returns early from the entry point reaches no further barrier.
        let may_skip = u32::from(handle.is_some() && returns_early(function));
        self.level += may_skip;
        self.block(&mut frame, &function.body);
        self.level -= may_skip;
        self.conditions.truncate(depth);
        if returns_early(function) {
            self.forget_arguments(&frame);
        }
        self.returned(frame.returns)
    }

    /// Returns the result of a function: the value of the first return whose conditions hold. In a
    /// loop or a case, conditions do not determine this.
    fn returned(&mut self, mut returns: Vec<(Option<Term>, Value)>) -> Value {
        let Some((_, mut value)) = returns.pop() else {
            return Value::Unknown;
        };
        while let Some((condition, earlier)) = returns.pop() {
            let condition = match condition {
                Some(condition) => condition,
                None => self.walked.names.fresh(Sort::Bool, Owner::Nobody),
            };
            value = self.either(&condition, earlier, value);
        }
        value
    }

    /// Makes the targets of a call's pointer arguments unknown: their values at the end of a
    /// function are not those at an early return.
    fn forget_arguments(&mut self, frame: &Frame<'a>) {
        for argument in &frame.arguments {
            if let Value::Pointer(Pointer { root, .. }) = argument
                && let Some(value) = self.locals.get(root).cloned()
            {
                let value = self.blurred(&value);
                self.locals.insert(*root, value);
            }
        }
    }

    /// Returns an unknown value of the same kind.
    fn blurred(&mut self, value: &Value) -> Value {
        match value {
            Value::Scalar(term) => Value::Scalar(self.walked.names.fresh(term.sort, Owner::Nobody)),
            Value::Parts(parts) => {
                Value::Parts(parts.iter().map(|part| self.blurred(part)).collect())
            }
            Value::Pointer(_) | Value::Unknown => Value::Unknown,
        }
    }

    /// Walks a block. Returns whether the statement after it is reached.
    pub(super) fn block(&mut self, frame: &mut Frame<'a>, block: &'a Block) -> bool {
        for (statement, span) in block.span_iter() {
            if !self.statement(frame, statement, *span) {
                return false;
            }
        }
        true
    }

    fn statement(&mut self, frame: &mut Frame<'a>, statement: &'a Statement, span: Span) -> bool {
        match statement {
            Statement::Emit(range) => {
                for expression in range.clone() {
                    let value = self.evaluate(frame, expression);
                    frame.values.insert(expression, value);
                }
            }
            Statement::Block(block) => return self.block(frame, block),
            Statement::If {
                condition,
                accept,
                reject,
            } => return self.branch(frame, *condition, accept, reject),
            Statement::Switch { cases, .. } => self.switch(frame, cases),
            Statement::Loop {
                body, continuing, ..
            } => self.repeat(frame, body, continuing),
            Statement::Return { value } => {
                self.note_return(frame, *value);
                return false;
            }
            Statement::Break | Statement::Continue | Statement::Kill => return false,
            Statement::Store { pointer, value } => self.assign(frame, *pointer, *value, span),
            Statement::ControlBarrier(barrier) => {
                let is_for_storage = barrier.contains(naga::Barrier::STORAGE);
                self.epoch += u32::from(is_for_storage && self.level == 0);
            }
            Statement::Atomic {
                pointer,
                fun,
                value,
                result,
            } => {
                self.touch(frame, *pointer, span);
                if let (naga::AtomicFunction::Add, Some(result)) = (fun, result) {
                    self.take_ticket(frame, *pointer, *value, *result);
                }
            }
            Statement::WorkGroupUniformLoad { pointer, .. } => self.touch(frame, *pointer, span),
            Statement::Call {
                function,
                arguments,
                result,
            } => {
                let given = arguments.iter().map(|&one| self.value(frame, one));
                let given: Vec<Value> = given.collect();
                let returned = match self.grid_index(*function, &given) {
                    Some(index) => index,
                    None => self.call(Some(*function), given),
                };
                if let Some(result) = result {
                    frame.values.insert(*result, returned);
                }
            }
            _ => {}
        }
        true
    }

    /// Records the value that a function returns, with the conditions if they are known.
    fn note_return(&mut self, frame: &mut Frame<'a>, value: Option<Expr>) {
        let value = value.map(|value| self.value(frame, value));
        let own: Vec<&str> = self.conditions[frame.depth..]
            .iter()
            .map(|condition| condition.text.as_str())
            .collect();
        let all = format!("(and true {})", own.join(" "));
        let is_clear = self.unknowns == frame.unknowns;
        let condition = is_clear.then(|| self.walked.names.define(&all, Sort::Bool));
        frame
            .returns
            .push((condition, value.unwrap_or(Value::Unknown)));
    }

    fn assign(&mut self, frame: &mut Frame<'a>, pointer: Expr, value: Expr, span: Span) {
        let types = &self.program.module.types;
        let is_atomic = self.inner(frame, pointer).is_atomic_pointer(types);
        self.touch(frame, pointer, span);
        let value = self.value(frame, value);
        let space = self.space(frame, pointer);
        let pointer = self.value(frame, pointer);
        if !is_atomic {
            self.store(pointer, value, space, span);
        }
    }

    fn take_ticket(&mut self, frame: &mut Frame<'a>, pointer: Expr, by: Expr, result: Expr) {
        if let Some(ticket) = self.ticket(frame, pointer, by) {
            frame.values.insert(result, ticket);
        }
    }

    /// Walks the cases of a switch, any of which may be selected.
    fn switch(&mut self, frame: &mut Frame<'a>, cases: &'a [SwitchCase]) {
        let before = self.locals.clone();
        let bodies: Vec<&Block> = cases.iter().map(|case| &case.body).collect();
        for body in &bodies {
            self.locals.clone_from(&before);
            self.apart(frame, body);
        }
        self.locals = before;
        self.forget(frame, &bodies);
    }

    /// Walks a block that may be left anywhere, and for which no condition determines whether it is
    /// reached.
    pub(super) fn apart(&mut self, frame: &mut Frame<'a>, block: &'a Block) {
        let depth = self.conditions.len();
        self.level += 1;
        self.unknowns += 1;
        self.block(frame, block);
        self.unknowns -= 1;
        self.level -= 1;
        self.conditions.truncate(depth);
    }

    fn branch(
        &mut self,
        frame: &mut Frame<'a>,
        condition: Expr,
        accept: &'a Block,
        reject: &'a Block,
    ) -> bool {
        let condition = self.scalar(frame, condition);
        let opposite = self.not(&condition);
        let depth = self.conditions.len();
        let before = self.locals.clone();
        self.level += 1;
        self.conditions.push(condition.clone());
        let accepts = self.block(frame, accept);
        self.conditions.truncate(depth);
        let accepted = std::mem::replace(&mut self.locals, before);
        self.conditions.push(opposite.clone());
        let rejects = self.block(frame, reject);
        self.level -= 1;
        self.conditions.truncate(depth);
        match (accepts, rejects) {
            (true, true) => {
                for (root, value) in accepted {
                    let other = self.locals.get(&root).cloned().unwrap_or(Value::Unknown);
                    let merged = self.either(&condition, value, other);
                    self.locals.insert(root, merged);
                }
            }
            (true, false) => {
                self.locals = accepted;
                self.conditions.push(condition);
            }
            (false, true) => self.conditions.push(opposite),
            (false, false) => return false,
        }
        true
    }

    /// Returns the result of `grid_index` of `lib/grid.wgsl`: an index that no other invocation, or
    /// no other workgroup, has.
    fn grid_index(&mut self, function: Handle<Function>, given: &[Value]) -> Option<Value> {
        if !is_of_grid(self.program, function, "grid_index") {
            return None;
        }
        let [own, Value::Scalar(local), Value::Scalar(size)] = given else {
            return None;
        };
        if !is_whole_grid(own) {
            return None;
        }
        let size = size.as_number()?;
        let owner = match local.text.as_str() {
            "local@" if size == self.invocations() => Owner::Invocation,
            _ if local.as_number() == Some(0) && size == 1 => Owner::Workgroup,
            _ => return None,
        };
        Some(Value::Scalar(self.walked.names.fresh(Sort::Bits, owner)))
    }

    /// Makes everything unknown that some blocks store to.
    pub(super) fn forget(&mut self, frame: &Frame<'a>, blocks: &[&'a Block]) {
        let mut stored: BTreeSet<usize> = BTreeSet::new();
        let mut roots: Vec<Root> = Vec::new();
        let mut note = |pointer: Expr| {
            if let Some(local) = local_of(frame.function, pointer) {
                if stored.insert(local.index()) {
                    roots.push(Root::Local(frame.number, local));
                }
            } else if let Some(Value::Pointer(pointer)) = argument_of(frame, pointer) {
                roots.push(pointer.root);
            }
        };
        for block in blocks {
            visit(block, &mut |statement, _| match statement {
                Statement::Store { pointer, .. } => note(*pointer),
                Statement::Call { arguments, .. } => arguments.iter().for_each(|&at| note(at)),
                _ => {}
            });
        }
        for root in roots {
            let value = match root {
                Root::Local(number, local) if number == frame.number => {
                    let ty = frame.function.local_variables[local].ty;
                    self.anything(&self.program.module.types[ty].inner)
                }
                _ => Value::Unknown,
            };
            self.locals.insert(root, value);
        }
    }
}

/// Returns whether a function may return before its last statement.
fn returns_early(function: &Function) -> bool {
    let mut returns = 0;
    visit(&function.body, &mut |statement, _| {
        returns += usize::from(matches!(statement, Statement::Return { .. }));
    });
    let ends = matches!(function.body.last(), Some(Statement::Return { .. }));
    returns > usize::from(ends)
}

/// Returns the argument from which a pointer is derived.
fn argument_of<'f>(frame: &'f Frame<'_>, pointer: Expr) -> Option<&'f Value> {
    match frame.function.expressions[pointer] {
        Expression::FunctionArgument(number) => frame.arguments.get(number as usize),
        Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
            argument_of(frame, base)
        }
        _ => None,
    }
}

/// Returns whether a function is the one with this name in `lib/grid.wgsl`.
pub(super) fn is_of_grid(program: &Program, function: Handle<Function>, name: &str) -> bool {
    let functions = &program.module.functions;
    functions[function].name.as_deref() == Some(name)
        && program.place(functions.get_span(function)).file == "lib/grid.wgsl"
}

/// Returns whether a value is the `Grid` that the entry point received, and not one that the kernel
/// made.
pub(super) fn is_whole_grid(value: &Value) -> bool {
    let is_vector = |value: &Value, names: [&str; 3]| {
        matches!(value, Value::Parts(parts) if parts.len() == names.len()
        && parts.iter().zip(names).all(|(part, name)| {
            matches!(part, Value::Scalar(term) if term.text == name)
        }))
    };
    matches!(value, Value::Parts(parts) if parts.len() == 2
        && is_vector(&parts[0], ["wx@", "wy@", "wz@"])
        && is_vector(&parts[1], ["cx", "cy", "cz"]))
}
