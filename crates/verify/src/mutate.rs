//! Mutations: small changes to a kernel's IR, most of which introduce an error. They test whether
//! the lints and the runs find errors.

use std::fmt;

use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{
    AtomicFunction, BinaryOperator, Block, Expression, Function, Handle, Literal, MathFunction,
    Module, Range, ScalarKind, Span, Statement, TypeInner, UniqueArena,
};

mod index;

use crate::{Error, Place, Program};

/// The kinds of mutations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mutation {
    /// A condition always holds, or a function always returns `true`.
    Guard,
    /// An atomic operation returns the value of an earlier load, or an exchange that failed counts
    /// as done. So two invocations may both believe that they are the first.
    Claim,
    /// An atomic operation becomes a load and a store.
    TwoSteps,
    /// A barrier is left out.
    Barrier,
    /// A comparison is changed from strict to non-strict, or the other way round.
    Bound,
    /// An access to an array uses the next element.
    Index,
}

impl Mutation {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::Guard,
        Self::Claim,
        Self::TwoSteps,
        Self::Barrier,
        Self::Bound,
        Self::Index,
    ];
}

impl fmt::Display for Mutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Guard => "guard dropped",
            Self::Claim => "claim's result not used",
            Self::TwoSteps => "atomic operation in two steps",
            Self::Barrier => "barrier dropped",
            Self::Bound => "bound off by one",
            Self::Index => "index swapped",
        })
    }
}

/// A place where a kernel can be changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The kind of the change.
    pub mutation: Mutation,
    /// The line that is changed.
    pub place: Place,
}

/// Returns all places where a kernel can be changed. They do not depend on the constants of the
/// kernel.
#[must_use]
pub fn sites(program: &Program) -> Vec<Site> {
    let mut module = program.module().clone();
    let mut walk = Walk {
        info: &program.info,
        wanted: None,
        found: Vec::new(),
    };
    walk.module(&mut module);
    let site = |(mutation, span): (Mutation, Span)| Site {
        mutation,
        place: program.place(span),
    };
    let indexed = index::sites(program).into_iter();
    let indexed = indexed.map(|span| (Mutation::Index, span));
    walk.found.into_iter().chain(indexed).map(site).collect()
}

/// Changes a kernel at one of its [`sites`].
///
/// # Errors
/// [`Error::Invalid`] if the changed kernel is not a valid program.
pub fn mutate(program: &Program, site: usize) -> Result<Program, Error> {
    let mut sites = 0;
    let changed = program.changed(|module| {
        let mut walk = Walk {
            info: &program.info,
            wanted: Some(site),
            found: Vec::new(),
        };
        walk.module(module);
        sites = walk.found.len();
    });
    match site.checked_sub(sites) {
        None => changed,
        Some(behind) => index::mutate(program, behind),
    }
}

/// The data that the statements of a function share.
struct Context<'a> {
    info: &'a FunctionInfo,
    returns_bool: bool,
}

/// A walk through the IR of a kernel, which changes at most one site.
struct Walk<'a> {
    info: &'a ModuleInfo,
    wanted: Option<usize>,
    /// The sites that were visited.
    found: Vec<(Mutation, Span)>,
}

impl Walk<'_> {
    fn module(&mut self, module: &mut Module) {
        let types = &module.types;
        let handles: Vec<_> = module.functions.iter().map(|(handle, _)| handle).collect();
        for handle in handles {
            let info = &self.info[handle];
            self.function(types, info, &mut module.functions[handle]);
        }
        for (number, entry) in module.entry_points.iter_mut().enumerate() {
            let info = self.info.get_entry_point(number);
            self.function(types, info, &mut entry.function);
        }
    }

    /// Records a site. Returns whether it is the one to be changed.
    fn is_here(&mut self, mutation: Mutation, span: Span) -> bool {
        let is_wanted = self.wanted == Some(self.found.len());
        self.found.push((mutation, span));
        is_wanted
    }

    fn function(
        &mut self,
        types: &UniqueArena<naga::Type>,
        info: &FunctionInfo,
        function: &mut Function,
    ) {
        self.comparisons(function);
        let returns_bool = function.result.as_ref().is_some_and(|result| {
            let inner = &types[result.ty].inner;
            matches!(inner, TypeInner::Scalar(scalar) if scalar.kind == ScalarKind::Bool)
        });
        let mut body = std::mem::take(&mut function.body);
        let context = Context { info, returns_bool };
        self.block(function, &mut body, &context);
        function.body = body;
    }

    fn comparisons(&mut self, function: &mut Function) {
        let handles: Vec<_> = function
            .expressions
            .iter()
            .map(|(handle, _)| handle)
            .collect();
        for handle in handles {
            let span = function.expressions.get_span(handle);
            let Expression::Binary { op, left, right } = function.expressions[handle] else {
                continue;
            };
            let Some(op) = off_by_one(op) else { continue };
            if self.is_here(Mutation::Bound, span) {
                function.expressions[handle] = Expression::Binary { op, left, right };
            }
        }
    }

    fn block(&mut self, function: &mut Function, block: &mut Block, context: &Context<'_>) {
        let mut changed = None;
        for (at, (statement, span)) in block.span_iter_mut().enumerate() {
            let span = span.map_or(Span::default(), |span| *span);
            if let Some(instead) = self.statement(function, statement, span, context) {
                changed = Some((at, instead));
            }
        }
        if let Some((at, instead)) = changed {
            block.splice(at..=at, Block::from_vec(instead));
        }
    }

    /// Returns the replacement of a statement, if it is replaced as a whole.
    fn statement(
        &mut self,
        function: &mut Function,
        statement: &mut Statement,
        span: Span,
        context: &Context<'_>,
    ) -> Option<Vec<Statement>> {
        match statement {
            Statement::Block(block) => self.block(function, block, context),
            Statement::Loop {
                body, continuing, ..
            } => {
                self.block(function, body, context);
                self.block(function, continuing, context);
            }
            Statement::Switch { cases, .. } => {
                for case in cases {
                    self.block(function, &mut case.body, context);
                }
            }
            Statement::If {
                condition,
                accept,
                reject,
            } => {
                if !ends_loop(reject) && self.is_here(Mutation::Guard, span) {
                    *condition = always(function);
                }
                self.block(function, accept, context);
                self.block(function, reject, context);
            }
            Statement::Return { value: Some(value) }
                if context.returns_bool
                    && !is_always(function, *value)
                    && self.is_here(Mutation::Guard, span) =>
            {
                *value = always(function);
            }
            Statement::ControlBarrier(_) => {
                return self.is_here(Mutation::Barrier, span).then(Vec::new);
            }
            &mut Statement::Atomic {
                pointer,
                fun,
                value,
                result: Some(result),
            } => {
                let atomic = Atomic {
                    pointer,
                    fun,
                    value,
                    result,
                };
                return self.atomic(function, span, context.info, atomic);
            }
            _ => {}
        }
        None
    }

    fn atomic(
        &mut self,
        function: &mut Function,
        span: Span,
        info: &FunctionInfo,
        atomic: Atomic,
    ) -> Option<Vec<Statement>> {
        let Atomic {
            pointer,
            fun,
            value,
            result,
        } = atomic;
        if let AtomicFunction::Exchange { compare: Some(_) } = fun {
            if self.is_here(Mutation::Claim, span) {
                count_as_done(function, result);
            }
            return None;
        }
        let load = Statement::Emit(Range::new_from_bounds(result, result));
        let is_used = info[result].ref_count != 0;
        if is_used && self.is_here(Mutation::Claim, span) {
            let own = function.expressions[result].clone();
            function.expressions[result] = Expression::Load { pointer };
            let result = Some(function.expressions.append(own, span));
            let unused = Statement::Atomic {
                pointer,
                fun,
                value,
                result,
            };
            return Some(vec![load, unused]);
        }
        if self.is_here(Mutation::TwoSteps, span) {
            function.expressions[result] = Expression::Load { pointer };
            let Some(combined) = combined(fun, result, value) else {
                return Some(vec![load, Statement::Store { pointer, value }]);
            };
            let value = function.expressions.append(combined, span);
            let emit = Statement::Emit(Range::new_from_bounds(value, value));
            return Some(vec![load, emit, Statement::Store { pointer, value }]);
        }
        None
    }
}

/// An atomic statement with its result.
#[derive(Clone, Copy)]
struct Atomic {
    pointer: Handle<Expression>,
    fun: AtomicFunction,
    value: Handle<Expression>,
    result: Handle<Expression>,
}

/// Returns the comparison that includes the bound instead of excluding it, or vice versa.
fn off_by_one(op: BinaryOperator) -> Option<BinaryOperator> {
    match op {
        BinaryOperator::Less => Some(BinaryOperator::LessEqual),
        BinaryOperator::LessEqual => Some(BinaryOperator::Less),
        BinaryOperator::Greater => Some(BinaryOperator::GreaterEqual),
        BinaryOperator::GreaterEqual => Some(BinaryOperator::Greater),
        _ => None,
    }
}

/// Returns whether a block only ends a loop. Without its guard, the loop would be endless, which is
/// not an interesting mutation.
fn ends_loop(block: &Block) -> bool {
    matches!(&block[..], [Statement::Break])
}

fn is_always(function: &Function, condition: Handle<Expression>) -> bool {
    function.expressions[condition] == Expression::Literal(Literal::Bool(true))
}

fn always(function: &mut Function) -> Handle<Expression> {
    let yes = Expression::Literal(Literal::Bool(true));
    function.expressions.append(yes, Span::default())
}

/// Replaces each test of whether an exchange succeeded by `true`.
fn count_as_done(function: &mut Function, result: Handle<Expression>) {
    for (_, expression) in function.expressions.iter_mut() {
        if matches!(expression, Expression::AccessIndex { base, index: 1 } if *base == result) {
            *expression = Expression::Literal(Literal::Bool(true));
        }
    }
}

/// Returns the value that an atomic operation stores; `None` if it is its operand.
fn combined(
    fun: AtomicFunction,
    old: Handle<Expression>,
    value: Handle<Expression>,
) -> Option<Expression> {
    let binary = |op| Expression::Binary {
        op,
        left: old,
        right: value,
    };
    let math = |fun| Expression::Math {
        fun,
        arg: old,
        arg1: Some(value),
        arg2: None,
        arg3: None,
    };
    match fun {
        AtomicFunction::Add => Some(binary(BinaryOperator::Add)),
        AtomicFunction::Subtract => Some(binary(BinaryOperator::Subtract)),
        AtomicFunction::And => Some(binary(BinaryOperator::And)),
        AtomicFunction::InclusiveOr => Some(binary(BinaryOperator::InclusiveOr)),
        AtomicFunction::ExclusiveOr => Some(binary(BinaryOperator::ExclusiveOr)),
        AtomicFunction::Min => Some(math(MathFunction::Min)),
        AtomicFunction::Max => Some(math(MathFunction::Max)),
        AtomicFunction::Exchange { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Dispatch, Fault, Schedule, compile};

    const KERNEL: &str = "@group(0) @binding(0) var<storage, read_write> taken: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> winners: array<atomic<u32>, 2>;
var<workgroup> sum: u32;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) local: u32) {
    if atomicOr(&taken, 1u) == 0u {
        atomicAdd(&winners[0], 1u);
    }
    if local == 0u {
        sum = 7u;
    }
    workgroupBarrier();
    if sum < 7u {
        atomicAdd(&winners[1], 1u);
    }
}
";

    /// Returns the possible final contents of the second buffer, and the possible faults.
    fn endings(program: &Program) -> (Vec<u32>, Vec<Fault>) {
        let code = compile(program).expect("the interpreter knows all of it");
        let (mut winners, mut faults) = (Vec::new(), Vec::new());
        for seed in 0..200 {
            let dispatch =
                Dispatch::new(&code, [1, 1, 1])
                    .bind(0, 0, vec![0])
                    .bind(0, 1, vec![0; 2]);
            let ended = dispatch.run(Schedule::Random, seed);
            winners.push(ended.buffers[1][0]);
            faults.extend(ended.findings.iter().map(|finding| finding.fault));
        }
        winners.sort_unstable();
        winners.dedup();
        faults.sort_unstable();
        faults.dedup();
        (winners, faults)
    }

    #[test]
    fn each_mutation_is_at_its_place() {
        let program = Program::parse("taken.wgsl", KERNEL).expect("it is valid");
        let said: Vec<_> = sites(&program)
            .iter()
            .enumerate()
            .map(|(number, site)| {
                let Site { mutation, place } = site;
                let ended = match mutate(&program, number) {
                    Ok(mutant) => {
                        let (winners, faults) = endings(&mutant);
                        format!("{winners:?}, {faults:?}")
                    }
                    Err(_) => "no program".to_owned(),
                };
                format!("{}: {mutation}: {ended}", place.line)
            })
            .collect();
        assert_eq!(endings(&program), (vec![1], vec![]));
        insta::assert_snapshot!(said.join("\n"), @"
        13: bound off by one: [1], []
        6: claim's result not used: [1, 2, 3, 4], []
        6: atomic operation in two steps: [1, 2, 3, 4], []
        6: guard dropped: [4], []
        7: atomic operation in two steps: [1], []
        9: guard dropped: [1], [Race]
        12: barrier dropped: [1], [Race]
        13: guard dropped: [1], []
        14: atomic operation in two steps: [1], []
        7: index swapped: [0], []
        14: index swapped: no program
        ");
    }
}
