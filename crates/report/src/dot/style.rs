//! Colours of components, and text in quotation marks.

use crate::Valuations;
use mdp_graph::{ComponentId, ComponentKind, Components, StateId};
use std::io::{self, Write};

/// Writes the attribute that gives a component its colour.
pub(super) fn fill(
    out: &mut dyn Write,
    components: &Components,
    id: Option<ComponentId>,
) -> io::Result<()> {
    match id.filter(|&id| !is_white(components, id)) {
        Some(id) => write!(out, ", fillcolor=\"{:.3} 0.45 0.95\"", hue(id)),
        None => Ok(()),
    }
}

/// Returns whether a component exists only because every state must be in one.
pub(super) fn is_white(components: &Components, id: ComponentId) -> bool {
    components.kind() == ComponentKind::Scc && components.is_trivial(id)
}

/// Returns the hue of a component. Multiples of the golden ratio, modulo 1, keep the hues of nearby
/// numbers far apart.
fn hue(id: ComponentId) -> f64 {
    const GOLDEN_RATIO: f64 = 0.618_033_988_749_895;
    (f64::from(id.0) * GOLDEN_RATIO).fract()
}

/// Escapes `name` for a quoted string, in which `&` begins an entity.
pub(crate) fn escaped(name: &str) -> String {
    let name = name.replace('\\', "\\\\").replace('"', "\\\"");
    name.replace('&', "&amp;")
}

/// Returns a line for the label of a state, below its number, with the values of the variables if
/// they are known.
pub(crate) fn values_below(valuations: Option<&Valuations<'_>>, state: StateId) -> String {
    valuations.map_or_else(String::new, |valuations| {
        format!("\\n{}", escaped(&valuations.text(state)))
    })
}
