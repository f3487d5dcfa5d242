//! The files that the running command reads and writes. No file is read and written, none is
//! written twice, and standard input is read only once. Code that reads or writes a file records
//! this here first.
//!
//! Files are compared by their identity, not by their names: two links to one file are the same
//! file, and so are two names of a file that does not exist yet.

use crate::error::Error;
use crate::paths::{end_of_links, folder, is_standard_input, is_standard_output};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The files of the command that runs; `None` while none runs, as in a program that only reads
/// models by this crate.
static IN_USE: Mutex<Option<InUse>> = Mutex::new(None);

/// A lock, which a thread holds while it runs a command.
static TURN: Mutex<()> = Mutex::new(());

/// The files of a command.
#[derive(Default)]
struct InUse {
    read: Vec<Named>,
    written: Vec<Named>,
}

/// A file, and its role in the command.
struct Named {
    role: &'static str,
    path: PathBuf,
    is: Vec<Identity>,
}

/// The identity of a file.
#[derive(PartialEq, Eq)]
enum Identity {
    /// The process's standard output.
    StandardOutput,
    /// A file that exists, by the numbers of its device and of its inode.
    #[cfg(unix)]
    Node(u64, u64),
    /// The path of a file that may not exist yet.
    At(PathBuf),
}

/// Runs a command. Its files are compared with each other alone.
pub(crate) fn by_command<T>(run: impl FnOnce() -> T) -> T {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    *in_use() = Some(InUse::default());
    let _end = End;
    run()
}

/// Forgets the files of a command, also after a panic.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        *in_use() = None;
    }
}

fn in_use() -> MutexGuard<'static, Option<InUse>> {
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Records a file that is read, or that other commands would read.
///
/// # Errors
/// It is also written, or two files would be read from standard input.
pub(crate) fn reads(role: &'static str, path: &Path) -> Result<(), Error> {
    match in_use().as_mut() {
        Some(files) => files.reads(role, path),
        None => Ok(()),
    }
}

/// Records a file that is read, unless it is recorded already, with its role.
///
/// # Errors
/// Those of [`reads`].
pub(crate) fn opens(path: &Path) -> Result<(), Error> {
    match in_use().as_mut() {
        Some(files) if !is_among(&files.read, path) => files.reads("a file that is read", path),
        _ => Ok(()),
    }
}

/// Records a file that is written, or standard output.
///
/// # Errors
/// It is also read, or another output is the same file.
pub(crate) fn writes(role: &'static str, path: &Path) -> Result<(), Error> {
    match in_use().as_mut() {
        Some(files) => files.writes(role, path),
        None => Ok(()),
    }
}

/// Records a file that is written, unless it is recorded already, with its role.
///
/// # Errors
/// Those of [`writes`].
pub(crate) fn creates(path: &Path) -> Result<(), Error> {
    match in_use().as_mut() {
        Some(files) if !is_among(&files.written, path) => files.writes("the result", path),
        _ => Ok(()),
    }
}

fn is_among(files: &[Named], path: &Path) -> bool {
    files.iter().any(|file| file.path == path)
}

impl InUse {
    fn reads(&mut self, role: &'static str, path: &Path) -> Result<(), Error> {
        let is_stream = is_standard_input(path);
        let is = match is_stream {
            true => standard_input().as_ref().map_or_else(Vec::new, of_stream),
            false => of_file(path),
        };
        let path = path.to_owned();
        let new = Named { role, path, is };
        if let Some(first) = self.read.iter().find(|read| is_standard_input(&read.path))
            && is_stream
        {
            return Err(Error::Usage(format!(
                "{} and {role} cannot both be read from standard input: name a file",
                first.role
            )));
        }
        if let Some(written) = self.written.iter().find(|other| other.is_same_as(&new)) {
            return Err(Error::Usage(written.replaces(&new)));
        }
        self.read.push(new);
        Ok(())
    }

    fn writes(&mut self, role: &'static str, path: &Path) -> Result<(), Error> {
        let mut is = of_file(path);
        if is_standard_output(path) {
            is = standard_output().as_ref().map_or_else(Vec::new, of_stream);
            is.push(Identity::StandardOutput);
        }
        let path = path.to_owned();
        let new = Named { role, path, is };
        if let Some(read) = self.read.iter().find(|read| read.is_same_as(&new)) {
            return Err(Error::Usage(new.replaces(read)));
        }
        if let Some(other) = self.written.iter().find(|other| other.is_same_as(&new)) {
            let (first, second) = (other.name(), new.name());
            let message = format!("{first} and {second} are the same file: name two files");
            return Err(Error::Usage(message));
        }
        self.written.push(new);
        Ok(())
    }
}

impl Named {
    fn is_same_as(&self, other: &Self) -> bool {
        self.is.iter().any(|identity| other.is.contains(identity))
    }

    /// Returns the role of the file, and its path.
    fn name(&self) -> String {
        match is_standard_output(&self.path) {
            true => format!("standard output ({})", self.role),
            false => format!("{} ({})", self.path.display(), self.role),
        }
    }

    /// Returns the message that this file would replace one that is read.
    fn replaces(&self, read: &Self) -> String {
        let role = match read.role.starts_with("--") {
            true => format!("the file of {}", read.role),
            false => read.role.to_owned(),
        };
        let new = self.name();
        match (read.path == self.path, is_standard_input(&read.path)) {
            (true, _) => format!("{new} would replace {role}: name another file"),
            (_, true) => {
                format!(
                    "{new} would replace {role}: it is the file that standard input comes from; \
                     name another file"
                )
            }
            _ => {
                let old = read.path.display();
                format!(
                    "{new} would replace {role}: it is the same file as {old}; name another file"
                )
            }
        }
    }
}

/// Returns the identities of the file at `path`, if it is a regular file or does not exist yet.
fn of_file(path: &Path) -> Vec<Identity> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {
            let mut is = of_metadata(&metadata);
            is.extend(fs::canonicalize(path).ok().map(Identity::At));
            is
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let end = end_of_links(path);
            let folder = fs::canonicalize(folder(&end));
            let at = folder.ok().zip(end.file_name());
            at.map(|(folder, name)| Identity::At(folder.join(name)))
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the identities of the file that a stream is redirected from or to, if it is a regular
/// file.
fn of_stream(stream: &File) -> Vec<Identity> {
    let metadata = stream.metadata().ok();
    let file = metadata.filter(fs::Metadata::is_file);
    file.as_ref().map_or_else(Vec::new, of_metadata)
}

#[cfg(unix)]
fn of_metadata(metadata: &fs::Metadata) -> Vec<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    vec![Identity::Node(metadata.dev(), metadata.ino())]
}

#[cfg(not(unix))]
fn of_metadata(_: &fs::Metadata) -> Vec<Identity> {
    Vec::new()
}

#[cfg(unix)]
fn opened_again(stream: &impl std::os::fd::AsFd) -> Option<File> {
    let same = stream.as_fd().try_clone_to_owned();
    same.ok().map(File::from)
}

#[cfg(unix)]
fn standard_input() -> Option<File> {
    opened_again(&io::stdin())
}

#[cfg(unix)]
fn standard_output() -> Option<File> {
    opened_again(&io::stdout())
}

#[cfg(not(unix))]
fn standard_input() -> Option<File> {
    None
}

#[cfg(not(unix))]
fn standard_output() -> Option<File> {
    None
}
