//! The automata of the system, each with its own names.

use super::build::{binary, leaf, name};
use super::resolve::{Budget, Scope};
use super::taken::Taken;
use crate::error::Checked;
use crate::expr::{Expr, Kind, Node};
use crate::model::{Automaton, Destination, Edge, Element, Parts};
use prism_language::ast::{
    self, BinaryOp, Ident, NodeKind, Span, TypeKeyword, UnaryOp, VariableRange,
};
use std::borrow::Cow;
use std::collections::HashMap;

/// An automaton in the system.
pub(super) struct Instance<'m> {
    pub(super) automaton: &'m Automaton,
    pub(super) name: String,
    pub(super) scope: Scope<'m>,
    /// The name of the variable for its location, if it has more than one location.
    location: Option<String>,
    pub(super) edges: Vec<Cow<'m, Edge>>,
}

impl Instance<'_> {
    /// Returns the condition that the automaton is in a location; `None` if it has no other
    /// location.
    pub(super) fn is_at(&self, location: usize, span: Span) -> Option<ast::Expr> {
        let variable = name(self.location.as_ref()?, span);
        let number = leaf(NodeKind::Int(location as i64), span);
        Some(binary(&variable, BinaryOp::Equal, &number, span))
    }

    /// Returns the assignment that moves the automaton to a location; `None` if it has no other
    /// location.
    pub(super) fn going_to(&self, location: usize, span: Span) -> Option<ast::Assignment> {
        let value = self.location.clone()?;
        Some(ast::Assignment {
            variable: Ident { value, span },
            value: leaf(NodeKind::Int(location as i64), span),
        })
    }

    /// Returns the variable for its location, if there is one.
    pub(super) fn location_variable(&self, with_initial: bool) -> Option<ast::Variable> {
        let span = self.automaton.name.span;
        let number = |number: usize| leaf(NodeKind::Int(number as i64), span);
        Some(ast::Variable {
            name: Ident {
                value: self.location.clone()?,
                span,
            },
            range: VariableRange::Int {
                low: number(0),
                high: number(self.automaton.locations.len() - 1),
            },
            init: with_initial.then(|| number(self.automaton.initial[0])),
        })
    }
}

/// Returns the elements of the system. If a name is used for several variables, the names of its
/// elements are prefixed to it.
pub(super) fn instances<'m>(
    parts: &'m Parts,
    global: &'m Scope<'m>,
    taken: &mut Taken,
    budget: &Budget,
) -> Checked<Vec<Instance<'m>>> {
    let elements = &parts.system.elements;
    let automaton = |element: &Element| &parts.automata[element.automaton];
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for element in elements {
        for variable in &automaton(element).variables {
            *counts.entry(&variable.name.value).or_default() += 1;
        }
    }
    let mut names = Taken::default();
    let mut instances = Vec::with_capacity(elements.len());
    for element in elements {
        let automaton = automaton(element);
        let instance_name = names.free(automaton.name.value.clone());
        let key = |variable: &str| match counts.get(variable) {
            Some(1) if !taken.contains(variable) => taken.free(variable.to_owned()),
            _ => taken.free(format!("{instance_name}_{variable}")),
        };
        let (variables, functions) = (&automaton.variables, &automaton.functions);
        let scope = Scope::within(global, variables, functions, key, budget)?;
        let has_locations = automaton.locations.len() > 1;
        let mut edges: Vec<Cow<'_, Edge>> = automaton.edges.iter().map(Cow::Borrowed).collect();
        edges.extend(inputs(parts, element, budget)?.into_iter().map(Cow::Owned));
        instances.push(Instance {
            automaton,
            location: has_locations.then(|| taken.free(format!("{instance_name}_location"))),
            name: instance_name,
            scope,
            edges,
        });
    }
    Ok(instances)
}

/// Edges without effect, for actions that an element always offers. In a Markov automaton, edges
/// with rates do not offer actions.
fn inputs(parts: &Parts, element: &Element, budget: &Budget) -> Checked<Vec<Edge>> {
    let automaton = &parts.automata[element.automaton];
    let is_timed = |edge: &Edge| edge.rate.is_some() && parts.model_type == TypeKeyword::Ma;
    let mut added = Vec::new();
    for action in &element.inputs {
        let mut guards: Vec<Option<Vec<&Expr>>> = vec![Some(Vec::new()); automaton.locations.len()];
        let offers = |edge: &&Edge| edge.action.as_ref() == Some(action) && !is_timed(edge);
        for edge in automaton.edges.iter().filter(offers) {
            let known = &mut guards[edge.location];
            match (&edge.guard, known) {
                (Some(guard), Some(known)) => known.push(guard),
                (None, known) => *known = None,
                (Some(_), None) => {}
            }
        }
        for (location, guards) in guards.into_iter().enumerate() {
            let Some(guards) = guards else { continue };
            let nodes: usize = guards.iter().map(|guard| guard.nodes.len() + 1).sum();
            budget.take(nodes + 1, action.span)?;
            added.push(Edge {
                location,
                action: Some(action.clone()),
                rate: None,
                guard: none_of(&guards, action.span),
                assignments: Vec::new(),
                destinations: vec![Destination {
                    location,
                    probability: None,
                    assignments: Vec::new(),
                }],
                span: action.span,
            });
        }
    }
    Ok(added)
}

/// Returns the condition that no guard holds; `None` if there are no guards.
fn none_of(guards: &[&Expr], span: Span) -> Option<Expr> {
    let (first, rest) = guards.split_first()?;
    let mut nodes = first.nodes.clone();
    let push = |nodes: &mut Vec<Node>, kind: NodeKind| {
        let kind = Kind::Prism(kind);
        nodes.push(Node { kind, span });
    };
    for guard in rest {
        nodes.extend_from_slice(&guard.nodes);
        push(&mut nodes, NodeKind::Binary(BinaryOp::Or));
    }
    push(&mut nodes, NodeKind::Unary(UnaryOp::Not));
    Some(Expr { nodes })
}
