//! The product by brute force: the transitions of a behaviour by the meaning of its operators, one
//! after the other, without rules.

use lts_formats::{
    Behaviour, INTERNAL, Lts, Matching, Parallel, Synchronisation, gate, is_internal,
};
use std::collections::{BTreeSet, HashMap};

/// A transition: its label, and the states of the processes after it.
pub(crate) type Transition = (String, Vec<u32>);

/// The processes of a behaviour, in order.
pub(crate) fn processes(behaviour: &Behaviour) -> Vec<&Lts> {
    match behaviour {
        Behaviour::Lts(lts) => vec![lts],
        Behaviour::File(file) => panic!("no file: {file:?}"),
        Behaviour::Parallel(parallel) => parallel.branches.iter().flat_map(processes).collect(),
        Behaviour::Hide(hide) => processes(&hide.behaviour),
        Behaviour::Rename(rename) => processes(&rename.behaviour),
    }
}

/// The transitions of a behaviour whose processes are in these states.
pub(crate) fn transitions(behaviour: &Behaviour, states: &[u32]) -> BTreeSet<Transition> {
    match behaviour {
        Behaviour::Lts(lts) => {
            let name = |label: &str| match is_internal(label) {
                true => INTERNAL.to_owned(),
                false => label.to_owned(),
            };
            let all = lts.transitions_of(states[0]);
            all.map(|t| (name(t.label()), t.targets().to_vec()))
                .collect()
        }
        Behaviour::File(file) => panic!("no file: {file:?}"),
        Behaviour::Hide(hide) => {
            let all = transitions(&hide.behaviour, states).into_iter();
            let hidden = |label: String| {
                let is_named = hide
                    .labels
                    .iter()
                    .any(|named| named == compared(&label, hide.matching));
                if is_named != hide.all_but {
                    INTERNAL.to_owned()
                } else {
                    label
                }
            };
            all.map(|(label, target)| (hidden(label), target)).collect()
        }
        Behaviour::Rename(rename) => {
            let all = transitions(&rename.behaviour, states).into_iter();
            let renamed = |label: String| {
                let rule = rename.rules.iter().find(|(old, _)| *old == label);
                let new = rule.map_or(label, |(_, new)| new.clone());
                if is_internal(&new) {
                    INTERNAL.to_owned()
                } else {
                    new
                }
            };
            all.map(|(label, target)| (renamed(label), target))
                .collect()
        }
        Behaviour::Parallel(parallel) => together(parallel, states),
    }
}

fn compared(label: &str, matching: Matching) -> &str {
    match matching {
        Matching::Gate => gate(label),
        Matching::Total => label,
    }
}

fn together(parallel: &Parallel, states: &[u32]) -> BTreeSet<Transition> {
    let mut starts = vec![0];
    for branch in &parallel.branches {
        starts.push(starts[starts.len() - 1] + processes(branch).len());
    }
    let own = |branch: usize| &states[starts[branch]..starts[branch + 1]];
    let of: Vec<Vec<Transition>> = (0..parallel.branches.len())
        .map(|branch| {
            transitions(&parallel.branches[branch], own(branch))
                .into_iter()
                .collect()
        })
        .collect();
    // Each way in which every behaviour does one of its transitions, or none.
    let mut ways: Vec<Vec<Option<&Transition>>> = vec![Vec::new()];
    for choices in &of {
        let none = ways.iter().map(|way| with(way, None));
        let some = ways
            .iter()
            .flat_map(|way| choices.iter().map(|t| with(way, Some(t))));
        ways = none.chain(some).collect();
    }
    let mut all = BTreeSet::new();
    for way in ways {
        for result in results(parallel, &way) {
            let mut target = states.to_vec();
            for (branch, transition) in way.iter().enumerate() {
                if let Some((_, part)) = transition {
                    target[starts[branch]..starts[branch + 1]].copy_from_slice(part);
                }
            }
            all.insert((result, target));
        }
    }
    all
}

/// A way with one more choice.
fn with<'t>(
    way: &[Option<&'t Transition>],
    choice: Option<&'t Transition>,
) -> Vec<Option<&'t Transition>> {
    way.iter().copied().chain([choice]).collect()
}

/// The labels of the system's transitions when the behaviours do this together.
fn results(parallel: &Parallel, way: &[Option<&Transition>]) -> Vec<String> {
    let labels: Vec<Option<&str>> = way
        .iter()
        .map(|t| t.map(|(label, _)| label.as_str()))
        .collect();
    let done: Vec<&str> = labels.iter().copied().flatten().collect();
    if done == [INTERNAL] {
        return vec![INTERNAL.to_owned()];
    }
    if done.is_empty() || done.contains(&INTERNAL) {
        return Vec::new();
    }
    match &parallel.synchronisation {
        Synchronisation::Vectors(vectors) => {
            let matching = vectors.iter().filter(|vector| {
                let parts: Vec<Option<&str>> = vector.parts.iter().map(Option::as_deref).collect();
                parts == labels
            });
            let name = |label: &String| match is_internal(label) {
                true => INTERNAL.to_owned(),
                false => label.clone(),
            };
            matching.map(|vector| name(&vector.result)).collect()
        }
        Synchronisation::Labels {
            matching,
            labels: shared,
        } => {
            let is_shared = |label: &str| shared.iter().any(|s| s == compared(label, *matching));
            let all = done.len() == labels.len() && done.iter().all(|label| *label == done[0]);
            let happens = match is_shared(done[0]) {
                true => all,
                false => done.len() == 1,
            };
            if happens {
                vec![done[0].to_owned()]
            } else {
                Vec::new()
            }
        }
    }
}

/// All states that can be reached, with their transitions; `None` if there are more than `limit`.
pub(crate) fn reach(
    behaviour: &Behaviour,
    limit: usize,
) -> Option<HashMap<Vec<u32>, BTreeSet<Transition>>> {
    let initial: Vec<u32> = processes(behaviour)
        .iter()
        .map(|lts| lts.initial()[0].0)
        .collect();
    let mut all = HashMap::new();
    let mut open = vec![initial];
    while let Some(states) = open.pop() {
        if all.contains_key(&states) {
            continue;
        }
        if all.len() == limit {
            return None;
        }
        let own = transitions(behaviour, &states);
        open.extend(own.iter().map(|(_, target)| target.clone()));
        all.insert(states, own);
    }
    Some(all)
}
