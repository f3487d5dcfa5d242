//! Statements: the accesses of an invocation, and their conditions.
//!
//! Calls are walked where they stand. The body of a loop is walked once, for any of its iterations:
//! what it stores may be anything, but for a variable that strides through a grid.

use std::collections::{BTreeSet, HashMap};

use naga::{
    BinaryOperator, Block, BuiltIn, Expression, Function, GlobalVariable, Handle, LocalVariable,
    Span, Statement, SwitchCase, TypeInner,
};

use super::value::{Names, Owner, Pointer, Root, Sort, Term, Value};
use crate::Program;
use crate::lint::visit;

pub(super) type Expr = Handle<Expression>;

/// An access to a storage buffer that is not atomic.
#[derive(Debug)]
pub(super) struct Access {
    pub(super) buffer: Handle<GlobalVariable>,
    /// The element, or `None` if it may be any.
    pub(super) index: Option<Term>,
    /// The conditions under which it is made: all of them hold.
    pub(super) conditions: Vec<Term>,
    pub(super) is_write: bool,
    pub(super) span: Span,
}

/// What a walk has found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) names: Names,
    pub(super) accesses: Vec<Access>,
}

/// A call of a function.
pub(super) struct Frame<'a> {
    pub(super) number: u32,
    pub(super) handle: Option<Handle<Function>>,
    pub(super) function: &'a Function,
    pub(super) arguments: Vec<Value>,
    pub(super) values: HashMap<Expr, Value>,
    result: Option<Value>,
}

pub(super) struct Walk<'a> {
    pub(super) program: &'a Program,
    pub(super) walked: Walked,
    pub(super) locals: HashMap<Root, Value>,
    pub(super) conditions: Vec<Term>,
    frames: u32,
}

/// The accesses of an invocation.
pub(super) fn accesses(program: &Program) -> Walked {
    let mut walk = Walk {
        program,
        walked: Walked::default(),
        locals: HashMap::new(),
        conditions: Vec::new(),
        frames: 0,
    };
    let arguments = walk.inputs();
    walk.call(None, arguments);
    walk.walked
}

impl<'a> Walk<'a> {
    /// The arguments of the entry point.
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

    /// Walks a call of a function; what it returns.
    fn call(&mut self, handle: Option<Handle<Function>>, arguments: Vec<Value>) -> Value {
        let (function, _) = self.program.function(handle);
        self.frames += 1;
        let mut frame = Frame {
            number: self.frames,
            handle,
            function,
            arguments,
            values: HashMap::new(),
            result: None,
        };
        let depth = self.conditions.len();
        for (local, variable) in function.local_variables.iter() {
            let first = variable.init.map(|init| self.value(&mut frame, init));
            let ty = &self.program.module.types[variable.ty].inner;
            let first = first.unwrap_or_else(|| self.zero(ty));
            self.locals.insert(Root::Local(frame.number, local), first);
        }
        self.block(&mut frame, &function.body);
        self.conditions.truncate(depth);
        if returns_early(function) {
            self.forget_arguments(&frame);
        }
        frame.result.unwrap_or(Value::Unknown)
    }

    /// Lets all that a call's arguments point to be anything: what is known of it at the end of a
    /// function does not hold where the function returned before.
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

    /// A value of the same kind, of which nothing is known.
    fn blurred(&mut self, value: &Value) -> Value {
        match value {
            Value::Scalar(term) => Value::Scalar(self.walked.names.fresh(term.sort, Owner::Nobody)),
            Value::Parts(parts) => {
                Value::Parts(parts.iter().map(|part| self.blurred(part)).collect())
            }
            Value::Pointer(_) | Value::Unknown => Value::Unknown,
        }
    }

    /// Walks a block; whether what follows it is reached.
    fn block(&mut self, frame: &mut Frame<'a>, block: &'a Block) -> bool {
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
                let value = value.map(|value| self.value(frame, value));
                let known = frame.result.take();
                frame.result = match (known, value) {
                    (None, value) => value,
                    (Some(known), Some(value)) if known == value => Some(known),
                    _ => Some(Value::Unknown),
                };
                return false;
            }
            Statement::Break | Statement::Continue | Statement::Kill => return false,
            Statement::Store { pointer, value } => {
                let types = &self.program.module.types;
                let is_atomic = self.inner(frame, *pointer).is_atomic_pointer(types);
                let value = self.value(frame, *value);
                let pointer = self.value(frame, *pointer);
                if !is_atomic {
                    self.store(pointer, value, span);
                }
            }
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

    /// Walks the cases of a switch, any of which may be the one.
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

    /// Walks a block that may be left anywhere.
    fn apart(&mut self, frame: &mut Frame<'a>, block: &'a Block) {
        let depth = self.conditions.len();
        self.block(frame, block);
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
        self.conditions.push(condition.clone());
        let accepts = self.block(frame, accept);
        self.conditions.truncate(depth);
        let accepted = std::mem::replace(&mut self.locals, before);
        self.conditions.push(opposite.clone());
        let rejects = self.block(frame, reject);
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

    fn repeat(&mut self, frame: &mut Frame<'a>, body: &'a Block, continuing: &'a Block) {
        let depth = self.conditions.len();
        let striding = self.striding(frame, body, continuing);
        self.forget(frame, &[body, continuing]);
        for (local, owner) in striding {
            let own = self.walked.names.fresh(Sort::Bits, owner);
            let root = Root::Local(frame.number, local);
            self.locals.insert(root, Value::Scalar(own));
        }
        self.block(frame, body);
        self.conditions.truncate(depth);
        self.forget(frame, &[body, continuing]);
        self.apart(frame, continuing);
        self.forget(frame, &[body, continuing]);
    }

    /// The variables of a loop that begin at an index of a grid, and that only its stride raises.
    fn striding(
        &self,
        frame: &Frame<'a>,
        body: &Block,
        continuing: &Block,
    ) -> Vec<(Handle<LocalVariable>, Owner)> {
        let function = frame.function;
        let names = &self.walked.names;
        let stores = |block: &Block, wanted: Handle<LocalVariable>| {
            let mut count = 0;
            visit(block, &mut |statement, _| {
                let pointers = match statement {
                    Statement::Store { pointer, .. } => vec![*pointer],
                    Statement::Call { arguments, .. } => arguments.clone(),
                    _ => Vec::new(),
                };
                let mut pointers = pointers.into_iter();
                let is_wanted = |at| local_of(function, at) == Some(wanted);
                count += usize::from(pointers.any(is_wanted));
            });
            count
        };
        let mut found = Vec::new();
        for (local, _) in function.local_variables.iter() {
            let first = self.locals.get(&Root::Local(frame.number, local));
            let Some(Value::Scalar(first)) = first else {
                continue;
            };
            let owned = names.owned.iter().find(|(name, _)| *name == first.text);
            let Some(&(_, owner)) = owned else { continue };
            let size = match owner {
                Owner::Workgroup => 1,
                _ => self.invocations(),
            };
            let is_striding = stores(body, local) == 0
                && stores(continuing, local) == 1
                && raises(self.program, frame, continuing, local, size);
            if is_striding {
                found.push((local, owner));
            }
        }
        found
    }

    fn invocations(&self) -> u32 {
        self.program.entry().workgroup_size.iter().product()
    }

    /// What `grid_index` of `lib/grid.wgsl` returns: an index that no other invocation has, or no
    /// other workgroup.
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

    /// Lets all that some blocks store be anything.
    fn forget(&mut self, frame: &Frame<'a>, blocks: &[&'a Block]) {
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

    fn store(&mut self, pointer: Value, value: Value, span: Span) {
        let Value::Pointer(Pointer { root, steps }) = pointer else {
            return;
        };
        match root {
            Root::Global(buffer) => self.note(buffer, &steps, true, span),
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

    /// Notes an access to a buffer, if it is one to storage.
    pub(super) fn note(
        &mut self,
        buffer: Handle<GlobalVariable>,
        steps: &[Option<Term>],
        is_write: bool,
        span: Span,
    ) {
        let space = self.program.module.global_variables[buffer].space;
        if !matches!(space, naga::AddressSpace::Storage { .. }) {
            return;
        }
        let module = &self.program.module;
        let ty = &module.types[module.global_variables[buffer].ty].inner;
        let index = match (steps.first(), ty) {
            (Some(index), _) => index.clone(),
            (None, TypeInner::Scalar(_)) => Some(Term::number(0)),
            // A vector, a structure or an array as a whole: each of its elements.
            (None, _) => None,
        };
        self.walked.accesses.push(Access {
            buffer,
            index,
            conditions: self.conditions.clone(),
            is_write,
            span,
        });
    }
}

/// Whether a function may return before its last statement.
fn returns_early(function: &Function) -> bool {
    let mut returns = 0;
    visit(&function.body, &mut |statement, _| {
        returns += usize::from(matches!(statement, Statement::Return { .. }));
    });
    let ends = matches!(function.body.last(), Some(Statement::Return { .. }));
    returns > usize::from(ends)
}

/// The variable of the function that a pointer leads into.
fn local_of(function: &Function, pointer: Expr) -> Option<Handle<LocalVariable>> {
    match function.expressions[pointer] {
        Expression::LocalVariable(local) => Some(local),
        Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
            local_of(function, base)
        }
        _ => None,
    }
}

/// The argument from which a pointer comes.
fn argument_of<'f>(frame: &'f Frame<'_>, pointer: Expr) -> Option<&'f Value> {
    match frame.function.expressions[pointer] {
        Expression::FunctionArgument(number) => frame.arguments.get(number as usize),
        Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
            argument_of(frame, base)
        }
        _ => None,
    }
}

/// Whether a function is the one of this name in `lib/grid.wgsl`.
fn is_of_grid(program: &Program, function: Handle<Function>, name: &str) -> bool {
    let functions = &program.module.functions;
    functions[function].name.as_deref() == Some(name)
        && program.place(functions.get_span(function)).file == "lib/grid.wgsl"
}

/// Whether a value is the `Grid` that the entry point was given, not one that the kernel made.
fn is_whole_grid(value: &Value) -> bool {
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

/// Whether the end of a loop raises a variable by `grid_stride(grid, size)`.
fn raises(
    program: &Program,
    frame: &Frame<'_>,
    continuing: &Block,
    local: Handle<LocalVariable>,
    size: u32,
) -> bool {
    let function = frame.function;
    let expressions = &function.expressions;
    let is_grid = |at: Expr| match expressions[at] {
        Expression::FunctionArgument(number) => frame
            .arguments
            .get(number as usize)
            .is_some_and(is_whole_grid),
        _ => false,
    };
    let is_stride = |value: Expr| {
        let mut found = false;
        // The stride may be computed before the loop.
        visit(&function.body, &mut |statement, _| {
            if let Statement::Call {
                function: called,
                arguments,
                result: Some(result),
            } = statement
            {
                found |= *result == value
                    && is_of_grid(program, *called, "grid_stride")
                    && matches!(arguments[..], [grid, by] if is_grid(grid)
                        && literal(program, function, by) == Some(size));
            }
        });
        found
    };
    let is_own = |value: Expr| {
        matches!(&expressions[value], Expression::Load { pointer }
            if matches!(expressions[*pointer], Expression::LocalVariable(one) if one == local))
    };
    let mut is_raised = false;
    visit(continuing, &mut |statement, _| {
        if let Statement::Store { pointer, value } = statement
            && local_of(function, *pointer) == Some(local)
            && let Expression::Binary {
                op: BinaryOperator::Add,
                left,
                right,
            } = expressions[*value]
        {
            is_raised |= is_own(left) && is_stride(right);
        }
    });
    is_raised
}

/// The number that an expression is, if that is written there.
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
