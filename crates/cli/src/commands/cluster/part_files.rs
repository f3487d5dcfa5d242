//! Results in several files: each worker writes a *part file* with the data of its part of the
//! model, and process 0 writes an index.
//!
//! No file gets its final name before all workers have written their files, and the index is
//! written last. So if there is an index, all part files are complete and belong to one answer.

use super::model::WorkerLayout;
use crate::args::{ClusterArgs, DecomposeArgs, Format};
use crate::error::Error;
use crate::files;
use crate::interrupt::Unfinished;
use crate::{output, paths};
use ::cluster::{Hosts, Net, Part, agree};
use flate2::CrcWriter;
use report::{PartFile, PartsOf};
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Where the result goes.
pub(super) enum To {
    /// Process 0 writes one file.
    One,
    /// Workers write parts, and this file becomes their index.
    PartFiles(PathBuf),
}

impl To {
    pub(super) fn of(args: &ClusterArgs, inner: &DecomposeArgs) -> Result<Self, Error> {
        let has_parts = matches!(inner.format, Format::Labels | Format::Umb);
        if args.gather && !has_parts {
            let message = "--gather is for --format labels and umb, which workers write in parts";
            return Err(Error::Usage(message.to_owned()));
        }
        match &inner.output {
            Some(path) if has_parts && !args.gather && !paths::is_standard_output(path) => {
                match output::is_special(path) {
                    true => Err(Error::Usage(format!(
                        "{} is not a file, so parts cannot be written beside it: add --gather",
                        path.display()
                    ))),
                    false => Ok(Self::PartFiles(path.clone())),
                }
            }
            _ => Ok(Self::One),
        }
    }

    /// Checks that the parts of a process can be written, and replace nothing that is read.
    pub(super) fn check(&self, layout: WorkerLayout) -> Result<(), Error> {
        let Self::PartFiles(index) = self else {
            return Ok(());
        };
        let first = layout.process * layout.workers;
        (first..first + layout.workers).try_for_each(|worker| {
            files::write("a part of --output", Some(&path_of(index, worker)))
        })
    }

    /// Returns a fact that must be the same for all processes: the name of the index, without its
    /// folder.
    pub(super) fn in_line(&self) -> String {
        match self {
            Self::One => "one".to_owned(),
            Self::PartFiles(index) => format!("parts of {}", name(index)),
        }
    }
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Returns the path of a worker's part, beside the index: labels.txt.part-3, labels.txt.part-3.gz.
fn path_of(index: &Path, worker: usize) -> PathBuf {
    let (base, ending) = match output::is_archive(index) {
        true => (index.with_extension(""), ".gz"),
        false => (index.to_owned(), ""),
    };
    let mut path = base.into_os_string();
    path.push(format!(".part-{worker}{ending}"));
    path.into()
}

/// The files of a result in parts.
pub(super) struct PartFiles<'a> {
    pub(super) of: PartsOf,
    pub(super) index: &'a Path,
    pub(super) hosts: &'a Hosts,
}

impl PartFiles<'_> {
    /// Makes this worker write its part. Worker 0 also writes the index.
    pub(super) fn write(
        &self,
        part: &Part,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
        net: &mut Net<'_>,
    ) -> Result<(), ::cluster::Error> {
        let path = path_of(self.index, net.me());
        let mut crc = 0;
        let content = |out: &mut dyn Write| {
            // Checksums of a few bytes at a time would be slow.
            let mut out = BufWriter::new(CrcWriter::new(out));
            content(&mut out)?;
            out.flush()?;
            crc = out.get_ref().crc().sum();
            Ok(())
        };
        let named = self.write_part(&path, content, net)?;
        // Without the index, nobody would know what the part belongs to.
        let _unfinished = Unfinished::new(&path);
        let ended = agree(net, named.map_err(|error| failure(&error))).and_then(|()| {
            let size = fs::metadata(&path).map_or(0, |data| data.len());
            let own = [part.global(0), part.num_own() as u64, size, crc.into()];
            let all = net.gather(own);
            let written = match net.me() {
                0 => self.write_index(&all),
                _ => Ok(()),
            };
            agree(net, written.map_err(|error| failure(&error)))
        });
        if ended.is_err() {
            let _ = fs::remove_file(&path);
        }
        ended
    }

    /// Writes a part, and renames it once all workers have written theirs. Returns whether it was
    /// renamed.
    fn write_part(
        &self,
        path: &Path,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
        net: &mut Net<'_>,
    ) -> Result<Result<(), Error>, ::cluster::Error> {
        let mut agreed = None;
        let named = output::write(Some(path), |out| {
            let own = content(out);
            let said = own.as_ref().map(drop);
            let all = agree(net, said.map_err(|error| wrong(&error.to_string())));
            let may_name = all.is_ok();
            agreed = Some(all);
            own?;
            if !may_name {
                return Err(io::Error::other("another worker has failed"));
            }
            if net.me() == 0 {
                // An older index would now refer to new parts.
                let _ = fs::remove_file(self.index);
            }
            Ok(())
        });
        match (agreed, named) {
            (Some(Ok(())), named) => Ok(named),
            (Some(Err(::cluster::Error::Write(_))), Err(error)) => Err(failure(&error)),
            (Some(Err(other)), _) => Err(other),
            // The file could not be created. The other workers are told.
            (None, Err(error)) => agree(net, Err(failure(&error))),
            (None, Ok(())) => Ok(Ok(())),
        }
    }

    fn write_index(&self, all: &[[u64; 4]]) -> Result<(), Error> {
        let workers = all.len() / self.hosts.len();
        let part = |(worker, &[first_state, states, bytes, crc]): (usize, &[u64; 4])| PartFile {
            file: name(&path_of(self.index, worker)),
            process: (worker / workers) as u64,
            host: self.hosts.address(worker / workers).to_owned(),
            first_state,
            states,
            bytes,
            crc32: (self.of == PartsOf::Umb).then_some(crc as u32),
        };
        let parts: Vec<PartFile> = all.iter().enumerate().map(part).collect();
        output::write(Some(self.index), |out| {
            report::write_parts(out, self.of, &parts, env!("CARGO_PKG_VERSION"))
        })
    }
}

/// Writes the label of a state.
pub(super) fn line(out: &mut dyn Write, label: Option<u64>) -> io::Result<()> {
    match label {
        Some(label) => writeln!(out, "{label}"),
        None => out.write_all(b"-1\n"),
    }
}

/// Returns the error of writing, for all workers.
pub(super) fn failure(error: &Error) -> ::cluster::Error {
    wrong(&error.message())
}

fn wrong(message: &str) -> ::cluster::Error {
    ::cluster::Error::Write(message.to_owned())
}
