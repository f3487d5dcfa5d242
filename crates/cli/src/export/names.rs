//! The names of actions, reward structures and variables that a format can hold.

use crate::model::annotations::Valuations;
use crate::model::choices::Details;
use crate::model::rewards::Rewards;
use std::collections::HashSet;

/// Returns the names of the actions. Replaces names for which `fits` returns false by empty names,
/// with a warning that calls the allowed names `kind`.
pub(super) fn writable<'d>(
    details: &'d Details,
    kind: &str,
    fits: impl Fn(&str) -> bool,
) -> Vec<&'d str> {
    let mut is_used = vec![false; details.names.len()];
    for &action in &details.actions {
        is_used[action as usize] = true;
    }
    let fits = |name: &str| name.is_empty() || fits(name);
    let used = details.names.iter().zip(is_used);
    let used = used.filter(|(_, is_used)| *is_used);
    let mut others = used.filter(|(name, _)| !fits(name));
    if let Some((first, _)) = others.next() {
        let count = report::counted(1 + others.count() as u64, "action", "actions");
        tracing::warn!("left out: the names of {count} that are no {kind}, such as `{first}`");
    }
    let names = details.names.iter().map(String::as_str);
    names
        .map(|name| if fits(name) { name } else { "" })
        .collect()
}

/// Returns the reward structures whose names are allowed. Leaves out the others, with a warning.
pub(super) fn with_names_that_fit(
    rewards: &[Rewards],
    fits: impl Fn(&str) -> bool,
) -> Vec<&Rewards> {
    let all = rewards.iter();
    let fitting = all.filter(|rewards| {
        let name = rewards.name.as_deref().unwrap_or_default();
        let fits = fits(name);
        if !fits {
            tracing::warn!("left out: the rewards {name:?}, a name that the format cannot hold");
        }
        fits
    });
    fitting.collect()
}

/// Returns the numbers of the variables whose names are allowed and, among variables with the same
/// name, only the first. Leaves out the others, with a warning.
pub(super) fn variables_that_fit(
    valuations: &Valuations,
    fits: impl Fn(&str) -> bool,
) -> Vec<usize> {
    let mut taken = HashSet::new();
    let names = valuations.names().iter().enumerate();
    let fitting = names.filter(|(_, name)| {
        let why = match fits(name) {
            false => "a name that the format cannot hold",
            true if !taken.insert(name.as_str()) => "a name that another variable has",
            true => return true,
        };
        tracing::warn!("left out: the values of the variable {name:?}, {why}");
        false
    });
    fitting.map(|(number, _)| number).collect()
}
