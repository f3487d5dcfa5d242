//! The model as each process reads it, before the processes meet.

use crate::args::DecomposeArgs;
use crate::error::Error;
use crate::input::Input;
use crate::load::{self, Extent, Origin, Request, Source, Wanted};
use crate::progress::Progress;
use ::cluster::{Net, Part, part_of};
use mdp_graph::MdpGraph;
use prism_explicit::ModelType;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What of a file goes into its fingerprint, from its beginning and its end.
const PRINTED: usize = 1 << 16;

/// A model that was read, and not yet shared out.
pub(super) struct Prepared {
    model_type: ModelType,
    fingerprint: String,
    read_time: Duration,
    deadlocks: u64,
    graph: Arc<MdpGraph>,
}

/// What a worker makes its part of.
pub(super) struct Share {
    graph: Arc<MdpGraph>,
    deadlocks: u64,
}

impl Prepared {
    pub(super) fn read(args: &DecomposeArgs, progress: Progress) -> Result<Self, Error> {
        let start = Instant::now();
        let request = Request {
            deadlocks: args.deadlocks.into(),
            ..Request::new(&args.model, wanted(), progress)
        };
        let input = Input::of_model(&args.model)?;
        let source = Source::of(&args.model.model, &input);
        let fingerprint = fingerprint(&input);
        let model = load::from(input, source, request)?;
        Ok(Self {
            model_type: model.model_type,
            fingerprint,
            read_time: start.elapsed(),
            deadlocks: model.deadlocks,
            graph: Arc::new(model.graph),
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
        let share = |_| Share {
            graph: Arc::clone(&self.graph),
            deadlocks: self.deadlocks,
        };
        (0..workers).map(share).collect()
    }
}

impl Share {
    /// The part of a worker, the number of deadlocks if the part does not know it, and whether its
    /// states were found by exploring.
    pub(super) fn part(
        self,
        _: &DecomposeArgs,
        net: &mut Net<'_>,
    ) -> Result<(Part, Option<u64>, bool), ::cluster::Error> {
        let part = part_of(&self.graph, 0, net)?;
        Ok((part, Some(self.deadlocks), false))
    }
}

/// Nothing but the graph.
fn wanted() -> Wanted<'static> {
    Wanted {
        valuations: Origin::Nowhere,
        labels: Origin::Nowhere,
        details: Extent::Nothing,
        rewards: false,
        only_of_few: false,
    }
}

/// The size of a file and a hash of its beginning and end, as text.
fn fingerprint(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes[..bytes.len().min(PRINTED)].hash(&mut hasher);
    bytes[bytes.len().saturating_sub(PRINTED)..].hash(&mut hasher);
    format!("{} bytes, {:016x}", bytes.len(), hasher.finish())
}
