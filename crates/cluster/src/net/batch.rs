//! [`Batch`]: the unit in which messages are sent.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

#[cfg(target_endian = "big")]
compile_error!("batches hold numbers as they are in memory, lowest byte first");

/// A batch of messages from one worker to another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Batch {
    pub(super) from: u32,
    pub(super) to: u32,
    /// The superstep to which it belongs. A faster worker may have begun the next one.
    pub(super) step: u64,
    /// The number of earlier batches between these two workers in this superstep.
    pub(super) number: u32,
    /// Whether it has the number of messages that the sender has sent to all workers in this
    /// superstep, and no messages.
    pub(super) is_count: bool,
    pub(super) bytes: Bytes,
}

/// Bytes that are written and read as they are.
#[derive(Clone, Debug)]
pub(super) struct Bytes(pub(super) Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl de::Visitor<'_> for Visit {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Bytes, E> {
                Ok(Bytes(bytes))
            }
        }
        deserializer.deserialize_byte_buf(Visit)
    }
}
