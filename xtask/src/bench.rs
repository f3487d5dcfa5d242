//! `cargo xtask bench`: measures how long the command line takes for generated models on the CPU,
//! phase by phase.
//!
//! Each run is a separate process, as a user would start it. The times of the phases come from the
//! summary that it prints. `xtask/peers/peers.py` compares maxend with other tools. The example
//! `paper` of the command line's crate measures models of the literature on a GPU; `cargo xtask
//! bench paper` runs it.

mod summary;
mod traps;

use crate::generate::{Family, write_model};
use crate::shell::{self, Outcome, root};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use summary::{median, summary};

/// Measure reading and decomposing generated models: medians, as a Markdown table
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The number of decompositions of each model
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Divide the sizes of the generated models by this
    #[arg(long, default_value_t = 1)]
    smaller: u32,
    /// The folder in which models are kept between runs [default: target/bench]
    #[arg(long)]
    cache: Option<PathBuf>,
    /// Also write the table to docs/benchmarks/NAME.md
    #[arg(long, value_name = "NAME")]
    record: Option<String>,
    #[command(subcommand)]
    other: Option<Other>,
}

#[derive(clap::Subcommand)]
enum Other {
    Traps(traps::Arguments),
    /// Measure the worklist engine on a GPU, on models of the literature at full size: `paper
    /// SOURCES [--papers] [--parts]`
    Paper {
        /// The folder with the models in PRISM's language, and then the arguments of the example
        /// `paper`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        arguments: Vec<OsString>,
    },
}

/// The generated models that are measured: different structures, with 3 to 10 million branches
/// each.
const GENERATED: &[(&str, Family, u32)] = &[
    ("giant", Family::Giant, 2_000_000),
    ("dag", Family::Dag, 2_000_000),
    ("beads", Family::Beads, 60_000),
    ("drift", Family::Drift, 3_000_000),
    ("chain", Family::Chain, 5_000_000),
];

/// The model in PRISM's language that is measured, and its constant: 3.6 million branches.
const BUILT: (&str, (&str, &str)) = ("philosophers", ("MEALS", "14"));

/// The times of the phases in seconds, one for each run.
type Times = BTreeMap<&'static str, Vec<f64>>;

/// Runs the measurement that the command line asks for.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    match &arguments.other {
        Some(Other::Traps(arguments)) => traps::run(arguments),
        Some(Other::Paper { arguments }) => paper(arguments),
        None => generated(arguments),
    }
}

/// Measures the worklist engine on a GPU.
fn paper(arguments: &[OsString]) -> Outcome {
    let example = [
        "run",
        "--release",
        "-p",
        "maxend",
        "--example",
        "paper",
        "--",
    ];
    shell::run(shell::cargo().args(example).args(arguments))
}

/// Measures the generated models.
fn generated(arguments: &Arguments) -> Outcome {
    shell::run(shell::cargo().args(["build", "--release", "--package", "maxend"]))?;
    let cache = match &arguments.cache {
        Some(cache) => cache.clone(),
        None => root().join("target/bench"),
    };
    fs::create_dir_all(&cache)?;
    let mut table = String::from(
        "| model | MB | branches | what | read, s | MB/s | build, s | decompose, s | M branches/s |\n\
         | --- | --: | --: | --- | --: | --: | --: | --: | --: |\n",
    );
    let mut models = vec![build(&cache)?];
    for &(name, family, size) in GENERATED {
        models.push((
            name,
            generate(&cache, name, family, size / arguments.smaller)?,
        ));
    }
    for (name, path) in &models {
        for components in ["scc", "mec"] {
            eprintln!("measuring {name}, {components}");
            table.push_str(&measure(name, path, components, arguments.runs)?);
        }
    }
    print!("{table}");
    if let Some(record) = &arguments.record {
        let path = root().join("docs/benchmarks").join(format!("{record}.md"));
        let command = format!("cargo xtask bench --runs {}", arguments.runs);
        fs::write(
            path,
            format!("# {record}\n\nMedians of `{command}`.\n\n{table}"),
        )?;
    }
    Ok(())
}

/// Returns the file of the model in PRISM's language. Builds it if it does not exist.
fn build(cache: &Path) -> Result<(&'static str, PathBuf), String> {
    let (name, (constant, value)) = BUILT;
    let path = cache.join(format!("{name}-{constant}={value}.tra"));
    if !path.exists() {
        eprintln!("building {}", path.display());
        let model = root().join("fixtures").join(format!("{name}.prism"));
        crate::program::build(&model, (constant, value), &path)?;
    }
    Ok((name, path))
}

/// Returns the file of a generated model. Writes it if it does not exist.
fn generate(cache: &Path, name: &str, family: Family, size: u32) -> Result<PathBuf, String> {
    let path = cache.join(format!("{name}-{size}.tra"));
    if !path.exists() {
        eprintln!("generating {}", path.display());
        write_model(&*family.model(size, 0)?, &path)?;
    }
    Ok(path)
}

/// Decomposes a model several times. Returns a row of the table.
fn measure(
    name: &str,
    path: &Path,
    components: &str,
    runs: usize,
) -> Result<String, Box<dyn std::error::Error>> {
    let mut times = Times::new();
    let mut branches = 0;
    for _ in 0..runs.max(1) {
        let summary = summary(path, components, &["--device", "cpu"].map(String::from))?;
        for phase in ["read", "build", "decompose"] {
            times
                .entry(phase)
                .or_default()
                .extend(summary.seconds(phase));
        }
        branches = summary.value("branches").replace(',', "").parse::<u64>()?;
    }
    let megabytes = fs::metadata(path)?.len() as f64 / 1e6;
    let [read, build, decompose] = ["read", "build", "decompose"]
        .map(|phase| times.get_mut(phase).map_or(0.0, |times| median(times)));
    let mut row = String::new();
    write!(
        row,
        "| {name} | {megabytes:.0} | {branches} | {components} "
    )?;
    write!(row, "| {read:.3} | {:.0} | {build:.3} ", megabytes / read)?;
    writeln!(
        row,
        "| {decompose:.3} | {:.1} |",
        branches as f64 / decompose / 1e6
    )?;
    Ok(row)
}
