//! [`Builder`]: the compilation of one function.

use std::collections::HashMap;

use naga::{Block, Function, Handle, Span, TypeInner};

use super::super::code::{Claim, NONE, Op, Reg};
use super::compiler::{Body, Compiled, Compiler, Expr, Given, Result};
use super::pointer::Pointer;
use super::types;

/// The exits of a loop or `switch`: jumps whose targets will be its end, or the place where the
/// loop continues.
pub(super) struct Jumps {
    pub(super) is_loop: bool,
    pub(super) breaks: Vec<usize>,
    pub(super) continues: Vec<usize>,
}

impl Jumps {
    /// Returns no exits of a loop.
    pub(super) fn of_loop() -> Self {
        Self {
            is_loop: true,
            breaks: Vec::new(),
            continues: Vec::new(),
        }
    }

    /// Returns no exits of a `switch`.
    pub(super) fn of_switch() -> Self {
        Self {
            is_loop: false,
            ..Self::of_loop()
        }
    }
}

/// A function that is being compiled.
pub(super) struct Builder<'c, 'a> {
    pub(super) compiler: &'c mut Compiler<'a>,
    pub(super) handle: Option<Handle<Function>>,
    pub(super) function: &'a Function,
    pub(super) given: Vec<Given>,
    pub(super) compiled: Compiled,
    pub(super) values: HashMap<Expr, Reg>,
    pub(super) pointers: HashMap<Expr, Pointer>,
    pub(super) locals: HashMap<Handle<naga::LocalVariable>, Pointer>,
    pub(super) body: Body,
    pub(super) line: u32,
    pub(super) jumps: Vec<Jumps>,
}

impl Compiler<'_> {
    /// Compiles a function with these arguments.
    pub(super) fn function(
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
}

impl<'a> Builder<'_, 'a> {
    /// Adds an operation. Returns its index.
    pub(super) fn push(&mut self, op: Op) -> usize {
        self.body.ops.push(op);
        self.body.lines.push(self.line);
        self.body.ops.len() - 1
    }

    /// Returns the index of the next operation.
    pub(super) fn here(&self) -> u32 {
        self.body.ops.len() as u32
    }

    /// Sets the target of a jump to the next operation.
    pub(super) fn land(&mut self, jump: usize) {
        self.direct(jump, self.here());
    }

    /// Sets the target of a jump.
    pub(super) fn direct(&mut self, jump: usize, target: u32) {
        if let Op::Jump { to } | Op::JumpUnless { to, .. } = &mut self.body.ops[jump] {
            *to = target;
        }
    }

    /// Sets the line of the operations that follow.
    pub(super) fn at(&mut self, span: Span) {
        if span.is_defined() {
            self.line = self.compiler.program.line(span);
        }
    }

    pub(super) fn inner(&self, expression: Expr) -> &'a TypeInner {
        let program = self.compiler.program;
        let (_, info) = program.function(self.handle);
        info[expression].ty.inner_with(&program.module.types)
    }

    pub(super) fn span(&self, expression: Expr) -> Span {
        self.function.expressions.get_span(expression)
    }

    pub(super) fn unsupported<T>(&self, span: Span, what: impl Into<String>) -> Result<T> {
        self.compiler.unsupported(span, what)
    }

    /// Assigns registers to the local variables, and sets their initial values.
    pub(super) fn declare(&mut self) -> Result<()> {
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

    /// Adds the end of the function, which checks the promise about it.
    pub(super) fn end(&mut self) {
        if let Some(claim) = self.claim() {
            let number = self.compiler.claims.len() as u32;
            self.compiler.claims.push(claim);
            self.push(Op::Claim { claim: number });
        }
        let op = match self.handle {
            Some(_) => Op::Return {
                back: self.compiled.back,
            },
            None => Op::End,
        };
        self.push(op);
    }

    /// Returns the promise about the function, if there is one.
    fn claim(&self) -> Option<Claim> {
        let name = self.function.name.as_ref()?;
        let mut promises = self.compiler.once.iter();
        let once = promises.find(|once| once.function == *name)?;
        let register = |&number: &usize| self.given[number].register();
        let argument = |number: &usize| {
            let inner = &self.compiler.program.module.types[self.function.arguments[*number].ty];
            let n = types::words(&self.compiler.program.module, &inner.inner)?;
            Some((register(number)?, n))
        };
        Some(Claim {
            function: name.clone(),
            arguments: once.arguments.iter().filter_map(argument).collect(),
            condition: once.condition.as_ref().and_then(register).unwrap_or(NONE),
            result: self.compiled.result,
            back: self.compiled.back,
        })
    }

    pub(super) fn block(&mut self, block: &'a Block) -> Result<()> {
        for (statement, span) in block.span_iter() {
            self.at(*span);
            self.statement(statement, *span)?;
        }
        Ok(())
    }
}
