//! Lists of strings, and the actions that are named by them.

use std::borrow::Cow;

use crate::archive::Archive;
use crate::check;
use crate::entity::Entity;
use crate::error::{Error, ErrorKind};
use crate::numbers;

/// A list of strings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strings<'a> {
    /// The offset in the text at which each string begins, and at which the last one ends.
    offsets: Cow<'a, [u64]>,
    text: &'a str,
}

impl<'a> Strings<'a> {
    /// Reads the `count` strings of a folder, if it has strings.
    pub(crate) fn read(
        archive: &Archive<'a>,
        folder: &str,
        count: u64,
    ) -> Result<Option<Self>, Error> {
        let mapping = format!("{folder}/string-mapping.bin");
        let content = format!("{folder}/strings.bin");
        let Some(bytes) = archive.get(&mapping) else {
            return match archive.get(&content) {
                None => Ok(None),
                Some(_) => {
                    let needed_for = "expected it beside strings.bin";
                    Err(Error::in_entry(
                        &mapping,
                        ErrorKind::MissingEntry { needed_for },
                    ))
                }
            };
        };
        let text = archive.require(&content, "expected it beside string-mapping.bin")?;
        let rows = count.saturating_add(1);
        let offsets = numbers::read::<u64>(&mapping, bytes, rows, "strings and an end")?;
        let length = text.len() as u64;
        check::offsets(&mapping, &offsets, length, "bytes in strings.bin")?;
        let text = std::str::from_utf8(text)
            .map_err(|error| Error::at(&content, error.valid_up_to(), ErrorKind::NotText))?;
        let is_split = |&offset: &u64| !text.is_char_boundary(offset as usize);
        if let Some(string) = offsets.iter().position(is_split) {
            let offset = offsets[string];
            return Err(Error::at(
                &mapping,
                string,
                ErrorKind::SplitCharacter { offset },
            ));
        }
        Ok(Some(Self { offsets, text }))
    }

    /// Returns the number of strings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns whether there are no strings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// String `i`, or `None` if there are not so many.
    #[must_use]
    pub fn get(&self, i: usize) -> Option<&'a str> {
        let start = *self.offsets.get(i)?;
        let end = *self.offsets.get(i + 1)?;
        self.text.get(start as usize..end as usize)
    }

    /// Returns all strings, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a str> {
        (0..self.len()).map(|i| self.get(i).unwrap_or_default())
    }
}

/// The actions of choices or of branches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actions<'a> {
    /// The action of each choice or branch; `None` if all have action 0.
    numbers: Option<Cow<'a, [u32]>>,
    names: Option<Strings<'a>>,
}

impl<'a> Actions<'a> {
    /// Reads the actions of choices or branches; `entities` says which, and `count` is their
    /// number.
    pub(crate) fn read(
        archive: &Archive<'a>,
        of: Entity,
        entities: u64,
        count: u32,
    ) -> Result<Option<Self>, Error> {
        if count == 0 {
            return Ok(None);
        }
        let folder = format!("actions/{of}");
        let entry = format!("{folder}/values.bin");
        let what = match of {
            Entity::Choices => "choices",
            _ => "branches",
        };
        let numbers = match archive.get(&entry) {
            None => None,
            Some(bytes) => {
                let numbers = numbers::read::<u32>(&entry, bytes, entities, what)?;
                check::below(&entry, &numbers, u64::from(count), "an action")?;
                Some(numbers)
            }
        };
        let names = Strings::read(archive, &folder, u64::from(count))?;
        Ok(Some(Self { numbers, names }))
    }

    /// Returns the number of the action of choice or branch `i`.
    ///
    /// # Panics
    ///
    /// May panic if the model does not have so many choices or branches.
    #[must_use]
    #[inline]
    pub fn number(&self, i: u64) -> u32 {
        self.numbers
            .as_ref()
            .map_or(0, |numbers| numbers[i as usize])
    }

    /// Returns the name of the action of choice or branch `i`; `None` if it has none, or an empty
    /// one.
    ///
    /// # Panics
    ///
    /// As [`number`](Self::number).
    #[must_use]
    pub fn name(&self, i: u64) -> Option<&'a str> {
        let name = self.names.as_ref()?.get(self.number(i) as usize)?;
        (!name.is_empty()).then_some(name)
    }

    /// Returns the names of all actions, by number; `None` if they have no names. An empty name
    /// stands for no action.
    #[must_use]
    pub fn names(&self) -> Option<&Strings<'a>> {
        self.names.as_ref()
    }
}
