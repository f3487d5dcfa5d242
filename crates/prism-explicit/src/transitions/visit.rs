//! Reads a whole transitions file: reads chunks in parallel or in order, merges their results, and
//! makes the checks that need the whole file.

use parse_error::read_chunks;

use super::choice::SumRule;
use super::chunk::{ChunkReader, Totals};
use super::cut::{self, Chunk};
use super::observed::{Observations, Observed};
use super::preamble::{self, Opening, Preamble, TRANSITIONS, TypeSource};
use super::visitor::Visitor;
use crate::dialect::Dialect;
use crate::error::{Checked, Counted, Error, ErrorKind, Fault};
use crate::options::ReadOptions;
use model_type::ModelType;

/// The size of a chunk, so that its visitor can reserve memory in proportion. A data line has at
/// least 6 bytes (`0 0 1` and its end), and about 15 in most models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChunkInfo {
    /// The index of the chunk, from 0, in the order of the file.
    pub index: usize,
    /// The number of bytes in the chunk.
    pub bytes: usize,
}

/// The information in a transitions file, apart from its choices.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TransitionsInfo {
    /// The dialect of the file.
    pub dialect: Dialect,
    /// The type of the model.
    pub model_type: ModelType,
    /// The source of the type.
    pub type_source: TypeSource,
    /// The number of states: that in the header or, in Storm's dialect, the highest index plus 1.
    pub num_states: u32,
    /// The number of choices of all states.
    pub num_choices: u64,
    /// The number of branches of all choices, without those with value 0.
    pub num_transitions: u64,
    /// The number of branches that were dropped because their value is 0.
    pub dropped_zero_branches: u64,
    /// The initial states, from lines `- - s -`, in order.
    pub initial_states: Vec<u32>,
    /// The observations of the states, in a POMDP.
    pub observations: Option<Observations>,
}

impl TransitionsInfo {
    /// Returns the information for a file of a model that was not read from a file. The type is
    /// declared in the file, and there are no initial states.
    #[must_use]
    pub fn new(
        dialect: Dialect,
        model_type: ModelType,
        num_states: u32,
        num_choices: u64,
        num_transitions: u64,
    ) -> Self {
        Self {
            dialect,
            model_type,
            type_source: TypeSource::Header,
            num_states,
            num_choices,
            num_transitions,
            dropped_zero_branches: 0,
            initial_states: Vec::new(),
            observations: None,
        }
    }
}

/// The result of reading a file: its information, and the visitors of its chunks.
#[derive(Debug, Clone, PartialEq)]
pub struct Visited<V> {
    /// The information in the file, apart from its choices.
    pub info: TransitionsInfo,
    /// The visitors, in the order of the file.
    pub chunks: Vec<V>,
}

/// Reads a transitions file in either dialect, in parallel on the current rayon thread pool.
///
/// `make_visitor` is called once for each chunk. Each chunk consists of whole states, in ascending
/// order.
///
/// # Errors
///
/// The error with the earliest position in the file, independently of chunks and threads. Counts
/// that disagree with the header are found last.
pub fn visit_transitions<V: Visitor>(
    input: &[u8],
    options: &ReadOptions<'_>,
    make_visitor: impl Fn(&Preamble, ChunkInfo) -> V + Sync,
) -> Result<Visited<V>, Error> {
    visit_chunks(input, options, make_visitor).map_err(|fault| fault.locate(input))
}

/// Reads a transitions file in either dialect, on the current thread, with one visitor for all
/// choices in the order of the file.
///
/// # Errors
///
/// As [`visit_transitions`]. The visitor has then received the choices before the error.
pub fn visit_in_order(
    input: &[u8],
    options: &ReadOptions<'_>,
    visitor: &mut impl Visitor,
) -> Result<TransitionsInfo, Error> {
    let read = || {
        let opening = preamble::open(input, options)?;
        let whole = Chunk {
            start: opening.body,
            end: input.len(),
            previous: None,
        };
        options.advance(opening.body)?;
        let (totals, observed, _) = read_chunk(input, &opening, options, whole, visitor)?;
        conclude(opening, totals, observed)
    };
    read().map_err(|fault| fault.locate(input))
}

fn visit_chunks<V: Visitor>(
    input: &[u8],
    options: &ReadOptions<'_>,
    make_visitor: impl Fn(&Preamble, ChunkInfo) -> V + Sync,
) -> Checked<Visited<V>> {
    let opening = preamble::open(input, options)?;
    options.advance(opening.body)?;
    // Any two lines may have the observation of the same state, so they are read in order.
    let chunk_bytes = match opening.shape.observation {
        true => input.len().max(1),
        false => options.chunk_bytes,
    };
    let chunks = cut::chunks(input, opening.body, chunk_bytes);
    tracing::debug!(preamble = ?opening.preamble, chunks = chunks.len(), "reading transitions");
    let read = |index, chunk: Chunk| {
        let info = ChunkInfo {
            index,
            bytes: chunk.end - chunk.start,
        };
        let visitor = make_visitor(&opening.preamble, info);
        read_chunk(input, &opening, options, chunk, visitor)
    };
    let results = read_chunks(chunks, read, Result::is_err);
    let mut totals = Totals::default();
    let mut observed = Observed::new(&opening.preamble);
    let mut visitors = Vec::with_capacity(results.len());
    for result in results {
        let (of_chunk, seen, visitor) = result?;
        totals.add(&of_chunk);
        observed = seen.or(observed);
        visitors.push(visitor);
    }
    let info = conclude(opening, totals, observed)?;
    Ok(Visited {
        info,
        chunks: visitors,
    })
}

fn read_chunk<V: Visitor>(
    input: &[u8],
    opening: &Opening,
    options: &ReadOptions<'_>,
    chunk: Chunk,
    visitor: V,
) -> Checked<(Totals, Option<Observed>, V)> {
    let Preamble {
        model_type,
        type_source,
        ..
    } = opening.preamble;
    let sums = match model_type {
        ModelType::Dtmc if type_source == TypeSource::Content => SumRule::Note,
        model_type if model_type.has_distributions() && options.check_sums => SumRule::Require,
        model_type if model_type.has_intervals() && options.check_sums => SumRule::Enclose,
        _ => SumRule::Ignore,
    };
    let mut reader = ChunkReader::new(input, opening, options, sums, visitor);
    reader.read(chunk)?;
    Ok(reader.into_parts())
}

/// Compares the counts with those in the header, and determines what depends on all lines.
fn conclude(
    opening: Opening,
    totals: Totals,
    observed: Option<Observed>,
) -> Checked<TransitionsInfo> {
    check_counts(&opening, &totals)?;
    let header = opening.count_spans.first().copied();
    let all = header
        .zip(observed)
        .map(|(place, observed)| observed.finish(opening.state_bound, place));
    let observations = all.transpose()?;
    let Preamble {
        dialect,
        model_type,
        type_source,
        counts,
        initial_states,
        ..
    } = opening.preamble;
    Ok(TransitionsInfo {
        dialect,
        model_type: if totals.unnormalised {
            ModelType::Ctmc
        } else {
            model_type
        },
        type_source,
        num_states: counts.map_or(totals.states_needed, |counts| counts.states),
        num_choices: totals.choices,
        num_transitions: totals.branches,
        dropped_zero_branches: totals.zero_branches,
        initial_states,
        observations,
    })
}

fn check_counts(opening: &Opening, totals: &Totals) -> Checked<()> {
    let Some(counts) = opening.preamble.counts else {
        return Ok(());
    };
    let lines = totals.branches + totals.zero_branches;
    let claims = [
        (counts.choices, totals.choices, Counted::Choices, 1),
        (
            Some(counts.transitions),
            lines,
            Counted::Transitions,
            TRANSITIONS.min(opening.count_spans.len() - 1),
        ),
    ];
    for (header, found, what, column) in claims {
        if let Some(header) = header.filter(|&header| header != found) {
            let kind = ErrorKind::CountMismatch {
                what,
                header,
                found,
            };
            return Err(Fault::new(opening.count_spans[column], kind));
        }
    }
    Ok(())
}
