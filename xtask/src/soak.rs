//! `cargo xtask soak`: decomposes random models with every engine and random options, for a given
//! time.
//!
//! Every answer is compared with the certified answer of the CPU. A model is a function of its
//! seed, so the seed reproduces every failure. The task needs neither cargo nor the sources while
//! it runs.
//!
//! ```text
//! arguments.rs the arguments of the task
//! models.rs    random models of many shapes
//! variants.rs  random variants of searches
//! engines.rs   the engines, and checks of their answers
//! tally.rs     counts of runs and failures
//! ```

mod arguments;
mod engines;
pub(crate) mod models;
mod tally;
mod variants;

pub(crate) use arguments::Arguments;

use crate::generate::write_model;
use crate::rng::Rng;
use crate::shell::Outcome;
use engines::Engines;
use models::Drawn;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tally::Tally;
use variants::Kind;

/// The time between two reports of progress.
const EVERY: Duration = Duration::from_secs(60);

/// Runs the task.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let first = arguments.seed.unwrap_or_else(seed_of_now);
    let engines = Engines::open(arguments)?;
    println!("soak: from seed {first}, {}", engines.names());
    let start = Instant::now();
    let end = arguments
        .minutes
        .map(|minutes| start + Duration::from_secs_f64(60.0 * minutes.clamp(0.0, 1e6)));
    let mut tally = Tally::default();
    let mut told = start;
    for i in 0..arguments.models.unwrap_or(u64::MAX) {
        if end.is_some_and(|end| Instant::now() >= end) {
            break;
        }
        soak_one(arguments, &engines, first.wrapping_add(i), &mut tally)?;
        if told.elapsed() >= EVERY {
            told = Instant::now();
            println!(
                "soak: {:.0} minutes, {tally}",
                start.elapsed().as_secs_f64() / 60.0
            );
        }
    }
    print!("{}", tally.table());
    match tally.failures() {
        0 => Ok(()),
        failures => Err(format!(
            "{failures} failures; the models lie in {}",
            arguments.output.display()
        )
        .into()),
    }
}

/// Runs every engine on the model of one seed.
fn soak_one(arguments: &Arguments, engines: &Engines, seed: u64, tally: &mut Tally) -> Outcome {
    let mut rng = Rng::new(seed);
    let drawn = models::draw(&mut rng, arguments.largest);
    tally.model(drawn.graph.num_states());
    let before = tally.failures();
    for kind in [Kind::Sccs, Kind::Mecs] {
        engines.compare(&drawn, kind, &mut rng, tally, &mut |failure| {
            report(arguments, engines, seed, &drawn, &failure);
        });
    }
    if tally.failures() > before {
        let path = file_of(arguments, seed);
        fs::create_dir_all(&arguments.output)
            .map_err(|error| format!("{}: {error}", arguments.output.display()))?;
        write_model(&drawn, &path)?;
    }
    Ok(())
}

/// Reports a failure, and how to repeat it.
fn report(
    arguments: &Arguments,
    engines: &Engines,
    seed: u64,
    drawn: &Drawn,
    failure: &engines::Failure,
) {
    let path = file_of(arguments, seed);
    println!("FAILURE: {}: {}", failure.what, failure.how);
    println!(
        "  model: {}, seed {seed}, in {}",
        drawn.name,
        path.display()
    );
    println!(
        "  again: cargo xtask soak --models 1 --seed {seed} --largest {}{}",
        arguments.largest,
        engines.named_adapter()
    );
    println!("  or:    {}", failure.command(&path));
}

fn file_of(arguments: &Arguments, seed: u64) -> PathBuf {
    Path::new(&arguments.output).join(format!("{seed}.tra"))
}

fn seed_of_now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(1, |since| since.as_secs())
}
