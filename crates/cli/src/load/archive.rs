//! An archive in the Unified Markov Binary format: its arrays as a graph, its atomic propositions
//! as labels.

mod annotations;
mod reader;
mod rewards;
mod unchanged;

use super::build_error::build_error;
use super::choice_chunk::{Joined, join};
use super::request::{Extent, Origin, Request, Sizes, Wanted};
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::input::Input;
use crate::load::size_hint::SizeHint;
use crate::memory;
use crate::model::annotations::Valuations;
use crate::model::observations::Observations;
use crate::model::states::StateFacts;
use crate::model::{FileFacts, Model, Times};
use decompose::cost::EdgeSample;
use mdp_graph::{BuildError, Deadlocks};
use reader::Reader;
use std::time::Instant;
use umb::{ErrorKind, Preview, ReadOptions, Umb};

/// Reads `input` as a model, and builds its graph.
pub(super) fn load(input: Input, request: Request<'_>) -> Result<Model, Error> {
    let mut model = read(&input, request)?;
    // A copy would have the labels and values of the archive, not those of a file that the command
    // line names.
    let named = |origin| matches!(origin, Origin::File(_));
    let Wanted {
        valuations,
        labels,
        details,
        sizes,
        ..
    } = request.wanted;
    let all = details == Extent::Everything && sizes == Sizes::All;
    if all && !named(valuations) && !named(labels) {
        model.file.archive = Some(input);
    }
    Ok(model)
}

fn read(input: &Input, request: Request<'_>) -> Result<Model, Error> {
    let wrong = |error: umb::Error| Error::from(Diagnostic::archive(input, &error));
    let start = Instant::now();
    expect_size(input, request);
    let umb = open(input, !request.args.allow_any_sum)?;
    let read_time = start.elapsed();

    let start = Instant::now();
    let num_states = num_states(&umb, input)?;
    let wanted = request.wanted;
    let detailed = umb.model_type().has_observations()
        || wanted.details != Extent::Nothing && wanted.sizes.include(num_states as usize);
    let reader = Reader::new(&umb, detailed).map_err(wrong)?;
    let joined = join_or_copy(num_states, &reader, request.deadlocks).map_err(|error| {
        let values = || {
            let values = annotations::valuations(&umb, num_states, &mut Vec::new());
            values.ok().flatten()
        };
        build_error(input, &error, values)
    })?;
    let Joined {
        graph,
        mut construction,
        choices,
    } = joined;
    construction.dropped_branches += umb.num_zeros();
    let build_time = start.elapsed();

    let Variables {
        valuations,
        observations,
        lost,
    } = Variables::read(&umb, num_states, request.wanted).map_err(wrong)?;
    let rewards = match request.wanted.rewards.are_wanted() {
        true => rewards::read(&umb, &graph, &input.name)?,
        false => Vec::new(),
    };
    let reads_labels = wanted.labels.reads_model_file();
    let labels = reads_labels.then(|| annotations::labels(&umb));
    let labels = labels.transpose().map_err(wrong)?;
    Ok(Model {
        construction,
        states: StateFacts {
            valuations,
            labels,
            initial: umb.initial_states().iter().map(|s| s as u32).collect(),
            observations,
            markovian: reader.markovian_states(&graph),
            players: annotations::players(&umb).map_err(wrong)?,
        },
        choices,
        rewards,
        file: FileFacts {
            lost,
            ..FileFacts::of(input, "UMB")
        },
        times: Times::of(read_time, build_time),
        ..Model::bare(graph, umb.model_type())
    })
}

/// Returns the graph and, if they are wanted, the actions and values.
fn join_or_copy(
    num_states: u32,
    reader: &Reader<'_>,
    deadlocks: Deadlocks,
) -> Result<Joined, BuildError> {
    match unchanged::model(reader, deadlocks)? {
        Some(joined) => Ok(joined),
        None => join(num_states, reader.chunks(), deadlocks),
    }
}

/// The values of variables and of observables.
struct Variables {
    valuations: Option<Valuations>,
    observations: Option<Observations>,
    /// The contents of the archive, of any kind, that other formats cannot express.
    lost: Vec<String>,
}

impl Variables {
    fn read(umb: &Umb<'_>, num_states: u32, wanted: Wanted<'_>) -> Result<Self, umb::Error> {
        let mut lost = Vec::new();
        let valuations = match wanted.valuations.reads_model_file() {
            true => annotations::valuations(umb, num_states, &mut lost)?,
            false => None,
        };
        let observations = annotations::observations(umb, &mut lost)?;
        // A model that is read with all of its data may be copied as it is, without losses.
        if wanted.details != Extent::Everything {
            lost.drain(..)
                .for_each(|lost| tracing::warn!("left out: {lost}"));
        }
        annotations::lost(umb, &mut lost);
        Ok(Self {
            valuations,
            observations,
            lost,
        })
    }
}

/// Returns the number of states, or an error if a graph cannot have as many.
fn num_states(umb: &Umb<'_>, input: &Input) -> Result<u32, Error> {
    u32::try_from(umb.num_states()).map_err(|_| {
        let (name, states) = (&input.name, umb.num_states());
        Error::of_file(name, format!("{states} states are more than fit a graph"))
    })
}

/// Reports the expected size of the graph, and a sample of its edges, before the archive is
/// checked. Errors in the archive are found later.
fn expect_size(input: &Input, request: Request<'_>) {
    let Ok(preview) = Preview::read(input) else {
        return;
    };
    let (states, branches) = (preview.num_states(), preview.num_branches());
    // Otherwise the model does not fit a graph.
    if u32::try_from(states).is_ok() {
        let sample = Some(EdgeSample::of_rows(states, |state| {
            preview.targets_of(state)
        }));
        (request.size_hint)(SizeHint::Graph {
            states,
            branches,
            sample,
        });
    }
}

/// Reads and checks an archive's structure. Its index may take as much memory as the text of a
/// model.
pub(crate) fn open(input: &Input, check_sums: bool) -> Result<Umb<'_>, Error> {
    let (max_memory, why) = memory::limit(None);
    let options = ReadOptions {
        check_sums,
        max_memory,
    };
    Umb::read(input, &options).map_err(|error| {
        let diagnostic = Diagnostic::archive(input, &error);
        match error.kind() {
            ErrorKind::IndexTooLarge { .. } => diagnostic.note(why).into(),
            _ => diagnostic.into(),
        }
    })
}
