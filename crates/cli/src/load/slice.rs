//! Reads the choices of a range of states, for kinds of files from which the other choices need not
//! be kept.

use super::archive;
use super::explicit;
use super::request::Request;
use super::source::Source;
use crate::error::Error;
use crate::input::Input;
use prism_explicit::{Choice, ChunkInfo, ModelType, Preamble, Visitor};
use std::ops::Range;
use umb::Umb;

/// The choices of a range of states, in the order of the states.
pub(crate) struct Slice {
    pub(crate) model_type: ModelType,
    /// The number of states of the whole model.
    pub(crate) num_states: u64,
    pieces: Vec<Piece>,
}

/// The choices of some states.
#[derive(Default)]
struct Piece {
    /// The states of the range.
    range: Range<u64>,
    /// The state of each choice, and the end of its targets.
    choices: Vec<(u64, usize)>,
    targets: Vec<u64>,
}

impl Slice {
    /// Returns the choices of the states in a range, each with its targets.
    pub(crate) fn choices(&self, range: Range<u64>) -> impl Iterator<Item = (u64, &[u64])> {
        let is_in = move |&(state, _): &(u64, &[u64])| range.contains(&state);
        self.pieces.iter().flat_map(Piece::choices).filter(is_in)
    }
}

impl Piece {
    fn choices(&self) -> impl Iterator<Item = (u64, &[u64])> {
        let starts = [0]
            .into_iter()
            .chain(self.choices.iter().map(|&(_, end)| end));
        let choices = self.choices.iter().zip(starts);
        choices.map(|(&(state, end), start)| (state, &self.targets[start..end]))
    }

    fn push(&mut self, state: u64, targets: impl Iterator<Item = u64>) {
        self.targets.extend(targets);
        self.choices.push((state, self.targets.len()));
    }
}

impl Visitor for Piece {
    #[inline]
    fn choice(&mut self, choice: Choice<'_>) {
        if self.range.contains(&u64::from(choice.state)) {
            let targets = choice.targets.iter().map(|&target| u64::from(target));
            self.push(choice.state.into(), targets);
        }
    }
}

/// Reads the choices of the states in `range`, which may depend on the number of states. Returns
/// `None` for a file that must be read as a whole.
pub(crate) fn slice(
    input: &Input,
    source: Source,
    request: Request<'_>,
    range: &(dyn Fn(u64) -> Range<u64> + Sync),
) -> Result<Option<Slice>, Error> {
    source.check_usage(request.args)?;
    match source {
        Source::Explicit => of_text(input, request, range),
        Source::Archive => of_archive(input, request, range),
        _ => Ok(None),
    }
}

fn of_text(
    input: &Input,
    request: Request<'_>,
    range: &(dyn Fn(u64) -> Range<u64> + Sync),
) -> Result<Option<Slice>, Error> {
    let piece = |preamble: &Preamble, _: ChunkInfo| Piece {
        // Storm's dialect does not give the number of states.
        range: preamble
            .counts
            .map_or(0..0, |counts| range(counts.states.into())),
        ..Piece::default()
    };
    let visited = explicit::visit(input, input, request.args, request.progress, piece)?;
    let info = visited.info;
    let needs_all = info.model_type.has_observations() || info.model_type.has_intervals();
    if needs_all || info.dialect == prism_explicit::Dialect::Storm {
        return Ok(None);
    }
    explicit::warn_of_type(&info);
    super::warn_of_dropped(info.dropped_zero_branches);
    Ok(Some(Slice {
        model_type: info.model_type,
        num_states: info.num_states.into(),
        pieces: visited.chunks,
    }))
}

fn of_archive(
    input: &Input,
    request: Request<'_>,
    range: &(dyn Fn(u64) -> Range<u64> + Sync),
) -> Result<Option<Slice>, Error> {
    let umb = archive::open(input, !request.args.allow_any_sum)?;
    let model_type = umb.model_type();
    if model_type.has_observations() || model_type.has_intervals() {
        return Ok(None);
    }
    super::warn_of_dropped(umb.num_zeros());
    let states = range(umb.num_states());
    Ok(Some(Slice {
        model_type: umb.model_type(),
        num_states: umb.num_states(),
        pieces: vec![piece_of(&umb, states)],
    }))
}

/// Returns the choices of some states of an archive.
fn piece_of(umb: &Umb<'_>, states: Range<u64>) -> Piece {
    let mut piece = Piece::default();
    let mut targets = Vec::new();
    for choice in states.flat_map(|state| umb.choices_of(state)) {
        targets.clear();
        targets.extend(choice.likely_targets());
        targets.sort_unstable();
        targets.dedup();
        piece.push(choice.state(), targets.iter().copied());
    }
    piece
}
