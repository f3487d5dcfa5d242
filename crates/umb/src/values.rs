//! The values of annotations, of all types of the format that this crate supports.

use std::borrow::Cow;

use crate::annotations::AnnotationInfo;
use crate::archive::Archive;
use crate::bits::Bits;
use crate::check;
use crate::entity::Entity;
use crate::error::{Error, ErrorKind};
use crate::format::INDEX;
use crate::numbers::{self, Numbers};
use crate::strings::Strings;
use crate::value_type::{Kind, ValueType};

/// The values of all states, of all choices or of all branches.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Values<'a> {
    /// Truth values, such as those of atomic propositions.
    Bools(Bits<'a>),
    /// Signed integers.
    Ints(Cow<'a, [i64]>),
    /// Unsigned integers.
    Uints(Cow<'a, [u64]>),
    /// Real numbers, such as rewards.
    Numbers(Numbers<'a>),
    /// Strings.
    Strings {
        /// The index of the string of each element.
        numbers: Cow<'a, [u64]>,
        /// The strings.
        strings: Strings<'a>,
    },
}

impl<'a> Values<'a> {
    /// Reads the values of an annotation in `folder` that belong to `count` elements.
    pub(crate) fn read(
        archive: &Archive<'a>,
        folder: &str,
        info: &AnnotationInfo,
        (of, count): (Entity, u64),
    ) -> Result<Self, Error> {
        let what = match of {
            Entity::States => "states",
            Entity::Choices => "choices",
            Entity::Branches => "branches",
            _ => return Err(unsupported("annotations of observations and players")),
        };
        if info.probability_type.is_some() {
            return Err(unsupported("annotations with distributions over values"));
        }
        let entry = format!("{folder}/values.bin");
        let value_type = info.value_type;
        let Some(bytes) = archive.get(&entry) else {
            return Self::zeros(archive, folder, info, count);
        };
        let is_default = value_type.bits() == value_type.kind.default_bits();
        match value_type.kind {
            Kind::Bool if is_default => Bits::read(&entry, bytes, count, what).map(Self::Bools),
            Kind::Int if is_default => numbers::read(&entry, bytes, count, what).map(Self::Ints),
            Kind::Uint if is_default => numbers::read(&entry, bytes, count, what).map(Self::Uints),
            Kind::Double | Kind::Rational => {
                Numbers::read(&entry, bytes, count, value_type, "annotation values")
                    .map(Self::Numbers)
            }
            Kind::String if is_default => {
                let strings = read_strings(archive, folder, info)?;
                let numbers = numbers::read::<u64>(&entry, bytes, count, what)?;
                let limit = strings.len() as u64;
                check::below(&entry, &numbers, limit, "a string")?;
                Ok(Self::Strings { numbers, strings })
            }
            _ => Err(bad_type(value_type)),
        }
    }

    /// Returns the values if their entry is absent.
    fn zeros(
        archive: &Archive<'a>,
        folder: &str,
        info: &AnnotationInfo,
        count: u64,
    ) -> Result<Self, Error> {
        // The model was read, so its counts are bounded by the size of the archive, or by
        // MAX_UNBACKED.
        let len = count as usize;
        match info.value_type.kind {
            Kind::Bool => Ok(Self::Bools(Bits::none(count))),
            Kind::Int => Ok(Self::Ints(vec![0; len].into())),
            Kind::Uint => Ok(Self::Uints(vec![0; len].into())),
            Kind::Double | Kind::Rational => {
                Ok(Self::Numbers(Numbers::Doubles(vec![0.0; len].into())))
            }
            Kind::String => {
                let strings = read_strings(archive, folder, info)?;
                let numbers = vec![0; len].into();
                Ok(Self::Strings { numbers, strings })
            }
            _ => Err(bad_type(info.value_type)),
        }
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> u64 {
        match self {
            Self::Bools(bits) => bits.len(),
            Self::Ints(ints) => ints.len() as u64,
            Self::Uints(uints) => uints.len() as u64,
            Self::Numbers(numbers) => numbers.len() as u64,
            Self::Strings { numbers, .. } => numbers.len() as u64,
        }
    }

    /// Returns whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn read_strings<'a>(
    archive: &Archive<'a>,
    folder: &str,
    info: &AnnotationInfo,
) -> Result<Strings<'a>, Error> {
    let count = u64::from(info.num_strings.unwrap_or(0));
    Strings::read(archive, folder, count)?.ok_or_else(|| {
        let entry = format!("{folder}/string-mapping.bin");
        let needed_for = "the annotation's values are strings";
        Error::in_entry(&entry, ErrorKind::MissingEntry { needed_for })
    })
}

fn unsupported(what: &'static str) -> Error {
    Error::in_entry(INDEX, ErrorKind::Unsupported { what })
}

fn bad_type(value_type: ValueType) -> Error {
    let kind = ErrorKind::ValueType {
        what: "annotation values",
        found: value_type.to_string(),
        expected: "bool of 1 bit, int, uint, double or string of 64 bits, or rational",
    };
    Error::in_entry(INDEX, kind)
}
