//! `dot`: a drawing for Graphviz, coloured by component.
//!
//! A small model is drawn [whole]; a large one is drawn [condensed], and never with more nodes and
//! edges than Graphviz lays out in a few seconds.
//!
//! Components that are only there because every state must be in one, the trivial strongly
//! connected ones, stay white, as do the states in no component.

mod condensed;
mod whole;

use crate::Decomposition;
use mdp_graph::{ComponentId, ComponentKind, Components};
use std::io::{self, Write};

/// A model of more states than this is drawn condensed.
pub const CONDENSE_OVER: usize = 200;

/// So is a model whose whole drawing would have more edges than this.
const MOST_EDGES: usize = 400;

/// Writes a directed graph in Graphviz' language.
///
/// # Errors
/// Those of `out`.
pub fn write_dot(out: &mut dyn Write, decomposition: &Decomposition<'_>) -> io::Result<()> {
    // Without limits of its own, Graphviz looks for the best places of some graphs for minutes.
    out.write_all(
        b"digraph maxend {\n  \
          graph [fontname=\"sans-serif\", nslimit=2, nslimit1=2];\n  \
          node [shape=circle, style=filled, fillcolor=white, fontname=\"sans-serif\"];\n  \
          edge [fontname=\"sans-serif\", fontsize=10];\n",
    )?;
    let graph = decomposition.graph;
    // A choice may have an edge of its own, besides those of its branches.
    let most = graph.num_choices() + graph.num_branches();
    if graph.num_states() <= CONDENSE_OVER && most <= MOST_EDGES {
        whole::write(out, decomposition)?;
    } else {
        condensed::write(out, decomposition)?;
    }
    out.write_all(b"}\n")
}

/// The attribute that gives a component its colour.
fn fill(out: &mut dyn Write, components: &Components, id: Option<ComponentId>) -> io::Result<()> {
    match id.filter(|&id| !is_white(components, id)) {
        Some(id) => write!(out, ", fillcolor=\"{:.3} 0.45 0.95\"", hue(id)),
        None => Ok(()),
    }
}

/// Whether a component is only there because every state must be in one.
fn is_white(components: &Components, id: ComponentId) -> bool {
    components.kind() == ComponentKind::Scc && components.is_trivial(id)
}

/// Multiples of the golden ratio, modulo 1, keep the hues of nearby numbers far apart.
fn hue(id: ComponentId) -> f64 {
    const GOLDEN_RATIO: f64 = 0.618_033_988_749_895;
    (f64::from(id.0) * GOLDEN_RATIO).fract()
}

/// `name` as part of a quoted string, in which `&` begins an entity.
pub(crate) fn escaped(name: &str) -> String {
    let name = name.replace('\\', "\\\\").replace('"', "\\\"");
    name.replace('&', "&amp;")
}
