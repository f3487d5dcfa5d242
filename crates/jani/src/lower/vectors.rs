//! The commands and vectors of the system. First come the steps of elements without an action,
//! element by element, and then the vectors in the order of the text.

use super::context::Context;
use super::edges::{Earned, Party, next, touched};
use super::instances::Instance;
use super::offers::{Class, Offers, Uses, offers};
use super::rewards::Results;
use crate::error::{Checked, ErrorKind, Fault};
use crate::model::{Edge, Vector};
use prism_language::ast::{Command, Ident, Model, Module, ModuleBody, Span, SyncVector};
use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

/// The largest number of combinations of edges of one vector that become commands.
const MAX_COMBINATIONS: usize = 1 << 16;

/// An element that takes part in a vector, with its action.
type Part<'m> = (usize, &'m Ident);

/// Adds commands and vectors to a model that has the modules of all elements. Returns the rewards
/// of steps.
pub(super) fn add(
    context: &Context<'_>,
    instances: &[Instance<'_>],
    model: &mut Model,
) -> Checked<Results> {
    let listed = listed(context, instances);
    let parts: Vec<Vec<Part<'_>>> = listed.iter().map(|vector| parts(vector)).collect();
    let mut shared = Shared::default();
    let mut is_joint = Vec::with_capacity(parts.len());
    for parts in &parts {
        is_joint.push(shared.passes_values(context, instances, parts)?);
    }
    let mut uses: Vec<Uses<'_>> = instances.iter().map(|_| Uses::default()).collect();
    let apart = parts.iter().zip(&is_joint).filter(|(_, joint)| !**joint);
    for (parts, _) in apart {
        for &(element, action) in parts {
            match parts.len() {
                1 => uses[element].alone.insert(&action.value),
                _ => uses[element].together.insert(&action.value),
            };
        }
    }
    let mut all = Vec::with_capacity(instances.len());
    for ((instance, uses), module) in instances.iter().zip(&uses).zip(&mut model.modules) {
        let (commands, offers) = offers(context, instance, uses)?;
        fill(module, commands);
        all.push(offers);
    }
    let mut adder = Adder {
        context,
        results: Results::default(),
        vectors: Vec::new(),
    };
    for (element, offers) in all.iter().enumerate() {
        adder.results.add_timed(&offers.timed);
        let span = instances[element].automaton.name.span;
        adder.add(None, span, &[(element, offers.of(None))])?;
    }
    for ((vector, parts), is_joint) in listed.iter().zip(&parts).zip(is_joint) {
        let result = vector.result.as_ref();
        if is_joint {
            let (module, offers) = joint(context, instances, vector, parts)?;
            adder.add(
                result,
                vector.span,
                &[(model.modules.len(), offers.of(None))],
            )?;
            model.modules.push(module);
        } else {
            let classes = |&(element, action): &Part<'_>| {
                let offers: &Offers = &all[element];
                (element, offers.of(Some(&action.value)))
            };
            let classes: Vec<_> = parts.iter().map(classes).collect();
            adder.add(result, vector.span, &classes)?;
        }
    }
    model.vectors = Some(adder.vectors);
    Ok(adder.results)
}

/// Returns the vectors of the model. If it has none, there is one for each action of the only
/// element.
fn listed<'m>(context: &Context<'m>, instances: &[Instance<'_>]) -> Vec<Cow<'m, Vector>> {
    if let Some(vectors) = &context.parts.system.vectors {
        return vectors.iter().map(Cow::Borrowed).collect();
    }
    let mut actions: BTreeMap<&str, &Ident> = BTreeMap::new();
    let mut ordered = Vec::new();
    for action in instances
        .iter()
        .flat_map(|i| &i.edges)
        .filter_map(|edge| edge.action.as_ref())
    {
        if actions.insert(&action.value, action).is_none() {
            ordered.push(action);
        }
    }
    let alone = |action: &Ident| Vector {
        actions: vec![Some(action.clone())],
        result: Some(action.clone()),
        span: action.span,
    };
    ordered
        .into_iter()
        .map(|action| Cow::Owned(alone(action)))
        .collect()
}

fn parts(vector: &Vector) -> Vec<Part<'_>> {
    let actions = vector.actions.iter().enumerate();
    actions
        .filter_map(|(element, action)| Some((element, action.as_ref()?)))
        .collect()
}

fn fill(module: &mut Module, new: Vec<Command>) {
    if let ModuleBody::Written { commands, .. } = &mut module.body {
        *commands = new;
    }
}

/// The variables that the edges of an element with one action write and read.
#[derive(Default)]
struct Touched {
    /// The variables that are assigned to, each with the least index.
    writes: BTreeMap<String, i64>,
    /// The variables that assigned values depend on, each with the greatest index.
    reads: BTreeMap<String, i64>,
}

/// The variables that are written and read, by element and action.
#[derive(Default)]
struct Shared<'m>(HashMap<(usize, &'m str), Touched>);

impl<'m> Shared<'m> {
    /// Returns whether one element of a vector assigns to a variable that another one assigns to as
    /// well, or reads later.
    fn passes_values(
        &mut self,
        context: &Context<'_>,
        instances: &[Instance<'_>],
        parts: &[Part<'m>],
    ) -> Checked<bool> {
        if parts.len() < 2 {
            return Ok(false);
        }
        for &(element, action) in parts {
            if let Entry::Vacant(entry) = self.0.entry((element, &action.value)) {
                entry.insert(touched_by(context, &instances[element], action)?);
            }
        }
        // The elements that assign to each variable, with the least index.
        let mut writers: HashMap<&str, (usize, i64)> = HashMap::new();
        let all = parts
            .iter()
            .map(|&(element, action)| &self.0[&(element, action.value.as_str())]);
        let all: Vec<&Touched> = all.collect();
        for (number, touched) in all.iter().enumerate() {
            for (name, &index) in &touched.writes {
                if writers.insert(name, (number, index)).is_some() {
                    return Ok(true);
                }
            }
        }
        let reads_later = |number: usize, name: &str, index: i64| {
            let writer = writers.get(name);
            writer.is_some_and(|&(writer, first)| writer != number && first < index)
        };
        Ok(all.iter().enumerate().any(|(number, touched)| {
            let mut reads = touched.reads.iter();
            reads.any(|(name, &index)| reads_later(number, name, index))
        }))
    }
}

/// Returns the edges of an element with this action.
fn edges<'i>(instance: &'i Instance<'_>, action: &'i Ident) -> impl Iterator<Item = &'i Edge> {
    let edges = instance.edges.iter().map(|edge| &**edge);
    edges.filter(move |edge| edge.action.as_ref() == Some(action))
}

fn touched_by(context: &Context<'_>, instance: &Instance<'_>, action: &Ident) -> Checked<Touched> {
    let mut all = Touched::default();
    let lists = edges(instance, action).flat_map(|edge| {
        let of_destinations = edge.destinations.iter().map(|d| &d.assignments);
        of_destinations.chain([&edge.assignments])
    });
    for assignments in lists {
        let Touched { writes, reads } = &mut all;
        let write = |name, index: i64| {
            let first = writes.entry(name).or_insert(index);
            *first = index.min(*first);
        };
        let read = |name: &str, index: i64| {
            let last = reads.entry(name.to_owned()).or_insert(index);
            *last = index.max(*last);
        };
        touched(context, instance, assignments, write, read)?;
    }
    Ok(all)
}

/// Returns a module that has a command for each combination of the edges of a vector, and its
/// offers.
fn joint(
    context: &Context<'_>,
    instances: &[Instance<'_>],
    vector: &Vector,
    parts: &[Part<'_>],
) -> Checked<(Module, Offers)> {
    let edges = parts.iter().map(|&(element, action)| {
        let instance = &instances[element];
        edges(instance, action)
            .map(|edge| Party { instance, edge })
            .collect()
    });
    let edges: Vec<Vec<Party<'_>>> = edges.collect();
    let count = edges.iter().map(Vec::len).try_fold(1, usize::checked_mul);
    if count.is_none_or(|count| count > MAX_COMBINATIONS) {
        let kind = ErrorKind::TooMany {
            what: "combinations of edges that pass values to each other",
            limit: MAX_COMBINATIONS,
        };
        return Err(Fault::new(vector.span, kind));
    }
    let mut commands = Vec::new();
    let mut offers = Offers::default();
    let mut taken = vec![0; edges.len()];
    let mut has_more = count != Some(0);
    while has_more {
        let parties = edges.iter().zip(&taken).map(|(edges, &edge)| edges[edge]);
        let (mut command, earned) = context.command(&parties.collect::<Vec<_>>())?;
        command.action = offers.add(None, earned, vector.span);
        commands.push(command);
        has_more = next(&mut taken, |party| edges[party].len());
    }
    let names: Vec<&str> = parts
        .iter()
        .map(|&(e, _)| instances[e].name.as_str())
        .collect();
    let mut module = Module {
        name: Ident {
            value: names.join(" and ") + &format!(" ({})", vector.span.start()),
            span: vector.span,
        },
        body: ModuleBody::Written {
            variables: Vec::new(),
            invariant: None,
            commands: Vec::new(),
        },
    };
    fill(&mut module, commands);
    Ok((module, offers))
}

/// Adds vectors to a model.
struct Adder<'c> {
    context: &'c Context<'c>,
    results: Results,
    vectors: Vec<SyncVector>,
}

impl Adder<'_> {
    /// Adds a vector for each combination of classes, in which the last class changes fastest.
    fn add(
        &mut self,
        result: Option<&Ident>,
        span: Span,
        classes: &[(usize, &[Class])],
    ) -> Checked<()> {
        let mut taken = vec![0; classes.len()];
        let mut has_more = classes.iter().all(|(_, classes)| !classes.is_empty());
        while has_more {
            self.context.budget.take(classes.len(), span)?;
            let mut earned = Earned::new();
            let mut parties = Vec::with_capacity(classes.len());
            for (&(element, classes), &class) in classes.iter().zip(&taken) {
                let Class {
                    action,
                    earned: own,
                } = &classes[class];
                parties.push((element, action.clone()));
                earned.extend(own.iter().cloned());
            }
            self.vectors.push(SyncVector {
                action: self.results.name(result, earned, span),
                parties,
                span: prism_language::ast::Spanned { value: (), span },
            });
            has_more = next(&mut taken, |party| classes[party].1.len());
        }
        Ok(())
    }
}
