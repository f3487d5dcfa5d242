//! The labels and the values of variables in an archive, and which of its contents are ignored.

use crate::model::annotations;
use crate::model::observations::Observations;
use crate::model::players::Players;
use prism_explicit::{Column, Dialect, Labels, States};
use rayon::prelude::*;
use std::collections::HashSet;
use std::ops::Range;
use umb::{Entity, Kind, Numbers, Umb, Valuations, Value, Values, Variable};

/// The group of atomic propositions.
const PROPOSITIONS: &str = "aps";

/// The number of rows that a thread reads at a time.
const PIECE: u64 = if cfg!(test) { 3 } else { 1 << 16 };

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
) -> Result<Option<annotations::Valuations>, umb::Error> {
    Ok(table(umb, Entity::States, num_states, lost)?.map(annotations::Valuations::Table))
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
    let mut columns = Vec::new();
    for (variable, column) in valuations.variables(0).zip(columns_of(&valuations)) {
        let name = variable.name.as_str();
        match column {
            Some(column) => columns.push((name.to_owned(), column)),
            None => lost.push(format!(
                "variable {name}: not all of its values are integers or truth values"
            )),
        }
    }
    Ok(States::new(count, columns))
}

/// Returns the values of each variable of the first class, or `None` if they have another type.
fn columns_of(valuations: &Valuations<'_>) -> Vec<Option<Column>> {
    let rows = valuations.len();
    let starts: Vec<u64> = (0..rows).step_by(PIECE as usize).collect();
    let mut pieces: Vec<Vec<Option<Column>>> = starts
        .into_par_iter()
        .map(|start| columns_of_piece(valuations, start..rows.min(start + PIECE)))
        .collect();
    let of_variables: Vec<(Option<Column>, Vec<Option<Column>>)> = (valuations.variables(0))
        .enumerate()
        .map(|(i, variable)| {
            let parts = pieces.iter_mut().map(|piece| piece[i].take());
            (empty_column(variable, rows), parts.collect())
        })
        .collect();
    let joined = of_variables.into_par_iter().map(|(empty, parts)| {
        let mut parts = parts.into_iter();
        parts.try_fold(empty?, |all, part| append(all, part?))
    });
    joined.collect()
}

fn columns_of_piece(valuations: &Valuations<'_>, rows: Range<u64>) -> Vec<Option<Column>> {
    let empty = |variable| empty_column(variable, rows.end - rows.start);
    let mut columns: Vec<_> = valuations.variables(0).map(empty).collect();
    for row in rows {
        for (column, value) in columns.iter_mut().zip(valuations.row(row)) {
            let kept = column.take();
            *column = kept.and_then(|column| push(column, value.ok()?));
        }
    }
    columns
}

/// Returns a column without values that has room for so many of a variable, if they can be kept.
fn empty_column(variable: &Variable, rows: u64) -> Option<Column> {
    let rows = usize::try_from(rows).ok()?;
    match variable.value_type.kind {
        Kind::Bool => Some(Column::Bool(Vec::with_capacity(rows))),
        Kind::Int | Kind::Uint => Some(Column::Int(Vec::with_capacity(rows))),
        _ => None,
    }
}

/// Returns the values of a column and those of another one after them, if they have the same type.
fn append(all: Column, part: Column) -> Option<Column> {
    let wide = |values: Vec<i32>| values.into_iter().map(i64::from);
    Some(match (all, part) {
        (Column::Bool(mut all), Column::Bool(part)) => {
            all.extend(part);
            Column::Bool(all)
        }
        (Column::Int(mut all), Column::Int(part)) => {
            all.extend(part);
            Column::Int(all)
        }
        (Column::Int(all), Column::Wide(part)) => Column::Wide(wide(all).chain(part).collect()),
        (Column::Wide(mut all), Column::Wide(part)) => {
            all.extend(part);
            Column::Wide(all)
        }
        (Column::Wide(mut all), Column::Int(part)) => {
            all.extend(wide(part));
            Column::Wide(all)
        }
        _ => return None,
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use umb::{Compression, Domain, Indices, Model, ModelType, ReadOptions, UmbWriter};

    /// Values of two variables. Some of the integers need 64 bits.
    fn values() -> impl Strategy<Value = Vec<(bool, i64)>> {
        let number = prop_oneof![9 => -5..5i64, 1 => (1 << 40)..(1 << 40) + 5i64];
        prop::collection::vec((any::<bool>(), number), 1..20)
    }

    proptest! {
        #[test]
        fn values_are_those_of_the_states(values in values()) {
            let offsets: Vec<u32> = (0..=values.len() as u32).collect();
            let model = Model {
                choice_offsets: Indices::U32(&offsets),
                branch_offsets: Indices::U32(&offsets),
                targets: Indices::U32(&offsets[..values.len()]),
                ..Model::new(ModelType::Lts)
            };
            let mut writer = UmbWriter::new(&model).expect("a sound model");
            let domains = [("flag", Domain::Bool), ("n", Domain::Int { lower: -5, upper: 1 << 41 })];
            let value = |state: u64, variable| {
                let (flag, number) = values[state as usize];
                if variable == 0 { i64::from(flag) } else { number }
            };
            writer.state_valuations(&domains, false, value).expect("sound domains");
            let mut bytes = Vec::new();
            writer.write(&mut bytes, Compression::None).expect("written to memory");
            let umb = Umb::read(&bytes, &ReadOptions::default()).expect("a sound archive");

            let mut lost = Vec::new();
            let table = table(&umb, Entity::States, values.len() as u32, &mut lost);
            let table = table.expect("sound values").expect("there are some");
            prop_assert_eq!(&lost, &[""; 0]);
            let columns: Vec<_> = table.variables().iter().zip(table.columns()).collect();
            prop_assert_eq!(columns.len(), 2);
            for (state, &(flag, number)) in values.iter().enumerate() {
                let found = columns.iter().map(|(_, column)| column.get(state));
                let flag = prism_explicit::Value::Bool(flag);
                let expected = [flag, prism_explicit::Value::Int(number)];
                prop_assert!(found.eq(expected.map(Some)));
            }
        }
    }

    #[test]
    fn columns_of_different_types_are_not_joined() {
        let (flags, numbers) = (Column::Bool(vec![true]), Column::Int(vec![1]));
        assert_eq!(append(flags.clone(), numbers.clone()), None);
        assert_eq!(append(numbers, flags), None);
    }
}
