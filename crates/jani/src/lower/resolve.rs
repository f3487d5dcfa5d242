//! Resolves names. A resolved expression uses the names that variables have in the program, and
//! calls no function of the model.

use super::taken::Taken;
use crate::error::{Checked, ErrorKind, Fault};
use crate::expr::{Expr, Kind};
use crate::model::{Function, Parts, Variable};
use prism_language::ast::Function as BuiltIn;
use prism_language::ast::{self, BinaryOp, Ident, NodeKind, Span, UnaryOp};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

/// The number of nodes that all expressions together may have after substitution. It is limited
/// because functions that call others twice can double the text with each definition.
#[derive(Debug)]
pub(crate) struct Budget {
    left: Cell<usize>,
    whole: usize,
}

impl Budget {
    pub(crate) fn for_text(bytes: usize) -> Self {
        let whole = (1 << 20) + 16 * bytes;
        Self {
            left: Cell::new(whole),
            whole,
        }
    }

    /// Takes this many nodes from the budget, for an expression at `span`.
    pub(crate) fn take(&self, nodes: usize, span: Span) -> Checked<()> {
        match self.left.get().checked_sub(nodes) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => {
                let what = "operands once functions and assignments are written in";
                let limit = self.whole;
                Err(Fault::new(span, ErrorKind::TooMany { what, limit }))
            }
        }
    }
}

/// A function whose body is resolved. The names of its parameters are used for nothing else.
#[derive(Debug)]
struct Body {
    parameters: usize,
    value: ast::Expr,
}

/// The names that expressions of the model, or of an automaton, can use.
#[derive(Debug, Default)]
pub(crate) struct Scope<'m> {
    /// Names in the program, by names in the model.
    keys: HashMap<&'m str, String>,
    functions: HashMap<&'m str, Body>,
    outer: Option<&'m Scope<'m>>,
}

/// Returns the scope of the model.
pub(crate) fn global<'m>(
    parts: &'m Parts,
    taken: &mut Taken,
    budget: &Budget,
) -> Checked<Scope<'m>> {
    let mut scope = Scope::default();
    let constants = parts.constants.iter().map(|constant| &constant.name);
    for name in constants.chain(parts.variables.iter().map(|variable| &variable.name)) {
        scope.add(name, name.value.clone())?;
        let _ = taken.free(name.value.clone());
    }
    scope.add_functions(&parts.functions, budget)?;
    Ok(scope)
}

/// Returns the name of a parameter in a body.
fn parameter(index: usize) -> String {
    format!("\0{index}")
}

impl<'m> Scope<'m> {
    /// Returns the scope of an automaton. `key` returns the name of a variable in the program.
    pub(crate) fn within(
        outer: &'m Scope<'m>,
        variables: &'m [Variable],
        functions: &'m [Function],
        mut key: impl FnMut(&str) -> String,
        budget: &Budget,
    ) -> Checked<Self> {
        let mut scope = Self {
            outer: Some(outer),
            ..Self::default()
        };
        for variable in variables {
            scope.add(&variable.name, key(&variable.name.value))?;
        }
        scope.add_functions(functions, budget)?;
        Ok(scope)
    }

    fn add(&mut self, name: &'m Ident, key: String) -> Checked<()> {
        match self.keys.insert(&name.value, key) {
            None => Ok(()),
            Some(_) => Err(duplicate("variable or constant", name)),
        }
    }

    /// Adds functions, each after those that it calls.
    fn add_functions(&mut self, functions: &'m [Function], budget: &Budget) -> Checked<()> {
        let mut numbers = HashMap::new();
        for (number, function) in functions.iter().enumerate() {
            if numbers
                .insert(function.name.value.as_str(), number)
                .is_some()
            {
                return Err(duplicate("function", &function.name));
            }
        }
        let called = |function: &Function| -> HashSet<usize> {
            let calls = function.body.calls();
            calls
                .filter_map(|name| numbers.get(name).copied())
                .collect()
        };
        let mut waits_for: Vec<usize> = functions.iter().map(|f| called(f).len()).collect();
        let mut callers = vec![Vec::new(); functions.len()];
        for (caller, function) in functions.iter().enumerate() {
            for callee in called(function) {
                callers[callee].push(caller);
            }
        }
        let is_ready = |&function: &usize| waits_for[function] == 0;
        let mut ready: Vec<usize> = (0..functions.len()).rev().filter(is_ready).collect();
        let mut done = 0;
        while let Some(number) = ready.pop() {
            self.add_function(&functions[number], budget)?;
            done += 1;
            for &caller in &callers[number] {
                waits_for[caller] -= 1;
                if waits_for[caller] == 0 {
                    ready.push(caller);
                }
            }
        }
        if done == functions.len() {
            return Ok(());
        }
        let next = |number: usize| {
            let callees = functions[number]
                .body
                .calls()
                .filter_map(|name| numbers.get(name));
            callees.copied().find(|&callee| waits_for[callee] > 0)
        };
        Err(recursive(functions, &waits_for, next))
    }

    fn add_function(&mut self, function: &'m Function, budget: &Budget) -> Checked<()> {
        let mut inner = Scope {
            outer: Some(self),
            ..Scope::default()
        };
        for (index, name) in function.parameters.iter().enumerate() {
            if inner.keys.insert(&name.value, parameter(index)).is_some() {
                return Err(duplicate("parameter", name));
            }
        }
        let body = Body {
            parameters: function.parameters.len(),
            value: inner.resolve(&function.body, budget)?,
        };
        self.functions.insert(&function.name.value, body);
        Ok(())
    }

    fn scopes(&self) -> impl Iterator<Item = &Scope<'m>> {
        // Outer scopes live as long as the model.
        std::iter::successors(Some(self), |scope| scope.outer)
    }

    /// Returns the name of a variable in the program.
    pub(crate) fn key(&self, name: &Ident) -> Checked<String> {
        self.find(&name.value, name.span).cloned()
    }

    fn find(&self, name: &str, span: Span) -> Checked<&String> {
        let found = self.scopes().find_map(|scope| scope.keys.get(name));
        found.ok_or_else(|| {
            let known = self.scopes().flat_map(|scope| scope.keys.keys().copied());
            unknown("variable or constant", name, span, known)
        })
    }

    fn function(&self, name: &str, span: Span) -> Checked<&Body> {
        let found = self.scopes().find_map(|scope| scope.functions.get(name));
        found.ok_or_else(|| {
            let known = self
                .scopes()
                .flat_map(|scope| scope.functions.keys().copied());
            unknown("function", name, span, known)
        })
    }

    /// Resolves an expression.
    pub(crate) fn resolve(&self, expr: &Expr, budget: &Budget) -> Checked<ast::Expr> {
        let mut whole = ast::Expr::building();
        for node in &expr.nodes {
            let span = node.span;
            budget.take(1, span)?;
            match &node.kind {
                Kind::Prism(NodeKind::Name(name)) => {
                    let key = self.find(name, span)?.clone();
                    whole.push(NodeKind::Name(key), span);
                }
                Kind::Prism(kind) => whole.push(kind.clone(), span),
                Kind::Abs => {
                    // max(x, -x)
                    let operand = again(&mut whole, 1, span, budget)?;
                    whole.append(&operand);
                    whole.push(NodeKind::Unary(UnaryOp::Minus), span);
                    whole.push(NodeKind::Call(BuiltIn::Max, 2), span);
                }
                Kind::Sign => sign(&mut whole, span, budget)?,
                Kind::Truncate => {
                    // x>=0 ? floor(x) : ceil(x)
                    let operand = again(&mut whole, 2, span, budget)?;
                    whole.push(NodeKind::Int(0), span);
                    whole.push(NodeKind::Binary(BinaryOp::GreaterEqual), span);
                    whole.append(&operand);
                    whole.push(NodeKind::Call(BuiltIn::Floor, 1), span);
                    whole.append(&operand);
                    whole.push(NodeKind::Call(BuiltIn::Ceil, 1), span);
                    whole.push(NodeKind::IfThenElse, span);
                }
                Kind::Call(name, count) => {
                    let body = self.function(name, span)?;
                    if body.parameters != *count as usize {
                        let kind = ErrorKind::Arity {
                            name: name.clone(),
                            wanted: body.parameters,
                            found: *count as usize,
                        };
                        return Err(Fault::new(span, kind));
                    }
                    write_in(body, &mut whole, span, budget)?;
                }
            }
        }
        Ok(whole)
    }
}

/// Returns a copy of the last operand, after checking the budget for this many copies.
fn again(whole: &mut ast::Expr, copies: usize, span: Span, budget: &Budget) -> Checked<ast::Expr> {
    let operand = whole.last_operand();
    budget.take(copies * operand.nodes().len(), span)?;
    Ok(operand)
}

/// `x>0 ? 1 : (x<0 ? -1 : 0)`
fn sign(whole: &mut ast::Expr, span: Span, budget: &Budget) -> Checked<()> {
    let operand = again(whole, 1, span, budget)?;
    whole.push(NodeKind::Int(0), span);
    whole.push(NodeKind::Binary(BinaryOp::Greater), span);
    whole.push(NodeKind::Int(1), span);
    whole.append(&operand);
    whole.push(NodeKind::Int(0), span);
    whole.push(NodeKind::Binary(BinaryOp::Less), span);
    whole.push(NodeKind::Int(-1), span);
    whole.push(NodeKind::Int(0), span);
    whole.push(NodeKind::IfThenElse, span);
    whole.push(NodeKind::IfThenElse, span);
    Ok(())
}

/// Replaces the arguments of a function, which are the last operands, by its body.
fn write_in(body: &Body, whole: &mut ast::Expr, span: Span, budget: &Budget) -> Checked<()> {
    let mut arguments: Vec<ast::Expr> = Vec::with_capacity(body.parameters);
    for _ in 0..body.parameters {
        arguments.push(whole.take_last_operand());
    }
    arguments.reverse();
    for node in body.value.nodes() {
        let argument = match &node.kind {
            NodeKind::Name(name) => name.strip_prefix('\0'),
            _ => None,
        };
        let argument = argument.and_then(|index| arguments.get(index.parse::<usize>().ok()?));
        match argument {
            Some(argument) => {
                budget.take(argument.nodes().len(), span)?;
                whole.append(argument);
            }
            None => {
                budget.take(1, span)?;
                whole.push(node.kind.clone(), node.span);
            }
        }
    }
    Ok(())
}

fn duplicate(what: &'static str, name: &Ident) -> Box<Fault> {
    let kind = ErrorKind::DuplicateName {
        what,
        name: name.value.clone(),
    };
    Fault::new(name.span, kind)
}

fn unknown<'n>(
    what: &'static str,
    name: &str,
    span: Span,
    known: impl IntoIterator<Item = &'n str>,
) -> Box<Fault> {
    let kind = ErrorKind::UnknownName {
        what,
        name: name.to_owned(),
    };
    Fault::new(span, kind).suggest(name, known)
}

/// Returns the error for functions that call each other. `waits_for` is the number of functions
/// that each function waits for, and `next` is one of them.
fn recursive(
    functions: &[Function],
    waits_for: &[usize],
    next: impl Fn(usize) -> Option<usize>,
) -> Box<Fault> {
    let mut at = waits_for.iter().position(|&waits| waits > 0).unwrap_or(0);
    let mut path = Vec::new();
    let mut places = HashMap::new();
    while !places.contains_key(&at) {
        places.insert(at, path.len());
        path.push(at);
        at = next(at).unwrap_or(at);
    }
    let ring = path[places[&at]..].iter().chain([&at]);
    let path = ring
        .map(|&number| functions[number].name.value.clone())
        .collect();
    Fault::new(functions[at].name.span, ErrorKind::Recursive { path })
}
