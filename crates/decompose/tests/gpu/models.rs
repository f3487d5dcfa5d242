//! The reference models and the fixtures, read by a reader for well-formed `.tra` files that is
//! only for tests.

use flate2::read::GzDecoder;
use mdp_graph::{ChunkBuilder, Deadlocks, MdpGraph, StateId, assemble};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use test_models::ModelFiles;

/// A model from a file.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) path: PathBuf,
    pub(crate) graph: MdpGraph,
    /// The components that independent tools found, where they are known: for each state the
    /// smallest state of its MEC.
    pub(crate) mecs: Option<Vec<Option<u32>>>,
}

/// Returns the fixtures, and the reference models if there are any, with at most this many states.
/// Of larger models only the first line is decompressed.
pub(crate) fn models(max_states: u32) -> Vec<Model> {
    let reference = test_models::reference_models().unwrap_or_default();
    let all = test_models::fixtures().into_iter().chain(reference);
    all.filter_map(|files| model(&files, max_states)).collect()
}

/// Returns a model with at most this many states, and what is known of it.
pub(crate) fn model(files: &ModelFiles, max_states: u32) -> Option<Model> {
    let path = files.file("tra")?;
    let graph = read(&path, max_states)?;
    let mecs = files.file("mec").map(|path| known(&path));
    Some(Model { path, graph, mecs })
}

/// Returns the lines of a file, which may be compressed.
fn lines(path: &Path) -> impl Iterator<Item = String> + use<> {
    let file = File::open(path).expect("a listed file opens");
    let bytes: Box<dyn Read> = match path.extension().is_some_and(|ending| ending == "gz") {
        true => Box::new(GzDecoder::new(file)),
        false => Box::new(file),
    };
    BufReader::new(bytes)
        .lines()
        .map(|line| line.expect("a model is text"))
}

/// Reads lines of numbers `state choice target probability`, after a header `states choices
/// branches`. Returns `None` for other files: those of chains, which have no choices, and those of
/// other dialects.
fn read(path: &Path, max_states: u32) -> Option<MdpGraph> {
    let lines = lines(path).filter(|line| !line.starts_with('#'));
    let mut rows = lines.map(|line| {
        let words = line.split_whitespace().map_while(|word| word.parse().ok());
        words.collect::<Vec<u32>>()
    });
    let header = rows.next()?;
    if header.len() != 3 || header[0] > max_states {
        return None;
    }
    let mut chunk = ChunkBuilder::default();
    let mut open: Option<(u32, u32)> = None;
    let mut targets = Vec::new();
    for row in rows.filter(|row| row.len() >= 3) {
        let choice = (row[0], row[1]);
        if let Some((state, _)) = open.filter(|&open| open != choice) {
            chunk.push_choice(StateId(state), &targets);
            targets.clear();
        }
        open = Some(choice);
        targets.push(StateId(row[2]));
    }
    if let Some((state, _)) = open {
        chunk.push_choice(StateId(state), &targets);
    }
    let built = assemble(header[0], vec![chunk.finish()], Deadlocks::Keep);
    Some(built.expect("the model is well formed").graph)
}

/// Reads the labels in a `.mec` or `.scc` file.
pub(crate) fn known(path: &Path) -> Vec<Option<u32>> {
    let label = |line: String| line.trim().parse::<i64>().expect("a line is a number");
    let labels = lines(path).map(label);
    labels.map(|label| u32::try_from(label).ok()).collect()
}
