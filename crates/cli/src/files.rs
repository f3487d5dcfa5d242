//! Checks the files that a command reads and writes: it must not write a file that it reads, must
//! not write a file twice, and can read standard input only once.
//!
//! Files are compared by their identity, not by their names: two links to one file are the same
//! file, and so are two names of a file that does not exist yet.

use crate::args::ModelArgs;
use crate::error::Error;
use crate::input::{self, STANDARD_INPUT};
use crate::load::{Origin, Source, network, reward_files};
use crate::output;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// All files that a command may read or write.
#[derive(Default)]
pub(crate) struct Files {
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

impl Files {
    /// Returns the files that a model is read from.
    pub(crate) fn of_model(args: &ModelArgs, states: Origin<'_>, labels: Origin<'_>) -> Self {
        let mut files = Self::default();
        files.reads("the model", &args.model);
        let source = Source::of(&args.model, b"");
        if source == Source::Network {
            for process in network::files(&args.model) {
                files.reads("a process of the model", &process);
            }
        }
        let has_files_beside = source == Source::Explicit;
        let annotations = [
            (states, "sta", "--states", "the values beside the model"),
            (labels, "lab", "--labels", "the labels beside the model"),
        ];
        for (origin, ending, option, beside) in annotations {
            match origin {
                Origin::File(path) => files.reads(option, path),
                Origin::Beside | Origin::Nowhere => {}
            }
            // The file must not be replaced even if this command does not read it: other commands
            // do.
            let path = input::beside(&args.model, ending).filter(|_| has_files_beside);
            path.iter().for_each(|path| files.reads(beside, path));
        }
        if has_files_beside {
            if let Some(path) = input::beside(&args.model, "obs") {
                files.reads("the observations beside the model", &path);
            }
            let rewards = reward_files::files(&args.model)
                .into_iter()
                .flatten()
                .flatten();
            rewards.for_each(|path| files.reads("the rewards beside the model", &path));
        }
        files
    }

    fn reads(&mut self, role: &'static str, path: &Path) {
        let is = match is_standard_input(path) {
            true => standard_input().as_ref().map_or_else(Vec::new, of_stream),
            false => of_file(path),
        };
        let path = path.to_owned();
        self.read.push(Named { role, path, is });
    }

    /// Adds a file that is written, or standard output.
    ///
    /// # Errors
    /// It is one of those that are there already, or it cannot be written.
    pub(crate) fn write(&mut self, role: &'static str, path: Option<&Path>) -> Result<(), Error> {
        self.check_standard_input()?;
        let path = path.unwrap_or(Path::new("-"));
        let mut is = of_file(path);
        if output::is_standard(path) {
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
        output::check(Some(&new.path))?;
        self.written.push(new);
        Ok(())
    }

    /// Rejects a command that would read two files from standard input.
    fn check_standard_input(&self) -> Result<(), Error> {
        let mut from_there = self
            .read
            .iter()
            .filter(|read| is_standard_input(&read.path));
        match (from_there.next(), from_there.next()) {
            (Some(first), Some(second)) => Err(Error::Usage(format!(
                "{} and {} cannot both be read from standard input: name a file",
                first.role, second.role
            ))),
            _ => Ok(()),
        }
    }

    /// Adds explicit transitions that are written, and the files that may be written beside them.
    ///
    /// # Errors
    /// Those of [`write`](Self::write).
    pub(crate) fn write_with_annotations(
        &mut self,
        role: &'static str,
        path: &Path,
    ) -> Result<(), Error> {
        self.write(role, Some(path))?;
        if output::is_stream(path) {
            return Ok(());
        }
        for (ending, role) in [
            ("sta", "values beside OUT"),
            ("lab", "labels beside OUT"),
            ("obs", "observations beside OUT"),
            ("srew", "rewards of states beside OUT"),
            ("trew", "rewards of transitions beside OUT"),
        ] {
            self.write(role, Some(&output::beside(path, ending)))?;
        }
        Ok(())
    }
}

fn is_standard_input(path: &Path) -> bool {
    path == Path::new(STANDARD_INPUT)
}

impl Named {
    fn is_same_as(&self, other: &Self) -> bool {
        self.is.iter().any(|identity| other.is.contains(identity))
    }

    /// Returns the role of the file, and its path.
    fn name(&self) -> String {
        match output::is_standard(&self.path) {
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
        match (
            read.path == self.path,
            read.path == Path::new(STANDARD_INPUT),
        ) {
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
            let end = output::end_of_links(path);
            let folder = fs::canonicalize(output::folder(&end));
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
