//! Statements: the operations on words that invocations share, and the conditions around them.
//!
//! Calls are walked inline. A loop is walked until the directions of its variables are known.

use std::collections::{BTreeMap, HashMap};

use naga::{
    AtomicFunction, Block, Expression, Function, GlobalVariable, Handle, Span, Statement,
    SwitchCase,
};

use super::assumed::Assumed;
use super::event::{Event, Kind, Leaves, Skip, is_open, sign_of};
use super::value::{Root, Scalar, Sign, TermId, Terms, Value, Word};
use crate::Program;

pub(super) type Expr = Handle<Expression>;

/// A call of a function.
pub(super) struct Frame<'a> {
    pub(super) number: usize,
    pub(super) handle: Option<Handle<Function>>,
    pub(super) function: &'a Function,
    pub(super) arguments: Vec<Value>,
    pub(super) values: HashMap<Expr, Value>,
    /// The returned values, with their conditions.
    returns: Vec<(Scalar, Option<Value>)>,
    /// The number of conditions around the call.
    depth: usize,
    /// The number of skips before the call.
    skips: usize,
    /// The loops and `switch`es around a statement: their numbers, and whether they are loops.
    pub(super) scopes: Vec<(usize, bool)>,
}

pub(super) type Locals = HashMap<Root, Value>;

pub(super) struct Walk<'a> {
    pub(super) program: &'a Program,
    pub(super) assumed: &'a Assumed,
    /// The assumptions about buffers: the operation that lowers their words, and the bits that
    /// change.
    pub(super) supposed: &'a BTreeMap<Handle<GlobalVariable>, (Kind, u32)>,
    pub(super) terms: Terms,
    pub(super) events: Vec<Event>,
    pub(super) locals: Locals,
    pub(super) guards: Vec<Scalar>,
    pub(super) guard_spans: Vec<Span>,
    pub(super) skips: Vec<Skip>,
    done: Vec<(Word, TermId)>,
    /// The variables at the places where loops are left, or continue with the next iteration.
    pub(super) leaving: Vec<(Leaves, Locals)>,
    numbers: usize,
}

/// Returns the operations of an invocation.
pub(super) fn events(
    program: &Program,
    assumed: &Assumed,
    supposed: &BTreeMap<Handle<GlobalVariable>, (Kind, u32)>,
) -> (Terms, Vec<Event>) {
    let mut walk = Walk {
        program,
        assumed,
        supposed,
        terms: Terms::default(),
        events: Vec::new(),
        locals: HashMap::new(),
        guards: Vec::new(),
        guard_spans: Vec::new(),
        skips: Vec::new(),
        done: Vec::new(),
        leaving: Vec::new(),
        numbers: 0,
    };
    let inputs = program.entry().function.arguments.iter();
    let inputs: Vec<_> = inputs.map(|input| input.ty).collect();
    let inputs = inputs
        .into_iter()
        .map(|ty| walk.unknown(ty, Sign::Fixed))
        .collect();
    walk.call(None, inputs);
    (walk.terms, walk.events)
}

impl<'a> Walk<'a> {
    pub(super) fn number(&mut self) -> usize {
        self.numbers += 1;
        self.numbers
    }

    fn call(&mut self, handle: Option<Handle<Function>>, arguments: Vec<Value>) -> Value {
        let (function, _) = self.program.function(handle);
        let mut frame = Frame {
            number: self.number(),
            handle,
            function,
            arguments,
            values: HashMap::new(),
            returns: Vec::new(),
            depth: self.guards.len(),
            skips: self.skips.len(),
            scopes: Vec::new(),
        };
        for (local, variable) in function.local_variables.iter() {
            let first = match variable.init {
                Some(init) => self.value(&mut frame, init),
                None => self.unknown(variable.ty, Sign::Fixed),
            };
            self.locals.insert(Root::Local(frame.number, local), first);
        }
        self.block(&mut frame, &function.body);
        let is_tainted = self.skips[frame.skips..].iter().any(is_open);
        self.skips.truncate(frame.skips);
        if is_tainted {
            let pointers = frame.arguments.iter();
            let roots = pointers.filter_map(|one| match one {
                Value::Pointer(root, _) => Some(*root),
                _ => None,
            });
            self.taint(roots.collect());
        }
        self.returned(&frame.returns)
    }

    /// Returns the result of a function: the value of the first return whose condition holds.
    fn returned(&mut self, returns: &[(Scalar, Option<Value>)]) -> Value {
        let mut all = returns.iter().rev();
        let nothing = Value::Parts(Vec::new());
        let Some((_, Some(last))) = all.next() else {
            return nothing;
        };
        let mut value = last.clone();
        for (condition, earlier) in all {
            let earlier = earlier.clone().unwrap_or(nothing.clone());
            value = self.select(*condition, earlier, value);
        }
        value
    }

    pub(super) fn taint(&mut self, roots: Vec<Root>) {
        for root in roots {
            if let Some(value) = self.locals.get(&root).cloned() {
                let value = value.tainted(&mut self.terms);
                self.locals.insert(root, value);
            }
        }
    }

    /// Walks a block. Returns whether its end is reached.
    pub(super) fn block(&mut self, frame: &mut Frame<'a>, block: &'a Block) -> bool {
        let done = self.done.len();
        let mut goes_on = true;
        for (statement, span) in block.span_iter() {
            goes_on = self.statement(frame, statement, *span);
            if !goes_on {
                break;
            }
        }
        self.done.truncate(done);
        goes_on
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
            } => return self.branch(frame, *condition, [accept, reject], span),
            Statement::Switch { selector, cases } => {
                return self.switch(frame, *selector, cases, span);
            }
            Statement::Loop {
                body,
                continuing,
                break_if,
            } => self.repeat(frame, body, continuing, *break_if, span),
            Statement::Return { value } => {
                let value = value.map(|value| self.value(frame, value));
                let condition = self.since(frame);
                frame.returns.push((condition, value));
                self.leave(Leaves::Call(frame.number), frame, span);
                return false;
            }
            Statement::Break => {
                if let Some(&(scope, _)) = frame.scopes.last() {
                    self.leave(Leaves::Scope(scope), frame, span);
                }
                return false;
            }
            Statement::Continue => {
                let mut scopes = frame.scopes.iter().rev();
                if let Some(&(scope, _)) = scopes.find(|(_, is_loop)| *is_loop) {
                    self.leave(Leaves::Iteration(scope), frame, span);
                }
                return false;
            }
            Statement::Kill => return false,
            Statement::Call {
                function,
                arguments,
                result,
            } => {
                let given = arguments.iter().map(|&one| self.value(frame, one));
                let given: Vec<Value> = given.collect();
                let returned = self.call(Some(*function), given);
                if let Some(result) = result {
                    frame.values.insert(*result, returned);
                }
            }
            other => self.memory(frame, other, span),
        }
        true
    }

    /// Walks stores, atomic operations, and collective operations of a workgroup.
    fn memory(&mut self, frame: &mut Frame<'a>, statement: &'a Statement, span: Span) {
        match *statement {
            Statement::Store { pointer, value } => {
                let value = self.value(frame, value);
                match self.value(frame, pointer) {
                    Value::Pointer(Root::Global(buffer), steps) => {
                        self.note(buffer, &steps, None, None, span);
                    }
                    Value::Pointer(root @ Root::Local(..), steps) => {
                        self.assign(root, &steps, value);
                    }
                    _ => self.note_anywhere(span),
                }
            }
            Statement::Atomic {
                pointer,
                fun,
                value,
                result,
            } => {
                let operand = self.value(frame, value).scalar(&mut self.terms);
                let returned = self.terms.fresh(Sign::Any);
                let at = self.value(frame, pointer);
                match at {
                    Value::Pointer(Root::Global(buffer), steps) => {
                        let kind = kind(fun).map(|kind| (kind, operand));
                        self.note(buffer, &steps, kind, Some(returned), span);
                    }
                    _ => self.note_anywhere(span),
                }
                if let Some(result) = result {
                    let value = Value::Scalar(Scalar::of(returned, Sign::Any));
                    frame.values.insert(result, value);
                }
            }
            Statement::WorkGroupUniformLoad { result, .. }
            | Statement::SubgroupBallot { result, .. }
            | Statement::SubgroupGather { result, .. }
            | Statement::SubgroupCollectiveOperation { result, .. } => {
                let value = Scalar::of(self.terms.fresh(Sign::Any), Sign::Any);
                frame.values.insert(result, Value::Scalar(value));
            }
            Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => {}
            // Other statements do not occur in compute kernels, or their effect is unknown.
            _ => self.note_anywhere(span),
        }
    }

    fn note(
        &mut self,
        buffer: Handle<GlobalVariable>,
        steps: &[Scalar],
        lowers: Option<(Kind, Scalar)>,
        result: Option<TermId>,
        span: Span,
    ) {
        let path: Vec<TermId> = steps.iter().map(|step| step.term).collect();
        let lowers = lowers.map(|(kind, value)| {
            let steps = path.clone();
            (kind, Word { buffer, steps }, value)
        });
        if let Some((_, word, value)) = &lowers {
            self.done.push((word.clone(), value.term));
        }
        let result = result.unwrap_or_else(|| self.terms.fresh(Sign::Any));
        self.events.push(Event {
            buffer,
            lowers,
            steps: path,
            result,
            has_fixed_index: steps.iter().all(Scalar::is_fixed),
            guards: self.guards.clone(),
            guard_spans: self.guard_spans.clone(),
            skips: self.skips.clone(),
            span,
        });
    }

    /// Records that any buffer may be written.
    pub(super) fn note_anywhere(&mut self, span: Span) {
        let all = self.program.module.global_variables.iter();
        for (buffer, _) in all.collect::<Vec<_>>() {
            self.note(buffer, &[], None, None, span);
        }
    }

    /// Returns the condition under which a statement of a call is reached.
    fn since(&mut self, frame: &Frame<'_>) -> Scalar {
        let mut all = Scalar::truth(&mut self.terms, true);
        for &guard in &self.guards[frame.depth..] {
            all = self.terms.and(all, guard);
        }
        let left = self.skips[frame.skips..].iter();
        let left = left.filter(|skip| !matches!(skip.leaves, Leaves::Call(_)) && is_open(skip));
        let signs = left.map(|skip| sign_of(skip).flip());
        let sign = signs.fold(all.sign, Sign::join);
        match frame.scopes.is_empty() {
            true => all,
            // In a loop, it is the condition of an unknown iteration.
            false => Scalar::of(self.terms.fresh(sign), sign),
        }
    }

    /// Leaves a loop, an iteration or a call.
    pub(super) fn leave(&mut self, leaves: Leaves, frame: &Frame<'_>, span: Span) {
        self.leaving.push((leaves, self.locals.clone()));
        let conditions = self.guards[frame.depth..].to_vec();
        self.skips.push(Skip {
            leaves,
            conditions,
            done: self.done.clone(),
            span,
        });
    }

    fn branch(
        &mut self,
        frame: &mut Frame<'a>,
        condition: Expr,
        [accept, reject]: [&'a Block; 2],
        span: Span,
    ) -> bool {
        let condition = self.value(frame, condition).scalar(&mut self.terms);
        match self.terms.truth_of(condition) {
            Some(true) => return self.block(frame, accept),
            Some(false) => return self.block(frame, reject),
            None => {}
        }
        let before = self.locals.clone();
        let opposite = self.terms.not(condition);
        let accepts = self.guarded(frame, condition, accept, span);
        let accepted = std::mem::replace(&mut self.locals, before);
        let rejects = self.guarded(frame, opposite, reject, span);
        match (accepts, rejects) {
            (true, true) => {
                for (root, value) in accepted {
                    if let Some(other) = self.locals.get(&root).cloned() {
                        let merged = self.select(condition, value, other);
                        self.locals.insert(root, merged);
                    }
                }
            }
            (true, false) => self.locals = accepted,
            (false, true) => {}
            (false, false) => return false,
        }
        true
    }

    fn guarded(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Scalar,
        block: &'a Block,
        span: Span,
    ) -> bool {
        self.guards.push(guard);
        self.guard_spans.push(span);
        let goes_on = self.block(frame, block);
        self.guards.pop();
        self.guard_spans.pop();
        goes_on
    }

    fn switch(
        &mut self,
        frame: &mut Frame<'a>,
        selector: Expr,
        cases: &'a [SwitchCase],
        span: Span,
    ) -> bool {
        let selector = self.value(frame, selector).scalar(&mut self.terms);
        let scope = self.number();
        frame.scopes.push((scope, false));
        let skips = self.skips.len();
        let before = self.locals.clone();
        let mut ends: Vec<Locals> = Vec::new();
        let chosen = chosen(cases, self.terms.number(selector.term));
        // The condition that selects a case has the sign of the selector, or any sign.
        let sign = if selector.is_fixed() {
            Sign::Fixed
        } else {
            Sign::Any
        };
        for (at, case) in cases.iter().enumerate() {
            if chosen.is_some_and(|chosen| at != chosen) {
                continue;
            }
            self.locals.clone_from(&before);
            let goes_on = match chosen {
                Some(_) => self.block(frame, &case.body),
                None => {
                    let guard = Scalar::of(self.terms.fresh(sign), sign);
                    self.guarded(frame, guard, &case.body, span)
                }
            };
            if goes_on {
                ends.push(self.locals.clone());
            }
        }
        frame.scopes.pop();
        let left = Leaves::Scope(scope);
        ends.extend(self.left(|leaves| leaves == left));
        let is_tainted = sign == Sign::Any || self.skips[skips..].iter().any(is_open);
        self.drop_skips(skips, |leaves| leaves == left);
        self.merge(ends, is_tainted)
    }
}

/// Returns the case that a number selects, if it is known.
fn chosen(cases: &[SwitchCase], number: Option<u32>) -> Option<usize> {
    let number = number?;
    let is_it = |case: &SwitchCase| match case.value {
        naga::SwitchValue::U32(value) => value == number,
        naga::SwitchValue::I32(value) => value as u32 == number,
        naga::SwitchValue::Default => false,
    };
    let is_default = |case: &SwitchCase| case.value == naga::SwitchValue::Default;
    let mut at = cases.iter().position(is_it);
    at = at.or_else(|| cases.iter().position(is_default));
    // Consecutive cases that share a body fall through to it.
    let mut at = at?;
    while cases[at].fall_through && cases[at].body.is_empty() && at + 1 < cases.len() {
        at += 1;
    }
    (!cases[at].fall_through).then_some(at)
}

fn kind(fun: AtomicFunction) -> Option<Kind> {
    match fun {
        AtomicFunction::Min => Some(Kind::Min),
        AtomicFunction::Max => Some(Kind::Max),
        AtomicFunction::And => Some(Kind::And),
        AtomicFunction::InclusiveOr => Some(Kind::Or),
        _ => None,
    }
}
