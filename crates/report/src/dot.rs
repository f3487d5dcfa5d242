//! `dot`: a drawing for Graphviz, coloured by component.
//!
//! A small model is drawn whole: states are circles, a choice with several branches, or with
//! others beside it, is a point. A large one is drawn condensed: each component is one box, and
//! each state in no component a circle.
//!
//! Components that are only there because every state must be in one, the trivial strongly
//! connected ones, stay white, as do the states in no component.

use crate::Decomposition;
use mdp_graph::{ChoiceId, ComponentId, ComponentKind, Components, StateId};
use std::io::{self, Write};

/// A model of more states than this is drawn condensed.
pub const CONDENSE_OVER: usize = 200;

/// Writes a directed graph in Graphviz' language.
///
/// # Errors
/// Those of `out`.
pub fn write_dot(out: &mut dyn Write, decomposition: &Decomposition<'_>) -> io::Result<()> {
    out.write_all(
        b"digraph maxend {\n  \
          node [shape=circle, style=filled, fillcolor=white, fontname=\"sans-serif\"];\n  \
          edge [fontname=\"sans-serif\", fontsize=10];\n",
    )?;
    if decomposition.graph.num_states() > CONDENSE_OVER {
        condensation(out, decomposition)?;
    } else {
        states(out, decomposition)?;
        choices(out, decomposition)?;
    }
    out.write_all(b"}\n")
}

/// A node for each state, with the names of its labels below its number.
fn states(out: &mut dyn Write, of: &Decomposition<'_>) -> io::Result<()> {
    for state in of.graph.states() {
        write!(out, "  {state} [label=\"{state}")?;
        let labels = of.labels.iter();
        for label in labels.filter(|label| label.states.binary_search(&state).is_ok()) {
            write!(out, "\\n{}", escaped(label.name))?;
        }
        write!(out, "\"")?;
        fill(out, of.components, of.components.component(state))?;
        writeln!(out, "];")?;
    }
    Ok(())
}

/// The choices of all states, bold where a maximal end component retains them.
fn choices(out: &mut dyn Write, of: &Decomposition<'_>) -> io::Result<()> {
    let is_mec = of.components.kind() == ComponentKind::Mec;
    for state in of.graph.states() {
        let retained: Vec<u32> = of.retained(state).filter(|_| is_mec).collect();
        for (i, choice) in of.graph.choices(state).enumerate() {
            let bold = retained.binary_search(&(i as u32)).is_ok();
            if of.graph.choices(state).len() == 1 && of.graph.targets(choice).len() == 1 {
                let style = if bold { " [style=bold]" } else { "" };
                let target = of.graph.targets(choice)[0];
                writeln!(out, "  {state} -> {target}{style};")?;
            } else {
                choice_point(out, of, (state, i, choice), bold)?;
            }
        }
    }
    Ok(())
}

/// A choice as a point, entered from its state and left for its targets.
fn choice_point(
    out: &mut dyn Write,
    of: &Decomposition<'_>,
    (state, i, choice): (StateId, usize, ChoiceId),
    bold: bool,
) -> io::Result<()> {
    let (enter, leave) = match bold {
        true => (", style=bold", " [style=bold]"),
        false => ("", ""),
    };
    writeln!(out, "  c{choice} [shape=point, fillcolor=black];")?;
    writeln!(
        out,
        "  {state} -> c{choice} [label=\"{i}\", arrowhead=none{enter}];"
    )?;
    for target in of.graph.targets(choice) {
        writeln!(out, "  c{choice} -> {target}{leave};")?;
    }
    Ok(())
}

/// A node for each component and each state in none, and the edges between different nodes.
fn condensation(out: &mut dyn Write, of: &Decomposition<'_>) -> io::Result<()> {
    let components = of.components;
    let members = components.members();
    // A node is named by its smallest state.
    let name = |state: StateId| components.label(state).unwrap_or(state);
    let mut targets = Vec::new();
    for state in of.graph.states().filter(|&state| name(state) == state) {
        let id = components.component(state);
        let states = id.map_or(std::slice::from_ref(&state), |id| members.states(id));
        if states.len() == 1 {
            write!(out, "  {state} [label=\"{state}\"")?;
        } else {
            let size = states.len();
            write!(
                out,
                "  {state} [shape=box, label=\"{state}\\n{size} states\""
            )?;
        }
        fill(out, components, id)?;
        writeln!(out, "];")?;

        targets.clear();
        targets.extend(
            states
                .iter()
                .flat_map(|&s| of.graph.successors(s))
                .map(|&t| name(t)),
        );
        targets.sort_unstable();
        targets.dedup();
        for target in targets.iter().filter(|&&target| target != state) {
            writeln!(out, "  {state} -> {target};")?;
        }
    }
    Ok(())
}

/// The attribute that gives a component its colour.
fn fill(out: &mut dyn Write, components: &Components, id: Option<ComponentId>) -> io::Result<()> {
    let is_white =
        |id: &ComponentId| components.kind() == ComponentKind::Scc && components.is_trivial(*id);
    match id.filter(|id| !is_white(id)) {
        Some(id) => write!(out, ", fillcolor=\"{:.3} 0.45 0.95\"", hue(id)),
        None => Ok(()),
    }
}

/// Multiples of the golden ratio, modulo 1, keep the hues of nearby numbers far apart.
fn hue(id: ComponentId) -> f64 {
    const GOLDEN_RATIO: f64 = 0.618_033_988_749_895;
    (f64::from(id.0) * GOLDEN_RATIO).fract()
}

/// `name` as part of a quoted string.
fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace('"', "\\\"")
}
