//! `json`: the optimum and, if requested, the optimal values of all components, for programs.
//!
//! The structures below are the schema, which `docs/formats.md` explains.

use super::{ComponentMean, CycleMeans, Step};
use crate::Value;
use crate::indented;
use crate::run::Seconds;
use crate::schema::{ModelFacts, Schema};
use serde::Serialize;
use serde::ser::Serializer;
use std::io::{self, Write};

/// The version of the JSON schema.
const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a, C: Serialize> {
    #[serde(flatten)]
    schema: Schema<'a>,
    model: ModelFacts<'a>,
    problem: ProblemFacts<'a>,
    seconds: Seconds<'a>,
    optimum: Option<JsonMean<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    components: Option<C>,
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

/// The counters of the GPU, by name and in order.
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
    values: Option<Vec<Value>>,
}

/// All components, converted one by one as they are written.
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
        values: of.valuations.map(|valuations| (valuations.row)(step.state)),
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
/// Errors of `out`.
pub fn write_cycle_means_json(out: &mut dyn Write, of: &CycleMeans<'_>) -> io::Result<()> {
    let document = Document {
        schema: Schema::new("maxend-cycle-mean", SCHEMA_VERSION, of.version),
        model: ModelFacts::untyped(of.model, of.constants, of.graph, of.valuations),
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
    indented::write(out, 2, &document)
}
