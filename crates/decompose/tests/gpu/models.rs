//! The reference models: a reader for well-formed `.tra` files that only tests may trust.

use flate2::read::GzDecoder;
use mdp_graph::{ChunkBuilder, Deadlocks, MdpGraph, StateId, assemble};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The models in the folder that `MAXEND_MODELS` names, with at most so many states; by path. Without
/// the variable there are none, which is said loudly.
pub(crate) fn models(max_states: u32) -> Vec<(PathBuf, MdpGraph)> {
    let Some(root) = std::env::var_os("MAXEND_MODELS") else {
        eprintln!("SKIPPED: MAXEND_MODELS is not set, so no reference model was searched");
        return Vec::new();
    };
    let mut paths = Vec::new();
    let mut folders = vec![PathBuf::from(root)];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("MAXEND_MODELS names a folder") {
            let path = entry.expect("its entries can be read").path();
            let name = path.to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".tra") || name.ends_with(".tra.gz") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let read = |path: PathBuf| read(&path, max_states).map(|graph| (path, graph));
    paths.into_iter().filter_map(read).collect()
}

/// Lines of numbers `state choice target probability`, after a header `states choices branches`.
fn read(path: &Path, max_states: u32) -> Option<MdpGraph> {
    let file = File::open(path).expect("a listed file opens");
    let bytes: Box<dyn Read> = match path.extension().is_some_and(|ending| ending == "gz") {
        true => Box::new(GzDecoder::new(file)),
        false => Box::new(file),
    };
    let lines = BufReader::new(bytes)
        .lines()
        .map(|line| line.expect("a reference model is text"));
    let mut rows = lines.filter(|line| !line.starts_with('#')).map(|line| {
        let numbers = line.split_whitespace().map_while(|word| word.parse().ok());
        numbers.collect::<Vec<u32>>()
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
    Some(built.expect("a reference model is well formed").graph)
}
