//! The model as each process reads it, before the processes meet, and the parts that its workers
//! make of it.

use crate::args::DecomposeArgs;
use crate::error::Error;
use crate::input::Input;
use crate::load::{self, PrismSystem, Request, Slice, Source, Wanted};
use crate::progress::Progress;
use ::cluster::{
    ExploreOptions, Net, Part, PartBuilder, Ranges, check_states, explore, explore_with_states,
    part_of,
};
use mdp_graph::MdpGraph;
use prism_explicit::ModelType;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What of a file goes into its fingerprint, from its beginning and its end.
const PRINTED: usize = 1 << 16;

/// Which workers a process has, of how many.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seats {
    pub(super) process: usize,
    pub(super) processes: usize,
    /// The workers of each process.
    pub(super) workers: usize,
}

/// A model that was read, and not yet shared out.
pub(super) struct Prepared {
    model_type: ModelType,
    fingerprint: String,
    read_time: Duration,
    share: Share,
}

/// What a worker makes its part of.
#[derive(Clone)]
pub(super) enum Share {
    /// A system, whose states all workers find together.
    System(Arc<PrismSystem>),
    /// The choices of the states of this process.
    Slice(Arc<Slice>),
    /// The whole graph, and how many deadlocks it had.
    Whole(Arc<MdpGraph>, u64),
}

/// A part, and what its builder knows of it.
pub(super) struct Shared {
    pub(super) part: Part,
    /// The number of deadlocks in the whole model, if the parts do not know their own.
    pub(super) deadlocks: Option<u64>,
    /// Whether its states were found by exploring.
    pub(super) is_explored: bool,
    /// How long it took to check these, if that was asked.
    pub(super) check_time: Option<Duration>,
}

impl Prepared {
    pub(super) fn read(
        args: &DecomposeArgs,
        seats: Seats,
        progress: Progress,
    ) -> Result<Self, Error> {
        let start = Instant::now();
        let request = Request {
            deadlocks: args.deadlocks.into(),
            ..Request::new(&args.model, Wanted::graph(), progress)
        };
        let input = Input::of_model(&args.model)?;
        let source = Source::of(&args.model.model, &input);
        let fingerprint = fingerprint(&input);
        let (model_type, share) = share(input, source, seats, request)?;
        Ok(Self {
            model_type,
            fingerprint,
            read_time: start.elapsed(),
            share,
        })
    }

    pub(super) fn model_type(&self) -> ModelType {
        self.model_type
    }

    pub(super) fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    pub(super) fn read_time(&self) -> Duration {
        self.read_time
    }

    /// What each of so many workers makes its part of.
    pub(super) fn shares(self, workers: usize) -> Vec<Share> {
        vec![self.share; workers]
    }
}

/// Reads as little of a model as this process needs.
fn share(
    input: Input,
    source: Source,
    seats: Seats,
    request: Request<'_>,
) -> Result<(ModelType, Share), Error> {
    if source == Source::Program {
        source.check_usage(request.args)?;
        if let Some((system, model_type)) = load::system_of(&input, request)? {
            return Ok((model_type, Share::System(system)));
        }
    }
    let own = |states| {
        let ranges = Ranges::even(0, states, seats.processes * seats.workers);
        let first = seats.process * seats.workers;
        let last = first + seats.workers - 1;
        ranges.start_of(first)..ranges.start_of(last) + ranges.len_of(last)
    };
    if let Some(slice) = load::slice(&input, source, request, &own)? {
        return Ok((slice.model_type, Share::Slice(Arc::new(slice))));
    }
    let model = load::from(input, source, request)?;
    let share = Share::Whole(Arc::new(model.graph), model.deadlocks);
    Ok((model.model_type, share))
}

impl Share {
    /// Makes the part of a worker.
    pub(super) fn part(
        self,
        args: &DecomposeArgs,
        unordered: bool,
        net: &mut Net<'_>,
    ) -> Result<Shared, ::cluster::Error> {
        let (mut deadlocks, mut is_explored, mut check_time) = (None, false, None);
        let part = match self {
            Self::System(system) => {
                is_explored = true;
                let options = ExploreOptions {
                    deadlocks: args.deadlocks.into(),
                    max_states: args.model.builder.max_states,
                    unordered,
                    ..ExploreOptions::default()
                };
                if args.certify {
                    let (part, states) = explore_with_states(&*system, &options, net)?;
                    let start = Instant::now();
                    check_states(&*system, &states, &part, &options, net)?;
                    check_time = Some(start.elapsed());
                    part
                } else {
                    explore(&*system, &options, net)?
                }
            }
            Self::Slice(slice) => {
                let ranges = Ranges::even(0, slice.num_states, net.workers());
                let me = net.me();
                let (start, len) = (ranges.start_of(me), ranges.len_of(me));
                let mut builder = PartBuilder::new(ranges, me, args.deadlocks.into());
                for (state, targets) in slice.choices(start..start + len) {
                    builder.push_choice((state - start) as u32, targets.iter().copied());
                }
                drop(slice);
                builder.finish(net)?
            }
            Self::Whole(graph, count) => {
                deadlocks = Some(count);
                part_of(&graph, 0, net)?
            }
        };
        Ok(Shared {
            part,
            deadlocks,
            is_explored,
            check_time,
        })
    }
}

/// The size of a file and a hash of its beginning and end, as text.
fn fingerprint(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes[..bytes.len().min(PRINTED)].hash(&mut hasher);
    bytes[bytes.len().saturating_sub(PRINTED)..].hash(&mut hasher);
    format!("{} bytes, {:016x}", bytes.len(), hasher.finish())
}
