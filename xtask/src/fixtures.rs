//! `cargo xtask fixtures`: writes the generated fixtures, and the one that maxend builds from a
//! model in PRISM's language. The others are written by hand; `fixtures/README.md` explains the
//! purpose of each.

use crate::generate::{Family, Network, write_transitions};
use crate::program;
use crate::shell::{Outcome, root};
use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use std::error::Error;
use std::io::{self, Read, Write};
use std::path::Path;
use std::{env, fs};

/// Write the generated fixtures again
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Write nothing; fail if a fixture differs from the output of its generator
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
];

/// The generated networks: name, network, size.
const NETWORKS: &[(&str, Network, u32)] = &[
    ("five_words", Network::TokenRing, 80),
    ("pipeline", Network::Pipeline, 10),
    ("token_ring", Network::TokenRing, 5),
];

/// The fixture that is built: its name, the model in PRISM's language, and its constant.
const BUILT: (&str, &str, (&str, &str)) = ("built", "philosophers.prism", ("MEALS", "1"));

/// The size in bytes above which files are compressed.
const LARGEST_PLAIN: usize = 20_000;

/// Writes the generated fixtures, or compares them with the existing files.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let folder = root().join("fixtures");
    let mut stale = Vec::new();
    for (name, content) in generated()?.into_iter().chain(built(&folder)?) {
        let (file, content) = packed(name, content)?;
        let path = folder.join(&file);
        if !arguments.check {
            fs::write(&path, content)?;
        } else if !fs::read(&path).is_ok_and(|there| same(&there, &content)) {
            stale.push(file);
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    let stale = stale.join(", ");
    Err(format!("not what the generator makes: {stale}; run `cargo xtask fixtures`").into())
}

/// The name and the content of a file.
type File = (String, Vec<u8>);

/// Returns the files of the generated models.
fn generated() -> Result<Vec<File>, Box<dyn Error>> {
    let file = |&(name, family, size): &(&str, Family, u32)| {
        let mut content = Vec::new();
        write_transitions(&*family.model(size, 0)?, &mut content)?;
        Ok((format!("{name}.tra"), content))
    };
    let networks = NETWORKS.iter().map(|&(name, network, size)| {
        let text = network.text(size)?;
        Ok((format!("{name}.exp"), text.into_bytes()))
    });
    GENERATED.iter().map(file).chain(networks).collect()
}

/// Returns the files of the built model.
fn built(fixtures: &Path) -> Result<Vec<File>, Box<dyn Error>> {
    let folder = env::temp_dir().join(format!("maxend-fixtures-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let files = build_in(&folder, fixtures);
    fs::remove_dir_all(&folder)?;
    files
}

/// Builds the model in `folder`: its transitions, the values of its variables, and its labels.
fn build_in(folder: &Path, fixtures: &Path) -> Result<Vec<File>, Box<dyn Error>> {
    let (name, model, constant) = BUILT;
    let file = |extension| format!("{name}.{extension}");
    program::build(&fixtures.join(model), constant, &folder.join(file("tra")))?;
    let read = |extension| Ok((file(extension), fs::read(folder.join(file(extension)))?));
    ["tra", "sta", "lab"].into_iter().map(read).collect()
}

/// Returns the file as it is stored: compressed if it is large.
fn packed(name: String, content: Vec<u8>) -> io::Result<File> {
    if content.len() <= LARGEST_PLAIN {
        return Ok((name, content));
    }
    Ok((format!("{name}.gz"), compressed(&content)?))
}

/// Returns whether two files have the same content, compressed or not. Compressed files of equal
/// content may differ, because the version of the compressor depends on the other crates that are
/// built with it.
fn same(a: &[u8], b: &[u8]) -> bool {
    let plain = |bytes: &[u8]| {
        let mut plain = Vec::new();
        let read = GzDecoder::new(bytes).read_to_end(&mut plain);
        read.map_or_else(|_| bytes.to_vec(), |_| plain)
    };
    plain(a) == plain(b)
}

/// Returns the content as a gzip file without a time or a name.
fn compressed(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut gzip = GzBuilder::new().write(Vec::new(), Compression::best());
    gzip.write_all(content)?;
    gzip.finish()
}
