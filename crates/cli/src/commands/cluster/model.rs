//! The model as each process reads it, before the processes connect, and the parts that its workers
//! make of it.

use crate::args::{DeadlockPolicy, DecomposeArgs, Format};
use crate::error::Error;
use crate::input::Input;
use crate::load::archive_parts;
use crate::load::{self, DeadlockWarning, PrismSystem, Request, Slice, Source, StatesOf, Wanted};
use crate::logging;
use crate::model::Model;
use crate::progress::Progress;
use ::cluster::{
    ExploreOptions, Net, Numbering, Part, PartBuilder, Ranges, check_states, explore,
    explore_with_states, part_of,
};
use prism_explicit::ModelType;
use prism_language::Value;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The number of bytes at the beginning and at the end of a file that its fingerprint includes.
const PRINTED: usize = 1 << 16;

/// The workers of a process, and the number of all workers.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorkerLayout {
    pub(super) process: usize,
    pub(super) processes: usize,
    /// The workers of each process.
    pub(super) workers: usize,
}

/// A model that was read, but not yet divided among workers.
pub(super) struct Prepared {
    model_type: ModelType,
    /// The constants to which the command line gives values.
    constants: Vec<(String, Value)>,
    fingerprint: String,
    read_time: Duration,
    /// The program, if the model is one.
    program: Option<Arc<ProgramText>>,
    share: Share,
}

/// A program with its text, for error messages.
pub(super) struct ProgramText {
    input: Input,
    system: Arc<PrismSystem>,
}

impl ProgramText {
    /// Returns the error for a program that could not be explored.
    pub(super) fn exploration_error(&self, error: prism_language::Error) -> Error {
        load::program_error(
            &self.input,
            &self.system,
            &explore::Error::System(error),
            None,
        )
    }
}

/// The data from which a worker makes its part.
#[derive(Clone)]
pub(super) enum Share {
    /// A system whose states all workers explore together.
    System(Arc<PrismSystem>),
    /// The choices of the states of this process, and the archive that they come from, if other
    /// parts of it are needed.
    Slice(Arc<Slice>, Option<Arc<Input>>),
    /// The whole model.
    Whole(Arc<Model>),
}

/// The data of a model besides a worker's part, if the whole model is needed.
pub(super) enum Rest {
    /// No other data are needed.
    Nothing,
    /// The explored states, and their program.
    Explored(StatesOf),
    /// The archive that the model was read from.
    Archive(Arc<Input>),
    /// The whole model.
    Model(Arc<Model>),
}

/// A part, and facts that are known when it is built.
pub(super) struct Shared {
    pub(super) part: Part,
    pub(super) rest: Rest,
    /// The number of deadlocks in the whole model, if the parts do not know their own.
    pub(super) deadlocks: Option<u64>,
    /// Whether its states were found by exploring.
    pub(super) is_explored: bool,
    /// The time to check the explored states, if they were checked.
    pub(super) check_time: Option<Duration>,
}

impl Prepared {
    pub(super) fn read(
        args: &DecomposeArgs,
        layout: WorkerLayout,
        progress: Progress,
    ) -> Result<Self, Error> {
        let start = Instant::now();
        let wanted = match args.format {
            Format::Umb => Wanted::everything(None, None),
            _ => Wanted::graph(),
        };
        let request = Request {
            deadlocks: args.deadlocks.into(),
            deadlock_warning: DeadlockWarning::Later,
            ..Request::new(&args.model, wanted, progress)
        };
        let input = archive_parts::model_input(&args.model)?;
        let source = Source::of(&args.model.model, &input);
        let fingerprint = fingerprint(&input);
        let read = || share(input, source, layout, request, args);
        // All processes read the same file.
        let found = match layout.process {
            0 => read()?,
            _ => logging::warned_elsewhere(read)?,
        };
        Ok(Self {
            fingerprint,
            read_time: start.elapsed(),
            ..found
        })
    }

    /// Returns the program, if the model is one.
    pub(super) fn program(&self) -> Option<Arc<ProgramText>> {
        self.program.clone()
    }

    pub(super) fn model_type(&self) -> ModelType {
        self.model_type
    }

    pub(super) fn constants(&self) -> &[(String, Value)] {
        &self.constants
    }

    pub(super) fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    pub(super) fn read_time(&self) -> Duration {
        self.read_time
    }

    /// Returns the data from which each of this many workers makes its part.
    pub(super) fn shares(self, workers: usize) -> Vec<Share> {
        vec![self.share; workers]
    }
}

/// Reads only the data of a model that this process needs. The caller adds the fingerprint and the
/// time.
fn share(
    input: Input,
    source: Source,
    layout: WorkerLayout,
    request: Request<'_>,
    args: &DecomposeArgs,
) -> Result<Prepared, Error> {
    let prepared = |model_type, share| Prepared {
        model_type,
        constants: Vec::new(),
        fingerprint: String::new(),
        read_time: Duration::ZERO,
        program: None,
        share,
    };
    if source == Source::Program {
        source.check_usage(request.args)?;
        if let Some((system, model_type)) = load::system_of(&input, request)? {
            let program = ProgramText {
                input,
                system: Arc::clone(&system),
            };
            return Ok(Prepared {
                constants: load::given_constants(&system.0, request),
                program: Some(Arc::new(program)),
                ..prepared(model_type, Share::System(system))
            });
        }
    }
    let own = |states| {
        let ranges = Ranges::even(0, states, layout.processes * layout.workers);
        let first = layout.process * layout.workers;
        let last = first + layout.workers - 1;
        ranges.start_of(first)..ranges.start_of(last) + ranges.len_of(last)
    };
    let wants_all = args.format == Format::Umb;
    // An archive is copied, unless deadlocks get choices that the archive does not have.
    if (!wants_all || is_copied(&input, source, args)?)
        && let Some(slice) = load::slice(&input, source, request, &own)?
    {
        let archive = wants_all.then(|| Arc::new(input));
        let model_type = slice.model_type;
        return Ok(prepared(model_type, Share::Slice(Arc::new(slice), archive)));
    }
    let model = load::load_input(input, source, request)?;
    let constants = model.file.constants.clone();
    Ok(Prepared {
        constants,
        ..prepared(model.model_type, Share::Whole(Arc::new(model)))
    })
}

/// Returns whether a model comes from an archive that is copied to the output with its components.
fn is_copied(input: &Input, source: Source, args: &DecomposeArgs) -> Result<bool, Error> {
    if source != Source::Archive {
        return Ok(false);
    }
    let archive = load::open(input, !args.model.allow_any_sum)?;
    let has_choice = |state| archive.choices_of(state).next().is_some();
    let keeps = args.deadlocks == DeadlockPolicy::Keep;
    Ok(keeps || (0..archive.num_states()).all(has_choice))
}

impl Share {
    /// Makes the part of a worker.
    pub(super) fn part(
        self,
        args: &DecomposeArgs,
        numbering: Numbering,
        net: &mut Net<'_>,
    ) -> Result<Shared, ::cluster::Error> {
        let wants_all = args.format == Format::Umb;
        match self {
            Self::System(system) => explored(system, args, numbering, net),
            Self::Slice(slice, archive) => {
                let ranges = Ranges::even(0, slice.num_states, net.workers());
                let me = net.me();
                let (start, len) = (ranges.start_of(me), ranges.len_of(me));
                let mut builder = PartBuilder::new(ranges, me, args.deadlocks.into());
                for (state, targets) in slice.choices(start..start + len) {
                    builder.push_choice((state - start) as u32, targets.iter().copied());
                }
                drop(slice);
                let rest = archive.map_or(Rest::Nothing, Rest::Archive);
                Ok(Shared::of(builder.finish(net)?, rest))
            }
            Self::Whole(model) => {
                let (part, deadlocks) =
                    (part_of(&model.graph, 0, net)?, model.construction.deadlocks);
                let rest = match wants_all {
                    true => Rest::Model(model),
                    false => Rest::Nothing,
                };
                Ok(Shared {
                    deadlocks: Some(deadlocks),
                    ..Shared::of(part, rest)
                })
            }
        }
    }
}

impl Shared {
    fn of(part: Part, rest: Rest) -> Self {
        Self {
            part,
            rest,
            deadlocks: None,
            is_explored: false,
            check_time: None,
        }
    }
}

/// Makes the part of a worker of a system that all workers explore.
fn explored(
    system: Arc<PrismSystem>,
    args: &DecomposeArgs,
    numbering: Numbering,
    net: &mut Net<'_>,
) -> Result<Shared, ::cluster::Error> {
    let options = ExploreOptions {
        deadlocks: args.deadlocks.into(),
        max_states: args.model.builder.max_states,
        numbering,
        ..ExploreOptions::default()
    };
    let wants_all = args.format == Format::Umb;
    let mut shared = match args.certify || wants_all {
        false => Shared::of(explore(&*system, &options, net)?, Rest::Nothing),
        true => {
            let (part, states) = explore_with_states(&*system, &options, net)?;
            let start = Instant::now();
            if args.certify {
                check_states(&*system, &states, &part, &options, net)?;
            }
            let check_time = args.certify.then(|| start.elapsed());
            let rest = match wants_all {
                true => {
                    let words = states.words();
                    let states = ::explore::States::from_packed(words, states.into_packed());
                    Rest::Explored(StatesOf::new(system, states, options.deadlocks))
                }
                false => Rest::Nothing,
            };
            Shared {
                check_time,
                ..Shared::of(part, rest)
            }
        }
    };
    shared.is_explored = true;
    Ok(shared)
}

/// Returns the size of a file and a hash of its beginning and end, as text.
fn fingerprint(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes[..bytes.len().min(PRINTED)].hash(&mut hasher);
    bytes[bytes.len().saturating_sub(PRINTED)..].hash(&mut hasher);
    format!("{} bytes, {:016x}", bytes.len(), hasher.finish())
}
