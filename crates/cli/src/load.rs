//! From the text of a model to its graph: joins the parser's visitor to the graph's builder.

use crate::args::ModelArgs;
use crate::error::Error;
use crate::input::Input;
use crate::interrupt;
use crate::progress::{Progress, Unit};
use crate::render::Excerpt;
use mdp_graph::{Chunk, ChunkBuilder, Deadlocks, MdpGraph, StateId, assemble};
use prism_explicit::{
    Choice, ChunkInfo, ErrorKind, ModelType, ReadOptions, TransitionsInfo, TypeSource, Visited,
    Visitor, visit_transitions,
};
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

/// A model's graph, and what its file says besides.
pub(crate) struct Model {
    pub(crate) graph: MdpGraph,
    pub(crate) info: TransitionsInfo,
    /// How many states had no choice in the file.
    pub(crate) deadlocks: u64,
    /// The time to read and check the text.
    pub(crate) read_time: Duration,
    /// The time to build the graph.
    pub(crate) build_time: Duration,
}

/// Reads `input` as a model, and builds its graph.
pub(crate) fn graph(
    input: &Input,
    args: &ModelArgs,
    deadlocks: Deadlocks,
    progress: Progress,
) -> Result<Model, Error> {
    let start = Instant::now();
    let visited = visit(input, args, progress, GraphChunk::new)?;
    let read_time = start.elapsed();

    let start = Instant::now();
    let info = visited.info;
    let chunks: Vec<Chunk> = visited
        .chunks
        .into_iter()
        .map(|c| c.builder.finish())
        .collect();
    let built = assemble(info.num_states, chunks, deadlocks)
        .map_err(|error| Error::wrong(format!("{}: {error}", input.name)))?;
    let build_time = start.elapsed();

    warn(&info, built.deadlocks, deadlocks);
    Ok(Model {
        graph: built.graph,
        info,
        deadlocks: built.deadlocks,
        read_time,
        build_time,
    })
}

/// Reads all of `input`, with a visitor for each chunk of it.
pub(crate) fn visit<V: Visitor>(
    input: &Input,
    args: &ModelArgs,
    progress: Progress,
    make_visitor: impl Fn(ChunkInfo) -> V + Sync,
) -> Result<Visited<V>, Error> {
    let bytes_read = AtomicU64::new(0);
    let options = ReadOptions {
        progress: Some(&bytes_read),
        ..read_options(args)
    };
    let read = || visit_transitions(input, &options, |_, chunk| make_visitor(chunk));
    let total = input.len() as u64;
    progress
        .watch("reading", Unit::Bytes, total, &bytes_read, read)
        .map_err(|error| read_error(input, &error))
}

/// How the command line wants models to be read.
pub(crate) fn read_options(args: &ModelArgs) -> ReadOptions<'static> {
    ReadOptions {
        model_type: args.r#type.map(ModelType::from),
        check_sums: !args.no_check_sums,
        interrupt: Some(interrupt::flag()),
        ..ReadOptions::default()
    }
}

/// An error of a reader, with the place in the text.
pub(crate) fn read_error(input: &Input, error: &prism_explicit::Error) -> Error {
    if *error.kind() == ErrorKind::Interrupted {
        return Error::Cancelled;
    }
    let excerpt = Excerpt::new(&input.name, input, error).map(Box::new);
    let message = match &excerpt {
        Some(_) => error.kind().to_string(),
        None => format!("{}: {}", input.name, error.message()),
    };
    Error::Wrong { message, excerpt }
}

/// Says what was done to the model that its author may not expect.
pub(crate) fn warn(info: &TransitionsInfo, deadlocks: u64, policy: Deadlocks) {
    if info.model_type == ModelType::Ctmc && info.type_source == TypeSource::Content {
        tracing::warn!("the values of some states do not sum to 1: read as a CTMC (see --type)");
    }
    if info.dropped_zero_branches > 0 {
        let count = counted(info.dropped_zero_branches, "branch", "branches");
        tracing::warn!("{count} of probability 0 dropped");
    }
    if deadlocks > 0 && policy == Deadlocks::SelfLoop {
        let count = counted(deadlocks, "state", "states");
        tracing::warn!("{count} without a choice given a self-loop (see --deadlocks)");
    }
}

/// A number and its noun.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The part of a graph that is in one chunk of the text.
struct GraphChunk {
    builder: ChunkBuilder,
    /// The targets of a choice without their duplicates.
    distinct: Vec<u32>,
}

impl GraphChunk {
    fn new(chunk: ChunkInfo) -> Self {
        /// Most lines are at least this long, so that what is reserved is soon used.
        const LINE: usize = 12;
        Self {
            builder: ChunkBuilder::with_capacity(chunk.bytes / LINE),
            distinct: Vec::new(),
        }
    }
}

impl Visitor for GraphChunk {
    #[inline]
    fn choice(&mut self, choice: Choice<'_>) {
        let mut targets = choice.targets;
        // Lines of a Markov chain that name different actions may share a target.
        if !choice.branch_actions.is_empty() {
            self.distinct.clear();
            self.distinct.extend_from_slice(targets);
            self.distinct.sort_unstable();
            self.distinct.dedup();
            targets = &self.distinct;
        }
        self.builder
            .push_choice(StateId(choice.state), StateId::cast_slice(targets));
    }
}
