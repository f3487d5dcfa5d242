//! The memory that an index takes once it has been read. It is computed in one pass over the text,
//! which keeps nothing, before the index is read into memory: most kinds of JSON take several times
//! as much memory as text, and some of them 50 times as much.

use std::{fmt, mem};

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::annotations::Annotations;

/// The bytes of a member of a JSON object, twice, as a vector may have room for twice as many. All
/// other elements of vectors are smaller.
pub(crate) const ELEMENT: u64 = 2 * size_of::<(u64, String, Value)>() as u64;

/// The bytes of a vector of a few elements, which are requested for the first one.
const CONTAINER: u64 = 2 * ELEMENT;

/// The bytes that a string takes beside its characters.
const STRING: u64 = 32;

/// Returns an upper bound of the memory, in bytes, that the index in this text takes.
///
/// # Errors
/// If the text is not a JSON object.
pub(crate) fn needed(json: &str) -> Result<u64, serde_json::Error> {
    let mut bytes = 0;
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let weight = Weight {
        place: Place::Index,
        bytes: &mut bytes,
    };
    weight.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(bytes)
}

/// What a JSON value is.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// The whole index.
    Index,
    /// All groups of annotations.
    Groups,
    /// A group of annotations.
    Group,
    /// An annotation, or a part of it. All parts but strings are in a structure of fixed size.
    Annotation,
    /// Anything else.
    Other,
}

/// A value of which only the memory is computed.
struct Weight<'b> {
    place: Place,
    bytes: &'b mut u64,
}

impl Weight<'_> {
    /// Returns what a member of this value is, and the memory that it takes, apart from its parts.
    fn member(&self, is_annotations: bool) -> (Place, u64) {
        match self.place {
            Place::Index if is_annotations => (Place::Groups, ELEMENT),
            Place::Groups => (Place::Group, ELEMENT),
            Place::Group => (Place::Annotation, Annotations::BYTES_OF_ONE),
            Place::Annotation => (Place::Annotation, 0),
            Place::Index | Place::Other => (Place::Other, ELEMENT),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Weight<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.place {
            Place::Index => deserializer.deserialize_map(self),
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Weight<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        *self.bytes += STRING + text.len() as u64;
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        // The kinds of elements to which an annotation applies take a byte each.
        let (place, mut few, each) = match self.place {
            Place::Annotation => (Place::Annotation, STRING, 2),
            _ => (Place::Other, CONTAINER, ELEMENT),
        };
        loop {
            let bytes = &mut *self.bytes;
            if elements
                .next_element_seed(Weight { place, bytes })?
                .is_none()
            {
                return Ok(());
            }
            *self.bytes += mem::take(&mut few) + each;
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut few = CONTAINER;
        while let Some(Key {
            len,
            is_annotations,
        }) = members.next_key()?
        {
            let (place, own) = self.member(is_annotations);
            if self.place != Place::Annotation {
                *self.bytes += mem::take(&mut few) + own + STRING + len;
            }
            let bytes = &mut *self.bytes;
            members.next_value_seed(Weight { place, bytes })?;
        }
        Ok(())
    }
}

/// The name of a member of an object.
struct Key {
    len: u64,
    is_annotations: bool,
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;

        impl Visitor<'_> for Name {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string key")
            }

            fn visit_str<E>(self, text: &str) -> Result<Key, E> {
                Ok(Key {
                    len: text.len() as u64,
                    is_annotations: text == "annotations",
                })
            }
        }

        deserializer.deserialize_str(Name)
    }
}
