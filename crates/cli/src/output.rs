//! Where results go: standard output, or a file that appears only when it is whole. A file whose
//! name ends in `.gz` is compressed.

use crate::error::Error;
use crate::interrupt;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::{self, Permissions};
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

/// How many bytes are gathered before they are written.
const BUFFER: usize = 1 << 16;

/// Writes a result to `path`, or to standard output if that is `None` or "-".
pub(crate) fn write(
    path: Option<&Path>,
    result: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> Result<(), Error> {
    match path.filter(|path| *path != Path::new("-")) {
        None => to_stream(io::stdout(), result)
            .map_err(|error| failure(Path::new("standard output"), &error)),
        Some(path) => to_file(path, result).map_err(|error| failure(path, &error)),
    }
}

/// Says at once, before hours are spent on the result, that there is no folder for it.
pub(crate) fn check(path: Option<&Path>) -> Result<(), Error> {
    match path {
        Some(path) if !folder(path).is_dir() => {
            let message = format!("cannot write {}: there is no such folder", path.display());
            Err(Error::wrong(message))
        }
        _ => Ok(()),
    }
}

/// Refuses a terminal for bytes that nobody can read, before they are made; `what` is being done, if it
/// goes to standard output.
pub(crate) fn check_binary(what: Option<&str>) -> Result<(), Error> {
    match what {
        Some(what) if io::stdout().is_terminal() => {
            let message = format!("{what} makes an archive, not text: name a file for it");
            Err(Error::Usage(message))
        }
        _ => Ok(()),
    }
}

/// Says at once that what is read at `from` would be replaced.
pub(crate) fn check_distinct(from: &Path, to: &Path) -> Result<(), Error> {
    let is_same =
        fs::canonicalize(from).is_ok_and(|from| fs::canonicalize(to).is_ok_and(|to| from == to));
    if is_same {
        let message = format!("{} would be replaced: give OUT another name", to.display());
        return Err(Error::Usage(message));
    }
    Ok(())
}

fn to_stream(
    stream: impl Write + Send,
    result: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER, Cancellable(stream));
    result(&mut out)?;
    out.flush()
}

/// Writes a file beside `path` and renames it, unless `path` is a device or a pipe.
fn to_file(
    path: &Path,
    result: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    // A link stays one: what it points to is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => {
            return to_stream(fs::OpenOptions::new().write(true).open(path)?, result);
        }
        _ => {}
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".maxend-");
    let permissions = usual_permissions();
    if let Some(permissions) = permissions {
        builder.permissions(permissions);
    }
    let mut file = builder.tempfile_in(folder(&path))?;
    interrupt::while_writing(file.path().to_owned(), || {
        if is_archive(&path) {
            let mut archive = GzEncoder::new(&mut file, Compression::default());
            to_stream(&mut archive, result)?;
            archive.finish()?;
        } else {
            to_stream(&mut file, result)?;
        }
        file.persist(path)?;
        Ok(())
    })
}

/// Whether a file of this name is a gzip archive.
pub(crate) fn is_archive(path: &Path) -> bool {
    path.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("gz"))
}

/// The folder that holds `path`.
fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The permissions that a new file usually has, before the user's mask; temporary files are private.
#[cfg(unix)]
fn usual_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn usual_permissions() -> Option<Permissions> {
    None
}

fn failure(path: &Path, error: &io::Error) -> Error {
    if interrupt::is_cancelled() {
        return Error::Cancelled;
    }
    match error.kind() {
        io::ErrorKind::BrokenPipe => Error::ClosedPipe,
        _ => Error::file("write", path, error),
    }
}

/// A stream that counts.
pub(crate) struct Counted<W> {
    out: W,
    bytes: u64,
}

impl<W> Counted<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, bytes: 0 }
    }

    /// How many bytes went through.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A stream that fails once the user asked to stop.
struct Cancellable<W>(W);

impl<W: Write> Write for Cancellable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if interrupt::is_cancelled() {
            return Err(io::Error::other("cancelled"));
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
