//! Labels in parts: each worker writes a file with those of its states, and process 0 an index.
//!
//! No file has its final name before all workers have written theirs, and the index comes last:
//! where it is, all parts are whole, and are of the same answer.

use super::model::Seats;
use crate::args::{ClusterArgs, DecomposeArgs, Format};
use crate::error::Error;
use crate::files::Files;
use crate::{interrupt, output};
use ::cluster::{Hosts, Labels, Net, Part, agree};
use report::LabelPart;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where the result goes.
pub(super) enum To {
    /// To one place, by process 0.
    One,
    /// Labels go to parts, and their index to this file.
    Parts(PathBuf),
}

impl To {
    pub(super) fn of(args: &ClusterArgs, inner: &DecomposeArgs) -> Result<Self, Error> {
        let is_labels = inner.format == Format::Labels;
        if args.gather && !is_labels {
            let message = "--gather is for --format labels, which workers write in parts";
            return Err(Error::Usage(message.to_owned()));
        }
        match &inner.output {
            Some(path) if is_labels && !args.gather && !output::is_standard(path) => {
                match output::is_special(path) {
                    true => Err(Error::Usage(format!(
                        "{} is no file beside which parts could be written: add --gather",
                        path.display()
                    ))),
                    false => Ok(Self::Parts(path.clone())),
                }
            }
            _ => Ok(Self::One),
        }
    }

    /// Checks that the parts of a process can be written, and replace nothing that is read.
    pub(super) fn check(&self, files: &mut Files, seats: Seats) -> Result<(), Error> {
        let Self::Parts(index) = self else {
            return Ok(());
        };
        let first = seats.process * seats.workers;
        (first..first + seats.workers)
            .try_for_each(|worker| files.write("a part of --output", Some(&path_of(index, worker))))
    }

    /// What has to be the same for all processes: the name of the index, in whatever folder.
    pub(super) fn in_line(&self) -> String {
        match self {
            Self::One => "one".to_owned(),
            Self::Parts(index) => format!("parts of {}", name(index)),
        }
    }
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The part of a worker beside the index: labels.txt.part-3, labels.txt.part-3.gz.
fn path_of(index: &Path, worker: usize) -> PathBuf {
    let (base, ending) = match output::is_archive(index) {
        true => (index.with_extension(""), ".gz"),
        false => (index.to_owned(), ""),
    };
    let mut path = base.into_os_string();
    path.push(format!(".part-{worker}{ending}"));
    path.into()
}

/// Writes the label of a state.
pub(super) fn line(out: &mut dyn Write, label: Option<u64>) -> io::Result<()> {
    match label {
        Some(label) => writeln!(out, "{label}"),
        None => out.write_all(b"-1\n"),
    }
}

/// Writes this worker's part. Worker 0 also writes the index.
pub(super) fn write(
    index: &Path,
    hosts: &Hosts,
    part: &Part,
    labels: &Labels,
    net: &mut Net<'_>,
) -> Result<(), ::cluster::Error> {
    let path = path_of(index, net.me());
    let named = write_part(&path, index, labels, net)?;
    // Without the index nobody would know what it is a part of.
    interrupt::while_writing(&path, || {
        let ended = agree(net, named.map_err(|error| failure(&error))).and_then(|()| {
            let size = fs::metadata(&path).map_or(0, |data| data.len());
            let sizes = net.gather([part.global(0), part.num_own() as u64, size]);
            let written = match net.me() {
                0 => write_index(index, hosts, &sizes),
                _ => Ok(()),
            };
            agree(net, written.map_err(|error| failure(&error)))
        });
        if ended.is_err() {
            let _ = fs::remove_file(&path);
        }
        ended
    })
}

fn failure(error: &Error) -> ::cluster::Error {
    wrong(&error.message())
}

fn wrong(message: &str) -> ::cluster::Error {
    ::cluster::Error::Write(message.to_owned())
}

/// Writes a part, which gets its name once all workers have written theirs. Returns whether it got
/// it.
fn write_part(
    path: &Path,
    index: &Path,
    labels: &Labels,
    net: &mut Net<'_>,
) -> Result<Result<(), Error>, ::cluster::Error> {
    let mut agreed = None;
    let named = output::write(Some(path), |out| {
        let own = labels.iter().try_for_each(|label| line(out, label));
        let own = own.and_then(|()| out.flush());
        let said = own.as_ref().map(drop);
        let all = agree(net, said.map_err(|error| wrong(&error.to_string())));
        let may_name = all.is_ok();
        agreed = Some(all);
        own?;
        if !may_name {
            return Err(io::Error::other("another worker has failed"));
        }
        if net.me() == 0 {
            // An older index would speak of other parts from now on.
            let _ = fs::remove_file(index);
        }
        Ok(())
    });
    match (agreed, named) {
        (Some(Ok(())), named) => Ok(named),
        (Some(Err(::cluster::Error::Write(_))), Err(error)) => Err(failure(&error)),
        (Some(Err(other)), _) => Err(other),
        // There was nothing to write to, which the others are told.
        (None, Err(error)) => agree(net, Err(failure(&error))),
        (None, Ok(())) => Ok(Ok(())),
    }
}

fn write_index(index: &Path, hosts: &Hosts, sizes: &[[u64; 3]]) -> Result<(), Error> {
    let workers = sizes.len() / hosts.len();
    let part = |(worker, &[first_state, states, bytes]): (usize, &[u64; 3])| LabelPart {
        file: name(&path_of(index, worker)),
        process: (worker / workers) as u64,
        host: hosts.address(worker / workers).to_owned(),
        first_state,
        states,
        bytes,
    };
    let parts: Vec<LabelPart> = sizes.iter().enumerate().map(part).collect();
    output::write(Some(index), |out| {
        report::write_label_parts(out, &parts, env!("CARGO_PKG_VERSION"))
    })
}
