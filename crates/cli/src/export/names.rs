//! The names of actions and of reward structures that a format can hold.

use crate::load::Details;
use crate::rewards::Rewards;

/// The names of actions, and none for those that are not `kind`, as `fits` says. Says which these
/// are.
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

/// The reward structures with names that fit. Warns of the others, which are left out.
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
