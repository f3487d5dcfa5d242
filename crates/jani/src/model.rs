//! A model in the structure of JANI. Names of variables are not resolved yet; locations and
//! automata are indices.

use crate::expr::Expr;
use prism_language::ast::{Ident, Span, Type, TypeKeyword};

/// A model.
#[derive(Debug, Clone)]
pub(crate) struct Parts {
    pub(crate) model_type: TypeKeyword,
    pub(crate) constants: Vec<Constant>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) functions: Vec<Function>,
    pub(crate) restrict: Option<Expr>,
    pub(crate) automata: Vec<Automaton>,
    pub(crate) system: System,
    pub(crate) propositions: Vec<Proposition>,
}

/// A constant. If it has no value, the caller must give one.
#[derive(Debug, Clone)]
pub(crate) struct Constant {
    pub(crate) name: Ident,
    pub(crate) of: Type,
    pub(crate) value: Option<Expr>,
}

/// A variable, of the model or of an automaton.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) name: Ident,
    pub(crate) range: Range,
    pub(crate) is_transient: bool,
    pub(crate) initial: Option<Expr>,
}

/// The type of a variable.
#[derive(Debug, Clone)]
pub(crate) enum Range {
    Bool,
    Int {
        low: Expr,
        high: Expr,
    },
    Unbounded,
    /// Real numbers, for transient variables only.
    Real,
}

/// A function, which is substituted where it is called.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    pub(crate) name: Ident,
    pub(crate) parameters: Vec<Ident>,
    pub(crate) is_bool: bool,
    pub(crate) body: Expr,
}

/// An automaton.
#[derive(Debug, Clone)]
pub(crate) struct Automaton {
    pub(crate) name: Ident,
    pub(crate) variables: Vec<Variable>,
    pub(crate) functions: Vec<Function>,
    pub(crate) locations: Vec<Location>,
    pub(crate) initial: Vec<usize>,
    pub(crate) restrict: Option<Expr>,
    pub(crate) edges: Vec<Edge>,
}

/// A location, with the values of transient variables in it.
#[derive(Debug, Clone)]
pub(crate) struct Location {
    pub(crate) values: Vec<(Ident, Expr)>,
}

/// An edge.
#[derive(Debug, Clone)]
pub(crate) struct Edge {
    pub(crate) location: usize,
    pub(crate) action: Option<Ident>,
    pub(crate) rate: Option<Expr>,
    pub(crate) guard: Option<Expr>,
    /// The assignments that do not depend on the destination.
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) destinations: Vec<Destination>,
    pub(crate) span: Span,
}

/// A destination of an edge: a location, a probability, and assignments.
#[derive(Debug, Clone)]
pub(crate) struct Destination {
    pub(crate) location: usize,
    pub(crate) probability: Option<Expr>,
    pub(crate) assignments: Vec<Assignment>,
}

/// An assignment. Those with the same index happen at the same time, and those with smaller indices
/// come first.
#[derive(Debug, Clone)]
pub(crate) struct Assignment {
    pub(crate) variable: Ident,
    pub(crate) value: Expr,
    pub(crate) index: i64,
}

/// The composition of the automata.
#[derive(Debug, Clone)]
pub(crate) struct System {
    pub(crate) elements: Vec<Element>,
    /// The synchronisation vectors; `None` if there is only one automaton, which needs none.
    pub(crate) vectors: Option<Vec<Vector>>,
}

/// An automaton in the system, which may occur more than once.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub(crate) automaton: usize,
    /// The actions that it always offers. In states where no edge has them, they have no effect.
    pub(crate) inputs: Vec<Ident>,
}

/// A step that several elements take together.
#[derive(Debug, Clone)]
pub(crate) struct Vector {
    /// The action of each element, or `None` if the element does not take part.
    pub(crate) actions: Vec<Option<Ident>>,
    pub(crate) result: Option<Ident>,
    pub(crate) span: Span,
}

/// A condition on states that is part of a property.
#[derive(Debug, Clone)]
pub(crate) struct Proposition {
    pub(crate) name: Ident,
    pub(crate) value: Expr,
}
