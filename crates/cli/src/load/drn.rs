//! Storm's text format: the reader's visitor fills the builder of the graph, and keeps labels,
//! rewards and the values of variables.

mod chunk;
mod rewards;
mod valuations;

use super::build_error::build_error;
use super::choice_chunk::{ChoiceChunk, Joined, join};
use super::request::{Extent, Request};
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::input::Input;
use crate::interrupt;
use crate::load::size_hint::SizeHint;
use crate::model::choices::ChoiceFacts;
use crate::model::states::StateFacts;
use crate::model::{FileFacts, Model, Times};
use crate::progress::{Progress, Unit};
use chunk::{Chunk, Kept, Wants, check_join, labels, markovian, observations};
use drn::{ErrorKind, Header, ReadOptions, Visited, read_header, visit};
use mdp_graph::OutOfMemory;
use prism_explicit::ModelType;
use report::counted;
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
    let model_type = model_type(input, &header)?;
    let mut wants = wants(input, request);
    // States with the same observation must have the same actions.
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
    let out_of_memory = |error: OutOfMemory| Error::of_file(&input.name, error);
    let (chunks, kept) = split(visited.chunks).map_err(out_of_memory)?;
    warn_of_late(kept.iter().map(|chunk| chunk.too_late).sum());
    let valuations = valuations::joined(num_states, kept.iter().map(|chunk| &chunk.valuations));
    let Joined {
        graph,
        mut construction,
        choices,
    } = match join(num_states, chunks, request.deadlocks) {
        Ok(joined) => joined,
        Err(error) => return Err(build_error(input, &error, || valuations)),
    };
    construction.dropped_branches += visited.dropped_zero_branches;
    let labels = wants.labels.then(|| labels(&header.unused_labels, &kept));
    let labels = labels.transpose().map_err(out_of_memory)?;
    let observations = model_type.has_observations().then(|| observations(&kept));
    let markovian = (model_type == ModelType::Ma).then(|| markovian(&kept, &graph));
    let rewards = kept.into_iter().map(|chunk| chunk.rewards);
    let rewards = rewards::joined(&header.reward_models, rewards, &graph);
    Ok(Model {
        construction,
        states: StateFacts {
            markovian,
            valuations,
            labels,
            observations,
            ..StateFacts::default()
        },
        choices: ChoiceFacts {
            lower_bounds: (choices.lower_bounds).or(model_type.has_intervals().then(Vec::new)),
            ..choices
        },
        rewards,
        file: FileFacts::of(input, "DRN"),
        times: Times::of(read_time, start.elapsed()),
        ..Model::bare(graph, model_type)
    })
}

/// Splits each chunk into its choices and the rest. There is room to join the rest.
fn split(chunks: Vec<Chunk>) -> Result<(Vec<ChoiceChunk>, Vec<Kept>), OutOfMemory> {
    let parts: Vec<_> = chunks
        .into_iter()
        .map(Chunk::split)
        .collect::<Result<_, _>>()?;
    let (choices, kept): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    check_join(&kept)?;
    Ok((choices, kept))
}

/// Warns of Markovian choices of states with others, which need no time.
fn warn_of_late(choices: u64) {
    if choices > 0 {
        let count = counted(choices, "Markovian choice", "Markovian choices");
        tracing::warn!("{count} dropped, as others of the same states need no time");
    }
}

fn wrong(input: &Input, error: &drn::Error) -> Error {
    match error.kind() {
        ErrorKind::Interrupted => Error::Cancelled,
        kind => {
            use ErrorKind::{BadExitRate, BadIntervals, BadSum};
            let is_sum = matches!(
                kind,
                BadSum { .. } | BadIntervals { .. } | BadExitRate { .. }
            );
            Diagnostic::in_text(input, error).any_sum(is_sum).into()
        }
    }
}

/// Returns the type of the model, or an error if it is not supported.
fn model_type(input: &Input, header: &Header) -> Result<ModelType, Error> {
    match header.model_type {
        drn::ModelType::Dtmc if header.has_intervals => Ok(ModelType::Idtmc),
        drn::ModelType::Mdp if header.has_intervals => Ok(ModelType::Imdp),
        drn::ModelType::Dtmc => Ok(ModelType::Dtmc),
        drn::ModelType::Ctmc => Ok(ModelType::Ctmc),
        drn::ModelType::Mdp => Ok(ModelType::Mdp),
        drn::ModelType::Pomdp => Ok(ModelType::Pomdp),
        drn::ModelType::MarkovAutomaton => Ok(ModelType::Ma),
        of => {
            let message = format!("{}: models of the type {of} are not supported", input.name);
            Err(Error::wrong(message))
        }
    }
}

/// Returns the data to be kept.
fn wants(input: &Input, request: Request<'_>) -> Wants {
    let wanted = request.wanted;
    let is_of_interest = wanted.sizes.may_include_text(input.len());
    Wants {
        details: is_of_interest && wanted.details != Extent::Nothing,
        labels: wanted.labels.reads_model_file(),
        rewards: wanted.rewards.are_wanted(),
        valuations: is_of_interest && wanted.valuations.reads_model_file(),
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
