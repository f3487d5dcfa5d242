//! An archive in the Unified Markov Binary format: its arrays as a graph, its atomic propositions
//! as labels.

mod annotations;
mod rewards;

use super::build_error::build_error;
use super::choice_chunk::{ChoiceChunk, Joined, join};
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
use mdp_graph::{MdpGraph, StateId};
use rayon::prelude::*;
use std::time::Instant;
use umb::{Actions, Bits, ErrorKind, Numbers, Preview, ReadOptions, Umb};

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
    let joined = join(num_states, reader.chunks(), request.deadlocks).map_err(|error| {
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
    construction.dropped_branches += reader.count_zeros();
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

/// The arrays from which choices are built.
struct Reader<'u> {
    umb: &'u Umb<'u>,
    actions: Option<Actions<'u>>,
    exit_rates: Option<Numbers<'u>>,
    markovian: Option<Bits<'u>>,
    detailed: bool,
}

impl<'u> Reader<'u> {
    fn new(umb: &'u Umb<'u>, detailed: bool) -> Result<Self, umb::Error> {
        let mut reader = Self {
            umb,
            actions: None,
            exit_rates: None,
            markovian: umb.markovian_states()?,
            detailed,
        };
        if detailed {
            reader.actions = umb.choice_actions()?;
            reader.exit_rates = umb.exit_rates()?;
        }
        Ok(reader)
    }

    /// Returns all choices, in chunks that are read in parallel.
    fn chunks(&self) -> Vec<ChoiceChunk> {
        let states = self.umb.num_states();
        let count = (4 * rayon::current_num_threads() as u64).min(states);
        let cut =
            |number: u64| (u128::from(states) * u128::from(number) / u128::from(count)) as u64;
        let chunks = (0..count).into_par_iter();
        chunks
            .map(|number| self.chunk(cut(number)..cut(number + 1)))
            .collect()
    }

    /// Returns the choices of some states.
    fn chunk(&self, states: std::ops::Range<u64>) -> ChoiceChunk {
        let share = (states.end - states.start) as f64 / self.umb.num_states() as f64;
        let branches = (self.umb.num_branches() as f64 * share) as usize;
        let bounds = self.umb.lower_bounds();
        let mut chunk = match bounds {
            Some(_) => ChoiceChunk::of_intervals(branches),
            None => ChoiceChunk::new(branches, self.detailed),
        };
        let (mut targets, mut values, mut lower) = (Vec::new(), Vec::new(), Vec::new());
        for choice in states.flat_map(|state| self.umb.choices_of(state)) {
            targets.clear();
            values.clear();
            lower.clear();
            let scale = self.scale(choice.state());
            for (branch, &target) in choice.branches().zip(choice.targets()) {
                if self.is_zero(branch) {
                    continue;
                }
                targets.push(target as u32);
                values.push(self.value(branch) * scale);
                lower.extend(bounds.map(|bounds| bounds[branch]));
            }
            let actions = self.actions.as_ref();
            let action = actions.and_then(|actions| actions.name(choice.number()));
            let state = choice.state() as u32;
            match bounds {
                Some(_) => {
                    chunk.choice_of_intervals(state, action, &targets, [&lower, &values]);
                }
                None => chunk.choice_of_any(state, action, &targets, &values),
            }
        }
        chunk
    }

    /// Returns the factor that turns the probabilities of a state into rates, or 1 if they are not
    /// to change.
    fn scale(&self, state: u64) -> f64 {
        let is_timed = self
            .markovian
            .as_ref()
            .is_none_or(|all| all.contains(state));
        let rates = self.exit_rates.as_ref().filter(|_| is_timed);
        rates.map_or(1.0, |rates| rates.get(state as usize))
    }

    /// Returns whether time passes in each state. In a deadlock that was given a self-loop, it
    /// does.
    fn markovian_states(&self, graph: &MdpGraph) -> Option<Vec<bool>> {
        let all = self.markovian.as_ref()?;
        let passes = |state: StateId| {
            let choices = self.umb.choice_offsets().range(state.0.into());
            let has_added_loop = choices.is_empty() && !graph.is_deadlock(state);
            has_added_loop || all.contains(state.0.into())
        };
        Some(graph.states().map(passes).collect())
    }

    fn value(&self, branch: usize) -> f64 {
        self.umb
            .probabilities()
            .map_or(1.0, |numbers| numbers.get(branch))
    }

    fn is_zero(&self, branch: usize) -> bool {
        self.umb
            .probabilities()
            .is_some_and(|numbers| numbers.is_zero(branch))
    }

    /// Returns the number of branches that have probability 0.
    fn count_zeros(&self) -> u64 {
        let branches = 0..self.umb.targets().len();
        branches.filter(|&branch| self.is_zero(branch)).count() as u64
    }
}
