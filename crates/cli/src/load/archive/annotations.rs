//! The labels and the values of variables in an archive, and which of its contents are ignored.

use crate::model::annotations::Valuations;
use crate::model::observations::Observations;
use crate::model::players::Players;
use prism_explicit::{Column, Dialect, Labels, States};
use std::collections::HashSet;
use umb::{Entity, Kind, Numbers, Umb, Value, Values};

/// The group of atomic propositions.
const PROPOSITIONS: &str = "aps";

/// Returns the initial states and the atomic propositions, as labels.
pub(super) fn labels(umb: &Umb<'_>) -> Result<Labels, umb::Error> {
    let numbers = |bits: &umb::Bits<'_>| bits.iter().map(|state| state as u32).collect();
    let mut labels = vec![("init".to_owned(), numbers(umb.initial_states()))];
    for name in propositions(umb) {
        let values = umb.annotation(PROPOSITIONS, name, Entity::States)?;
        if let Some(Values::Bools(bits)) = values
            && name != "init"
        {
            labels.push((name.to_owned(), numbers(&bits)));
        }
    }
    Ok(Labels::new(Dialect::Prism, labels))
}

/// Returns the names of the atomic propositions of states.
fn propositions<'u>(umb: &'u Umb<'_>) -> impl Iterator<Item = &'u str> {
    let of_states = umb.annotations(PROPOSITIONS).filter(|(_, info)| {
        info.value_type.kind == Kind::Bool && info.applies_to.contains(&Entity::States)
    });
    of_states.map(|(id, info)| info.alias.as_deref().unwrap_or(id))
}

/// Returns the values of the variables that are integers or Booleans in every state. Adds a message
/// to `lost` for each of the others.
pub(super) fn valuations(
    umb: &Umb<'_>,
    num_states: u32,
    lost: &mut Vec<String>,
) -> Result<Option<Valuations>, umb::Error> {
    Ok(table(umb, Entity::States, num_states, lost)?.map(Valuations::Table))
}

/// Returns the observations of a POMDP's states, with the values of the observables. Adds a message
/// to `lost` for each observable that is left out.
pub(super) fn observations(
    umb: &Umb<'_>,
    lost: &mut Vec<String>,
) -> Result<Option<Observations>, umb::Error> {
    let Some(of_states) = umb.observations()? else {
        return Ok(None);
    };
    let count = umb.index().transition_system.num_observations;
    let values = match u32::try_from(count) {
        // If there were more observations than states, their number would not be limited by the
        // size of the archive.
        Ok(rows) if count <= umb.num_states() => table(umb, Entity::Observations, rows, lost)?,
        _ => None,
    };
    Ok(Some(Observations {
        count,
        of_states: of_states.iter().map(|&seen| seen as u32).collect(),
        values,
    }))
}

/// The entry that says which player a state belongs to.
const STATE_TO_PLAYER: &str = "state-to-player.bin";

/// Returns the players of a game. By the format, all states belong to the first player if the
/// archive does not say otherwise. This may be an oversight, so there is a warning.
pub(super) fn players(umb: &Umb<'_>) -> Result<Option<Players>, umb::Error> {
    let Some(of_states) = umb.players()? else {
        return Ok(None);
    };
    let system = &umb.index().transition_system;
    if umb.entries().all(|(path, _)| path != STATE_TO_PLAYER) {
        tracing::warn!(
            "all states belong to the first of {} players: the archive has no {STATE_TO_PLAYER}",
            system.num_players
        );
    }
    let names = (0..system.num_players as usize).map(|player| {
        let name = system.player_names.get(player);
        name.cloned().unwrap_or_else(|| (player + 1).to_string())
    });
    Ok(Some(Players {
        names: names.collect(),
        of_states: of_states.into_owned(),
    }))
}

fn table(
    umb: &Umb<'_>,
    of: Entity,
    count: u32,
    lost: &mut Vec<String>,
) -> Result<Option<States>, umb::Error> {
    let Some(valuations) = umb.valuations(of)? else {
        return Ok(None);
    };
    if (0..valuations.len()).any(|state| valuations.class(state) != 0) {
        lost.push("the values of variables: states have different variables".to_owned());
        return Ok(None);
    }
    let mut columns: Vec<(&str, Option<Column>)> = valuations
        .variables(0)
        .map(|variable| {
            let column = match variable.value_type.kind {
                Kind::Bool => Some(Column::Bool(Vec::new())),
                Kind::Int | Kind::Uint => Some(Column::Int(Vec::new())),
                _ => None,
            };
            (variable.name.as_str(), column)
        })
        .collect();
    for state in 0..valuations.len() {
        for ((_, column), value) in columns.iter_mut().zip(valuations.row(state)) {
            let kept = column.take();
            *column = kept.and_then(|column| push(column, value.ok()?));
        }
    }
    for (name, _) in columns.iter().filter(|(_, column)| column.is_none()) {
        lost.push(format!(
            "variable {name}: not all of its values are integers or truth values"
        ));
    }
    let columns = columns
        .into_iter()
        .filter_map(|(name, column)| Some((name.to_owned(), column?)));
    Ok(States::new(count, columns))
}

/// Returns the column with one more value, or `None` if the value has another type.
fn push(mut column: Column, value: Value<'_>) -> Option<Column> {
    let value = match value {
        Value::Bool(value) => prism_explicit::Value::Bool(value),
        Value::Int(value) => prism_explicit::Value::Int(i64::try_from(value).ok()?),
        _ => return None,
    };
    column.push(value).then_some(column)
}

/// Adds the contents of the archive that are not converted to other formats to `lost`.
pub(super) fn lost(umb: &Umb<'_>, lost: &mut Vec<String>) {
    if let Some(Numbers::Fractions(_)) = umb.probabilities() {
        lost.push("the exact values of fractions, which are rounded".to_owned());
    }
    let system = &umb.index().transition_system;
    if system.num_branch_actions > 0 {
        lost.push("actions of branches".to_owned());
    }
    if umb
        .index()
        .valuations
        .keys()
        .any(|&of| !matches!(of, Entity::States | Entity::Observations))
    {
        lost.push("values of variables of choices or branches".to_owned());
    }
    let labels: HashSet<&str> = propositions(umb).collect();
    for (group, annotations) in &umb.index().annotations {
        for (id, info) in annotations {
            let name = info.alias.as_deref().unwrap_or(id);
            let is_label = group == PROPOSITIONS && labels.contains(name);
            // Other formats have rewards, too.
            if !is_label && group != super::rewards::REWARDS {
                lost.push(format!("{group} {name:?}"));
            }
        }
    }
}
