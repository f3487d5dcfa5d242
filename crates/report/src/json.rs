//! `json`: the complete result of a decomposition, for programs.
//!
//! The structures below are the schema, which `docs/formats.md` explains field by field.
//! [`SCHEMA_VERSION`] increases with each change that could break a reader. The document is never
//! in memory as a whole: components are serialized one by one.

use crate::indented;
use crate::run::Seconds;
use crate::schema::{Constants, Schema, Size};
use crate::{ChoiceDetails, Decomposition, InitialFrom, Run, StateLabel};
use mdp_graph::{ComponentId, ComponentKind, Members, SizeClass, StateId};
use serde::Serialize;
use serde::ser::Serializer;
use std::io::{self, Write};

/// The version of the JSON schema.
pub const SCHEMA_VERSION: u32 = 1;

/// Writes one JSON document, indented so that each component has a separate line.
///
/// # Errors
/// Errors of `out`.
pub fn write_json(
    out: &mut dyn Write,
    decomposition: &Decomposition<'_>,
    run: &Run<'_>,
) -> io::Result<()> {
    indented::write(out, 2, &document(decomposition, run))
}

#[derive(Serialize)]
struct Document<'a, C: Serialize> {
    #[serde(flatten)]
    schema: Schema<'a>,
    model: Model<'a>,
    decomposition: Counts<'a>,
    seconds: Seconds<'a>,
    components: C,
}

#[derive(Serialize)]
struct Model<'a> {
    file: &'a str,
    r#type: &'a str,
    #[serde(flatten)]
    size: Size,
    #[serde(skip_serializing_if = "Option::is_none")]
    observations: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    players: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    constants: Option<Constants<'a>>,
    deadlocks: u64,
    deadlock_policy: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial_states: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial_from: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<&'a [String]>,
}

#[derive(Serialize)]
struct Counts<'a> {
    kind: &'static str,
    device: &'a str,
    search: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    coalition: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval_edges: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<&'static str>,
    components: usize,
    trivial: usize,
    largest: u32,
    smallest: u32,
    states: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    bottom: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reachable: Option<usize>,
    sizes: Vec<Sizes>,
}

/// The number of components in some classes of sizes.
#[derive(Serialize)]
struct Sizes {
    from: u32,
    to: u32,
    components: u64,
    states: u64,
}

#[derive(Serialize)]
struct Component<'a, V: Serialize, C: Serialize, A: Serialize> {
    smallest: u32,
    size: u32,
    trivial: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    bottom: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reachable: Option<bool>,
    states: &'a [u32],
    #[serde(skip_serializing_if = "Option::is_none")]
    valuations: Option<V>,
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<C>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actions: Option<A>,
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<LabelCounts<'a>>,
}

/// For each label, the number of states of a component that have it.
struct LabelCounts<'a> {
    labels: &'a [StateLabel<'a>],
    states: &'a [StateId],
}

/// A sequence that is computed again, item by item, whenever it is serialized.
struct Sequence<F>(F);

fn document<'a>(of: &'a Decomposition<'a>, run: &'a Run<'a>) -> impl Serialize + 'a {
    let members = of.components.members();
    Document {
        schema: Schema::new("maxend-decomposition", SCHEMA_VERSION, run.heading.version),
        model: model(of, run),
        decomposition: counts(of, run),
        seconds: Seconds(run.phases),
        components: Components { of, members },
    }
}

fn model<'a>(of: &Decomposition<'a>, run: &Run<'a>) -> Model<'a> {
    let initial = of.statistics.map(crate::Statistics::initial);
    Model {
        file: run.heading.model,
        r#type: run.heading.model_type,
        size: Size::of(of.graph),
        observations: of.origin.observations,
        players: of.origin.players,
        constants: Constants::of(run.heading.constants),
        deadlocks: of.origin.deadlocks.count,
        deadlock_policy: of.origin.deadlocks.policy,
        initial_states: initial.map(|initial| initial.states.len()),
        initial_from: initial.map(|initial| match initial.from {
            InitialFrom::Label => "label",
            InitialFrom::Model => "model",
            InitialFrom::Assumed => "assumed",
        }),
        variables: of.valuations.map(|v| v.variables),
    }
}

fn counts<'a>(of: &Decomposition<'a>, run: &Run<'a>) -> Counts<'a> {
    let components = of.components;
    Counts {
        kind: match components.kind() {
            ComponentKind::Scc => "scc",
            ComponentKind::Mec => "mec",
            ComponentKind::Bscc => "bscc",
        },
        device: run.device,
        search: run.search,
        coalition: Some(of.origin.coalition).filter(|players| !players.is_empty()),
        interval_edges: of.origin.interval_edges,
        certificate: run.certified.then_some("accepted"),
        components: components.len(),
        trivial: components.num_trivial(),
        largest: components.largest_size().unwrap_or(0),
        smallest: components.smallest_size().unwrap_or(0),
        states: components.num_member_states(),
        bottom: of.statistics.map(crate::Statistics::num_bottom),
        reachable: of.statistics.map(crate::Statistics::num_reachable),
        sizes: components.size_classes().into_iter().map(sizes).collect(),
    }
}

fn sizes(class: SizeClass) -> Sizes {
    let SizeClass {
        from,
        to,
        components,
        states,
    } = class;
    Sizes {
        from,
        to,
        components,
        states,
    }
}

/// All components, and the data that are needed to print them.
struct Components<'a> {
    of: &'a Decomposition<'a>,
    members: Members,
}

impl Components<'_> {
    fn component(&self, id: ComponentId) -> impl Serialize {
        let of = self.of;
        let states = self.members.states(id);
        Component {
            smallest: of.components.smallest(id).0,
            size: of.components.size(id),
            trivial: of.components.is_trivial(id),
            bottom: of.statistics.map(|all| all.is_bottom(id)),
            reachable: of.statistics.map(|all| all.is_reachable(id)),
            states: StateId::as_numbers(states),
            valuations: of.valuations.map(|valuations| {
                let row = move |&state| (valuations.row)(state);
                Sequence(move || states.iter().map(row))
            }),
            choices: of.choices.then(|| {
                let row = move |&state| Sequence(move || of.retained(state));
                Sequence(move || states.iter().map(row))
            }),
            actions: (of.choices && of.details.is_some_and(ChoiceDetails::has_names)).then(|| {
                let row = move |&state| {
                    let name = move |choice| of.action(state, choice);
                    Sequence(move || of.retained(state).map(name))
                };
                Sequence(move || states.iter().map(row))
            }),
            labels: (!of.labels.is_empty()).then_some(LabelCounts {
                labels: of.labels,
                states,
            }),
        }
    }
}

impl Serialize for Components<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.of.components.ids().map(|id| self.component(id)))
    }
}

impl<F, I> Serialize for Sequence<F>
where
    F: Fn() -> I,
    I: Iterator<Item: Serialize>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

impl Serialize for LabelCounts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let count = |label: &StateLabel<'_>| num_common(label.states, self.states);
        serializer.collect_map(self.labels.iter().map(|label| (label.name, count(label))))
    }
}

/// Returns the number of states that are in both of two ascending lists. The time is proportional
/// to the length of the shorter one (but for a logarithm), so that many labels of few states take
/// little.
fn num_common(some: &[StateId], others: &[StateId]) -> usize {
    let (few, mut many) = match some.len() <= others.len() {
        true => (some, others),
        false => (others, some),
    };
    let common = few.iter().filter(|state| {
        let found = many.binary_search(state);
        let (Ok(place) | Err(place)) = found;
        many = &many[place..];
        found.is_ok()
    });
    common.count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn common_states_are_those_of_both_sets(
            some in prop::collection::btree_set(0..60u32, 0..40),
            others in prop::collection::btree_set(0..60u32, 0..40),
        ) {
            let list = |set: &BTreeSet<u32>| set.iter().copied().map(StateId).collect::<Vec<_>>();
            let expected = some.intersection(&others).count();
            prop_assert_eq!(num_common(&list(&some), &list(&others)), expected);
        }
    }
}
