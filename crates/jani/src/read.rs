//! Reads a model from JSON: checks the structure, and resolves the names of automata, locations and
//! actions.

mod automaton;
mod declarations;
mod names;
mod properties;
mod restriction;
mod system;

use crate::error::{Checked, unsupported};
use crate::json::{Json, Object, Value};
use crate::model::Parts;
use names::Names;
use prism_language::ast::{Ident, TypeKeyword};
use restriction::restriction;

/// The members that a model may have.
const MEMBERS: &[&str] = &[
    "jani-version",
    "name",
    "metadata",
    "type",
    "features",
    "actions",
    "constants",
    "variables",
    "functions",
    "restrict-initial",
    "properties",
    "automata",
    "system",
];

/// Reads a model.
pub(crate) fn model(json: &Json<'_>) -> Checked<Parts> {
    let root = json.root();
    let object = root.object("a model", MEMBERS)?;
    version(&object)?;
    let model_type = model_type(object.need("type")?)?;
    features(&object)?;
    let actions = actions(&object)?;
    let actions = Names::new("action", &actions)?;
    let automata = object.need("automata")?.list("a list of automata")?;
    let automata: Vec<Value<'_>> = automata.collect();
    let automata: Checked<Vec<_>> = automata
        .into_iter()
        .map(|value| automaton::read(value, model_type, &actions))
        .collect();
    let automata = automata?;
    let names = Names::new(
        "automaton",
        automata.iter().map(|automaton| &automaton.name),
    )?;
    let system = system::read(object.need("system")?, &names, &actions)?;
    Ok(Parts {
        model_type,
        constants: declarations::constants(&object)?,
        variables: declarations::variables(&object)?,
        functions: declarations::functions(&object)?,
        restrict: restriction(&object)?,
        propositions: properties::propositions(&object)?,
        system,
        automata,
    })
}

/// Refuses later versions of the format, if the model has a version.
fn version(object: &Object<'_>) -> Checked<()> {
    let Some(value) = object.get("jani-version") else {
        return Ok(());
    };
    match value.integer("the version of the format, 1")? {
        1 => Ok(()),
        _ => Err(unsupported(value.span(), "versions of JANI other than 1")),
    }
}

fn model_type(value: Value<'_>) -> Checked<TypeKeyword> {
    let name = value.as_str();
    match name.as_deref() {
        Some("dtmc") => Ok(TypeKeyword::Dtmc),
        Some("ctmc") => Ok(TypeKeyword::Ctmc),
        // A labelled transition system is an MDP whose edges have one destination each.
        Some("mdp" | "lts") => Ok(TypeKeyword::Mdp),
        Some("ma") => Ok(TypeKeyword::Ma),
        Some(
            other
            @ ("ta" | "pta" | "ctmdp" | "sta" | "ha" | "pha" | "sha" | "tg" | "smg" | "pomdp"),
        ) => Err(unsupported(value.span(), format!("models of type {other}"))),
        _ => Err(value.unexpected("`dtmc`, `ctmc`, `mdp`, `ma` or `lts`")),
    }
}

/// Refuses extensions of JANI that would change the meaning of a model.
fn features(object: &Object<'_>) -> Checked<()> {
    for feature in object.list("features", "a list of features")? {
        match feature.as_str().as_deref() {
            Some("arrays") => return Err(unsupported(feature.span(), "arrays")),
            Some("datatypes") => return Err(unsupported(feature.span(), "datatypes")),
            Some("hyperbolic-functions" | "trigonometric-functions" | "named-expressions") => {}
            Some(_) => {}
            None => return Err(feature.unexpected("the name of a feature")),
        }
    }
    Ok(())
}

fn actions(object: &Object<'_>) -> Checked<Vec<Ident>> {
    let actions = object.list("actions", "a list of actions")?;
    let name = |value: Value<'_>| {
        let action = value.object("an action", &["name"])?;
        action.need("name")?.ident("the name of an action")
    };
    actions.into_iter().map(name).collect()
}
