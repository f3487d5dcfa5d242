//! `cargo xtask fixtures`: writes the fixtures that a generator makes. The others are written by
//! hand; `fixtures/README.md` says why each is there.

use crate::generate::{Family, Model, write_labels, write_states, write_transitions};
use crate::shell::{Outcome, root};
use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use std::fs;
use std::io::{self, Read, Write};

/// Write the generated fixtures again
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Write nothing; fail if a fixture is not what its generator makes
    #[arg(long)]
    check: bool,
}

/// The generated fixtures: name, family, size.
const GENERATED: &[(&str, Family, u32)] = &[
    ("beads", Family::Beads, 8),
    ("chain", Family::Chain, 1000),
    ("cycle", Family::Cycle, 1000),
    ("dag", Family::Dag, 300),
    ("drift", Family::Drift, 64),
    ("fan", Family::Fan, 10_000),
    ("giant", Family::Giant, 300),
    ("ladder", Family::Ladder, 8),
    ("two_cycles", Family::TwoCycles, 500),
    ("workshop", Family::Workshop, 4),
];

/// Files that are larger are compressed.
const LARGEST_PLAIN: usize = 20_000;

/// Writes the generated fixtures, or compares them with what is there.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let folder = root().join("fixtures");
    let mut stale = Vec::new();
    for &(name, family, size) in GENERATED {
        for (file, content) in files(name, &*family.model(size)?)? {
            let path = folder.join(&file);
            if !arguments.check {
                fs::write(&path, content)?;
            } else if !fs::read(&path).is_ok_and(|there| same(&there, &content)) {
                stale.push(file);
            }
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    let stale = stale.join(", ");
    Err(format!("not what the generator makes: {stale}; run `cargo xtask fixtures`").into())
}

/// Writes one file of a model.
type Writer = fn(&dyn Model, &mut dyn Write) -> io::Result<()>;

/// The files of a fixture: their names and contents.
fn files(name: &str, model: &dyn Model) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut writers: Vec<(&str, Writer)> = vec![("tra", write_transitions)];
    if !model.variables().is_empty() {
        writers.extend([("sta", write_states as Writer), ("lab", write_labels)]);
    }
    let mut files = Vec::new();
    for (extension, write) in writers {
        let mut content = Vec::new();
        write(model, &mut content)?;
        let file = format!("{name}.{extension}");
        files.push(if content.len() <= LARGEST_PLAIN {
            (file, content)
        } else {
            (format!("{file}.gz"), compressed(&content)?)
        });
    }
    Ok(files)
}

/// Whether two files hold the same, compressed or not: equal contents may be compressed to
/// different bytes, as the compressor depends on which others of the workspace are built with it.
fn same(a: &[u8], b: &[u8]) -> bool {
    let plain = |bytes: &[u8]| {
        let mut plain = Vec::new();
        let read = GzDecoder::new(bytes).read_to_end(&mut plain);
        read.map_or_else(|_| bytes.to_vec(), |_| plain)
    };
    plain(a) == plain(b)
}

/// The content as a gzip file that holds neither a time nor a name.
fn compressed(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut gzip = GzBuilder::new().write(Vec::new(), Compression::best());
    gzip.write_all(content)?;
    gzip.finish()
}
