//! Transient variables, which are not part of states. In a state, they have the values that its
//! locations assign, or otherwise their initial values. On an edge, they have their initial values
//! until a value is assigned.

use super::build::{leaf, select};
use super::instances::Instance;
use super::resolve::{Budget, Scope};
use crate::error::{Checked, ErrorKind, Fault};
use crate::model::{Parts, Range, Variable};
use prism_language::ast::{Expr, NodeKind, Span};
use std::collections::HashMap;

/// A transient variable.
pub(super) struct Transient {
    /// Its name in resolved expressions.
    pub(super) key: String,
    pub(super) span: Span,
    pub(super) is_bool: bool,
    initial: Expr,
    pub(super) in_state: Expr,
}

/// All transient variables: first those of the model, then those of the elements of the system.
pub(super) struct Transients {
    all: Vec<Transient>,
    numbers: HashMap<String, usize>,
}

impl Transients {
    pub(super) fn new(
        parts: &Parts,
        global: &Scope<'_>,
        instances: &[Instance<'_>],
        budget: &Budget,
    ) -> Checked<Self> {
        let mut declared: Vec<(&Variable, &Scope<'_>)> = Vec::new();
        declared.extend(parts.variables.iter().map(|variable| (variable, global)));
        for instance in instances {
            let own = instance.automaton.variables.iter();
            declared.extend(own.map(|variable| (variable, &instance.scope)));
        }
        declared.retain(|(variable, _)| variable.is_transient);
        let mut transients = Self {
            all: Vec::with_capacity(declared.len()),
            numbers: HashMap::new(),
        };
        for &(variable, scope) in &declared {
            let key = scope.key(&variable.name)?;
            transients.numbers.insert(key, transients.numbers.len());
        }
        let values = transients.values(instances, budget)?;
        for ((variable, scope), cases) in declared.into_iter().zip(values) {
            let span = variable.name.span;
            let initial = match &variable.initial {
                Some(initial) => transients.resolved(initial, scope, budget)?,
                None => leaf(default(&variable.range), span),
            };
            transients.all.push(Transient {
                key: scope.key(&variable.name)?,
                span,
                is_bool: matches!(variable.range, Range::Bool),
                in_state: select(&cases, &initial, span),
                initial,
            });
        }
        Ok(transients)
    }

    /// Returns, for each transient variable, the locations that assign to it, as conditions, and
    /// the values there.
    fn values(
        &self,
        instances: &[Instance<'_>],
        budget: &Budget,
    ) -> Checked<Vec<Vec<(Expr, Expr)>>> {
        let mut values = vec![Vec::new(); self.numbers.len()];
        for instance in instances {
            for (index, location) in instance.automaton.locations.iter().enumerate() {
                for (name, value) in &location.values {
                    let key = instance.scope.key(name)?;
                    let Some(&number) = self.numbers.get(&key) else {
                        let kind = ErrorKind::UnknownName {
                            what: "transient variable",
                            name: name.value.clone(),
                        };
                        return Err(Fault::new(name.span, kind));
                    };
                    let holds = leaf(NodeKind::Bool(true), name.span);
                    let at = instance.is_at(index, name.span).unwrap_or(holds);
                    let value = self.resolved(value, &instance.scope, budget)?;
                    values[number].push((at, value));
                }
            }
        }
        Ok(values)
    }

    /// Resolves a value, which may not use transient variables.
    fn resolved(
        &self,
        value: &crate::expr::Expr,
        scope: &Scope<'_>,
        budget: &Budget,
    ) -> Checked<Expr> {
        let resolved = scope.resolve(value, budget)?;
        match self.find(&resolved) {
            None => Ok(resolved),
            Some((name, span)) => {
                let name = name.to_owned();
                let what = "the value of a transient variable";
                Err(Fault::new(span, ErrorKind::NotHere { what, name }))
            }
        }
    }

    /// Returns the first transient variable in an expression.
    pub(super) fn find<'e>(&self, expr: &'e Expr) -> Option<(&'e str, Span)> {
        expr.names()
            .find(|(name, _)| self.numbers.contains_key(*name))
    }

    pub(super) fn all(&self) -> &[Transient] {
        &self.all
    }

    fn get(&self, key: &str) -> Option<&Transient> {
        self.numbers.get(key).map(|&number| &self.all[number])
    }

    /// Returns the value of a transient variable in a state; `None` for other variables.
    pub(super) fn in_state(&self, key: &str) -> Option<&Expr> {
        self.get(key).map(|transient| &transient.in_state)
    }

    /// Returns the value of a transient variable before an edge assigns to it; `None` for other
    /// variables.
    pub(super) fn initial(&self, key: &str) -> Option<&Expr> {
        self.get(key).map(|transient| &transient.initial)
    }

    pub(super) fn is_bool(&self, key: &str) -> bool {
        self.get(key).is_some_and(|transient| transient.is_bool)
    }
}

fn default(range: &Range) -> NodeKind {
    match range {
        Range::Bool => NodeKind::Bool(false),
        Range::Real => NodeKind::Double(0.0),
        Range::Int { .. } | Range::Unbounded => NodeKind::Int(0),
    }
}
