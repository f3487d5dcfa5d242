//! Explanations of the components of states: the component of each state, and the reason, as text
//! and JSON.

use crate::printable::printable;
use crate::run::Heading;
use crate::schema::{ModelFacts, Schema};
use crate::{ChoiceDetails, Valuations, Value, indented};
use mdp_graph::{ChoiceId, ComponentKind, Components, MdpGraph, StateId, counted};
use serde::{Serialize, Serializer};
use std::io::{self, Write};

/// The version of the JSON schema.
const SCHEMA_VERSION: u32 = 2;

/// The number of states of a component, and of steps of a cycle, that are printed as text.
const SHOWN: usize = 20;

/// A step of a cycle: a state, and the choice that is taken in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The state.
    pub state: StateId,
    /// The choice.
    pub choice: ChoiceId,
}

/// Whether it is possible to return to a state from a target of one of its choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Return {
    /// No path leads back.
    Impossible,
    /// A path leads back, but no strategy returns with probability 1.
    Unsure,
}

/// A choice that may leave the component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// The choice.
    pub choice: ChoiceId,
    /// A target of the choice outside the component.
    pub target: StateId,
    /// Whether it is possible to return, if the state is in no component.
    pub returns: Option<Return>,
}

/// A cycle through a state within its component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cycle {
    /// There is none.
    None,
    /// A complete one.
    Steps(Vec<Step>),
    /// The cycle or path that was given for this state leads through it, too.
    Of(StateId),
    /// A path through the state that is part of a cycle. Cycles and paths that were given before
    /// lead from its end to its beginning.
    Path {
        /// The steps, from a state of such a cycle or path.
        steps: Vec<Step>,
        /// The state to which the last step leads.
        to: StateId,
    },
}

/// The reason why a state is in its component, or in none.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The state.
    pub state: StateId,
    /// A cycle through the state within the component, if there is one.
    pub cycle: Cycle,
    /// The choices that may leave the component, ascending.
    pub leaving: Vec<Leaving>,
}

/// The object of a question: a state, or the states with a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked<'a> {
    /// The number of the state, or the name of the label.
    pub of: &'a str,
    /// Whether this is a label.
    pub is_label: bool,
    /// The states.
    pub states: Vec<StateId>,
}

/// States, their components, and explanations for some of them.
#[derive(Clone, Copy)]
pub struct Explained<'a> {
    /// The graph.
    pub graph: &'a MdpGraph,
    /// Its components.
    pub components: &'a Components,
    /// The objects of the questions.
    pub asked: &'a [Asked<'a>],
    /// All of their states, in ascending order.
    pub states: &'a [StateId],
    /// The states that are explained, in ascending order.
    pub explained: &'a [StateId],
    /// Returns the explanation of a state. It is called once for each of these states, in order,
    /// when the explanation is written.
    pub explain: &'a dyn Fn(StateId) -> Explanation,
    /// The information about choices, if there is any.
    pub details: Option<&'a ChoiceDetails<'a>>,
    /// The values of the variables, if they are known.
    pub valuations: Option<&'a Valuations<'a>>,
}

impl<'a> Explained<'a> {
    /// Returns the kind of components: `MEC` or `SCC`.
    fn kind(&self) -> &'static str {
        match self.components.kind() {
            ComponentKind::Mec => "MEC",
            ComponentKind::Scc => "SCC",
            ComponentKind::Bscc => "BSCC",
        }
    }

    /// Returns the number of a state, and the values of its variables: `5 (x=1, b=true)`.
    fn shown(&self, state: StateId) -> String {
        match self.valuations {
            Some(valuations) => format!("{state} {}", printable(&valuations.text(state))),
            None => state.to_string(),
        }
    }

    /// Returns the values of the variables in a state, if they are known.
    fn values(&self, state: StateId) -> Option<Vec<Value>> {
        self.valuations.map(|valuations| (valuations.row)(state))
    }

    fn action(&self, choice: ChoiceId) -> &'a str {
        self.details.map_or("", |details| details.action(choice))
    }

    /// Returns the index of a choice among those of its state, as in files.
    fn number(&self, state: StateId, choice: ChoiceId) -> usize {
        choice.index() - self.graph.choice_range(state).start
    }

    fn name(&self, state: StateId, choice: ChoiceId) -> String {
        let number = self.number(state, choice);
        match self.action(choice) {
            "" => format!("choice {number}"),
            action => format!("choice {number} ({})", printable(action)),
        }
    }

    /// Returns the choices of a state that are not among those that leave.
    fn staying(&self, of: &Explanation) -> Vec<ChoiceId> {
        let place = |choice: &ChoiceId| {
            let leaving = &of.leaving;
            leaving.binary_search_by_key(choice, |leaving| leaving.choice)
        };
        let leaves = |choice: &ChoiceId| place(choice).is_ok();
        let choices = self.graph.choices(of.state);
        choices.filter(|choice| !leaves(choice)).collect()
    }

    /// Returns the number of these states that are in a component, and the number of these
    /// components.
    fn found(&self, states: &[StateId]) -> (usize, usize) {
        let ids = states
            .iter()
            .filter_map(|&state| self.components.component(state));
        let mut ids: Vec<u32> = ids.map(|id| id.0).collect();
        let states = ids.len();
        ids.sort_unstable();
        ids.dedup();
        (states, ids.len())
    }
}

/// Writes text for users, state by state.
///
/// # Errors
/// Errors of `out`.
pub fn write_explained(out: &mut dyn Write, of: &Explained<'_>) -> io::Result<()> {
    let labels = of.asked.iter().filter(|asked| asked.is_label);
    for asked in labels.clone() {
        let states = counted(asked.states.len() as u64, "state", "states");
        let (inside, components) = of.found(&asked.states);
        let components = counted(components as u64, of.kind(), &format!("{}s", of.kind()));
        let outside = asked.states.len() - inside;
        writeln!(
            out,
            "label {}: {states}, of which {inside} in {components} and {outside} in none",
            printable(asked.of)
        )?;
    }
    let has_label = labels.count() > 0;
    for (i, &state) in of.explained.iter().enumerate() {
        if i > 0 || has_label {
            writeln!(out)?;
        }
        write_explanation(out, of, &(of.explain)(state))?;
    }
    match of.states.len() - of.explained.len() {
        0 => Ok(()),
        more => {
            let more = counted(more as u64, "state", "states");
            writeln!(out, "\nand {more} more (see --limit)")
        }
    }
}

fn write_explanation(
    out: &mut dyn Write,
    of: &Explained<'_>,
    explanation: &Explanation,
) -> io::Result<()> {
    let state = explanation.state;
    let shown = of.shown(state);
    match of.components.component(state) {
        Some(id) => {
            let (smallest, size) = (of.components.smallest(id), of.components.size(id));
            let size = counted(size.into(), "state", "states");
            let kind = of.kind();
            writeln!(
                out,
                "state {shown}: in the {kind} of state {smallest}, which has {size}"
            )?;
        }
        None => writeln!(out, "state {shown}: in no {}", of.kind())?,
    }
    if of.graph.is_deadlock(state) {
        return writeln!(out, "  it has no choice");
    }
    match &explanation.cycle {
        Cycle::Path { steps, to } => writeln!(out, "  cycle: {}", path_text(state, steps, *to))?,
        Cycle::Steps(cycle) => writeln!(out, "  cycle: {}", cycle_text(of, cycle))?,
        Cycle::Of(other) => writeln!(out, "  cycle: that of state {other}")?,
        Cycle::None if of.components.component(state).is_some() => {
            writeln!(out, "  no cycle leads through it")?;
        }
        Cycle::None => {}
    }
    for choice in of.staying(explanation) {
        writeln!(out, "  {} stays", of.name(state, choice))?;
    }
    for leaving in &explanation.leaving {
        let name = of.name(state, leaving.choice);
        let target = of.shown(leaving.target);
        match leaving.returns {
            None => writeln!(out, "  {name} leaves: it may lead to {target}")?,
            Some(Return::Impossible) => writeln!(
                out,
                "  {name} may lead to {target}, from where no path leads back to {state}"
            )?,
            Some(Return::Unsure) => writeln!(
                out,
                "  {name} may lead to {target}, from where no strategy surely returns to {state}"
            )?,
        }
    }
    Ok(())
}

fn cycle_text(of: &Explained<'_>, cycle: &[Step]) -> String {
    let mut text = String::new();
    for step in cycle.iter().take(SHOWN) {
        let arrow = match of.action(step.choice) {
            "" => "->".to_owned(),
            action => format!("-{}->", printable(action)),
        };
        text += &format!("{} {arrow} ", step.state);
    }
    match cycle.len().saturating_sub(SHOWN) {
        0 => {
            text + &cycle
                .first()
                .map_or(String::new(), |step| step.state.to_string())
        }
        more => format!("{text}… {more} more, which --format json prints"),
    }
}

/// Returns how a path leads through a state, from and to cycles that were printed before.
fn path_text(state: StateId, path: &[Step], to: StateId) -> String {
    let after = path.iter().rev().position(|step| step.state == state);
    let after = after.map_or(0, |place| place + 1);
    let there = counted((path.len() - after) as u64, "step", "steps");
    let back = counted(after as u64, "step", "steps");
    let from = path.first().map_or(to, |step| step.state);
    match from == to {
        true => format!("{there} from state {from} and {back} back, which --format json prints"),
        false => format!(
            "{there} from state {from} and {back} to state {to}, which --format json prints, and \
             back along cycles above"
        ),
    }
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    schema: Schema<'a>,
    model: ModelFacts<'a>,
    kind: &'static str,
    of: Names<'a>,
    components: Vec<Option<u32>>,
    states: &'a [u32],
    explained: States<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Names<'a> {
    One(&'a str),
    Several(Vec<&'a str>),
}

/// The states that are explained. The explanation of each is made when it is written, because all
/// together may take much memory.
struct States<'a>(Explained<'a>);

impl Serialize for States<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let of = &self.0;
        let explained = of.explained.iter();
        serializer.collect_seq(explained.map(|&state| facts(of, &(of.explain)(state))))
    }
}

#[derive(Serialize)]
struct StateFacts<'a> {
    state: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<Value>>,
    component: Option<ComponentFacts>,
    cycle: CycleFacts<'a>,
    stays: Vec<usize>,
    leaves: Vec<LeavingFacts<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum CycleFacts<'a> {
    None,
    Steps(Vec<StepFacts<'a>>),
    Of { of: u32 },
    Path { path: Vec<StepFacts<'a>>, to: u32 },
}

#[derive(Serialize)]
struct ComponentFacts {
    smallest: u32,
    size: u32,
}

#[derive(Serialize)]
struct StepFacts<'a> {
    state: u32,
    choice: usize,
    #[serde(skip_serializing_if = "str::is_empty")]
    action: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<Value>>,
}

#[derive(Serialize)]
struct LeavingFacts<'a> {
    choice: usize,
    #[serde(skip_serializing_if = "str::is_empty")]
    action: &'a str,
    target: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_values: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    returns: Option<Return>,
}

/// Writes one JSON document.
///
/// # Errors
/// Errors of `out`.
pub fn write_explained_json(
    out: &mut dyn Write,
    of: &Explained<'_>,
    heading: &Heading<'_>,
) -> io::Result<()> {
    let label = |&state: &StateId| of.components.smallest_of(state).map(|smallest| smallest.0);
    let document = Document {
        schema: Schema::new("maxend-components", SCHEMA_VERSION, heading.version),
        model: ModelFacts::of(heading, of.graph, of.valuations),
        kind: match of.components.kind() {
            ComponentKind::Mec => "mec",
            ComponentKind::Scc => "scc",
            ComponentKind::Bscc => "bscc",
        },
        of: match of.asked {
            [asked] => Names::One(asked.of),
            several => Names::Several(several.iter().map(|asked| asked.of).collect()),
        },
        states: StateId::as_numbers(of.states),
        components: of.states.iter().map(label).collect(),
        explained: States(*of),
    };
    indented::write(out, 3, &document)
}

fn facts<'a>(of: &Explained<'a>, why: &Explanation) -> StateFacts<'a> {
    let state = why.state;
    let step = |step: &Step| StepFacts {
        state: step.state.0,
        choice: of.number(step.state, step.choice),
        action: of.action(step.choice),
        values: of.values(step.state),
    };
    let leaving = |leaving: &Leaving| LeavingFacts {
        choice: of.number(state, leaving.choice),
        action: of.action(leaving.choice),
        target: leaving.target.0,
        target_values: of.values(leaving.target),
        returns: leaving.returns,
    };
    let staying = of.staying(why).into_iter();
    StateFacts {
        state: state.0,
        values: of.values(state),
        component: of.components.component(state).map(|id| ComponentFacts {
            smallest: of.components.smallest(id).0,
            size: of.components.size(id),
        }),
        cycle: match &why.cycle {
            Cycle::Steps(steps) => CycleFacts::Steps(steps.iter().map(step).collect()),
            Cycle::Of(other) => CycleFacts::Of { of: other.0 },
            Cycle::Path { steps, to } => CycleFacts::Path {
                path: steps.iter().map(step).collect(),
                to: to.0,
            },
            Cycle::None => CycleFacts::None,
        },
        stays: staying.map(|choice| of.number(state, choice)).collect(),
        leaves: why.leaving.iter().map(leaving).collect(),
    }
}
