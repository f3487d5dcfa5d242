//! Explicit transitions: the reader's visitor fills the builder of the graph.

use super::build_error::build_error;
use super::choice_chunk::{ChoiceChunk, Joined, join};
use super::request::{Extent, Origin, Request};
use crate::args::ModelArgs;
use crate::error::Error;
use crate::input::Input;
use crate::interrupt;
use crate::load::guess::Guess;
use crate::load::size_hint::SizeHint;
use crate::model::annotations::{self, Valuations};
use crate::model::choices::{ChoiceFacts, Details};
use crate::model::observations::Observations;
use crate::model::states::StateFacts;
use crate::model::{FileFacts, Model, Times};
use crate::progress::{Progress, Unit};
use cycle_mean::Ratio;
use mdp_graph::{MdpGraph, StateId};
use prism_explicit::{
    Choice, ChunkInfo, Dialect, ModelType, Preamble, ReadOptions, RewardedTransition,
    TransitionsInfo, TypeSource, Visited, Visitor, visit_transitions,
};
use report::counted;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicU64;
use std::time::Instant;

/// Reads the transitions at the beginning of `input` as a model, and builds its graph.
pub(super) fn load(input: &Input, text: &[u8], request: Request<'_>) -> Result<Model, Error> {
    let start = Instant::now();
    let detailed = is_detailed(input, request);
    let kept = [detailed, request.wanted.rewards.are_wanted()];
    let make = |preamble: &Preamble, chunk| TextChunk::new(preamble.model_type, chunk, kept);
    let visited = visit(input, text, request.args, request.progress, make)?;
    let read_time = start.elapsed();

    let start = Instant::now();
    let info = visited.info;
    (request.size_hint)(SizeHint::Graph {
        states: info.num_states.into(),
        branches: info.num_transitions,
        sample: None,
    });
    let unnamed: u64 = visited.chunks.iter().map(|c| c.mixed_actions).sum();
    let (chunks, dropped): (Vec<_>, Vec<_>) = (visited.chunks.into_iter())
        .map(|chunk| (chunk.choices, chunk.impossible))
        .unzip();
    let joined = join(info.num_states, chunks, request.deadlocks).map_err(|error| {
        build_error(input, &error, || {
            values(info.num_states, request.wanted.valuations, request.args)
        })
    })?;
    let Joined {
        graph,
        mut construction,
        choices,
    } = joined;
    construction.dropped_branches += info.dropped_zero_branches;
    let build_time = start.elapsed();

    warn_of_type(&info);
    let observed = |seen| observed(seen, request.args);
    let format = match info.dialect {
        Dialect::Prism => "PRISM explicit",
        Dialect::Storm => "Storm explicit",
    };
    Ok(Model {
        construction,
        states: StateFacts {
            initial: ascending(info.initial_states),
            observations: info.observations.map(observed).transpose()?,
            ..StateFacts::default()
        },
        choices: ChoiceFacts {
            impossible: sorted(&dropped),
            lower_bounds: (choices.lower_bounds).or(info.model_type.has_intervals().then(Vec::new)),
            fractions: fractions(text, info.model_type, &graph, &choices.details, request),
            ..choices
        },
        file: FileFacts {
            lost: lost(unnamed),
            ..FileFacts::of(input, format)
        },
        times: Times::of(read_time, build_time),
        ..Model::bare(graph, info.model_type)
    })
}

/// Returns what is lost of distributions without an action because their branches name several.
fn lost(distributions: u64) -> Vec<String> {
    match distributions {
        0 => Vec::new(),
        _ => vec![format!(
            "the actions of {} whose branches name several",
            counted(distributions, "distribution", "distributions")
        )],
    }
}

/// Returns the observations, with the values of observables from the file beside the model.
fn observed(seen: prism_explicit::Observations, args: &ModelArgs) -> Result<Observations, Error> {
    let path = crate::input::beside(&args.model, "obs");
    let values = path.map(|path| annotations::observations(&path, seen.count));
    Ok(Observations {
        count: seen.count.into(),
        of_states: seen.of_states,
        values: values.transpose()?,
    })
}

/// Returns whether to keep probabilities and actions.
fn is_detailed(input: &Input, request: Request<'_>) -> bool {
    let wanted = request.wanted;
    wanted.details != Extent::Nothing && wanted.sizes.may_include_text(input.len())
}

/// Returns the probabilities that are fractions, by branches, if they are wanted. Those of branches
/// that were merged are left out. Only averages of small models are computed from them.
fn fractions(
    text: &[u8],
    model_type: ModelType,
    graph: &MdpGraph,
    details: &Option<Details>,
    request: Request<'_>,
) -> HashMap<usize, Ratio> {
    let are_of_use = request.wanted.fractions && graph.num_states() <= long_run::MAX_STATES;
    let Some(details) = details.as_ref().filter(|_| are_of_use) else {
        return HashMap::new();
    };
    let of_branch = |fraction: prism_explicit::Fraction| {
        let state = StateId(fraction.source);
        let choice = graph.choices(state).nth(fraction.choice as usize)?;
        let target = StateId(fraction.target);
        let place = graph.targets(choice).iter().position(|&t| t == target)?;
        let branch = graph.branch_offsets()[choice.index()] as usize + place;
        let ratio = Ratio::new(fraction.over.into(), fraction.under);
        // Both are quotients of the same numbers, or else others were added.
        let is_close = (ratio.to_f64() - details.values[branch]).abs() <= 4.0 * f64::EPSILON;
        is_close.then_some((branch, ratio))
    };
    let all = prism_explicit::fractions(text, model_type).into_iter();
    all.filter_map(of_branch).collect()
}

/// Returns the values of the variables, if there is a valid file of them. They are a detail of
/// another error, so errors in this file are not reported.
pub(crate) fn values(num_states: u32, origin: Origin<'_>, args: &ModelArgs) -> Option<Valuations> {
    let beside = || crate::input::beside(&args.model, "sta");
    let path = match origin {
        Origin::File(path) => Some(path.to_owned()),
        _ => beside(),
    };
    let states = annotations::states(&path?, num_states).ok()?;
    Some(Valuations::Table(states))
}

fn ascending(mut states: Vec<u32>) -> Vec<u32> {
    states.sort_unstable();
    states.dedup();
    states
}

fn sorted(dropped: &[Vec<RewardedTransition>]) -> Vec<RewardedTransition> {
    let mut all = dropped.concat();
    all.sort_unstable();
    all
}

/// Reads the transitions at the beginning of `input`, with a visitor for each chunk.
pub(crate) fn visit<V: Visitor>(
    input: &Input,
    transitions: &[u8],
    args: &ModelArgs,
    progress: Progress,
    make_visitor: impl Fn(&Preamble, ChunkInfo) -> V + Sync,
) -> Result<Visited<V>, Error> {
    let bytes_read = AtomicU64::new(0);
    let options = ReadOptions {
        progress: Some(&bytes_read),
        ..read_options(args)
    };
    let read = || visit_transitions(transitions, &options, &make_visitor);
    let total = transitions.len() as u64;
    progress
        .track("reading", Unit::Bytes, total, &bytes_read, read)
        .map_err(|error| {
            let guess = Guess::behind(&error, &args.model, input);
            match (guess, Error::explicit(input, &error)) {
                (Some(guess), Error::Wrong(found)) => guess.explain(*found).into(),
                (_, error) => error,
            }
        })
}

/// Returns the options of the reader that the command line asks for.
pub(crate) fn read_options(args: &ModelArgs) -> ReadOptions<'static> {
    ReadOptions {
        model_type: args.r#type.map(ModelType::from),
        check_sums: !args.allow_any_sum,
        interrupt: Some(interrupt::flag()),
        ..ReadOptions::default()
    }
}

/// Warns if the model is taken for a CTMC only because of its values.
pub(crate) fn warn_of_type(info: &TransitionsInfo) {
    if info.model_type == ModelType::Ctmc && info.type_source == TypeSource::Content {
        tracing::warn!("the values of some states do not sum to 1: read as a CTMC (see --type)");
    }
}

/// What is kept of a chunk of the text.
struct TextChunk {
    choices: ChoiceChunk,
    /// The number of choices of a Markov chain whose branches have different actions.
    mixed_actions: u64,
    /// Whether rewards may refer to branches that cannot be taken.
    with_rewards: bool,
    /// The branches that cannot be taken.
    impossible: Vec<RewardedTransition>,
}

impl TextChunk {
    fn new(model_type: ModelType, chunk: ChunkInfo, [detailed, with_rewards]: [bool; 2]) -> Self {
        /// Most lines have at least this many bytes, so that most of the reserved memory is used.
        const LINE: usize = 12;
        /// The minimum size of most lines of an interval model.
        const INTERVAL_LINE: usize = 18;
        Self {
            choices: match model_type.has_intervals() {
                true => ChoiceChunk::of_intervals(chunk.bytes / INTERVAL_LINE),
                // States with the same observation must have the same actions.
                false => ChoiceChunk::new(
                    chunk.bytes / LINE,
                    detailed || model_type.has_observations(),
                ),
            },
            mixed_actions: 0,
            with_rewards,
            impossible: Vec::new(),
        }
    }
}

impl Visitor for TextChunk {
    #[inline]
    fn choice(&mut self, choice: Choice<'_>) {
        let Choice {
            state,
            action,
            targets,
            values,
            lower,
            branch_actions,
            index,
        } = choice;
        let mut action = action;
        if let [first, others @ ..] = branch_actions {
            // Lines of a Markov chain that name different actions may share a target.
            let is_mixed = others.iter().any(|other| other != first);
            self.mixed_actions += u64::from(is_mixed);
            action = first.filter(|_| !is_mixed);
        }
        if !lower.is_empty() {
            let bounds = [lower, values];
            let kept = self
                .choices
                .choice_of_intervals(state, action, targets, bounds);
            if let Some(kept) = kept {
                let kept: HashSet<u32> = kept.into_iter().collect();
                let gone = targets.iter().filter(|target| !kept.contains(target));
                self.dropped(state, index, &gone.copied().collect::<Vec<_>>());
            }
            return;
        }
        match branch_actions.is_empty() {
            true => self.choices.choice(state, action, targets, values),
            false => self.choices.choice_of_any(state, action, targets, values),
        }
    }

    fn dropped(&mut self, state: u32, choice: u32, targets: &[u32]) {
        if self.with_rewards {
            let named = targets.iter().map(|&target| RewardedTransition {
                state,
                choice,
                target,
            });
            self.impossible.extend(named);
        }
    }
}
