//! `cargo xtask bench traps`: measures every engine on every family of generated models, and its
//! ratio to the fastest.
//!
//! Each family is the worst case of some algorithm: an engine that is the fastest on models of
//! protocols may take a hundred times as long as another here. The times are those of the search
//! for components, each in a separate process.

use super::summary::{Summary, median, summary};
use crate::generate::{Family, write_model};
use crate::program::released;
use crate::shell::{self, Outcome, root};
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Measure every engine on models that are the worst for some way of searching
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Only these families
    families: Vec<Family>,
    /// The approximate number of states of each model, in thousands
    #[arg(
        long,
        default_value_t = 1000,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    thousands: u32,
    /// The number of decompositions of each model
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Part of the name of the GPU's adapter, or `none` for no GPU [default: the GPU, if there is
    /// one]
    #[arg(long)]
    adapter: Option<String>,
    /// The seed of the random numbers
    #[arg(long, default_value_t = 0)]
    seed: u32,
    /// The folder in which models are kept between runs [default: target/bench]
    #[arg(long)]
    cache: Option<PathBuf>,
}

/// A program and its options that decompose models.
struct Engine {
    name: &'static str,
    arguments: Vec<String>,
}

/// Measures all families and prints a table.
pub(super) fn run(arguments: &Arguments) -> Outcome {
    shell::run(shell::cargo().args(["build", "--release", "--package", "maxend"]))?;
    let default = || root().join("target/bench");
    let cache = std::path::absolute(arguments.cache.clone().unwrap_or_else(default))?;
    fs::create_dir_all(&cache)?;
    let engines = engines(arguments.adapter.as_deref());
    let heads = engines
        .iter()
        .map(|engine| format!(" {}, ms | ratio |", engine.name));
    println!(
        "| family | size | states | branches | what |{}",
        heads.collect::<String>()
    );
    println!(
        "| --- | --: | --: | --: | --- |{}",
        " --: | --: |".repeat(engines.len())
    );
    let families = match arguments.families.is_empty() {
        true => Family::ALL,
        false => &arguments.families,
    };
    for &family in families {
        let size = family.size_for(arguments.thousands * 1000);
        let path = model(&cache, family, size, arguments.seed)?;
        for components in ["scc", "mec"] {
            let (name, _) = family.described();
            eprintln!("measuring {name}, {components}");
            let times = times(&path, components, &engines, arguments.runs)?;
            println!("| {name} | {size} | {times}");
        }
    }
    Ok(())
}

/// Returns the engines: one thread, all threads and, if there is one, the GPU.
fn engines(adapter: Option<&str>) -> Vec<Engine> {
    let engine = |name, arguments: &[&str]| Engine {
        name,
        arguments: arguments.iter().map(ToString::to_string).collect(),
    };
    let mut engines = vec![
        engine("one thread", &["--device", "cpu", "--threads", "1"]),
        engine("all threads", &["--device", "cpu"]),
    ];
    match adapter {
        Some("none") => {}
        Some(adapter) => engines.push(engine("GPU", &["--device", "gpu", "--adapter", adapter])),
        None if has_gpu() => engines.push(engine("GPU", &["--device", "gpu"])),
        None => {}
    }
    engines
}

/// Returns whether there is an adapter that is not a software adapter.
fn has_gpu() -> bool {
    let listed = released().arg("devices").output();
    listed.is_ok_and(|listed| {
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        ["discrete GPU", "integrated GPU", "virtual GPU"]
            .iter()
            .any(|kind| listed.contains(kind))
    })
}

/// Returns the file of a generated model. Writes it if it does not exist. It is a `.umb` file,
/// which is read fastest.
fn model(cache: &Path, family: Family, size: u32, seed: u32) -> Result<PathBuf, Box<dyn Error>> {
    let (name, _) = family.described();
    let path = cache.join(format!("{name}-{size}-{seed}.umb"));
    if !path.exists() {
        eprintln!("generating {}", path.display());
        let text = path.with_extension("tra");
        write_model(&*family.model(size, seed)?, &text)?;
        let files = [&text, Path::new("-o"), &path];
        shell::run(released().arg("convert").args(files))?;
        fs::remove_file(text)?;
    }
    Ok(path)
}

/// Returns the cells of a row of the table with the size of the model and the times of the engines.
fn times(
    path: &Path,
    components: &str,
    engines: &[Engine],
    runs: usize,
) -> Result<String, Box<dyn Error>> {
    let kind = if components == "scc" { "SCCs" } else { "MECs" };
    let mut times = Vec::new();
    let mut first: Option<Summary> = None;
    for engine in engines {
        let mut of_engine = Vec::new();
        for _ in 0..runs.max(1) {
            let found = summary(path, components, &engine.arguments)?;
            let seconds = found.seconds("decompose");
            of_engine.push(seconds.ok_or("the summary has no time for decompose")?);
            let first = first.get_or_insert_with(|| found.clone());
            let counts = [first, &found].map(|summary| summary.value(kind));
            if counts[0] != counts[1] {
                let [expected, found] = counts;
                let (path, engine) = (path.display(), engine.name);
                let message = format!("{path}: {expected} {kind}, but {found} by {engine}");
                return Err(message.into());
            }
        }
        times.push(median(&mut of_engine));
    }
    let size = first.map(|first| [first.value("states"), first.value("branches")]);
    let [states, branches] = size.unwrap_or_default();
    let mut cells = format!("{states} | {branches} | {kind} |");
    let best = times.iter().copied().fold(f64::INFINITY, f64::min);
    for time in times {
        write!(cells, " {:.1} | {:.1} |", 1e3 * time, time / best)?;
    }
    Ok(cells)
}
