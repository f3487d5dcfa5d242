//! A weighted graph in DIMACS' format: vertices are states, each arc is a choice, and weights are
//! rewards.

use super::build_error::build_error;
use super::choice_chunk::{ChoiceChunk, Joined, join};
use super::request::{Extent, Request};
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::input::Input;
use crate::interrupt;
use crate::load::size_hint::SizeHint;
use crate::model::rewards::{Amounts, Rewards};
use crate::model::{FileFacts, Model, Times};
use cycle_mean::Ratio;
use dimacs::{ErrorKind, Graph};
use mdp_graph::check_room;
use prism_explicit::ModelType;
use std::time::Instant;

/// The name of the weights as a reward structure.
const WEIGHT: &str = "weight";

/// Reads `input` as a graph.
pub(super) fn load(input: &Input, request: Request<'_>) -> Result<Model, Error> {
    let start = Instant::now();
    let graph =
        dimacs::read(input, Some(interrupt::flag())).map_err(|error| match error.kind() {
            ErrorKind::Interrupted => Error::Cancelled,
            _ => Diagnostic::in_text(input, &error).into(),
        })?;
    let read_time = start.elapsed();
    (request.size_hint)(SizeHint::Graph {
        states: graph.num_vertices.into(),
        branches: graph.arcs.len() as u64,
        sample: None,
    });

    let start = Instant::now();
    check_room(
        "the arcs by their sources",
        &[20 * graph.arcs.len() + 4 * graph.num_vertices as usize],
    )?;
    let order = by_source(&graph);
    let detailed = request.wanted.details != Extent::Nothing;
    let mut chunk = ChoiceChunk::new(graph.arcs.len(), detailed);
    for &arc in &order {
        let arc = &graph.arcs[arc as usize];
        chunk.choice(arc.source, None, &[arc.target], &[1.0]);
    }
    let Joined {
        graph: built,
        construction,
        choices,
    } = join(graph.num_vertices, vec![chunk], request.deadlocks)
        .map_err(|error| build_error(input, &error, || None))?;
    let rewards = match request.wanted.rewards.are_wanted() {
        true => {
            check_room("the weights of arcs", &[8 * built.num_choices()])?;
            vec![weights(&graph, &order, &built)]
        }
        false => Vec::new(),
    };
    let build_time = start.elapsed();
    Ok(Model {
        construction,
        choices,
        rewards,
        file: FileFacts::of(input, "DIMACS"),
        times: Times::of(read_time, build_time),
        ..Model::bare(built, ModelType::Lts)
    })
}

/// Returns the arcs sorted by their sources. Arcs with the same source keep their order.
fn by_source(graph: &Graph) -> Vec<u32> {
    let mut next = vec![0u32; graph.num_vertices as usize + 1];
    for arc in &graph.arcs {
        next[arc.source as usize + 1] += 1;
    }
    for vertex in 1..next.len() {
        next[vertex] += next[vertex - 1];
    }
    let mut order = vec![0; graph.arcs.len()];
    for (number, arc) in graph.arcs.iter().enumerate() {
        let next = &mut next[arc.source as usize];
        order[*next as usize] = number as u32;
        *next += 1;
    }
    order
}

/// Returns the weights as the rewards of choices. Deadlocks may have been given self-loops.
fn weights(graph: &Graph, order: &[u32], built: &mdp_graph::MdpGraph) -> Rewards {
    let mut amounts = Amounts::zeros(built.num_choices());
    let mut arcs = order
        .iter()
        .map(|&arc| &graph.arcs[arc as usize])
        .peekable();
    for state in built.states() {
        for choice in built.choice_range(state) {
            if let Some(arc) = arcs.next_if(|arc| arc.source == state.0) {
                amounts.set(choice, Ratio::new(arc.weight.into(), 1));
            }
        }
    }
    Rewards {
        name: Some(WEIGHT.to_owned()),
        choices: Some(amounts),
        ..Rewards::default()
    }
}
