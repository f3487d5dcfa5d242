//! Makes archives from arrays, or from an archive that was read, with additional annotations,
//! actions and values of variables.

mod annotations;
mod content;
mod descriptions;
mod entries;
mod indices;
mod json;
mod model;
mod outline;
mod payload;
mod variables;

use std::io::{self, Write};

pub use content::Content;
pub use indices::Indices;
pub use model::Model;
pub use outline::{File, Outline, write_files};
pub use variables::Domain;

use crate::entity::Entity;
use crate::error::{Error, ErrorKind};
use crate::format::INDEX;
use crate::index::Index;
use crate::read::Umb;
use entries::Entries;
use json::JsonIndex;
use payload::Payload;

/// How an archive is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// None: readers can use the arrays in place.
    None,
    /// Gzip, as used by PRISM and Storm by default.
    Gzip,
}

/// An archive that is being made. Large arrays are borrowed until it is written.
#[derive(Debug)]
pub struct UmbWriter<'a> {
    index: JsonIndex<'a>,
    /// All other files.
    entries: Entries<'a>,
    num_states: u64,
    num_choices: u64,
    num_branches: u64,
    num_observations: u64,
    /// The path of the file with the values of variables in the states, if it is computed state by
    /// state.
    valuations_of_states: Option<String>,
}

impl<'a> UmbWriter<'a> {
    /// Starts an archive of a model that is given as arrays.
    ///
    /// # Errors
    ///
    /// If the model is not valid. The errors are the same as those of reading it.
    pub fn new(model: &Model<'a>) -> Result<Self, Error> {
        let mut writer = Self::of_index(&model.index()?)?;
        for (path, payload) in model.entries() {
            writer.entries.put(path, payload);
        }
        Ok(writer)
    }

    /// Starts an archive that consists of an index alone.
    fn of_index(index: &Index) -> Result<Self, Error> {
        let system = &index.transition_system;
        Ok(Self {
            index: JsonIndex::of(index)?,
            entries: Entries::default(),
            num_states: system.num_states,
            num_choices: system.num_choices,
            num_branches: system.num_branches,
            num_observations: system.num_observations,
            valuations_of_states: None,
        })
    }

    /// Starts an archive with the contents of `umb`, including the parts that this crate does not
    /// know.
    #[must_use]
    pub fn copy_of(umb: &Umb<'a>) -> Self {
        let mut entries = Entries::default();
        for (path, bytes) in umb.files().filter(|(path, _)| path != INDEX) {
            entries.put(path, Payload::Bytes(bytes.into()));
        }
        let index = umb.index_text().ok();
        let index = index.and_then(|text| JsonIndex::read(text).ok());
        Self {
            index: index.expect("the archive was read, and so was its index"),
            entries,
            num_states: umb.num_states(),
            num_choices: umb.num_choices(),
            num_branches: umb.num_branches(),
            num_observations: umb.index().transition_system.num_observations,
            valuations_of_states: None,
        }
    }

    /// Sets the name and version of the tool that makes the file.
    pub fn tool(&mut self, name: &str, version: &str) -> &mut Self {
        let data = self.index.object("file-data");
        data.insert("tool".to_owned(), name.into());
        data.insert("tool-version".to_owned(), version.into());
        self
    }

    /// Sets the time at which the file is made, in seconds since 1970.
    pub fn creation_date(&mut self, seconds: u64) -> &mut Self {
        self.index
            .object("file-data")
            .insert("creation-date".to_owned(), seconds.into());
        self
    }

    /// Names the actions and assigns one of them, by its index, to each choice. An empty name
    /// stands for no action.
    ///
    /// # Errors
    ///
    /// If there is not one action for each choice, or an action has no name.
    pub fn choice_actions(
        &mut self,
        names: &[impl AsRef<str>],
        numbers: &'a [u32],
    ) -> Result<&mut Self, Error> {
        self.actions(Entity::Choices, names, numbers)
    }

    /// Names the actions and assigns one of them, by its index, to each branch, as is common in
    /// Markov chains. An empty name stands for no action.
    ///
    /// # Errors
    ///
    /// If there is not one action for each branch, or an action has no name.
    pub fn branch_actions(
        &mut self,
        names: &[impl AsRef<str>],
        numbers: &'a [u32],
    ) -> Result<&mut Self, Error> {
        self.actions(Entity::Branches, names, numbers)
    }

    fn actions(
        &mut self,
        of: Entity,
        names: &[impl AsRef<str>],
        numbers: &'a [u32],
    ) -> Result<&mut Self, Error> {
        let values = format!("actions/{of}/values.bin");
        self.check_length(&values, of, numbers.len() as u64)?;
        crate::check::below(&values, numbers, names.len() as u64, "an action")?;
        self.put_actions(of, names, Payload::U32(numbers));
        Ok(self)
    }

    /// Adds the names of actions, and the action of each choice or branch.
    fn put_actions(&mut self, of: Entity, names: &[impl AsRef<str>], numbers: Payload<'a>) {
        let names = names.iter().map(AsRef::as_ref);
        self.put_strings(&format!("actions/{of}"), names.clone());
        self.entries
            .put(format!("actions/{of}/values.bin"), numbers);
        let count = match of {
            Entity::Choices => "#choice-actions",
            _ => "#branch-actions",
        };
        self.index
            .object("transition-system")
            .insert(count.to_owned(), names.len().into());
    }

    /// Writes the archive. The same contents result in the same bytes.
    ///
    /// # Errors
    ///
    /// Errors of `out`; a variable whose value is outside its [`Domain`]; a path in a copied
    /// archive that is too long.
    pub fn write(&self, mut out: impl Write, compression: Compression) -> io::Result<()> {
        match compression {
            Compression::None => self.write_tar(&mut out)?,
            Compression::Gzip => {
                let level = flate2::Compression::default();
                let mut gzip = flate2::write::GzEncoder::new(&mut out, level);
                self.write_tar(&mut gzip)?;
                gzip.finish()?;
            }
        }
        out.flush()
    }

    fn write_tar(&self, out: &mut dyn Write) -> io::Result<()> {
        let len = self.index.len()?;
        payload::write_header(out, INDEX, len)?;
        self.index.write(out)?;
        payload::write_padding(out, len)?;
        for (path, payload) in self.entries.iter() {
            payload::write_entry(out, path, payload)?;
        }
        payload::write_end(out)
    }

    /// Adds the two files that store a list of strings.
    fn put_strings<'s>(&mut self, folder: &str, strings: impl Iterator<Item = &'s str>) {
        let (mut offsets, mut text) = (vec![0], Vec::new());
        for string in strings {
            text.extend_from_slice(string.as_bytes());
            offsets.push(text.len() as u64);
        }
        let mapping = Payload::U64(offsets.into());
        self.entries
            .put(format!("{folder}/string-mapping.bin"), mapping);
        self.entries
            .put(format!("{folder}/strings.bin"), Payload::Bytes(text.into()));
    }

    /// Returns the number of states, choices, branches or observations.
    fn count_of(&self, of: Entity) -> u64 {
        match of {
            Entity::States => self.num_states,
            Entity::Choices => self.num_choices,
            Entity::Branches => self.num_branches,
            Entity::Observations => self.num_observations,
            Entity::Players => 0,
        }
    }

    fn check_length(&self, entry: &str, of: Entity, found: u64) -> Result<(), Error> {
        let expected = match of {
            Entity::States | Entity::Choices | Entity::Branches => self.count_of(of),
            _ => {
                let what = "values of observations and players";
                return Err(Error::in_entry(entry, ErrorKind::Unsupported { what }));
            }
        };
        if found == expected {
            return Ok(());
        }
        let kind = ErrorKind::Length {
            found,
            expected,
            entity: of,
        };
        Err(Error::in_entry(entry, kind))
    }
}
