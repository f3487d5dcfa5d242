//! From naga's IR to the interpreter's operations.
//!
//! A function that takes pointers is compiled once for each call, another one once. No function
//! calls itself, so this ends.

mod expressions;
mod flow;
mod pointers;
mod types;

use std::collections::HashMap;

use naga::{
    AddressSpace, Binding, Block, BuiltIn, Expression, Function, Handle, Span, Statement,
    StorageAccess, TypeInner,
};

use super::code::{Code, Input, Object, Op, Reg, Rmw, Space};
use crate::program::{Error, Program};
use pointers::Pointer;

type Expr = Handle<Expression>;
type Result<T> = std::result::Result<T, Error>;

/// Compiles a kernel.
///
/// # Errors
/// [`Error::Unsupported`].
pub fn compile(program: &Program) -> Result<Code> {
    let mut compiler = Compiler {
        program,
        frame: Vec::new(),
        constants: HashMap::new(),
        objects: Vec::new(),
        globals: HashMap::new(),
        known: HashMap::new(),
        bodies: Vec::new(),
        inputs: Vec::new(),
    };
    let clears = compiler.declare()?;
    let entry = compiler.entry(clears)?;
    compiler.link(entry)
}

/// Operations whose jumps are counted from their own beginning, and whose calls name bodies.
#[derive(Default)]
struct Body {
    ops: Vec<Op>,
    lines: Vec<u32>,
}

/// A function that was compiled.
#[derive(Clone)]
struct Compiled {
    body: u32,
    arguments: Vec<Reg>,
    result: Reg,
    back: Reg,
}

struct Compiler<'a> {
    program: &'a Program,
    frame: Vec<u32>,
    constants: HashMap<Vec<u32>, Reg>,
    objects: Vec<Object>,
    globals: HashMap<Handle<naga::GlobalVariable>, Pointer>,
    known: HashMap<Handle<Function>, Compiled>,
    bodies: Vec<Body>,
    inputs: Vec<(Input, Reg)>,
}

impl<'a> Compiler<'a> {
    fn unsupported<T>(&self, span: Span, what: impl Into<String>) -> Result<T> {
        Err(Error::Unsupported {
            place: self.program.place(span),
            what: what.into(),
        })
    }

    /// New registers.
    fn registers(&mut self, n: u32) -> Reg {
        let first = self.frame.len() as u32;
        self.frame.resize(self.frame.len() + n as usize, 0);
        first
    }

    /// Registers that hold these words.
    fn constant(&mut self, words: Vec<u32>) -> Reg {
        if let Some(&known) = self.constants.get(&words) {
            return known;
        }
        let first = self.frame.len() as u32;
        self.frame.extend_from_slice(&words);
        self.constants.insert(words, first);
        first
    }

    fn words(&self, inner: &TypeInner, span: Span) -> Result<u32> {
        match types::words(&self.program.module, inner) {
            Some(words) => Ok(words),
            None => self.unsupported(span, format!("values of this type: {inner:?}")),
        }
    }

    /// Gives all global variables a place; the operations that set the private ones.
    fn declare(&mut self) -> Result<Vec<Op>> {
        let mut clears = Vec::new();
        let module = &self.program.module;
        for (handle, variable) in module.global_variables.iter() {
            let span = module.global_variables.get_span(handle);
            let binding = variable.binding.map(|at| (at.group, at.binding));
            let inner = &module.types[variable.ty].inner;
            let space = match (variable.space, binding) {
                (AddressSpace::Storage { access }, Some((group, binding))) => Space::Storage {
                    group,
                    binding,
                    is_written: access.contains(StorageAccess::STORE),
                },
                (AddressSpace::Uniform, Some((group, binding))) => {
                    Space::Uniform { group, binding }
                }
                (AddressSpace::WorkGroup, _) => Space::Workgroup {
                    words: self.words(inner, span)?,
                },
                (AddressSpace::Private, _) => {
                    let n = self.words(inner, span)?;
                    let dst = self.registers(n);
                    let first = match variable.init {
                        Some(init) => self.literal(&module.global_expressions, init, span)?,
                        None => vec![0; n as usize],
                    };
                    let src = self.constant(first);
                    clears.push(Op::Copy { dst, src, n });
                    let pointer = Pointer::register(dst, variable.ty);
                    self.globals.insert(handle, pointer);
                    continue;
                }
                (space, _) => {
                    return self.unsupported(span, format!("the address space {space:?}"));
                }
            };
            let layout = match space {
                Space::Workgroup { .. } => types::Layout::Packed,
                _ => types::Layout::Host,
            };
            let pointer = Pointer::object(self.objects.len() as u32, layout, variable.ty);
            self.objects.push(Object {
                name: variable.name.clone().unwrap_or_default(),
                space,
            });
            self.globals.insert(handle, pointer);
        }
        Ok(clears)
    }

    fn entry(&mut self, clears: Vec<Op>) -> Result<u32> {
        let entry = self.program.entry();
        let mut arguments = Vec::new();
        for argument in &entry.function.arguments {
            let span = Span::default();
            let n = self.words(&self.program.module.types[argument.ty].inner, span)?;
            let register = self.registers(n);
            let Some(Binding::BuiltIn(builtin)) = &argument.binding else {
                return self.unsupported(span, "inputs that are structures");
            };
            self.inputs.push((self.input(builtin)?, register));
            arguments.push(register);
        }
        let body = self.function(None, arguments.iter().map(|&r| Given::Value(r)).collect())?;
        let ops = &mut self.bodies[body.body as usize];
        let lines = vec![ops.lines.first().copied().unwrap_or(1); clears.len()];
        let shift = clears.len() as u32;
        for op in &mut ops.ops {
            shift_jumps(op, shift);
        }
        ops.ops.splice(0..0, clears);
        ops.lines.splice(0..0, lines);
        Ok(body.body)
    }

    fn input(&self, builtin: &BuiltIn) -> Result<Input> {
        Ok(match builtin {
            BuiltIn::GlobalInvocationId => Input::GlobalId,
            BuiltIn::LocalInvocationId => Input::LocalId,
            BuiltIn::LocalInvocationIndex => Input::LocalIndex,
            BuiltIn::WorkGroupId => Input::WorkgroupId,
            BuiltIn::NumWorkGroups => Input::NumWorkgroups,
            BuiltIn::NumSubgroups => Input::NumSubgroups,
            BuiltIn::SubgroupId => Input::SubgroupId,
            BuiltIn::SubgroupSize => Input::SubgroupSize,
            BuiltIn::SubgroupInvocationId => Input::SubgroupInvocation,
            other => return self.unsupported(Span::default(), format!("the input {other:?}")),
        })
    }

    fn function(
        &mut self,
        handle: Option<Handle<Function>>,
        given: Vec<Given>,
    ) -> Result<Compiled> {
        let (function, _) = self.program.function(handle);
        let result = match &function.result {
            Some(result) => {
                let inner = &self.program.module.types[result.ty].inner;
                self.words(inner, Span::default())?
            }
            None => 0,
        };
        let compiled = Compiled {
            body: self.bodies.len() as u32,
            arguments: given.iter().filter_map(Given::register).collect(),
            result: self.registers(result),
            back: self.registers(1),
        };
        self.bodies.push(Body::default());
        let mut builder = Builder {
            compiler: self,
            handle,
            function,
            given,
            compiled: compiled.clone(),
            values: HashMap::new(),
            pointers: HashMap::new(),
            locals: HashMap::new(),
            body: Body::default(),
            line: 1,
            jumps: Vec::new(),
        };
        builder.declare()?;
        builder.block(&function.body)?;
        builder.end();
        let body = builder.body;
        self.bodies[compiled.body as usize] = body;
        Ok(compiled)
    }

    /// Puts all bodies one behind the other.
    fn link(self, entry: u32) -> Result<Code> {
        let order =
            std::iter::once(entry).chain((0..self.bodies.len() as u32).filter(|&b| b != entry));
        let mut starts = vec![0; self.bodies.len()];
        let mut length = 0;
        for body in order.clone() {
            starts[body as usize] = length;
            length += self.bodies[body as usize].ops.len() as u32;
        }
        let (mut ops, mut lines) = (Vec::new(), Vec::new());
        for body in order {
            let start = starts[body as usize];
            let body = &self.bodies[body as usize];
            lines.extend_from_slice(&body.lines);
            ops.extend(body.ops.iter().map(|&op| {
                let mut op = op;
                shift_jumps(&mut op, start);
                if let Op::Call { to, .. } = &mut op {
                    *to = starts[*to as usize];
                }
                op
            }));
        }
        Ok(Code {
            workgroup: self.program.entry().workgroup_size,
            program: self.program.clone(),
            uses_subgroups: ops.iter().any(is_subgroup),
            ops,
            lines,
            objects: self.objects,
            frame: self.frame,
            inputs: self.inputs,
        })
    }
}

/// Moves what an operation jumps to; calls stay as they are.
fn shift_jumps(op: &mut Op, by: u32) {
    if let Op::Jump { to } | Op::JumpUnless { to, .. } = op {
        *to += by;
    }
}

/// Whether it is a subgroup operation.
fn is_subgroup(op: &Op) -> bool {
    matches!(op, Op::Ballot { .. } | Op::Gather { .. } | Op::Scan { .. })
}

/// An argument of a function.
#[derive(Clone)]
enum Given {
    Value(Reg),
    Pointer(Pointer),
}

impl Given {
    fn register(&self) -> Option<Reg> {
        match self {
            Self::Value(register) => Some(*register),
            Self::Pointer(_) => None,
        }
    }
}

/// The ways out of a loop or `switch`: jumps that are to be directed to its end, or to where the
/// loop continues.
struct Jumps {
    is_loop: bool,
    breaks: Vec<usize>,
    continues: Vec<usize>,
}

/// A function while it is compiled.
struct Builder<'c, 'a> {
    compiler: &'c mut Compiler<'a>,
    handle: Option<Handle<Function>>,
    function: &'a Function,
    given: Vec<Given>,
    compiled: Compiled,
    values: HashMap<Expr, Reg>,
    pointers: HashMap<Expr, Pointer>,
    locals: HashMap<Handle<naga::LocalVariable>, Pointer>,
    body: Body,
    line: u32,
    jumps: Vec<Jumps>,
}

impl<'a> Builder<'_, 'a> {
    fn push(&mut self, op: Op) -> usize {
        self.body.ops.push(op);
        self.body.lines.push(self.line);
        self.body.ops.len() - 1
    }

    fn here(&self) -> u32 {
        self.body.ops.len() as u32
    }

    /// Directs a jump to the next operation.
    fn land(&mut self, jump: usize) {
        self.direct(jump, self.here());
    }

    fn direct(&mut self, jump: usize, target: u32) {
        if let Op::Jump { to } | Op::JumpUnless { to, .. } = &mut self.body.ops[jump] {
            *to = target;
        }
    }

    fn at(&mut self, span: Span) {
        if span.is_defined() {
            self.line = self.compiler.program.line(span);
        }
    }

    fn inner(&self, expression: Expr) -> &'a TypeInner {
        let program = self.compiler.program;
        let (_, info) = program.function(self.handle);
        info[expression].ty.inner_with(&program.module.types)
    }

    fn span(&self, expression: Expr) -> Span {
        self.function.expressions.get_span(expression)
    }

    fn unsupported<T>(&self, span: Span, what: impl Into<String>) -> Result<T> {
        self.compiler.unsupported(span, what)
    }

    /// Gives the local variables registers, and the values that they have first.
    fn declare(&mut self) -> Result<()> {
        for (handle, local) in self.function.local_variables.iter() {
            let span = self.function.local_variables.get_span(handle);
            let inner = &self.compiler.program.module.types[local.ty].inner;
            let n = self.compiler.words(inner, span)?;
            let dst = self.compiler.registers(n);
            self.locals.insert(handle, Pointer::register(dst, local.ty));
            self.at(span);
            let src = match local.init {
                Some(init) => self.value(init)?,
                None => self.compiler.constant(vec![0; n as usize]),
            };
            self.push(Op::Copy { dst, src, n });
        }
        Ok(())
    }

    fn end(&mut self) {
        let op = match self.handle {
            Some(_) => Op::Return {
                back: self.compiled.back,
            },
            None => Op::End,
        };
        self.push(op);
    }

    fn block(&mut self, block: &'a Block) -> Result<()> {
        for (statement, span) in block.span_iter() {
            self.at(*span);
            self.statement(statement, *span)?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &'a Statement, span: Span) -> Result<()> {
        match statement {
            Statement::Emit(range) => {
                for expression in range.clone() {
                    self.at(self.span(expression));
                    self.evaluate(expression)?;
                }
            }
            Statement::Block(block) => self.block(block)?,
            Statement::If {
                condition,
                accept,
                reject,
            } => self.branch(*condition, accept, reject)?,
            Statement::Switch { selector, cases } => self.switch(*selector, cases)?,
            Statement::Loop {
                body,
                continuing,
                break_if,
            } => self.repeat(body, continuing, *break_if)?,
            Statement::Break => {
                let jump = self.push(Op::Jump { to: 0 });
                self.jumps
                    .last_mut()
                    .into_iter()
                    .for_each(|jumps| jumps.breaks.push(jump));
            }
            Statement::Continue => {
                let jump = self.push(Op::Jump { to: 0 });
                let mut loops = self.jumps.iter_mut().rev();
                loops
                    .find(|jumps| jumps.is_loop)
                    .into_iter()
                    .for_each(|jumps| jumps.continues.push(jump));
            }
            Statement::Return { value } => {
                if let Some(value) = value {
                    let n = self.compiler.words(self.inner(*value), span)?;
                    let (dst, src) = (self.compiled.result, self.value(*value)?);
                    self.push(Op::Copy { dst, src, n });
                }
                self.end();
            }
            Statement::Call {
                function,
                arguments,
                result,
            } => self.call(*function, arguments, *result)?,
            _ => self.act(statement, span)?,
        }
        Ok(())
    }

    /// Statements on memory and between invocations.
    fn act(&mut self, statement: &'a Statement, span: Span) -> Result<()> {
        match statement {
            Statement::Store { pointer, value } => {
                let src = self.value(*value)?;
                self.store(*pointer, src)?;
            }
            Statement::Atomic {
                pointer,
                fun,
                value,
                result,
            } => self.atomic(*pointer, *fun, *value, *result, span)?,
            Statement::ControlBarrier(barrier) => {
                if barrier.contains(naga::Barrier::SUB_GROUP) {
                    return self.unsupported(span, "subgroup barriers");
                }
                self.push(Op::Barrier {
                    storage: barrier.contains(naga::Barrier::STORAGE),
                    workgroup: barrier.contains(naga::Barrier::WORK_GROUP),
                });
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let barrier = Op::Barrier {
                    storage: false,
                    workgroup: true,
                };
                self.push(barrier);
                let loaded = self.load(*pointer)?;
                self.values.insert(*result, loaded);
                self.push(barrier);
            }
            Statement::SubgroupBallot { result, predicate } => {
                let predicate = match predicate {
                    Some(predicate) => self.value(*predicate)?,
                    None => self.compiler.constant(vec![1]),
                };
                let dst = self.new_value(*result)?;
                self.push(Op::Ballot { dst, predicate });
            }
            Statement::SubgroupGather {
                mode,
                argument,
                result,
            } => self.gather(*mode, *argument, *result, span)?,
            Statement::SubgroupCollectiveOperation {
                op,
                collective_op,
                argument,
                result,
            } => self.scan(*op, *collective_op, *argument, *result, span)?,
            other => return self.unsupported(span, format!("this statement: {other:?}")),
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        pointer: Expr,
        fun: naga::AtomicFunction,
        value: Expr,
        result: Option<Expr>,
        span: Span,
    ) -> Result<()> {
        let is_signed = self.inner(value).scalar_kind() == Some(naga::ScalarKind::Sint);
        let mut expected = super::code::NONE;
        let op = match fun {
            naga::AtomicFunction::Add => Rmw::Add,
            naga::AtomicFunction::Subtract => Rmw::Subtract,
            naga::AtomicFunction::And => Rmw::And,
            naga::AtomicFunction::ExclusiveOr => Rmw::Xor,
            naga::AtomicFunction::InclusiveOr => Rmw::Or,
            naga::AtomicFunction::Min if is_signed => Rmw::MinSigned,
            naga::AtomicFunction::Min => Rmw::Min,
            naga::AtomicFunction::Max if is_signed => Rmw::MaxSigned,
            naga::AtomicFunction::Max => Rmw::Max,
            naga::AtomicFunction::Exchange { compare: None } => Rmw::Exchange,
            naga::AtomicFunction::Exchange {
                compare: Some(compare),
            } => {
                expected = self.value(compare)?;
                Rmw::CompareExchange
            }
        };
        let value = self.value(value)?;
        let dst = match result {
            Some(result) => self.new_value(result)?,
            None => super::code::NONE,
        };
        let target = self.pointer(pointer)?;
        let Some(at) = target.address() else {
            return self.unsupported(span, "atomic operations on variables of a function");
        };
        self.push(Op::Atomic {
            op,
            dst,
            at,
            value,
            expected,
        });
        Ok(())
    }

    fn call(
        &mut self,
        function: Handle<Function>,
        arguments: &[Expr],
        result: Option<Expr>,
    ) -> Result<()> {
        let program = self.compiler.program;
        let declared = &program.module.functions[function].arguments;
        let mut given = Vec::new();
        let mut values = Vec::new();
        for (&argument, declared) in arguments.iter().zip(declared) {
            let inner = &program.module.types[declared.ty].inner;
            if inner.pointer_space().is_some() {
                given.push(Given::Pointer(self.pointer(argument)?));
            } else {
                let n = self.compiler.words(inner, self.span(argument))?;
                values.push((self.value(argument)?, n));
                given.push(Given::Value(0));
            }
        }
        let takes_pointers = given.iter().any(|given| given.register().is_none());
        let compiled = match self.compiler.known.get(&function) {
            Some(known) if !takes_pointers => known.clone(),
            _ => {
                let mut sizes = values.iter().map(|&(_, n)| n);
                for given in &mut given {
                    if let Given::Value(register) = given {
                        *register = self.compiler.registers(sizes.next().unwrap_or(0));
                    }
                }
                let compiled = self.compiler.function(Some(function), given)?;
                self.compiler.known.insert(function, compiled.clone());
                compiled
            }
        };
        for (&dst, (src, n)) in compiled.arguments.iter().zip(values) {
            self.push(Op::Copy { dst, src, n });
        }
        self.push(Op::Call {
            to: compiled.body,
            back: compiled.back,
        });
        if let Some(result) = result {
            let dst = self.new_value(result)?;
            let n = self.compiler.words(self.inner(result), self.span(result))?;
            let src = compiled.result;
            self.push(Op::Copy { dst, src, n });
        }
        Ok(())
    }
}
