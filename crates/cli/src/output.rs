//! Writes results: to standard output, to a device or a pipe, or to files, which appear only when
//! all that belong together are complete. A file whose name ends in `.gz` is compressed.

use crate::error::Error;
use crate::interrupt::Unfinished;
use crate::paths::{end_of_links, folder, is_standard_output};
use crate::{in_use, input, interrupt};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, BufWriter, IsTerminal as _, Write};
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// The size of the buffer for output, in bytes.
const BUFFER: usize = 1 << 16;

/// The destination of a path.
enum Place {
    /// Standard output: "-", or the system's name for it.
    Standard,
    /// A device, a pipe or a socket, which is written to directly.
    Special,
    /// A regular file, which may not exist yet. An existing file is replaced; links to it stay.
    File {
        path: PathBuf,
        replaced: Option<Metadata>,
    },
}

/// Determines the destination of `path`.
fn place(path: &Path) -> io::Result<Place> {
    if is_standard_output(path) {
        return Ok(Place::Standard);
    }
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if metadata.is_file() => Ok(Place::File {
            path: fs::canonicalize(path)?,
            replaced: Some(metadata),
        }),
        Ok(_) => Ok(Place::Special),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Place::File {
            path: end_of_links(path),
            replaced: None,
        }),
        Err(error) => Err(error),
    }
}

/// Returns whether a path leads to a stream, which has no files beside it.
pub(crate) fn is_stream(path: &Path) -> bool {
    is_standard_output(path) || is_special(path)
}

/// Returns whether a path leads to a device, a pipe or a socket.
pub(crate) fn is_special(path: &Path) -> bool {
    matches!(place(path), Ok(Place::Special))
}

/// Output files that belong together. They get their names when all of them are complete. If one
/// cannot be written, or the program ends before, the files that were there before stay.
#[derive(Default)]
pub(crate) struct Outputs {
    /// The temporary files, and the paths that they get.
    complete: Vec<(TempPath, PathBuf)>,
    unfinished: Vec<Unfinished>,
}

impl Outputs {
    /// Writes a result that will get the name `path`. Standard output, devices and pipes are
    /// written to at once.
    pub(crate) fn write(
        &mut self,
        path: &Path,
        result: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> Result<(), Error> {
        let place = place(path).map_err(|error| failure(path, &error))?;
        let written = match place {
            Place::Standard => to_standard(result),
            Place::Special => to_special(path, result),
            Place::File {
                path: end,
                replaced,
            } => {
                in_use::creates(path)?;
                self.write_file(end, replaced.as_ref(), result)
            }
        };
        written.map_err(|error| failure(path, &error))
    }

    /// Does the same as [`write`](Self::write), and returns the number of bytes.
    pub(crate) fn write_counted(
        &mut self,
        path: &Path,
        result: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<u64, Error> {
        let mut written = 0;
        self.write(path, |out| {
            let mut out = Counted::new(out);
            result(&mut out)?;
            written = out.bytes();
            Ok(())
        })?;
        Ok(written)
    }

    /// Writes a file beside `path`. If there is a file at `path`, the new one gets its permissions
    /// and, if the system allows it, its owner.
    fn write_file(
        &mut self,
        path: PathBuf,
        replaced: Option<&Metadata>,
        result: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut builder = temporary_file();
        // A file that will get the permissions of another one is private until it is complete.
        let permissions = usual_permissions().filter(|_| replaced.is_none());
        if let Some(permissions) = permissions {
            builder.permissions(permissions);
        }
        let mut file = create_in(&folder(&path), &builder)?;
        self.unfinished.push(Unfinished::new(file.path()));
        // Errors in writing do not name the temporary file.
        to_stream_for(&path, file.as_file_mut(), result)?;
        if let Some(replaced) = replaced {
            take_over(file.as_file(), replaced);
        }
        // Many files may be complete, but only some can be open.
        self.complete.push((file.into_temp_path(), path));
        Ok(())
    }

    /// Gives all files their names.
    pub(crate) fn finish(self) -> Result<(), Error> {
        if interrupt::is_cancelled() {
            return Err(Error::Cancelled);
        }
        // From here on, a signal does not come between two files.
        let named = interrupt::undivided(|| {
            self.complete.into_iter().try_for_each(|(file, path)| {
                let named = file.persist(&path);
                named.map_err(|error| failure(&path, &error.error))
            })
        });
        drop(self.unfinished);
        named
    }
}

/// Writes a result to `path`, or to standard output if that is `None` or "-".
pub(crate) fn write(
    path: Option<&Path>,
    result: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> Result<(), Error> {
    let mut outputs = Outputs::default();
    outputs.write(or_standard(path), result)?;
    outputs.finish()
}

/// Returns the path of a result, which stands for standard output if the user named none.
pub(crate) fn or_standard(path: Option<&Path>) -> &Path {
    path.unwrap_or(Path::new("-"))
}

/// Checks that a result can be written to `path`, before a long computation.
pub(crate) fn check(path: Option<&Path>) -> Result<(), Error> {
    let Some(name) = path else {
        return Ok(());
    };
    if !is_archive(name) && input::inflated_name(name) != name {
        let message = format!(
            "cannot write {}: files are compressed by gzip (.gz) alone",
            name.display()
        );
        return Err(Error::Usage(message));
    }
    let failure = |error| failure(name, &error);
    let Place::File { path, replaced } = place(name).map_err(failure)? else {
        return Ok(());
    };
    let folder = folder(&path);
    if !folder.is_dir() {
        let message = format!("cannot write {}: there is no such folder", name.display());
        return Err(Error::wrong(message));
    }
    if replaced.is_some() {
        // A read-only file is not replaced, although the permissions of its folder would allow
        // that.
        OpenOptions::new()
            .write(true)
            .open(&path)
            .map_err(failure)?;
    }
    create_in(&folder, &temporary_file()).map_err(failure)?;
    Ok(())
}

/// Rejects binary output to a terminal, before it is computed. `what` is the option that asks for
/// it, if it goes to standard output.
pub(crate) fn check_binary(what: Option<&str>) -> Result<(), Error> {
    match what {
        Some(what) if io::stdout().is_terminal() => {
            let message = format!("{what} makes an archive, not text: name a file for it");
            Err(Error::Usage(message))
        }
        _ => Ok(()),
    }
}

fn to_stream(
    stream: impl Write + Send,
    result: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER, Cancellable(stream));
    result(&mut out)?;
    out.flush()
}

/// Writes to standard output, as to a file: `io::Stdout` reports success if standard output cannot
/// be written to, for instance because the shell has opened it for reading.
#[cfg(unix)]
fn to_standard(result: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> io::Result<()> {
    use std::os::fd::AsFd as _;
    let same = io::stdout().as_fd().try_clone_to_owned()?;
    to_stream(Blocking(File::from(same)), result)
}

#[cfg(not(unix))]
fn to_standard(result: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> io::Result<()> {
    to_stream(Blocking(io::stdout()), result)
}

/// Writes to a stream, compressed if the name of `path` says so.
fn to_stream_for(
    path: &Path,
    stream: impl Write + Send,
    result: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    if !is_archive(path) {
        return to_stream(stream, result);
    }
    let mut archive = GzEncoder::new(stream, Compression::default());
    to_stream(&mut archive, result)?;
    archive.finish()?.flush()
}

/// Writes to a device or a pipe. Opening a pipe blocks until another program reads from it.
fn to_special(
    path: &Path,
    result: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    let stream = interrupt::while_blocked(|| OpenOptions::new().write(true).open(path))?;
    to_stream_for(path, Blocking(stream), result)
}

/// Gives a file the owner and the permissions of another. If that is not allowed, the file stays
/// private, or keeps its owner.
#[cfg(unix)]
fn take_over(file: &File, other: &Metadata) {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let (owner, group) = (Some(other.uid()), Some(other.gid()));
    // Only the superuser may change the owner, but everybody may choose among their own groups.
    let _ = fchown(file, owner, group).or_else(|_| fchown(file, None, group));
    let permissions = Permissions::from_mode(other.mode() & 0o777);
    let _ = file.set_permissions(permissions);
}

#[cfg(not(unix))]
fn take_over(file: &File, other: &Metadata) {
    let _ = file.set_permissions(other.permissions());
}

/// Returns a builder for a file that is not complete yet.
fn temporary_file() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".maxend-");
    builder
}

/// Creates a temporary file. Errors name the folder, because the user does not know the name of the
/// file.
fn create_in(
    folder: &Path,
    builder: &tempfile::Builder<'_, '_>,
) -> io::Result<tempfile::NamedTempFile> {
    builder.tempfile_in(folder).map_err(|error| {
        let text = error.to_string();
        let cause = text.split(" at path ").next().unwrap_or(&text);
        let message = format!("cannot create a file in {}: {cause}", folder.display());
        io::Error::new(error.kind(), message)
    })
}

/// Returns whether a file with this name is a gzip archive.
pub(crate) fn is_archive(path: &Path) -> bool {
    path.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("gz"))
}

/// Returns the permissions that a new file usually gets, before the user's mask is applied.
/// Temporary files are private.
#[cfg(unix)]
fn usual_permissions() -> Option<Permissions> {
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn usual_permissions() -> Option<Permissions> {
    None
}

/// Returns the error for a result that could not be written to `path`.
pub(crate) fn failure(path: &Path, error: &io::Error) -> Error {
    if interrupt::is_cancelled() {
        return Error::Cancelled;
    }
    match error.kind() {
        io::ErrorKind::BrokenPipe => Error::ClosedPipe,
        _ if is_standard_output(path) => Error::file("write", Path::new("standard output"), error),
        _ => Error::file("write", path, error),
    }
}

/// A stream that counts its bytes.
struct Counted<W> {
    out: W,
    bytes: u64,
}

impl<W> Counted<W> {
    fn new(out: W) -> Self {
        Self { out, bytes: 0 }
    }

    /// Returns the number of bytes that were written.
    fn bytes(&self) -> u64 {
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

/// A stream that fails after the user has asked to stop.
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

/// A stream to another program, which may not read for hours. Until it does, a signal ends the
/// program at once.
struct Blocking<W>(W);

impl<W: Write> Write for Blocking<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        interrupt::while_blocked(|| self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        interrupt::while_blocked(|| self.0.flush())
    }
}

/// Returns the path of a file beside another: Y.extension beside Y.tra, Y.extension.gz beside
/// Y.tra.gz.
pub(crate) fn beside(out: &Path, extension: &str) -> PathBuf {
    match is_archive(out) {
        true => out
            .with_extension("")
            .with_extension(format!("{extension}.gz")),
        false => out.with_extension(extension),
    }
}
