//! Reads the text of a network and the files of its processes, and compiles them.

use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::input::Input;
use crate::load::automaton;
use crate::load::request::Request;
use crate::load::source::Source;
use crate::{in_use, interrupt, memory, paths};
use lts_formats::{Behaviour, Lts, Position, ProcessFile, read_exp};
use lts_network::{CompileError, Network, Remark};
use std::mem::discriminant;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The number of remarks of each kind that are printed in full.
const SHOWN: u64 = 5;

/// Reads `input` as a network, and returns the time that this took.
pub(super) fn read(input: &Input, request: Request<'_>) -> Result<(Arc<Network>, Duration), Error> {
    let start = Instant::now();
    // Nothing needs to be cleaned up here, so Ctrl-C may end the program at once.
    let network = interrupt::while_blocked(|| compile(input, request))?;
    warn(input, network.remarks());
    Ok((Arc::new(network), start.elapsed()))
}

/// Prints the first few remarks of each kind, and the number of all others.
fn warn(input: &Input, remarks: &[Remark]) {
    let name = &input.name;
    let mut kinds: Vec<(&Remark, u64)> = Vec::new();
    for remark in remarks {
        let is_same = |(other, _): &(&Remark, u64)| discriminant(*other) == discriminant(remark);
        let kind = kinds.iter().position(is_same).unwrap_or_else(|| {
            kinds.push((remark, 0));
            kinds.len() - 1
        });
        kinds[kind].1 += 1;
        match remark.position() {
            _ if kinds[kind].1 > SHOWN => {}
            Some(Position { line, column, .. }) => {
                tracing::warn!("{name}:{line}:{column}: {remark}");
            }
            None => tracing::warn!("{name}: {remark}"),
        }
    }
    for (remark, count) in kinds.into_iter().filter(|(_, count)| *count > SHOWN) {
        let (one, many) = match remark {
            Remark::NeverApplies { .. } => ("vector never applies", "vectors never apply"),
            Remark::NeverHappens { .. } => (
                "transition never happens: no vector has it",
                "transitions never happen: no vector has them",
            ),
            Remark::NeverSynchronises { .. } => (
                "transition never happens: a behaviour has none to synchronise with",
                "transitions never happen: a behaviour has none to synchronise with",
            ),
            Remark::NobodyHas { .. } => (
                "label is of no transition of a behaviour",
                "labels are of no transition of a behaviour",
            ),
            _ => ("warning", "warnings"),
        };
        let (more, noun) = (count - SHOWN, if count == SHOWN + 1 { one } else { many });
        tracing::warn!("{name}: and {} more {noun}", report::grouped(more));
    }
}

/// Reads `input` as a network or as an Aldebaran file.
pub(super) fn read_either(
    input: &Input,
    source: Source,
    request: Request<'_>,
) -> Result<Arc<Network>, Error> {
    match source {
        Source::Automaton => read_automaton(input, request),
        _ => Ok(read(input, request)?.0),
    }
}

/// Returns a network whose only process is in an Aldebaran file.
pub(super) fn read_automaton(input: &Input, request: Request<'_>) -> Result<Arc<Network>, Error> {
    let lts = automaton::read(input, request.progress)?;
    if lts.is_probabilistic() {
        let name = &input.name;
        let message = format!("{name} has probabilities: only LTSs without any are explored");
        return Err(Error::wrong(message));
    }
    let file = ProcessFile {
        path: input.name.clone(),
        position: Position {
            offset: 0,
            length: 0,
            line: 1,
            column: 1,
        },
    };
    let mut lts = Some(lts);
    let behaviour = Behaviour::File(file);
    // The compiler asks only once for the only process.
    let network = Network::compile(&behaviour, |_| lts.take().ok_or(Error::Cancelled));
    let network = network.map_err(|error| compile_error(input, error))?;
    Ok(Arc::new(network))
}

fn compile(input: &Input, request: Request<'_>) -> Result<Network, Error> {
    let behaviour = read_exp(input).map_err(|error| Diagnostic::in_text(input, &error))?;
    let folder = folder(&request.args.model);
    let load = |file: &ProcessFile| process(&folder, file, request);
    let (limit, why) = memory::limit(request.args.builder.max_memory);
    Network::compile_within(&behaviour, load, limit).map_err(|error| match error {
        CompileError::TooMuchMemory { .. } => {
            Diagnostic::of_file(&input.name, error).note(why).into()
        }
        _ => compile_error(input, error),
    })
}

/// Returns the folder that the names of processes are relative to.
fn folder(model: &Path) -> PathBuf {
    let is_stream = paths::is_standard_input(model);
    let folder = model.parent().filter(|_| !is_stream);
    folder.map(Path::to_owned).unwrap_or_default()
}

/// Returns the LTS in a file that a network names.
fn process(folder: &Path, file: &ProcessFile, request: Request<'_>) -> Result<Lts, Error> {
    let path = path_of(folder, file);
    let ending = path.extension().unwrap_or_default();
    if ending.eq_ignore_ascii_case("bcg") {
        let message = format!(
            "{} is in CADP's binary format BCG, which is not read",
            path.display()
        );
        let diagnostic = Diagnostic::new(message);
        return Err(diagnostic.note("`bcg_io` makes an .aut file of it").into());
    }
    in_use::reads("a process of the model", &path)?;
    automaton::read(&Input::read(&path)?, request.progress)
}

/// Returns the path of a process's file. As in CADP, its ending may be left out.
fn path_of(folder: &Path, file: &ProcessFile) -> PathBuf {
    let path = folder.join(&file.path);
    match path.extension() {
        None if !path.exists() => path.with_extension("aut"),
        _ => path,
    }
}

/// Returns the error for a network that could not be compiled.
fn compile_error(input: &Input, error: CompileError<Error>) -> Error {
    match error {
        CompileError::Process {
            file,
            error: Error::Wrong(diagnostic),
        } => diagnostic.named_at(input, file.position).into(),
        CompileError::Process { error, .. } => error,
        CompileError::Probabilistic { ref file } => Diagnostic::new(error.to_string())
            .named_at(input, file.position)
            .into(),
        _ => Error::of_file(&input.name, error),
    }
}
