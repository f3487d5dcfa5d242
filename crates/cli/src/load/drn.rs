//! Storm's text format: the reader's visitor fills the builder of the graph, and keeps labels,
//! rewards and the values of variables.

mod chunk;
mod rewards;
mod valuations;

use super::model::Model;
use super::part::{Part, join};
use super::refused::refused;
use super::request::{Extent, Request};
use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::input::Input;
use crate::interrupt;
use crate::progress::{Progress, Unit};
use crate::size_hint::SizeHint;
use chunk::{Chunk, Kept, Wants, labels, observations};
use drn::{ErrorKind, ReadOptions, Visited, read_header, visit};
use prism_explicit::ModelType;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

/// Reads `input` as a model, and builds its graph.
pub(super) fn load(input: &Input, request: Request<'_>) -> Result<Model, Error> {
    let start = Instant::now();
    let options = ReadOptions {
        check_sums: !request.args.allow_any_sum,
        interrupt: Some(interrupt::flag()),
        ..ReadOptions::default()
    };
    let header = read_header(input, &options).map_err(|error| wrong(input, &error))?;
    let model_type = model_type(input, header.model_type)?;
    let mut wants = wants(input, request);
    // The actions of states with the same observation are compared.
    wants.details |= model_type.has_observations();
    let visited = read(input, &options, request.progress, wants)?;
    let read_time = start.elapsed();

    let start = Instant::now();
    let num_states = visited.header.num_states;
    (request.size_hint)(SizeHint::Graph {
        states: num_states.into(),
        branches: visited.num_branches,
        sample: None,
    });
    let (parts, kept): (Vec<Part>, Vec<Kept>) =
        visited.chunks.into_iter().map(Chunk::split).unzip();
    let valuations = valuations::joined(num_states, kept.iter().map(|chunk| &chunk.valuations));
    let (built, details) = match join(num_states, parts, request.deadlocks) {
        Ok(joined) => joined,
        Err(error) => return Err(refused(input, &error, || valuations)),
    };
    let labels = wants.labels.then(|| labels(&kept));
    let observations = model_type.has_observations().then(|| observations(&kept));
    let rewards = kept.into_iter().map(|chunk| chunk.rewards);
    let rewards = rewards::joined(&header.reward_models, rewards, &built.graph);
    Ok(Model {
        deadlocks: built.deadlocks,
        dropped_branches: visited.dropped_zero_branches,
        valuations,
        labels,
        observations,
        details,
        rewards,
        read_bytes: input.len() as u64,
        read_time,
        build_time: start.elapsed(),
        ..Model::bare(built.graph, model_type, "DRN")
    })
}

fn wrong(input: &Input, error: &drn::Error) -> Error {
    match error.kind() {
        ErrorKind::Interrupted => Error::Cancelled,
        _ => Diagnostic::in_text(input, error).into(),
    }
}

/// The type of the model, if it is one that can be worked with.
fn model_type(input: &Input, of: drn::ModelType) -> Result<ModelType, Error> {
    match of {
        drn::ModelType::Dtmc => Ok(ModelType::Dtmc),
        drn::ModelType::Ctmc => Ok(ModelType::Ctmc),
        drn::ModelType::Mdp => Ok(ModelType::Mdp),
        drn::ModelType::Pomdp => Ok(ModelType::Pomdp),
        _ => {
            let message = format!("{}: models of the type {of} are not supported", input.name);
            Err(Error::wrong(message))
        }
    }
}

/// What is to be kept. No model of few states that can be drawn whole has a text as long as this.
fn wants(input: &Input, request: Request<'_>) -> Wants {
    const LONG_TEXT: usize = 1 << 20;
    let wanted = request.wanted;
    let is_of_interest = !(wanted.only_of_few && input.len() > LONG_TEXT);
    Wants {
        details: is_of_interest && wanted.details != Extent::Nothing,
        labels: wanted.labels.model(),
        rewards: wanted.rewards,
        valuations: is_of_interest && wanted.valuations.model(),
    }
}

fn read(
    input: &Input,
    options: &ReadOptions<'_>,
    progress: Progress,
    wants: Wants,
) -> Result<Visited<Chunk>, Error> {
    let bytes_read = AtomicU64::new(0);
    let options = ReadOptions {
        progress: Some(&bytes_read),
        ..*options
    };
    let read = || {
        visit(input, &options, |header, chunk| {
            Chunk::new(header, chunk, wants)
        })
    };
    let total = input.len() as u64;
    progress
        .track("reading", Unit::Bytes, total, &bytes_read, read)
        .map_err(|error| wrong(input, &error))
}
