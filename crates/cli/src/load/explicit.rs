//! Explicit transitions: joins the parser's visitor to the graph's builder.

use super::{Model, Request};
use crate::args::ModelArgs;
use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::input::Input;
use crate::interrupt;
use crate::progress::{Progress, Unit};
use mdp_graph::{ChunkBuilder, StateId, assemble};
use prism_explicit::{
    Choice, ChunkInfo, Dialect, ErrorKind, ModelType, ReadOptions, TransitionsInfo, TypeSource,
    Visited, Visitor, visit_transitions,
};
use std::sync::atomic::AtomicU64;
use std::time::Instant;

/// Reads `input` as a model, and builds its graph.
pub(super) fn load(input: &Input, request: Request<'_>) -> Result<Model, Error> {
    let start = Instant::now();
    let visited = visit(input, request.args, request.progress, GraphChunk::new)?;
    let read_time = start.elapsed();

    let start = Instant::now();
    let info = visited.info;
    let chunks = visited.chunks.into_iter().map(|c| c.builder.finish());
    let built = assemble(info.num_states, chunks.collect(), request.deadlocks)
        .map_err(|error| Error::wrong(format!("{}: {error}", input.name)))?;
    let build_time = start.elapsed();

    warn_of_type(&info);
    Ok(Model {
        graph: built.graph,
        model_type: info.model_type,
        format: match info.dialect {
            Dialect::Prism => "PRISM explicit",
            Dialect::Storm => "Storm explicit",
        },
        deadlocks: built.deadlocks,
        dropped_branches: info.dropped_zero_branches,
        valuations: None,
        labels: None,
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
    match error.kind() {
        ErrorKind::Interrupted => Error::Cancelled,
        _ => Diagnostic::explicit(input, error).into(),
    }
}

/// Says that the type was found by what nobody may have meant.
pub(crate) fn warn_of_type(info: &TransitionsInfo) {
    if info.model_type == ModelType::Ctmc && info.type_source == TypeSource::Content {
        tracing::warn!("the values of some states do not sum to 1: read as a CTMC (see --type)");
    }
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
