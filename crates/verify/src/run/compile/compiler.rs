//! [`Compiler`]: the compilation of a kernel.

use std::collections::HashMap;

use naga::{
    AddressSpace, Binding, BuiltIn, Expression, Function, Handle, Span, StorageAccess, TypeInner,
};

use super::super::code::{Claim, Code, Input, Object, Op, Reg, Space};
use super::super::fuse::fuse;
use super::super::spare::SpareFrames;
use super::pointer::Pointer;
use super::types;
use crate::program::{Error, Program};
use crate::promise::Once;

pub(super) type Expr = Handle<Expression>;

pub(super) type Result<T> = std::result::Result<T, Error>;

/// Operations whose jumps are relative to their own beginning, and whose calls refer to bodies.
#[derive(Default)]
pub(super) struct Body {
    pub(super) ops: Vec<Op>,
    pub(super) lines: Vec<u32>,
}

/// A compiled function.
#[derive(Clone)]
pub(super) struct Compiled {
    pub(super) body: u32,
    pub(super) arguments: Vec<Reg>,
    pub(super) result: Reg,
    pub(super) back: Reg,
}

pub(super) struct Compiler<'a> {
    pub(super) program: &'a Program,
    pub(super) frame: Vec<u32>,
    pub(super) constants: HashMap<Vec<u32>, Reg>,
    pub(super) objects: Vec<Object>,
    pub(super) globals: HashMap<Handle<naga::GlobalVariable>, Pointer>,
    pub(super) known: HashMap<Handle<Function>, Compiled>,
    pub(super) bodies: Vec<Body>,
    pub(super) inputs: Vec<(Input, Reg)>,
    /// The promises about functions.
    pub(super) once: Vec<Once>,
    pub(super) claims: Vec<Claim>,
}

/// An argument of a function.
#[derive(Clone)]
pub(super) enum Given {
    Value(Reg),
    Pointer(Pointer),
}

impl Given {
    pub(super) fn register(&self) -> Option<Reg> {
        match self {
            Self::Value(register) => Some(*register),
            Self::Pointer(_) => None,
        }
    }
}

impl<'a> Compiler<'a> {
    pub(super) fn new(program: &'a Program) -> Result<Self> {
        Ok(Self {
            program,
            frame: Vec::new(),
            constants: HashMap::new(),
            objects: Vec::new(),
            globals: HashMap::new(),
            known: HashMap::new(),
            bodies: Vec::new(),
            inputs: Vec::new(),
            once: program.once()?,
            claims: Vec::new(),
        })
    }

    pub(super) fn unsupported<T>(&self, span: Span, what: impl Into<String>) -> Result<T> {
        Err(Error::Unsupported {
            place: self.program.place(span),
            what: what.into(),
        })
    }

    /// Allocates registers. Returns the first of them.
    pub(super) fn registers(&mut self, n: u32) -> Reg {
        let first = self.frame.len() as u32;
        self.frame.resize(self.frame.len() + n as usize, 0);
        first
    }

    /// Returns the first of the registers that contain these words.
    pub(super) fn constant(&mut self, words: Vec<u32>) -> Reg {
        if let Some(&known) = self.constants.get(&words) {
            return known;
        }
        let first = self.frame.len() as u32;
        self.frame.extend_from_slice(&words);
        self.constants.insert(words, first);
        first
    }

    /// Returns the number of registers of a value.
    pub(super) fn words(&self, inner: &TypeInner, span: Span) -> Result<u32> {
        match types::words(&self.program.module, inner) {
            Some(words) => Ok(words),
            None => self.unsupported(span, format!("values of this type: {inner:?}")),
        }
    }

    /// Assigns positions to all global variables. Returns the operations that initialise the
    /// private ones.
    pub(super) fn declare(&mut self) -> Result<Vec<Op>> {
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
            let name = variable.name.clone().unwrap_or_default();
            self.objects.push(Object {
                gives_tickets: self.program.promises_tickets(&name),
                name,
                space,
            });
            self.globals.insert(handle, pointer);
        }
        Ok(clears)
    }

    /// Compiles the entry point, which begins with `clears`. Returns the number of its body.
    pub(super) fn entry(&mut self, clears: Vec<Op>) -> Result<u32> {
        let entry = self.program.entry();
        let mut arguments = Vec::new();
        for argument in &entry.function.arguments {
            let inner = &self.program.module.types[argument.ty].inner;
            let n = self.words(inner, Span::default())?;
            let register = self.registers(n);
            arguments.push(register);
            match inner {
                TypeInner::Struct { members, .. } => {
                    let mut register = register;
                    for member in members {
                        self.add_input(member.binding.as_ref(), register)?;
                        let inner = &self.program.module.types[member.ty].inner;
                        register += self.words(inner, Span::default())?;
                    }
                }
                _ => self.add_input(argument.binding.as_ref(), register)?,
            }
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

    /// Assigns registers to an input of the entry point.
    fn add_input(&mut self, binding: Option<&Binding>, register: Reg) -> Result<()> {
        let Some(Binding::BuiltIn(builtin)) = binding else {
            return self.unsupported(Span::default(), "inputs that are not built in");
        };
        self.inputs.push((self.input(builtin)?, register));
        Ok(())
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

    /// Joins all bodies.
    pub(super) fn link(self, entry: u32) -> Result<Code> {
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
        let uses_subgroups = ops.iter().any(is_subgroup);
        fuse(&mut ops);
        Ok(Code {
            workgroup: self.program.entry().workgroup_size,
            program: self.program.clone(),
            uses_subgroups,
            ops,
            lines,
            objects: self.objects,
            frame: self.frame,
            frames: SpareFrames::default(),
            inputs: self.inputs,
            claims: self.claims,
        })
    }
}

/// Adds an offset to the target of a jump. Calls are not changed.
fn shift_jumps(op: &mut Op, by: u32) {
    if let Op::Jump { to } | Op::JumpUnless { to, .. } = op {
        *to += by;
    }
}

/// Returns whether an operation is a subgroup operation.
fn is_subgroup(op: &Op) -> bool {
    matches!(op, Op::Ballot { .. } | Op::Gather { .. } | Op::Scan { .. })
}
