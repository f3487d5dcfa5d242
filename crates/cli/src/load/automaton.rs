//! An Aldebaran file: a labelled transition system or, with probabilities, a Markov decision
//! process.

use super::build_error::build_error;
use super::choice_chunk::{ChoiceChunk, Joined, join};
use super::request::{Extent, Request};
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::input::Input;
use crate::interrupt;
use crate::load::size_hint::SizeHint;
use crate::model::rewards::{Amounts, Rewards};
use crate::model::states::StateFacts;
use crate::model::{FileFacts, Model, Times};
use crate::progress::{Progress, Unit};
use cycle_mean::Ratio;
use lts_formats::{ErrorKind, Lts, ReadOptions, read_aut};
use mdp_graph::{MdpGraph, OutOfMemory, check_room};
use prism_explicit::ModelType;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

/// The name of the reward structure made of the numbers in the labels.
const WEIGHT: &str = "weight";

/// Reads `input` as a model, and builds its graph. States keep their numbers.
pub(super) fn load(input: &Input, request: Request<'_>) -> Result<Model, Error> {
    let start = Instant::now();
    let lts = read(input, request.progress)?;
    let read_time = start.elapsed();

    let start = Instant::now();
    (request.size_hint)(SizeHint::Graph {
        states: lts.num_states().into(),
        branches: lts.num_branches() as u64,
        sample: None,
    });
    let wanted = request.wanted;
    let detailed =
        wanted.details != Extent::Nothing && wanted.sizes.include(lts.num_states() as usize);
    let Joined {
        graph,
        construction,
        choices,
    } = join(lts.num_states(), chunks(&lts, detailed), request.deadlocks)
        .map_err(|error| build_error(input, &error, || None))?;
    let rewards = match wanted.rewards.are_wanted() {
        true => weights(&lts, &graph)
            .map_err(|error| Error::of_file(&input.name, error))?
            .into_iter()
            .collect(),
        false => Vec::new(),
    };
    let mut initial: Vec<u32> = lts.initial().iter().map(|&(state, _)| state).collect();
    initial.sort_unstable();
    initial.dedup();
    let model_type = match lts.is_probabilistic() {
        true => ModelType::Mdp,
        false => ModelType::Lts,
    };
    Ok(Model {
        construction,
        file: FileFacts {
            lost: match initial.len() {
                1 => Vec::new(),
                _ => vec!["the probabilities of the initial states".to_owned()],
            },
            ..FileFacts::of(input, "Aldebaran")
        },
        states: StateFacts {
            initial,
            ..StateFacts::default()
        },
        choices,
        rewards,
        times: Times::of(read_time, start.elapsed()),
        ..Model::bare(graph, model_type)
    })
}

/// Reads an Aldebaran file.
pub(super) fn read(input: &Input, progress: Progress) -> Result<Lts, Error> {
    let bytes_read = AtomicU64::new(0);
    let options = ReadOptions {
        progress: Some(&bytes_read),
        interrupt: Some(interrupt::flag()),
        ..ReadOptions::default()
    };
    let read = || read_aut(input, &options);
    let total = input.len() as u64;
    progress
        .track("reading", Unit::Bytes, total, &bytes_read, read)
        .map_err(|error| match error.kind() {
            ErrorKind::Interrupted => Error::Cancelled,
            _ => Diagnostic::in_text(input, &error).into(),
        })
}

/// Returns the labels as the rewards of choices, if all of them are numbers. Deadlocks may have
/// been given self-loops.
fn weights(lts: &Lts, graph: &MdpGraph) -> Result<Option<Rewards>, OutOfMemory> {
    let names = lts.names();
    if lts.num_transitions() == 0 || names.iter().any(|name| name.parse::<Ratio>().is_err()) {
        return Ok(None);
    }
    // Amounts that are fractions are also in a table, which may have twice as many places.
    let bytes = match names.iter().any(|name| name.contains('/')) {
        true => 8 + 4 * size_of::<(usize, Ratio)>(),
        false => 8,
    };
    let tables = [
        size_of::<Ratio>() * names.len(),
        bytes * graph.num_choices(),
    ];
    check_room("the numbers in labels", &tables)?;
    let mut numbers: Vec<Ratio> = Vec::with_capacity(names.len());
    numbers.extend(names.iter().filter_map(|name| name.parse::<Ratio>().ok()));
    let mut transitions = lts.transitions().peekable();
    let mut amounts = Amounts::zeros(graph.num_choices());
    for state in graph.states() {
        for choice in graph.choice_range(state) {
            if let Some(transition) = transitions.next_if(|next| next.source() == state.0) {
                amounts.set(choice, numbers[transition.label_number() as usize]);
            }
        }
    }
    Ok(Some(Rewards {
        name: Some(WEIGHT.to_owned()),
        choices: Some(amounts),
        ..Rewards::default()
    }))
}

/// Returns all choices, in chunks that are built in parallel.
fn chunks(lts: &Lts, detailed: bool) -> Vec<ChoiceChunk> {
    let states = u64::from(lts.num_states());
    let count = (4 * rayon::current_num_threads() as u64).min(states);
    let cut = |number: u64| (states * number / count.max(1)) as u32;
    let chunks = (0..count).into_par_iter();
    chunks
        .map(|number| chunk(lts, cut(number)..cut(number + 1), detailed))
        .collect()
}

/// Returns the choices of some states: one for each transition.
fn chunk(lts: &Lts, states: Range<u32>, detailed: bool) -> ChoiceChunk {
    let share = f64::from(states.end - states.start) / f64::from(lts.num_states());
    let mut chunk = ChoiceChunk::new((lts.num_branches() as f64 * share) as usize, detailed);
    for transition in states.flat_map(|state| lts.transitions_of(state)) {
        let values: &[f64] = match transition.probabilities() {
            [] => &[1.0],
            values => values,
        };
        let label = Some(transition.label());
        chunk.choice_of_any(transition.source(), label, transition.targets(), values);
    }
    chunk
}
