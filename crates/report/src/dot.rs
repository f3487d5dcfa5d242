//! `dot`: a drawing for Graphviz, coloured by component.
//!
//! A small model is drawn [whole]. A large one is drawn [condensed], and never with more nodes and
//! edges than Graphviz can lay out in a few seconds.
//!
//! Trivial strongly connected components stay white, and so do states in no component.

mod condensed;
mod style;
mod whole;

pub(crate) use style::{escaped, values_below};

use crate::Decomposition;
use std::io::{self, Write};

/// The largest number of states of a model that is drawn whole.
pub const CONDENSE_OVER: usize = 200;

/// The largest number of edges of a drawing of a whole model.
const MAX_EDGES: usize = 400;

/// Writes a directed graph in the language of Graphviz.
///
/// # Errors
/// Errors of `out`.
pub fn write_dot(out: &mut dyn Write, decomposition: &Decomposition<'_>) -> io::Result<()> {
    // Without limits, Graphviz may optimise the layout of some graphs for minutes.
    out.write_all(
        b"digraph maxend {\n  \
          graph [fontname=\"sans-serif\", nslimit=2, nslimit1=2];\n  \
          node [shape=circle, style=filled, fillcolor=white, fontname=\"sans-serif\"];\n  \
          edge [fontname=\"sans-serif\", fontsize=10];\n",
    )?;
    let graph = decomposition.graph;
    // A choice may have a separate edge, in addition to those of its branches.
    let most = graph.num_choices() + graph.num_branches();
    if graph.num_states() <= CONDENSE_OVER && most <= MAX_EDGES {
        whole::write(out, decomposition)?;
    } else {
        condensed::write(out, decomposition)?;
    }
    out.write_all(b"}\n")
}
