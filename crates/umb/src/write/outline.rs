//! Archives of models that no process has in memory as a whole. Their contents are described first,
//! and then written by the processes that have them.

use std::io::{self, Write};
use std::ops::Range;

use crate::entity::Entity;
use crate::error::{Error, ErrorKind};
use crate::format::INDEX;
use crate::index::Index;
use crate::read::{
    BRANCHES, CHOICES, EXIT_RATES, INITIAL, MARKOVIAN, PLAYERS, PROBABILITIES, TARGETS,
};
use crate::write::UmbWriter;
use crate::write::content::Content;
use crate::write::model::transition_system;
use crate::write::payload::{Payload, Window, write_end, write_header, write_padding};
use model_type::ModelType;

/// The type and the sizes of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outline<'a> {
    /// The type, which may not be that of an interval model or of a POMDP.
    pub model_type: ModelType,
    /// The number of states.
    pub num_states: u64,
    /// The number of initial states.
    pub num_initial_states: u64,
    /// The number of choices of all states.
    pub num_choices: u64,
    /// The number of branches of all choices.
    pub num_branches: u64,
    /// The names of the players, in a game.
    pub players: Option<&'a [String]>,
}

/// A file of an archive that is being made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path.
    pub path: String,
    /// Its size in bytes.
    pub len: u64,
    /// Its contents.
    pub content: Content,
}

/// Returns the size in bytes of a set of numbers below `count`: one bit for each, in words of 64
/// bits.
pub(super) fn bytes_of_bits(count: u64) -> u64 {
    count.div_ceil(64) * 8
}

impl<'a> UmbWriter<'a> {
    /// Starts an archive of a model whose arrays are elsewhere. The arrays are not checked.
    ///
    /// # Errors
    ///
    /// If the model has no states, or its type requires other arrays.
    pub fn of_outline(outline: &Outline<'_>) -> Result<Self, Error> {
        let model_type = outline.model_type;
        if outline.num_states == 0 {
            return Err(Error::new(ErrorKind::NoStates));
        }
        if model_type.has_intervals() || model_type.has_observations() {
            let what = "intervals and observations of a model in outline";
            return Err(Error::in_entry(INDEX, ErrorKind::Unsupported { what }));
        }
        let has_rates = matches!(model_type, ModelType::Ctmc | ModelType::Ma);
        let [states, initial, choices, branches] = [
            outline.num_states,
            outline.num_initial_states,
            outline.num_choices,
            outline.num_branches,
        ];
        let counts = [states, initial, choices, branches];
        let system = transition_system(model_type, counts, has_rates, outline.players);
        let mut writer = Self::of_index(&Index::of(system))?;
        let is_lts = model_type == ModelType::Lts;
        // The order is the same as for a model that is given as arrays.
        let files = [
            (CHOICES, 8 * (states + 1), Content::ChoiceOffsets, true),
            (INITIAL, bytes_of_bits(states), Content::InitialStates, true),
            (EXIT_RATES, 8 * states, Content::ExitRates, has_rates),
            (BRANCHES, 8 * (choices + 1), Content::BranchOffsets, true),
            (TARGETS, 8 * branches, Content::Targets, true),
            (PROBABILITIES, 8 * branches, Content::Probabilities, !is_lts),
            (
                MARKOVIAN,
                bytes_of_bits(states),
                Content::MarkovianStates,
                model_type == ModelType::Ma,
            ),
            (
                PLAYERS,
                4 * states,
                Content::Players,
                outline.players.is_some(),
            ),
        ];
        for (path, len, content, _) in files.into_iter().filter(|&(.., is_there)| is_there) {
            writer.entries.put(path, Payload::Elsewhere(len, content));
        }
        Ok(writer)
    }

    /// Names the actions; the action of each choice is elsewhere. An empty name stands for no
    /// action.
    pub fn choice_actions_elsewhere(&mut self, names: &[impl AsRef<str>]) -> &mut Self {
        let len = 4 * self.count_of(Entity::Choices);
        let values = Payload::Elsewhere(len, Content::ChoiceActions);
        self.put_actions(Entity::Choices, names, values);
        self
    }

    /// Returns all files of the archive, in their order.
    ///
    /// # Errors
    ///
    /// If the index cannot be written as JSON.
    pub fn files(&self) -> io::Result<Vec<File>> {
        let index = File {
            path: INDEX.to_owned(),
            len: self.index.len()?,
            content: Content::Known,
        };
        let others = self.entries.iter().map(|(path, payload)| File {
            path: path.clone().into_owned(),
            len: payload.len(),
            content: match self.valuations_of_states.as_deref() == Some(path) {
                true => Content::StateValuations,
                false => payload.content(),
            },
        });
        Ok([index].into_iter().chain(others).collect())
    }

    /// Writes a range of bytes of a file whose content is not elsewhere. The file is given by its
    /// index in [`files`](Self::files).
    ///
    /// # Errors
    ///
    /// Errors of `out`, and those of [`write`](Self::write).
    pub fn write_range(
        &self,
        file: usize,
        range: Range<u64>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match file.checked_sub(1) {
            None => self.index.write(&mut Window::new(range, out)),
            Some(entry) => self.entries.payload(entry).write_range(range, out),
        }
    }
}

/// Writes an archive of files with these paths and sizes. `fill` is called with the index of each
/// file, from 0, and writes its content.
///
/// # Errors
///
/// Errors of `out` and `fill`, or a file whose size is not the one given.
pub fn write_files<'p>(
    out: &mut dyn Write,
    files: impl IntoIterator<Item = (&'p str, u64)>,
    mut fill: impl FnMut(usize, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    for (number, (path, len)) in files.into_iter().enumerate() {
        write_header(out, path, len)?;
        let mut counted = Counted { out, bytes: 0 };
        fill(number, &mut counted)?;
        if counted.bytes != len {
            let found = counted.bytes;
            let reason = format!("{path} has {found} bytes: expected {len}");
            return Err(io::Error::other(reason));
        }
        write_padding(out, len)?;
    }
    write_end(out)
}

/// A stream that counts the bytes written to it.
struct Counted<'o> {
    out: &'o mut dyn Write,
    bytes: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
