//! The bytes of an input: a file, mapped into memory, or a stream that was read to its end.

use crate::args::ModelArgs;
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::{in_use, interrupt, memory, paths};
use decompress::Options;
use memmap2::Mmap;
use report::counted;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// The text of an input, and the name that messages give it.
pub(crate) struct Input {
    pub(crate) name: String,
    bytes: Bytes,
    /// A text from the command line that was appended.
    pub(crate) added: Option<Added>,
}

/// A text from the command line that is read together with a file.
#[derive(Clone, Copy)]
pub(crate) struct Added {
    /// The option that it comes from.
    pub(crate) option: &'static str,
    /// The number of bytes, and of lines, before it.
    pub(crate) bytes_before: usize,
    pub(crate) lines_before: u64,
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
    /// Reads the text of a model, which must not take more memory than `--max-memory`.
    pub(crate) fn of_model(args: &ModelArgs) -> Result<Self, Error> {
        Self::within(&args.model, args.builder.max_memory)
    }

    /// Reads the file at `path`, or standard input, and decompresses it if it is compressed.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        Self::within(path, None)
    }

    /// Returns an input that was assembled from several files.
    pub(crate) fn from_parts(name: &str, bytes: Vec<u8>) -> Self {
        Self {
            name: name.to_owned(),
            bytes: Bytes::Owned(bytes),
            added: None,
        }
    }

    /// Returns this input followed by `text`, the value of this option. It is on separate lines,
    /// between `before` and `after`.
    pub(crate) fn followed_by(
        &self,
        option: &'static str,
        before: &str,
        text: &str,
        after: &str,
    ) -> Self {
        let start = [&self.bytes[..], b"\n", before.as_bytes(), b"\n"].concat();
        let added = Added {
            option,
            bytes_before: start.len(),
            lines_before: start.iter().filter(|&&byte| byte == b'\n').count() as u64,
        };
        let bytes = [&start[..], text.as_bytes(), b"\n", after.as_bytes(), b"\n"].concat();
        Self {
            name: self.name.clone(),
            bytes: Bytes::Owned(bytes),
            added: Some(added),
        }
    }

    fn within(path: &Path, max_memory: Option<u64>) -> Result<Self, Error> {
        let is_stream = paths::is_standard_input(path);
        let name = match is_stream {
            true => "<stdin>".to_owned(),
            false => path.display().to_string(),
        };
        in_use::opens(path)?;
        tracing::debug!("reading {name}");
        let (limit, why) = memory::limit(max_memory);
        let read = match is_stream {
            true => read_stream(io::stdin().lock(), limit),
            false => read_file(path, limit),
        };
        let read = match read {
            Err(Failure::System(error)) => {
                return Err(Error::file("read", Path::new(&name), &error));
            }
            Err(Failure::Text(error)) => Err(error),
            Ok(bytes) => inflate(bytes, limit),
        };
        let bytes = read.map_err(|error| match error {
            decompress::Error::Interrupted => Error::Cancelled,
            decompress::Error::Window { .. } => Diagnostic::of_file(&name, &error).note(why).into(),
            decompress::Error::TooLarge { limit } => {
                let limit = counted(limit, "byte", "bytes");
                let message = format!("its text has more than {limit}");
                Diagnostic::of_file(&name, message).note(why).into()
            }
            _ => Error::of_file(&name, error),
        })?;
        Ok(Self {
            name,
            bytes,
            added: None,
        })
    }
}

/// The reason why an input cannot be read: an error of the system or of the archive, or the input
/// is too long.
enum Failure {
    System(io::Error),
    Text(decompress::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

fn inflate(bytes: Bytes, max_bytes: u64) -> Result<Bytes, decompress::Error> {
    let options = Options {
        interrupt: Some(interrupt::flag()),
        max_bytes,
    };
    Ok(match decompress::inflate(&bytes, &options)? {
        Cow::Owned(text) => Bytes::Owned(text),
        Cow::Borrowed(_) => bytes,
    })
}

fn read_file(path: &Path, limit: u64) -> Result<Bytes, Failure> {
    let file = interrupt::while_blocked(|| File::open(path))?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
    }
    // Pipes and devices cannot be mapped, and empty files need not be.
    if !metadata.is_file() || metadata.len() == 0 {
        return read_stream(file, limit);
    }
    Ok(map(&file).map(Bytes::Mapped)?)
}

#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is read-only and private to this process. If another process changes the file
    // in the meantime, this breaks Rust's rules, as it does in every tool that maps its input; the
    // text that is read is then wrong anyway. All readers check bounds against the mapped length.
    // If the file shrinks, reading beyond its end is a SIGBUS, as docs/formats.md says.
    unsafe { Mmap::map(file) }
}

fn read_stream(stream: impl io::Read, limit: u64) -> Result<Bytes, Failure> {
    let mut bytes = Vec::new();
    let mut stream = stream.take(limit.saturating_add(1));
    interrupt::while_blocked(|| stream.read_to_end(&mut bytes)).map_err(|error| {
        // The bytes are collected in a vector whose capacity doubles.
        let bytes = 2 * bytes.capacity() as u64;
        match error.kind() {
            io::ErrorKind::OutOfMemory => Failure::Text(decompress::Error::OutOfMemory { bytes }),
            _ => error.into(),
        }
    })?;
    if bytes.len() as u64 > limit {
        return Err(Failure::Text(decompress::Error::TooLarge { limit }));
    }
    Ok(Bytes::Owned(bytes))
}

/// The endings of names of compressed files.
const COMPRESSED: [&str; 3] = ["gz", "xz", "zst"];

/// Returns the name of a file without the ending for its compression, if it has one.
pub(crate) fn inflated_name(path: &Path) -> PathBuf {
    let is_compressed = path.extension().is_some_and(|ending| {
        let is = |known: &&str| ending.eq_ignore_ascii_case(known);
        COMPRESSED.iter().any(is)
    });
    match is_compressed {
        true => path.with_extension(""),
        false => path.to_owned(),
    }
}

/// Returns the name with a number before the last dot, as PRISM numbers files: X7.tra for X.tra and
/// 7. An ending for the compression is left out.
pub(crate) fn numbered(path: &Path, number: u32) -> PathBuf {
    let plain = inflated_name(path);
    let stem = plain.file_stem().unwrap_or_default().to_string_lossy();
    let ending = plain.extension().unwrap_or(OsStr::new("tra"));
    let ending = ending.to_string_lossy();
    plain.with_file_name(format!("{stem}{number}.{ending}"))
}

/// Returns the file X.extension beside a model X.tra, compressed or not, if there is one.
pub(crate) fn beside(model: &Path, extension: &str) -> Option<PathBuf> {
    if paths::is_standard_input(model) {
        return None;
    }
    let plain = inflated_name(model);
    let compressed = COMPRESSED.map(|ending| format!("{extension}.{ending}"));
    [extension.to_owned()]
        .iter()
        .chain(&compressed)
        .map(|extension| plain.with_extension(extension))
        .find(|candidate| candidate.is_file() && candidate != model)
}
