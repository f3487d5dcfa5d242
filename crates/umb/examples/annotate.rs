//! Adds a decomposition to an archive: an annotation with the number of each state's component, and
//! an atomic proposition that holds in the states that are in a component. The components are read
//! from a file with one line for each state: the smallest state of its component, or -1, as `maxend
//! decompose --format labels` prints it.
//!
//! ```text
//! cargo run --release -p umb --example annotate -- model.umb model.mec model.mec.umb
//! ```

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::process::exit;

use umb::{Bits, Compression, Entity, ReadOptions, Umb, UmbWriter, Values};

fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        exit(1);
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [model, labels, to] = &arguments[..] else {
        return Err("usage: annotate MODEL.umb LABELS OUT.umb".into());
    };
    let bytes = std::fs::read(model)?;
    let archive = decompress::inflate(&bytes, &Default::default())?;
    let umb = Umb::read(&archive, &ReadOptions::default())?;
    let labels = std::fs::read_to_string(labels)?;
    let numbers = component_numbers(&labels)?;

    let in_mec = Bits::from_fn(umb.num_states(), |state| {
        numbers
            .get(state as usize)
            .is_some_and(|&number| number > 0)
    });
    let mut writer = UmbWriter::copy_of(&umb);
    writer
        .annotate(
            "components",
            "mec",
            Entity::States,
            Values::Uints(Cow::Borrowed(&numbers)),
        )?
        .annotate("aps", "in_mec", Entity::States, Values::Bools(in_mec))?
        .write(BufWriter::new(File::create(to)?), Compression::Gzip)?;
    Ok(())
}

/// Numbers the components from 1, in the order of their smallest states. States that are in no
/// component have 0.
fn component_numbers(labels: &str) -> Result<Vec<u64>, Box<dyn Error>> {
    let labels: Vec<i64> = labels.lines().map(str::parse).collect::<Result<_, _>>()?;
    let mut numbers: BTreeMap<i64, u64> = labels.iter().map(|&label| (label, 0)).collect();
    numbers.remove(&-1);
    for (number, next) in numbers.values_mut().zip(1..) {
        *number = next;
    }
    let number = |label| numbers.get(label).copied().unwrap_or(0);
    Ok(labels.iter().map(number).collect())
}
