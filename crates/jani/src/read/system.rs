//! The composition: its elements, and their synchronisation vectors.

use super::names::Names;
use crate::error::{Checked, ErrorKind, Fault};
use crate::json::{Kind, Value};
use crate::model::{Element, System, Vector};
use prism_language::ast::Ident;

/// Reads `system`.
pub(super) fn read(value: Value<'_>, automata: &Names<'_>, actions: &Names<'_>) -> Checked<System> {
    let object = value.object("a system", &["elements", "syncs"])?;
    let place = object.need("elements")?;
    let elements = place.list("a list of automata")?;
    let elements = elements.map(|value| element(value, automata, actions));
    let elements = elements.collect::<Checked<Vec<_>>>()?;
    if elements.is_empty() {
        return Err(place.unexpected("an automaton"));
    }
    let vectors = match object.get("syncs") {
        None if elements.len() == 1 => None,
        None => Some(Vec::new()),
        Some(syncs) => {
            let syncs = syncs.list("a list of vectors")?;
            let syncs = syncs.map(|value| vector(value, elements.len(), actions));
            Some(syncs.collect::<Checked<_>>()?)
        }
    };
    Ok(System { elements, vectors })
}

fn element(value: Value<'_>, automata: &Names<'_>, actions: &Names<'_>) -> Checked<Element> {
    let object = value.object("an element", &["automaton", "input-enable"])?;
    let name = object
        .need("automaton")?
        .ident("the name of an automaton")?;
    let inputs = object.list("input-enable", "a list of actions")?;
    Ok(Element {
        automaton: automata.find(&name)?,
        inputs: inputs
            .into_iter()
            .map(|value| known(value, actions))
            .collect::<Checked<_>>()?,
    })
}

fn known(value: Value<'_>, actions: &Names<'_>) -> Checked<Ident> {
    let name = value.ident("the name of an action")?;
    actions.find(&name)?;
    Ok(name)
}

fn vector(value: Value<'_>, elements: usize, actions: &Names<'_>) -> Checked<Vector> {
    let object = value.object("a vector", &["synchronise", "result"])?;
    let place = object.need("synchronise")?;
    let list = place.list("a list of actions")?;
    let optional = |value: Value<'_>| match value.kind() {
        Kind::Null => Ok(None),
        _ => known(value, actions).map(Some),
    };
    let listed = list.map(optional).collect::<Checked<Vec<_>>>()?;
    if listed.len() != elements {
        let kind = ErrorKind::VectorLength {
            wanted: elements,
            found: listed.len(),
        };
        return Err(Fault::new(place.span(), kind));
    }
    if listed.iter().all(Option::is_none) {
        return Err(place.unexpected("an action"));
    }
    let result = object
        .get("result")
        .filter(|result| result.kind() != Kind::Null);
    Ok(Vector {
        actions: listed,
        result: result.map(|value| known(value, actions)).transpose()?,
        span: value.span(),
    })
}
