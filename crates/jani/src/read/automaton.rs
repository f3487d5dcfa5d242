//! Automata: locations and edges.

use super::declarations;
use super::names::Names;
use super::restriction::restriction;
use crate::error::{Checked, ErrorKind, Fault};
use crate::expr::Expr;
use crate::json::{Object, Value};
use crate::model::{Assignment, Automaton, Destination, Edge, Location};
use prism_language::ast::{Ident, TypeKeyword};

const MEMBERS: &[&str] = &[
    "name",
    "variables",
    "functions",
    "locations",
    "initial-locations",
    "restrict-initial",
    "edges",
];

/// The names that edges use.
struct Context<'c> {
    model_type: TypeKeyword,
    actions: &'c Names<'c>,
    locations: &'c Names<'c>,
}

/// Reads an automaton.
pub(super) fn read(
    value: Value<'_>,
    model_type: TypeKeyword,
    actions: &Names<'_>,
) -> Checked<Automaton> {
    let object = value.object("an automaton", MEMBERS)?;
    let locations = object.need("locations")?.list("a list of locations")?;
    let locations: Checked<Vec<_>> = locations.map(|value| location(value, model_type)).collect();
    let (names, locations): (Vec<Ident>, Vec<Location>) = locations?.into_iter().unzip();
    let names = Names::new("location", &names)?;
    let place = object.need("initial-locations")?;
    let initial = place.list("a list of locations")?;
    let initial = initial.map(|name| names.find(&name.ident("the name of a location")?));
    let mut initial = initial.collect::<Checked<Vec<usize>>>()?;
    initial.sort_unstable();
    initial.dedup();
    if initial.is_empty() {
        return Err(place.unexpected("a location"));
    }
    let context = Context {
        model_type,
        actions,
        locations: &names,
    };
    let edges = object.need("edges")?.list("a list of edges")?;
    Ok(Automaton {
        name: object.need("name")?.ident("the name of an automaton")?,
        variables: declarations::variables(&object)?,
        functions: declarations::functions(&object)?,
        locations,
        initial,
        restrict: restriction(&object)?,
        edges: edges
            .map(|value| edge(value, &context))
            .collect::<Checked<_>>()?,
    })
}

fn location(value: Value<'_>, model_type: TypeKeyword) -> Checked<(Ident, Location)> {
    let object = value.object("a location", &["name", "time-progress", "transient-values"])?;
    let invariant = object.get("time-progress");
    let invariant = invariant.map(|value| Expr::read_member(value, "a condition on time"));
    let invariant = invariant.transpose()?.filter(|expr| !expr.is_bool(true));
    if let Some(invariant) = invariant {
        return Err(wrong_type(invariant.span(), "`time-progress`", model_type));
    }
    let mut values = Vec::new();
    for value in object.list("transient-values", "a list of values")? {
        let object = value.object("a transient value", &["ref", "value"])?;
        let name = object
            .need("ref")?
            .ident("the name of a transient variable")?;
        values.push((name, Expr::read(object.need("value")?)?));
    }
    let name = object.need("name")?.ident("the name of a location")?;
    Ok((name, Location { values }))
}

fn wrong_type(
    span: prism_language::ast::Span,
    what: &'static str,
    model_type: TypeKeyword,
) -> Box<Fault> {
    let model_type = match model_type {
        TypeKeyword::Dtmc => "dtmc",
        TypeKeyword::Ctmc => "ctmc",
        TypeKeyword::Ma => "ma",
        _ => "mdp",
    };
    Fault::new(span, ErrorKind::WrongType { what, model_type })
}

fn edge(value: Value<'_>, context: &Context<'_>) -> Checked<Edge> {
    const MEMBERS: &[&str] = &[
        "location",
        "action",
        "rate",
        "guard",
        "assignments",
        "destinations",
    ];
    let object = value.object("an edge", MEMBERS)?;
    let member = |name, what| {
        let value = object.get(name);
        value
            .map(|value| Expr::read_member(value, what))
            .transpose()
    };
    let rate = member("rate", "a rate")?;
    let is_timed = matches!(context.model_type, TypeKeyword::Ctmc | TypeKeyword::Ma);
    if let (Some(rate), false) = (&rate, is_timed) {
        return Err(wrong_type(rate.span(), "a rate", context.model_type));
    }
    let action = object
        .get("action")
        .map(|value| value.ident("the name of an action"));
    let action = action.transpose()?;
    if let Some(action) = &action {
        context.actions.find(action)?;
    }
    if context.model_type == TypeKeyword::Ctmc && rate.is_none() && action.is_none() {
        object.need("rate")?;
    }
    let list = object.need("destinations")?;
    let destinations = list.list("a list of destinations")?;
    let destinations = destinations.map(|value| destination(value, context));
    let destinations = destinations.collect::<Checked<Vec<_>>>()?;
    if destinations.is_empty() {
        return Err(list.unexpected("a destination"));
    }
    Ok(Edge {
        location: self::place(&object, context)?,
        guard: member("guard", "a guard")?.filter(|guard| !guard.is_bool(true)),
        action,
        rate,
        assignments: assignments(&object)?,
        destinations,
        span: object.span(),
    })
}

/// Reads the `location` of an edge or destination.
fn place(object: &Object<'_>, context: &Context<'_>) -> Checked<usize> {
    let name = object.need("location")?.ident("the name of a location")?;
    context.locations.find(&name)
}

fn destination(value: Value<'_>, context: &Context<'_>) -> Checked<Destination> {
    let object = value.object("a destination", &["location", "probability", "assignments"])?;
    let probability = object.get("probability");
    let probability = probability.map(|value| Expr::read_member(value, "a probability"));
    Ok(Destination {
        location: place(&object, context)?,
        probability: probability.transpose()?,
        assignments: assignments(&object)?,
    })
}

/// Reads the `assignments` of an edge or destination.
fn assignments(object: &Object<'_>) -> Checked<Vec<Assignment>> {
    let assignments = object.list("assignments", "a list of assignments")?;
    assignments.into_iter().map(assignment).collect()
}

fn assignment(value: Value<'_>) -> Checked<Assignment> {
    let object = value.object("an assignment", &["ref", "value", "index"])?;
    let target = object.need("ref")?;
    if target.member("op").is_some() {
        return Err(crate::error::unsupported(target.span(), "arrays"));
    }
    let index = object.get("index").map(|value| value.integer("an integer"));
    Ok(Assignment {
        variable: target.ident("the name of a variable")?,
        value: Expr::read(object.need("value")?)?,
        index: index.transpose()?.unwrap_or(0),
    })
}
