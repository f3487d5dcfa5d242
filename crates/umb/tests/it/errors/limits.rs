//! Archives that are refused because of the memory that they would take.

use super::sound;
use crate::common::{archive, files};
use test_models::Wording;
use umb::{Error, ErrorKind, ReadOptions, Umb};

/// Limits are checked before memory is allocated, so an index of any size can be refused.
pub(super) fn limits(wording: &mut Wording<Error>) {
    let refused = |archive: &[u8], max_memory| {
        let options = ReadOptions {
            max_memory,
            ..ReadOptions::default()
        };
        let error = Umb::read(archive, &options)
            .map(drop)
            .expect_err("it is refused");
        let ErrorKind::IndexTooLarge { bytes, .. } = *error.kind() else {
            panic!("{error}");
        };
        // It is accepted as soon as there is as much memory as the error says.
        let allowed = ReadOptions {
            max_memory: bytes,
            ..options
        };
        assert!(bytes > max_memory && Umb::read(archive, &allowed).is_ok());
        (bytes, error)
    };
    let sound = sound();
    let (least, error) = refused(&sound, 1000);
    wording.add("an index for which there is no room", &error);
    let mut files = files(&sound);
    let junk = format!(
        "{{\"file-data\": {{\"parameters\": [{}1]}},",
        "[],".repeat(1_000_000)
    );
    files[0].1.splice(..1, junk.into_bytes());
    let (bytes, error) = refused(&archive(&files), least + 30_000_000);
    assert!(bytes > least + 1_000_000 * size_of::<serde_json::Value>() as u64);
    wording.add("an index with a million lists", &error);
}
