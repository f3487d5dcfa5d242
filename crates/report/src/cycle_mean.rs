//! Optimal cycle means and ratios, with critical cycles: as text, JSON and drawings.

use crate::dot::{CONDENSE_OVER, escaped};
use crate::indented::IndentedTo;
use crate::table;
use crate::{ChoiceDetails, Phase, Valuations, Value};
use mdp_graph::{BranchId, ChoiceId, MdpGraph, StateId};
use mdp_graph::{counted, grouped};
use serde::Serialize;
use serde::ser::Serializer;
use std::io::{self, Write};

/// The version of the JSON schema.
const SCHEMA_VERSION: u32 = 1;

/// So many steps of a cycle are printed as text.
const STEPS: usize = 30;

/// The optimum of a component.
#[derive(Clone, Debug)]
pub struct ComponentMean<'a> {
    /// The component's smallest state.
    pub component: StateId,
    /// How many states it has.
    pub states: u32,
    /// The value as a fraction.
    pub fraction: String,
    /// The value as a decimal.
    pub decimal: String,
    /// A cycle that has this value: its branches in order, at least one.
    pub cycle: &'a [BranchId],
    /// How often the search improved what it had.
    pub iterations: u32,
}

/// The optimal values of the cycles of a model, and what else is known.
#[derive(Clone, Copy)]
pub struct CycleMeans<'a> {
    /// The version of the program.
    pub version: &'a str,
    /// Where the model came from.
    pub model: &'a str,
    /// The graph.
    pub graph: &'a MdpGraph,
    /// Whether the greatest values are sought, and not the least.
    pub greatest: bool,
    /// The name of the weights.
    pub weights: &'a str,
    /// The name of the times, if values are ratios.
    pub times: Option<&'a str>,
    /// The algorithm.
    pub search: &'a str,
    /// What computed.
    pub device: &'a str,
    /// How often a GPU did what, by name.
    pub counts: &'a [(&'static str, u64)],
    /// Which of the components is optimal, unless there is none.
    pub optimal: Option<usize>,
    /// All components that have cycles.
    pub components: &'a [ComponentMean<'a>],
    /// Whether to print all of them.
    pub each: bool,
    /// The weight of a branch.
    pub weight: &'a dyn Fn(BranchId) -> String,
    /// The time of a branch; used for ratios only.
    pub time: &'a dyn Fn(BranchId) -> String,
    /// The values of variables, if they are known.
    pub valuations: Option<&'a Valuations<'a>>,
    /// What is known of choices.
    pub details: Option<&'a ChoiceDetails<'a>>,
    /// Whether a certificate was checked.
    pub certified: bool,
    /// What took how long.
    pub phases: &'a [Phase<'a>],
}

/// A step along a cycle.
struct Step<'a> {
    state: StateId,
    branch: BranchId,
    action: &'a str,
}

impl<'a> CycleMeans<'a> {
    fn kind(&self) -> &'static str {
        if self.times.is_some() {
            "ratio"
        } else {
            "mean"
        }
    }

    fn goal(&self) -> &'static str {
        if self.greatest { "max" } else { "min" }
    }

    fn best(&self) -> Option<&'a ComponentMean<'a>> {
        self.optimal.and_then(|best| self.components.get(best))
    }

    /// The steps of a cycle. Each branch leaves the target of the one before.
    fn steps(&self, cycle: &'a [BranchId]) -> impl Iterator<Item = Step<'a>> {
        let Self { graph, details, .. } = *self;
        let before = cycle.iter().cycle().skip(cycle.len().saturating_sub(1));
        cycle.iter().zip(before).map(move |(&branch, before)| {
            let state = graph.all_targets()[before.index()];
            let ends = graph
                .choice_range(state)
                .map(|choice| graph.branch_offsets()[choice + 1]);
            let nth = ends.take_while(|&end| end <= branch.0).count();
            let choice = ChoiceId::from_index(graph.choice_range(state).start + nth);
            Step {
                state,
                branch,
                action: details.map_or("", |details| details.action(choice)),
            }
        })
    }

    /// The values of the variables in a state: `(x=1, b=true)`.
    fn row(&self, state: StateId) -> Option<String> {
        let valuations = self.valuations?;
        let values = (valuations.row)(state);
        let pairs = valuations.variables.iter().zip(values);
        let pairs: Vec<String> = pairs
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        Some(format!("({})", pairs.join(", ")))
    }
}

/// Writes a table for people: the optimal value, and the cycle that has it; of long cycles only the
/// beginning.
///
/// # Errors
/// Those of `out`.
pub fn write_cycle_means(out: &mut dyn Write, of: &CycleMeans<'_>) -> io::Result<()> {
    let name = match (of.greatest, of.times) {
        (false, None) => "minimum mean",
        (true, None) => "maximum mean",
        (false, Some(_)) => "minimum ratio",
        (true, Some(_)) => "maximum ratio",
    };
    let mut rows = vec![
        ("model", of.model.to_owned()),
        ("states", grouped(of.graph.num_states() as u64)),
        ("edges", grouped(of.graph.num_branches() as u64)),
        ("weights", of.weights.to_owned()),
    ];
    rows.extend(of.times.map(|times| ("times", times.to_owned())));
    rows.push(("device", of.device.to_owned()));
    if !of.counts.is_empty() {
        let each = of.counts.iter();
        let each = each.map(|(what, count)| format!("{what}: {}", grouped(*count)));
        rows.push(("work", each.collect::<Vec<_>>().join(", ")));
    }
    let Some(best) = of.best() else {
        rows.push((name, "none: there is no cycle".to_owned()));
        return table::write(out, &rows);
    };
    rows.push((name, shown(best)));
    let size = counted(best.states.into(), "state", "states");
    rows.push((
        "component",
        format!("that of state {}, {size}", best.component),
    ));
    rows.push((
        "critical cycle",
        counted(best.cycle.len() as u64, "step", "steps"),
    ));
    if of.certified {
        rows.push(("certificate", "accepted".to_owned()));
    }
    table::write(out, &rows)?;
    writeln!(out)?;
    write_steps(out, of, best)?;
    if of.each {
        writeln!(out)?;
        write_each(out, of)?;
    }
    Ok(())
}

/// `7/2 = 3.5`, or `3`.
fn shown(mean: &ComponentMean<'_>) -> String {
    match mean.fraction.contains('/') {
        true => format!("{} = {}", mean.fraction, mean.decimal),
        false => mean.fraction.clone(),
    }
}

fn write_steps(
    out: &mut dyn Write,
    of: &CycleMeans<'_>,
    best: &ComponentMean<'_>,
) -> io::Result<()> {
    let has_actions = of.details.is_some_and(ChoiceDetails::has_names);
    let titles = [
        ("state", true),
        ("action", has_actions),
        ("weight", true),
        ("time", of.times.is_some()),
        ("values", of.valuations.is_some()),
    ];
    let line = |cells: [String; 5]| -> Vec<String> {
        let kept = cells.into_iter().zip(titles);
        kept.filter(|(_, (_, is_shown))| *is_shown)
            .map(|(cell, _)| cell)
            .collect()
    };
    let mut rows = vec![line(titles.map(|(title, _)| title.to_owned()))];
    for step in of.steps(best.cycle).take(STEPS) {
        rows.push(line([
            step.state.to_string(),
            step.action.to_owned(),
            (of.weight)(step.branch),
            if of.times.is_some() {
                (of.time)(step.branch)
            } else {
                String::new()
            },
            of.row(step.state).unwrap_or_default(),
        ]));
    }
    table::write_columns(out, &rows)?;
    match best.cycle.len().saturating_sub(STEPS) {
        0 => Ok(()),
        more => {
            let more = counted(more as u64, "step", "steps");
            writeln!(out, "and {more} more, which --format json prints")
        }
    }
}

fn write_each(out: &mut dyn Write, of: &CycleMeans<'_>) -> io::Result<()> {
    let titles = ["component of", "states", "value", "decimal", "steps"];
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
    rows.extend(of.components.iter().map(|mean| {
        vec![
            mean.component.to_string(),
            grouped(mean.states.into()),
            mean.fraction.clone(),
            mean.decimal.clone(),
            grouped(mean.cycle.len() as u64),
        ]
    }));
    table::write_columns(out, &rows)
}

#[derive(Serialize)]
struct Document<'a, C: Serialize> {
    schema: &'static str,
    schema_version: u32,
    version: &'a str,
    model: ModelFacts<'a>,
    problem: ProblemFacts<'a>,
    seconds: Seconds<'a>,
    optimum: Option<JsonMean<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    components: Option<C>,
}

#[derive(Serialize)]
struct ModelFacts<'a> {
    file: &'a str,
    states: usize,
    choices: usize,
    branches: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<&'a [String]>,
}

#[derive(Serialize)]
struct ProblemFacts<'a> {
    goal: &'static str,
    value: &'static str,
    weights: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<&'a str>,
    search: &'a str,
    device: &'a str,
    #[serde(skip_serializing_if = "Counts::is_empty")]
    work: Counts<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<&'static str>,
    cyclic_components: usize,
}

/// How often a GPU did what, by name and in order.
struct Counts<'a>(&'a [(&'static str, u64)]);

impl Counts<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Counts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts = self.0.iter();
        serializer.collect_map(counts.map(|(name, count)| (name.replace(' ', "_"), count)))
    }
}

/// The time of each phase in seconds, by name and in order.
struct Seconds<'a>(&'a [Phase<'a>]);

impl Serialize for Seconds<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let times = self
            .0
            .iter()
            .map(|phase| (phase.name, phase.time.as_secs_f64()));
        serializer.collect_map(times)
    }
}

#[derive(Serialize)]
struct JsonMean<'a> {
    component: u32,
    states: u32,
    fraction: &'a str,
    decimal: &'a str,
    iterations: u32,
    cycle: Vec<JsonStep<'a>>,
}

#[derive(Serialize)]
struct JsonStep<'a> {
    state: u32,
    branch: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    action: &'a str,
    weight: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<JsonValue>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum JsonValue {
    Bool(bool),
    Int(i64),
}

/// All components, made one by one as they are written.
struct Components<'a>(&'a CycleMeans<'a>);

impl Serialize for Components<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.components.iter().map(|mean| json_mean(self.0, mean)))
    }
}

fn json_mean<'a>(of: &CycleMeans<'a>, mean: &'a ComponentMean<'a>) -> JsonMean<'a> {
    let step = |step: Step<'a>| JsonStep {
        state: step.state.0,
        branch: step.branch.0,
        action: step.action,
        weight: (of.weight)(step.branch),
        time: of.times.map(|_| (of.time)(step.branch)),
        values: of.valuations.map(|valuations| {
            let values = (valuations.row)(step.state).into_iter();
            let json = values.map(|value| match value {
                Value::Bool(value) => JsonValue::Bool(value),
                Value::Int(value) => JsonValue::Int(value),
            });
            json.collect()
        }),
    };
    JsonMean {
        component: mean.component.0,
        states: mean.states,
        fraction: &mean.fraction,
        decimal: &mean.decimal,
        iterations: mean.iterations,
        cycle: of.steps(mean.cycle).map(step).collect(),
    }
}

/// Writes one JSON document.
///
/// # Errors
/// Those of `out`.
pub fn write_cycle_means_json(out: &mut dyn Write, of: &CycleMeans<'_>) -> io::Result<()> {
    let document = Document {
        schema: "maxend-cycle-mean",
        schema_version: SCHEMA_VERSION,
        version: of.version,
        model: ModelFacts {
            file: of.model,
            states: of.graph.num_states(),
            choices: of.graph.num_choices(),
            branches: of.graph.num_branches(),
            variables: of.valuations.map(|valuations| valuations.variables),
        },
        problem: ProblemFacts {
            goal: of.goal(),
            value: of.kind(),
            weights: of.weights,
            times: of.times,
            search: of.search,
            device: of.device,
            work: Counts(of.counts),
            certificate: of.certified.then_some("accepted"),
            cyclic_components: of.components.len(),
        },
        seconds: Seconds(of.phases),
        optimum: of.best().map(|best| json_mean(of, best)),
        components: of.each.then_some(Components(of)),
    };
    let mut serializer = serde_json::Serializer::with_formatter(&mut *out, IndentedTo::depth(2));
    document.serialize(&mut serializer)?;
    out.write_all(b"\n")
}

/// Draws the graph with its critical cycle in bold red; of a large graph only the cycle.
///
/// # Errors
/// Those of `out`.
pub fn write_cycle_means_dot(out: &mut dyn Write, of: &CycleMeans<'_>) -> io::Result<()> {
    let cycle = of.best().map_or(&[][..], |best| best.cycle);
    let whole = of.graph.num_states() <= CONDENSE_OVER;
    let steps: Vec<Step<'_>> = of.steps(cycle).collect();
    writeln!(out, "digraph cycle {{")?;
    if let Some(best) = of.best() {
        let title = format!("{} {}: {}", of.goal(), of.kind(), shown(best));
        writeln!(out, "  label=\"{}\";", escaped(&title))?;
    }
    let mut critical: Vec<BranchId> = cycle.to_vec();
    critical.sort_unstable();
    let node = |out: &mut dyn Write, state: StateId, is_critical: bool| {
        let values = of
            .row(state)
            .map_or_else(String::new, |row| format!("\\n{}", escaped(&row)));
        let colour = if is_critical {
            ", color=red, penwidth=2"
        } else {
            ""
        };
        writeln!(out, "  {state} [label=\"{state}{values}\"{colour}];")
    };
    if !whole {
        for step in &steps {
            node(out, step.state, true)?;
        }
        for step in &steps {
            edge(out, of, step.state, step.branch, true)?;
        }
        return writeln!(out, "}}");
    }
    let mut on_cycle: Vec<StateId> = steps.iter().map(|step| step.state).collect();
    on_cycle.sort_unstable();
    for state in of.graph.states() {
        node(out, state, on_cycle.binary_search(&state).is_ok())?;
    }
    for state in of.graph.states() {
        for branch in of.graph.branch_range(state).map(BranchId::from_index) {
            edge(
                out,
                of,
                state,
                branch,
                critical.binary_search(&branch).is_ok(),
            )?;
        }
    }
    writeln!(out, "}}")
}

fn edge(
    out: &mut dyn Write,
    of: &CycleMeans<'_>,
    state: StateId,
    branch: BranchId,
    is_critical: bool,
) -> io::Result<()> {
    let target = of.graph.all_targets()[branch.index()];
    let weight = (of.weight)(branch);
    let label = match of.times {
        Some(_) => format!("{weight} / {}", (of.time)(branch)),
        None => weight,
    };
    let colour = if is_critical {
        ", color=red, penwidth=2"
    } else {
        ""
    };
    writeln!(out, "  {state} -> {target} [label=\"{label}\"{colour}];")
}
