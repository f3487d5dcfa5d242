//! The index of an archive that is being made, as JSON, so that a copy keeps the parts that this
//! crate does not know.

use std::fmt;
use std::io::{self, BufWriter, Write};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value as Json};

use crate::error::{Error, ErrorKind};
use crate::format::INDEX;
use crate::index::Index;
use crate::write::descriptions::Descriptions;

/// The member of the index with all annotations.
const ANNOTATIONS: &str = "annotations";

/// An index.
#[derive(Debug)]
pub(super) struct JsonIndex<'a> {
    /// Its members. Instead of the annotations, there is a null.
    members: Map<String, Json>,
    descriptions: Descriptions<'a>,
}

impl<'a> JsonIndex<'a> {
    /// Returns an index that has no annotations.
    pub(super) fn of(index: &Index) -> Result<Self, Error> {
        Ok(Self {
            members: as_object(index)?,
            descriptions: Descriptions::default(),
        })
    }

    /// Reads an index that is to be copied.
    pub(super) fn read(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Returns the member with this name, an object, and makes it if it does not exist.
    pub(super) fn object(&mut self, name: &str) -> &mut Map<String, Json> {
        let value = self.members.entry(name).or_insert(Json::Null);
        if !value.is_object() {
            *value = Json::Object(Map::new());
        }
        match value {
            Json::Object(object) => object,
            _ => unreachable!("it was made an object"),
        }
    }

    /// Returns the descriptions of the annotations.
    pub(super) fn descriptions(&mut self) -> &mut Descriptions<'a> {
        self.members.entry(ANNOTATIONS).or_insert(Json::Null);
        &mut self.descriptions
    }

    /// Returns the size of the text, in bytes.
    pub(super) fn len(&self) -> io::Result<u64> {
        let mut counter = Counter(0);
        self.write(&mut counter)?;
        Ok(counter.0)
    }

    /// Writes the text. It is not in memory as a whole.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::new(out);
        serde_json::to_writer_pretty(&mut out, self)?;
        out.write_all(b"\n")?;
        out.flush()
    }
}

impl Serialize for JsonIndex<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.members.len()))?;
        for (name, value) in &self.members {
            match name.as_str() {
                ANNOTATIONS => map.serialize_entry(name, &self.descriptions)?,
                _ => map.serialize_entry(name, value)?,
            }
        }
        map.end()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for JsonIndex<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = JsonIndex<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let (mut members, mut descriptions) = (Map::new(), Descriptions::default());
                while let Some(name) = map.next_key::<String>()? {
                    let value = match name.as_str() {
                        ANNOTATIONS => {
                            descriptions = map.next_value()?;
                            Json::Null
                        }
                        _ => map.next_value()?,
                    };
                    members.insert(name, value);
                }
                Ok(JsonIndex {
                    members,
                    descriptions,
                })
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// Converts a value that serialises to a JSON object.
pub(super) fn as_object(value: &impl Serialize) -> Result<Map<String, Json>, Error> {
    let wrong = |reason: String| Error::in_entry(INDEX, ErrorKind::BadIndex { reason });
    match serde_json::to_value(value) {
        Ok(Json::Object(object)) => Ok(object),
        Ok(other) => Err(wrong(format!("{other} is no object"))),
        Err(error) => Err(wrong(error.to_string())),
    }
}

/// A stream that only counts bytes.
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
