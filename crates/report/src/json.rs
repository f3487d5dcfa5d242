//! `json`: the complete result of a decomposition, for programs.
//!
//! The structures below are the schema, which `docs/formats.md` explains field by field.
//! [`SCHEMA_VERSION`] increases with each change that could break a reader. The document is never
//! in memory as a whole: all threads make the text of small components, in blocks, and large ones
//! are written state by state.

use crate::run::Seconds;
use crate::schema::{Constants, Schema, Size};
use crate::{ChoiceDetails, Decomposition, InitialFrom, Run, StateLabel};
use crate::{blocks, indented};
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
    let components = Components {
        of: decomposition,
        members: decomposition.components.members(),
    };
    let mut head = Vec::new();
    indented::write(&mut head, 2, &document(decomposition, run))?;
    debug_assert!(head.ends_with(END), "components are the last field");
    head.truncate(head.len() - END.len());
    out.write_all(&head)?;
    components.write(out)?;
    if !decomposition.components.is_empty() {
        out.write_all(b"\n  ")?;
    }
    out.write_all(END)
}

/// The end of a document whose last field is a list.
const END: &[u8] = b"]\n}\n";

/// The greatest number of states of a component that is written in a block with others, and the
/// number of components in a block.
const SMALL: u32 = 1 << 8;
const BLOCK: usize = 1 << 8;

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    schema: Schema<'a>,
    model: Model<'a>,
    decomposition: Counts<'a>,
    seconds: Seconds<'a>,
    /// Empty: components are written one by one.
    components: [(); 0],
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
    Document {
        schema: Schema::new("maxend-decomposition", SCHEMA_VERSION, run.heading.version),
        model: model(of, run),
        decomposition: counts(of, run),
        seconds: Seconds(run.phases),
        components: [],
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
    /// Writes all components, each on a line of its own.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let all = self.of.components;
        let is_large = |&i: &usize| all.size(ComponentId::from_index(i)) > SMALL;
        let mut next = 0;
        while next < all.len() {
            let large = (next..all.len()).find(is_large).unwrap_or(all.len());
            blocks::write(out, next..large, BLOCK, |text, mut components| {
                components.try_for_each(|i| self.write_one(text, i))
            })?;
            if large < all.len() {
                self.write_one(out, large)?;
            }
            next = large + 1;
        }
        Ok(())
    }

    fn write_one(&self, out: &mut (impl Write + ?Sized), i: usize) -> io::Result<()> {
        let separator: &[u8] = if i == 0 { b"\n    " } else { b",\n    " };
        out.write_all(separator)?;
        indented::write_line(out, &self.component(ComponentId::from_index(i)))
    }

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
