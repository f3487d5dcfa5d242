//! Models for tests: the fixtures, and the reference models with the results of other tools. This
//! crate knows how files are named and compressed, but not what is in them. It also selects the
//! device on which tests run.
//!
//! The reference models are not part of this project. The environment variable `MAXEND_MODELS`
//! names the folder of their explicit files and of `counts.csv`; the folder `prism-models` beside
//! it has their sources. If the variable is not set, a message on standard error says so, and the
//! tests that use reference models are skipped.
//!
//! ```
//! let [chain, ..] = &test_models::fixtures()[..] else { panic!("there are fixtures") };
//! assert!(chain.bytes("tra").is_some_and(|text| !text.is_empty()));
//! assert_eq!(chain.bytes("such"), None);
//! ```
//!
//! This crate is only for tests, so it panics if a file is missing or cannot be read.

#![forbid(unsafe_code)]

mod closure;
mod device;
mod instance;
mod mutate;
mod random;
mod wording;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

pub use closure::close;
pub use device::{Devices, adapter, device_is_required, device_or_skip};
pub use instance::{Instance, small_instances};
pub use mutate::mutate;
pub use random::{draws, shuffled};
pub use wording::{Part, Wording, escaped};

/// A model in explicit files, whose names differ only in their endings: `X.tra` or `X.tra.gz`, and
/// other files in the same folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelFiles {
    /// The path `X`.
    stem: PathBuf,
}

impl ModelFiles {
    /// Returns the path of the file with this ending, plain or compressed, if the file exists.
    #[must_use]
    pub fn file(&self, ending: &str) -> Option<PathBuf> {
        // Names may have dots in them, so `with_extension` would not do.
        let plain = format!("{}.{ending}", self.stem.display());
        let compressed = format!("{plain}.gz");
        [plain, compressed]
            .map(PathBuf::from)
            .into_iter()
            .find(|path| path.exists())
    }

    /// Returns the decompressed contents of the file with this ending, if the file exists.
    #[must_use]
    pub fn bytes(&self, ending: &str) -> Option<Vec<u8>> {
        let path = self.file(ending)?;
        let bytes = read(&path);
        let inflated = decompress::inflate(&bytes, &decompress::Options::default());
        let inflated = inflated.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Some(inflated.into_owned())
    }

    /// Returns the text of the file with this ending, if the file exists.
    #[must_use]
    pub fn text(&self, ending: &str) -> Option<String> {
        let text = String::from_utf8(self.bytes(ending)?);
        Some(text.unwrap_or_else(|error| panic!("{self}.{ending}: {error}")))
    }
}

/// The path without an ending.
impl fmt::Display for ModelFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stem.display().fmt(f)
    }
}

/// Returns the fixture with this name.
#[must_use]
pub fn fixture(name: &str) -> ModelFiles {
    let stem = fixtures_folder().join(name);
    ModelFiles { stem }
}

/// Returns all fixtures that have a `.tra` file, sorted by name.
#[must_use]
pub fn fixtures() -> Vec<ModelFiles> {
    models_in(&fixtures_folder())
}

/// Returns all reference models that have a `.tra` file, sorted by path. If there are none, prints
/// a message and returns `None`.
#[must_use]
pub fn reference_models() -> Option<Vec<ModelFiles>> {
    Some(models_in(&reference_folder()?))
}

/// Returns the names and texts of all reference models in PRISM's language. If there are none,
/// prints a message and returns `None`.
#[must_use]
pub fn sources() -> Option<Vec<(String, Vec<u8>)>> {
    let name = |path: &Path| path.file_name()?.to_str().map(str::to_owned);
    let mut sources: Vec<_> = entries(&sources_folder(&reference_folder()?))
        .filter_map(|path| Some((name(&path)?, read(&path))))
        .collect();
    sources.sort();
    Some(sources)
}

/// Returns the models that once revealed errors in the program. Their folder is beside that of the
/// reference models. If there is none, prints a message and returns `None`.
#[must_use]
pub fn races() -> Option<Vec<ModelFiles>> {
    let folder = reference_folder()?.join("../races");
    if !folder.is_dir() {
        eprintln!("SKIPPED: there is no folder {}", folder.display());
        return None;
    }
    Some(models_in(&folder))
}

fn fixtures_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// Returns the folder of the reference models. If the variable is not set, prints a message and
/// returns `None`.
fn reference_folder() -> Option<PathBuf> {
    let folder = std::env::var_os("MAXEND_MODELS").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("SKIPPED: MAXEND_MODELS is not set, so no reference model is tried");
    }
    folder
}

/// Returns the folder of the sources of the reference models in `folder`.
fn sources_folder(folder: &Path) -> PathBuf {
    folder.join("../prism-models")
}

/// Returns all models in a folder and its subfolders.
fn models_in(folder: &Path) -> Vec<ModelFiles> {
    let mut models = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            let name = path.to_string_lossy();
            let plain = name.strip_suffix(".gz").unwrap_or(&name);
            match plain.strip_suffix(".tra").map(PathBuf::from) {
                _ if path.is_dir() => folders.push(path),
                Some(stem) => models.push(ModelFiles { stem }),
                None => {}
            }
        }
    }
    models.sort();
    assert!(!models.is_empty(), "no model in {}", folder.display());
    models
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.expect("an entry that can be read").path())
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
