//! Checks that a graph which was not read from a file has the shape of the models of its type, as
//! the readers of files do.

use super::Failure;
use crate::error::Error;
use mdp_graph::MdpGraph;
use prism_explicit::ModelType;
use rayon::prelude::*;

/// The number of consecutive states or choices that a thread handles at a time.
const PIECE: usize = 1 << 14;

/// Returns the name of a type of models in lower case, if the graph may be one of a model of this
/// type: in a Markov chain each state has at most one choice, and in an LTS each choice has one
/// branch. Takes O(n) time, on all threads of the current rayon pool.
///
/// # Errors
/// If there is no such type, or the graph has another shape.
pub fn check_type(graph: &MdpGraph, type_name: &str) -> Result<&'static str, Failure> {
    Ok(checked_type(graph, type_name)?.name())
}

/// Does the same as [`check_type`], and returns the type.
pub(super) fn checked_type(graph: &MdpGraph, type_name: &str) -> Result<ModelType, Error> {
    let parsed: Result<ModelType, _> = type_name.parse();
    let model_type = parsed.map_err(|error| Error::Usage(error.to_string()))?;
    let choices = graph.choice_offsets();
    if !model_type.is_nondeterministic()
        && let Some(state) = first_row_of_many(choices)
    {
        let count = choices[state + 1] - choices[state];
        let article = match model_type {
            ModelType::Idtmc => "an",
            _ => "a",
        };
        return Err(Error::wrong(format!(
            "state {state} has {count} choices: expected at most one in {article} {model_type}"
        )));
    }
    // Each choice has a branch.
    if model_type == ModelType::Lts
        && graph.num_branches() > graph.num_choices()
        && let Some(choice) = first_row_of_many(graph.branch_offsets())
    {
        let count = graph.branch_offsets()[choice + 1] - graph.branch_offsets()[choice];
        let state = choices.partition_point(|&first| first as usize <= choice) - 1;
        let number = choice - choices[state] as usize;
        return Err(Error::wrong(format!(
            "choice {number} of state {state} has {count} branches: expected one in an {model_type}"
        )));
    }
    Ok(model_type)
}

/// Returns the first row with two entries or more.
fn first_row_of_many(offsets: &[u32]) -> Option<usize> {
    let rows = offsets.len() - 1;
    let pieces = (0..rows.div_ceil(PIECE)).into_par_iter();
    pieces.find_map_first(|piece| {
        let start = piece * PIECE;
        let piece = &offsets[start..=rows.min(start + PIECE)];
        // Without an early exit, this is one loop of vector instructions.
        let has_many = |many: bool, (first, next): (&u32, &u32)| many | (next - first > 1);
        let pairs = piece.iter().zip(&piece[1..]);
        pairs.fold(false, has_many).then_some(())?;
        let row = piece.windows(2).position(|row| row[1] - row[0] > 1)?;
        Some(start + row)
    })
}
