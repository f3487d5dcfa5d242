//! A small model, drawn whole: states are circles, or boxes with the values of their variables. A
//! choice that has several branches, or whose state has several choices, is a small dot.

use super::style::{escaped, fill};
use crate::Decomposition;
use mdp_graph::{ChoiceId, ComponentKind, StateId};
use std::io::{self, Write};

/// The largest number of edges whose labels have separate positions in the layout, which Graphviz
/// needs a long time to find. If there are more edges, labels are placed after everything else.
const EDGES_WITH_PLACES: usize = 100;

/// The largest number of lines for the values of the variables of a state, and also for its labels.
const MAX_LINES: usize = 4;

/// The largest length of such a line, in characters.
const LINE: usize = 28;

pub(super) fn write(out: &mut dyn Write, of: &Decomposition<'_>) -> io::Result<()> {
    states(out, of)?;
    choices(out, of)
}

/// Draws a node for each state, with the values of its variables and the names of its labels below
/// its number.
fn states(out: &mut dyn Write, of: &Decomposition<'_>) -> io::Result<()> {
    if of.valuations.is_some() {
        writeln!(out, "  node [shape=box, style=\"rounded,filled\"];")?;
    }
    for state in of.graph.states() {
        write!(out, "  {state} [label=\"{state}")?;
        let values = of.valuations.map(|valuations| {
            let values = (valuations.row)(state).into_iter();
            let pairs = valuations.variables.iter().zip(values);
            lines(pairs.map(|(name, value)| format!("{name}={value}")))
        });
        let labels = of.labels.iter();
        let labels = labels.filter(|label| label.states.binary_search(&state).is_ok());
        let labels = lines(labels.map(|label| label.name.to_owned()));
        for line in values.iter().flatten().chain(&labels) {
            write!(out, "\\n{}", escaped(line))?;
        }
        write!(out, "\"")?;
        fill(out, of.components, of.components.component(state))?;
        writeln!(out, "];")?;
    }
    Ok(())
}

/// Arranges words in a few lines. Words that do not fit are counted at the end.
fn lines(words: impl Iterator<Item = String>) -> Vec<String> {
    let (mut lines, mut left_out) = (Vec::<String>::new(), 0);
    for word in words {
        let room = LINE.saturating_sub(word.chars().count() + 2);
        let has_room = lines
            .last()
            .is_some_and(|line| line.chars().count() <= room);
        let count = lines.len();
        match lines.last_mut() {
            _ if left_out > 0 => left_out += 1,
            Some(line) if has_room => {
                line.push_str(", ");
                line.push_str(&word);
            }
            _ if count < MAX_LINES => lines.push(word),
            _ => left_out = 1,
        }
    }
    if left_out > 0 {
        lines.push(format!("and {left_out} more"));
    }
    lines
}

/// Draws the choices of all states. They are bold if a maximal end component retains them.
fn choices(out: &mut dyn Write, of: &Decomposition<'_>) -> io::Result<()> {
    let is_mec = of.components.kind() == ComponentKind::Mec;
    let edges = of.graph.num_choices() + of.graph.num_branches();
    let drawing = Edges {
        label: match edges <= EDGES_WITH_PLACES {
            true => "label",
            false => "taillabel",
        },
        of,
    };
    for state in of.graph.states() {
        let retained: Vec<u32> = of.retained(state).filter(|_| is_mec).collect();
        for (i, choice) in (0..).zip(of.graph.choices(state)) {
            let bold = retained.binary_search(&i).is_ok();
            if of.graph.choices(state).len() == 1 && of.graph.targets(choice).len() == 1 {
                drawing.edge(out, (state, i, choice), bold)?;
            } else {
                drawing.point(out, (state, i, choice), bold)?;
            }
        }
    }
    Ok(())
}

/// The style of edges.
struct Edges<'a> {
    /// The attribute for their labels.
    label: &'static str,
    of: &'a Decomposition<'a>,
}

impl Edges<'_> {
    /// Draws a choice with one branch, which is the only choice of its state, as an edge.
    fn edge(
        &self,
        out: &mut dyn Write,
        (state, i, choice): (StateId, u32, ChoiceId),
        bold: bool,
    ) -> io::Result<()> {
        let target = self.of.graph.targets(choice)[0];
        let action = self.of.action(state, i).to_owned();
        let value = self.values(choice).next().and_then(shown);
        let texts: Vec<String> = [Some(action), value].into_iter().flatten().collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let texts: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        let attributes = self.attributes(&texts.join(", "), bold, &[]);
        writeln!(out, "  {state} -> {target}{attributes};")
    }

    /// Draws a choice as a dot, with an edge from its state and edges to its targets.
    fn point(
        &self,
        out: &mut dyn Write,
        (state, i, choice): (StateId, u32, ChoiceId),
        bold: bool,
    ) -> io::Result<()> {
        let name = match self.of.action(state, i) {
            "" => i.to_string(),
            action => format!("{i}: {action}"),
        };
        let enter = self.attributes(&name, bold, &["arrowhead=none"]);
        writeln!(
            out,
            "  c{choice} [shape=point, style=filled, fillcolor=black];"
        )?;
        writeln!(out, "  {state} -> c{choice}{enter};")?;
        let targets = self.of.graph.targets(choice);
        let mut values = self.values(choice);
        for target in targets {
            let value = values.next().and_then(shown).unwrap_or_default();
            let leave = self.attributes(&value, bold, &[]);
            writeln!(out, "  c{choice} -> {target}{leave};")?;
        }
        Ok(())
    }

    fn values(&self, choice: ChoiceId) -> impl Iterator<Item = (Option<f64>, f64)> {
        let details = self.of.details.into_iter();
        details.flat_map(move |details| details.values(self.of.graph, choice))
    }

    /// Returns the attributes of an edge, in brackets if there are any.
    fn attributes(&self, label: &str, bold: bool, others: &[&str]) -> String {
        let mut all = Vec::new();
        if !label.is_empty() {
            all.push(format!("{}=\"{}\"", self.label, escaped(label)));
        }
        all.extend(others.iter().map(ToString::to_string));
        if bold {
            all.push("style=bold".to_owned());
        }
        match all.is_empty() {
            true => String::new(),
            false => format!(" [{}]", all.join(", ")),
        }
    }
}

/// Returns a value or an interval as text; `None` for a probability of 1, which is the normal case.
fn shown((lower, value): (Option<f64>, f64)) -> Option<String> {
    match lower {
        Some(lower) if lower != value => Some(format!("[{},{}]", number(lower), number(value))),
        _ if value == 1.0 => None,
        _ => Some(number(value)),
    }
}

/// Returns a probability or a rate, rounded to four digits.
fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let magnitude = value.abs().log10();
    if !(-4.0..6.0).contains(&magnitude) {
        return format!("{value:.3e}");
    }
    let digits = (3.0 - magnitude.floor()).max(0.0) as usize;
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::{lines, number};

    #[test]
    fn numbers_have_four_digits_at_most() {
        let numbers = [
            0.5,
            1.0 / 3.0,
            1.0,
            2.0 / 3.0 * 1e-3,
            12.0,
            1234.5,
            123_456.7,
            1e-9,
            2.5e7,
            0.999_999,
            0.0,
        ];
        assert_eq!(
            numbers.map(number),
            [
                "0.5",
                "0.3333",
                "1",
                "0.0006667",
                "12",
                "1234",
                "123457",
                "1.000e-9",
                "2.500e7",
                "1",
                "0"
            ]
        );
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let words = |count: usize| (0..count).map(|i| format!("variable{i}={i}"));
        assert_eq!(lines(words(0)), [""; 0]);
        assert_eq!(lines(words(3)), ["variable0=0, variable1=1", "variable2=2"]);
        let all = lines(words(20));
        assert_eq!(all.len(), 5);
        assert_eq!(all[4], "and 12 more");
    }
}
