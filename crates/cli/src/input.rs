//! The bytes of an input: a mapped file, or what came through a pipe.

use crate::error::Error;
use crate::{interrupt, output};
use gunzip::Options;
use memmap2::Mmap;
use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// The path that stands for standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// The text of an input, and the name that messages give it.
pub(crate) struct Input {
    pub(crate) name: String,
    bytes: Bytes,
}

enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
        }
    }
}

impl Deref for Input {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Input {
    /// The text of the file at `path`, or of standard input; inflated if it is a gzip archive.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let is_stream = path == Path::new(STANDARD_INPUT);
        let name = match is_stream {
            true => "<stdin>".to_owned(),
            false => path.display().to_string(),
        };
        tracing::debug!("reading {name}");
        let bytes = match is_stream {
            true => read_stream(io::stdin().lock()),
            false => read_file(path),
        };
        let bytes = bytes.map_err(|error| Error::file("read", Path::new(&name), &error))?;
        let bytes = inflate(bytes).map_err(|error| match error {
            gunzip::Error::Interrupted => Error::Cancelled,
            _ => Error::wrong(format!("{name}: {error}")),
        })?;
        Ok(Self { name, bytes })
    }
}

fn inflate(bytes: Bytes) -> Result<Bytes, gunzip::Error> {
    let options = Options {
        interrupt: Some(interrupt::flag()),
        ..Options::default()
    };
    Ok(match gunzip::inflate(&bytes, &options)? {
        Cow::Owned(text) => Bytes::Owned(text),
        Cow::Borrowed(_) => bytes,
    })
}

fn read_file(path: &Path) -> io::Result<Bytes> {
    let file = interrupt::while_blocked(|| File::open(path))?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    // Pipes and devices cannot be mapped, and files without bytes need not be.
    if !metadata.is_file() || metadata.len() == 0 {
        return read_stream(file);
    }
    map(&file).map(Bytes::Mapped)
}

#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is read-only and private to this process. Rust's rules are broken if another
    // process changes the file meanwhile; so are they in every tool that maps its input, and what
    // is read then is wrong anyway. All readers check bounds against the mapped length.
    unsafe { Mmap::map(file) }
}

fn read_stream(mut stream: impl io::Read) -> io::Result<Bytes> {
    let mut bytes = Vec::new();
    interrupt::while_blocked(|| stream.read_to_end(&mut bytes))?;
    Ok(Bytes::Owned(bytes))
}

/// The file with the ending `.extension` or `.extension.gz` that stands beside a model X.tra.
pub(crate) fn beside(model: &Path, extension: &str) -> Option<PathBuf> {
    if model == Path::new(STANDARD_INPUT) {
        return None;
    }
    let plain = match output::is_archive(model) {
        true => model.with_extension(""),
        false => model.to_owned(),
    };
    [extension.to_owned(), format!("{extension}.gz")]
        .iter()
        .map(|extension| plain.with_extension(extension))
        .find(|candidate| candidate.is_file() && candidate != model)
}
