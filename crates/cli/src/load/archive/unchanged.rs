//! Archives whose arrays are those of a graph: no branch has to be left out or merged, and no
//! choice added. Most are like this. Their arrays are copied as they are.

use super::super::choice_chunk::{Joined, Names, check_details};
use super::reader::Reader;
use crate::model::Construction;
use crate::model::choices::{ChoiceFacts, Details};
use mdp_graph::{BuildError, Deadlocks, MdpGraph};
use umb::{Actions, Numbers, Offsets};

/// Returns the model if the archive is such a one. If not, its choices have to be read one by one.
pub(super) fn model(
    reader: &Reader<'_>,
    deadlocks: Deadlocks,
) -> Result<Option<Joined>, BuildError> {
    let umb = reader.umb;
    let changes_values = umb.lower_bounds().is_some() || reader.exit_rates.is_some();
    if changes_values || umb.num_zeros() > 0 {
        return Ok(None);
    }
    let [of_states, of_choices] = [umb.choice_offsets(), umb.branch_offsets()].map(stored);
    let graph = match MdpGraph::from_wide(of_states, of_choices, umb.targets()) {
        Ok(graph) => graph,
        // If branches are merged, they may be few enough.
        Err(BuildError::TooMany { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let num_deadlocks = graph.num_deadlocks() as u64;
    if num_deadlocks > 0 && deadlocks != Deadlocks::Keep || graph.has_repeated_targets()? {
        return Ok(None);
    }
    let details = reader.detailed.then(|| details(reader, &graph));
    Ok(Some(Joined {
        graph,
        construction: Construction {
            deadlocks: num_deadlocks,
            ..Construction::default()
        },
        choices: ChoiceFacts::of(details.transpose()?),
    }))
}

/// Returns offsets, unless each row has one element.
fn stored<'u>(offsets: &'u Offsets<'_>) -> Option<&'u [u64]> {
    match offsets {
        Offsets::Identity(_) => None,
        Offsets::Stored(offsets) => Some(offsets),
    }
}

/// Returns the actions of the choices, and the values of the branches.
fn details(reader: &Reader<'_>, graph: &MdpGraph) -> Result<Details, BuildError> {
    let mut names = Names::default();
    let strings = reader.actions.as_ref().and_then(Actions::names);
    let texts = strings.map_or(0, |names| names.iter().map(Names::bytes_of).sum());
    check_details(graph, false, names.bytes() + texts)?;
    let actions = match &reader.actions {
        Some(actions) if strings.is_some() => numbered(actions, graph.num_choices(), &mut names),
        _ => vec![0; graph.num_choices()],
    };
    let values = match reader.umb.probabilities() {
        None => vec![1.0; graph.num_branches()],
        Some(Numbers::Doubles(doubles)) => doubles.to_vec(),
        Some(numbers) => (0..numbers.len()).map(|i| numbers.get(i)).collect(),
    };
    Ok(Details {
        values,
        names: names.list,
        actions,
    })
}

/// Returns the action of each choice, by the number of its name, which is looked up once.
fn numbered(actions: &Actions<'_>, choices: usize, names: &mut Names) -> Vec<u32> {
    let strings = actions.names().map_or(0, umb::Strings::len);
    let mut numbers: Vec<Option<u32>> = vec![None; strings];
    let number_of = |choice| {
        let number = &mut numbers[actions.number(choice) as usize];
        *number.get_or_insert_with(|| names.number(actions.name(choice)))
    };
    (0..choices as u64).map(number_of).collect()
}

#[cfg(test)]
mod tests;
