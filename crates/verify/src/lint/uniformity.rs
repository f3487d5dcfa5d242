//! The lint `uniformity`: all invocations of a workgroup must reach a barrier together, and all
//! invocations of a subgroup must reach a subgroup operation together.
//!
//! This is the uniformity analysis of the WGSL specification (section 15.2), part of which naga
//! omits. It is implemented as an abstract interpretation. Each function is analysed once for each
//! combination of the uniformity of its arguments and of the control flow at its calls. Local
//! variables are tracked through the control flow, member by member. Private variables are not
//! tracked.

use std::collections::{HashMap, HashSet};

use naga::{
    Binding, Block, BuiltIn, Expression, Function, GatherMode, GlobalVariable, Handle, Span,
    Statement, TypeInner,
};

use super::finding::Finding;
use super::state::{Frame, State, arrive};
use super::values::{Cause, Spread, Taint, Value, join, parts, spread};
use crate::Program;

pub(super) type Expr = Handle<Expression>;

/// Finds barriers and subgroup operations in control flow that is not uniform.
pub(super) fn check(program: &Program) -> Vec<Finding> {
    let mut analysis = Analysis {
        program,
        known: HashMap::new(),
        privates: HashMap::new(),
        findings: Vec::new(),
        seen: HashSet::new(),
    };
    loop {
        analysis.known.clear();
        let before: Vec<_> = analysis.privates_key();
        let arguments = program.entry().function.arguments.iter();
        let arguments = arguments.map(|argument| {
            let inner = &program.module.types[argument.ty].inner;
            let spread = input_spread(inner, argument.binding.as_ref());
            let span = program.entry_span();
            Value::all(parts(inner), spread.map(|spread| Cause { spread, span }))
        });
        let arguments = arguments.collect();
        analysis.function(None, arguments, None);
        if analysis.privates_key() == before {
            return analysis.findings;
        }
    }
}

impl Program {
    /// Returns the beginning of the entry point's body, as precisely as naga gives it.
    fn entry_span(&self) -> Span {
        let mut spans = self.entry().function.body.span_iter();
        spans.next().map_or(Span::default(), |(_, span)| *span)
    }
}

/// Returns the way in which an input of the entry point differs between invocations. For a
/// structure, it is that of the member that differs most.
fn input_spread(inner: &TypeInner, binding: Option<&Binding>) -> Option<Spread> {
    match inner {
        TypeInner::Struct { members, .. } => {
            let members = members.iter();
            members
                .filter_map(|member| builtin_spread(member.binding.as_ref()))
                .max()
        }
        _ => builtin_spread(binding),
    }
}

/// Returns the way in which a built-in value differs between invocations.
fn builtin_spread(binding: Option<&Binding>) -> Option<Spread> {
    match binding {
        Some(Binding::BuiltIn(
            BuiltIn::WorkGroupId
            | BuiltIn::NumWorkGroups
            | BuiltIn::WorkGroupSize
            | BuiltIn::NumSubgroups
            | BuiltIn::SubgroupSize,
        )) => None,
        Some(Binding::BuiltIn(BuiltIn::SubgroupId)) => Some(Spread::Subgroups),
        _ => Some(Spread::Invocations),
    }
}

/// A function, the uniformity of its arguments, and the uniformity of the control flow at its call.
type Key = (
    Option<Handle<Function>>,
    Vec<Vec<Option<Spread>>>,
    Option<Spread>,
);

/// The effects of a call: its result, and the targets of its pointer arguments.
#[derive(Clone, Debug)]
struct Left {
    result: Value,
    arguments: Vec<Value>,
}

/// The analysis of a kernel.
pub(super) struct Analysis<'a> {
    pub(super) program: &'a Program,
    known: HashMap<Key, Left>,
    pub(super) privates: HashMap<Handle<GlobalVariable>, Value>,
    findings: Vec<Finding>,
    seen: HashSet<(&'static str, u32)>,
}

impl Analysis<'_> {
    /// Returns the uniformity of the private variables, in a form that can be compared.
    fn privates_key(&self) -> Vec<(Handle<GlobalVariable>, Vec<Option<Spread>>)> {
        let mut all: Vec<_> = self.privates.iter().map(|(h, v)| (*h, v.key())).collect();
        all.sort_by_key(|(handle, _)| handle.index());
        all
    }

    /// Analyses a call. No function calls itself, so this terminates.
    fn function(
        &mut self,
        handle: Option<Handle<Function>>,
        arguments: Vec<Value>,
        control: Taint,
    ) -> Left {
        let key = (
            handle,
            arguments.iter().map(Value::key).collect(),
            spread(control),
        );
        if let Some(left) = self.known.get(&key) {
            return left.clone();
        }
        let (function, _) = self.program.function(handle);
        let types = &self.program.module.types;
        let locals = function.local_variables.iter();
        let locals = locals.map(|(_, local)| Value::uniform(parts(&types[local.ty].inner)));
        let result = function.result.as_ref();
        let result_parts = result.map_or(0, |result| parts(&types[result.ty].inner));
        let mut walker = Walker {
            function,
            handle,
            values: HashMap::new(),
            state: State {
                locals: locals.collect(),
                arguments: arguments.clone(),
            },
            loops: Vec::new(),
            result: Value::uniform(result_parts),
            left: None,
            analysis: self,
        };
        let end = walker.block(&function.body, control);
        if end.is_some() {
            walker.leave();
        }
        let left = Left {
            result: walker.result,
            arguments: walker.left.map_or(arguments, |state| state.arguments),
        };
        self.known.insert(key, left.clone());
        left
    }

    /// Adds a finding, unless there is one about the same operation in this line.
    fn report(&mut self, what: &'static str, span: Span, cause: Cause) {
        let program = self.program;
        if self.seen.insert((what, program.line(span))) {
            self.findings.push(Finding {
                place: program.place(span),
                lint: "uniformity",
                message: format!("{what} in control flow that is not uniform"),
                notes: vec![(
                    "invocations may differ here".to_owned(),
                    program.place(cause.span),
                )],
            });
        }
    }
}

/// The invocations that must reach an operation together.
#[derive(Clone, Copy)]
enum Together {
    Subgroup,
    Workgroup,
}

/// The analysis of one call of a function.
pub(super) struct Walker<'w, 'a> {
    pub(super) analysis: &'w mut Analysis<'a>,
    pub(super) function: &'a Function,
    pub(super) handle: Option<Handle<Function>>,
    values: HashMap<Expr, Value>,
    pub(super) state: State,
    /// The loops and `switch`es that are being analysed, from the outermost to the innermost.
    pub(super) loops: Vec<Frame>,
    result: Value,
    /// The values of variables where the function returns.
    left: Option<State>,
}

impl Walker<'_, '_> {
    pub(super) fn parts(&self, expression: Expr) -> usize {
        let (_, info) = self.analysis.program.function(self.handle);
        parts(
            info[expression]
                .ty
                .inner_with(&self.analysis.program.module.types),
        )
    }

    pub(super) fn value(&self, expression: Expr) -> Value {
        match &self.function.expressions[expression] {
            Expression::FunctionArgument(index) => self.state.arguments[*index as usize].clone(),
            _ => match self.values.get(&expression) {
                Some(value) => value.clone(),
                None => Value::uniform(self.parts(expression)),
            },
        }
    }

    pub(super) fn taint(&self, expression: Expr) -> Taint {
        self.value(expression).taint()
    }

    pub(super) fn span(&self, expression: Expr) -> Span {
        self.function.expressions.get_span(expression)
    }

    /// Analyses a block. Returns the uniformity of control flow at its end, or `None` if the end is
    /// not reached.
    pub(super) fn block(&mut self, block: &Block, control: Taint) -> Option<Taint> {
        let mut control = control;
        for (statement, span) in block.span_iter() {
            control = self.statement(statement, *span, control)?;
        }
        Some(control)
    }

    /// Analyses a statement. Returns the uniformity of control flow behind it, or `None` if it is
    /// left elsewhere.
    fn statement(&mut self, statement: &Statement, span: Span, control: Taint) -> Option<Taint> {
        match statement {
            Statement::Emit(range) => {
                for expression in range.clone() {
                    let value = self.evaluate(expression);
                    self.values.insert(expression, value);
                }
            }
            Statement::Block(block) => return self.block(block, control),
            Statement::If {
                condition,
                accept,
                reject,
            } => {
                let branches = [accept, reject];
                return self.branch(*condition, &branches, control);
            }
            Statement::Switch { selector, cases } => {
                return self.switch(*selector, cases, control);
            }
            Statement::Loop {
                body,
                continuing,
                break_if,
            } => return self.repeat((body, continuing, *break_if), control),
            Statement::Break => {
                let frame = self.loops.last_mut()?;
                arrive(&mut frame.broken, &self.state, control);
                return None;
            }
            Statement::Continue => {
                let frame = self.loops.iter_mut().rev().find(|frame| frame.is_loop)?;
                arrive(&mut frame.continued, &self.state, control);
                return None;
            }
            Statement::Return { value } => {
                if let Some(value) = value {
                    let value = self.value(*value).tainted(control);
                    self.result.join(&value);
                }
                self.leave();
                return None;
            }
            Statement::Kill => return None,
            _ => self.act(statement, span, control),
        }
        Some(control)
    }

    /// Analyses a statement without control flow.
    fn act(&mut self, statement: &Statement, span: Span, control: Taint) {
        let unknown = Some(Cause {
            spread: Spread::Invocations,
            span,
        });
        match statement {
            Statement::Store { pointer, value } => {
                let value = self.value(*value).tainted(control);
                self.store(*pointer, &value);
            }
            Statement::Atomic {
                result: Some(result),
                ..
            } => {
                let value = Value::all(self.parts(*result), unknown);
                self.values.insert(*result, value);
            }
            Statement::ControlBarrier(barrier) => {
                let (what, together) = match barrier.contains(naga::Barrier::SUB_GROUP) {
                    true => ("a subgroup barrier", Together::Subgroup),
                    false => ("a barrier", Together::Workgroup),
                };
                self.demand(what, together, span, control);
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let control = join(control, self.target(*pointer).indices);
                self.demand("`workgroupUniformLoad`", Together::Workgroup, span, control);
                let value = Value::uniform(self.parts(*result));
                self.values.insert(*result, value);
            }
            Statement::Call {
                function,
                arguments,
                result,
            } => self.call(*function, arguments, *result, control),
            Statement::SubgroupBallot { result, .. } => {
                self.subgroup(*result, Spread::Subgroups, span, control);
            }
            Statement::SubgroupGather { mode, result, .. } => {
                let spread = self.spread_of(mode);
                self.subgroup(*result, spread, span, control);
            }
            Statement::SubgroupCollectiveOperation {
                collective_op,
                result,
                ..
            } => {
                let spread = match collective_op {
                    naga::CollectiveOperation::Reduce => Spread::Subgroups,
                    _ => Spread::Invocations,
                };
                self.subgroup(*result, spread, span, control);
            }
            _ => {}
        }
    }

    /// Returns the spread of values that are gathered from other invocations of a subgroup.
    fn spread_of(&self, mode: &GatherMode) -> Spread {
        match mode {
            GatherMode::BroadcastFirst | GatherMode::Broadcast(_) => Spread::Subgroups,
            GatherMode::Shuffle(from) => match spread(self.taint(*from)) {
                None | Some(Spread::Subgroups) => Spread::Subgroups,
                Some(_) => Spread::Invocations,
            },
            _ => Spread::Invocations,
        }
    }

    /// Analyses a subgroup operation, whose result differs like this.
    fn subgroup(&mut self, result: Expr, spread: Spread, span: Span, control: Taint) {
        self.demand("a subgroup operation", Together::Subgroup, span, control);
        let value = Value::all(self.parts(result), Some(Cause { spread, span }));
        self.values.insert(result, value);
    }

    /// Reports an operation that these invocations must reach together, if control flow differs
    /// between them.
    fn demand(&mut self, what: &'static str, together: Together, span: Span, control: Taint) {
        match (together, control) {
            (_, None) => {}
            // Subgroups differ, but not the invocations of one of them.
            (Together::Subgroup, Some(cause)) if cause.spread == Spread::Subgroups => {}
            (_, Some(cause)) => self.analysis.report(what, span, cause),
        }
    }

    /// Joins the values of variables with those where the function returns.
    fn leave(&mut self) {
        match &mut self.left {
            Some(left) => {
                left.join(&self.state);
            }
            None => self.left = Some(self.state.clone()),
        }
    }

    /// Analyses a call. Pointer arguments stand for the values of their targets.
    fn call(
        &mut self,
        function: Handle<Function>,
        arguments: &[Expr],
        result: Option<Expr>,
        control: Taint,
    ) {
        let values = arguments
            .iter()
            .map(|&argument| match self.is_pointer(argument) {
                true => self.load(argument),
                false => self.value(argument),
            });
        let values = values.collect();
        let left = self.analysis.function(Some(function), values, control);
        for (&argument, value) in arguments.iter().zip(&left.arguments) {
            if self.is_pointer(argument) {
                self.store(argument, value);
            }
        }
        if let Some(result) = result {
            self.values.insert(result, left.result);
        }
    }

    fn is_pointer(&self, expression: Expr) -> bool {
        let (_, info) = self.analysis.program.function(self.handle);
        let types = &self.analysis.program.module.types;
        info[expression]
            .ty
            .inner_with(types)
            .pointer_space()
            .is_some()
    }
}
