//! From JSON to a model: what stands where, and that names of automata, locations and actions are
//! those of some.

mod automaton;
mod declarations;
mod properties;
mod system;

use crate::error::{Checked, ErrorKind, Fault, unsupported};
use crate::expr::Expr;
use crate::json::{Json, Object, Value};
use crate::model::Parts;
use prism_language::ast::{Ident, Span, TypeKeyword};
use std::collections::HashMap;

/// The members of a model.
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

/// Names, each of one thing, and their numbers.
pub(crate) struct Names<'n> {
    what: &'static str,
    numbers: HashMap<&'n str, (usize, Span)>,
}

impl<'n> Names<'n> {
    /// `what` is what has the names, as in `location`.
    pub(crate) fn new(
        what: &'static str,
        names: impl IntoIterator<Item = &'n Ident>,
    ) -> Checked<Self> {
        let mut numbers = HashMap::new();
        for (number, name) in names.into_iter().enumerate() {
            let Some((_, first)) = numbers.insert(name.value.as_str(), (number, name.span)) else {
                continue;
            };
            let kind = ErrorKind::DuplicateName {
                what,
                name: name.value.clone(),
            };
            return Err(Fault::new(name.span, kind).note_at(first, "first here"));
        }
        Ok(Self { what, numbers })
    }

    /// The number of a name.
    pub(crate) fn find(&self, name: &Ident) -> Checked<usize> {
        let found = self.numbers.get(name.value.as_str());
        found.map(|&(number, _)| number).ok_or_else(|| {
            let kind = ErrorKind::UnknownName {
                what: self.what,
                name: name.value.clone(),
            };
            Fault::new(name.span, kind).suggest(&name.value, self.numbers.keys().copied())
        })
    }
}

/// Reads a model.
pub(crate) fn model(json: &Json<'_>) -> Checked<Parts> {
    let root = json.root();
    let object = root.object("a model", MEMBERS)?;
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

/// Refuses extensions of JANI that would change what a model means.
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

/// `restrict-initial`, unless it restricts nothing.
fn restriction(object: &Object<'_>) -> Checked<Option<Expr>> {
    let Some(value) = object.get("restrict-initial") else {
        return Ok(None);
    };
    let expr = Expr::read_member(value, "a restriction of the initial states")?;
    Ok((!expr.is_bool(true)).then_some(expr))
}
