//! Counts runs and failures.

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;
use std::time::Duration;

/// The runs of an engine.
#[derive(Default)]
struct Runs {
    runs: u64,
    failures: u64,
    /// Runs that took too long and were stopped, where that is not a failure.
    given_up: u64,
    time: Duration,
    longest: Duration,
}

/// The result of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Right,
    Wrong,
    GivenUp,
}

/// Counts of models and runs.
#[derive(Default)]
pub(super) struct Tally {
    models: u64,
    states: u64,
    engines: BTreeMap<String, Runs>,
}

impl Tally {
    /// Counts a model.
    pub(super) fn model(&mut self, states: usize) {
        self.models += 1;
        self.states += states as u64;
    }

    /// Counts a run.
    pub(super) fn run(&mut self, engine: &str, verdict: Verdict, took: Duration) {
        let runs = self.engines.entry(engine.to_owned()).or_default();
        runs.runs += 1;
        runs.failures += u64::from(verdict == Verdict::Wrong);
        runs.given_up += u64::from(verdict == Verdict::GivenUp);
        runs.time += took;
        runs.longest = runs.longest.max(took);
    }

    pub(super) fn failures(&self) -> u64 {
        self.engines.values().map(|runs| runs.failures).sum()
    }

    /// Returns a table of all counts.
    pub(super) fn table(&self) -> String {
        let mut text = format!("soak: {self}\n");
        let _ = writeln!(
            text,
            "{:<24} {:>9} {:>9} {:>9} {:>10} {:>10}",
            "engine", "runs", "failures", "given up", "seconds", "longest"
        );
        for (engine, runs) in &self.engines {
            let _ = writeln!(
                text,
                "{engine:<24} {:>9} {:>9} {:>9} {:>10.1} {:>10.2}",
                runs.runs,
                runs.failures,
                runs.given_up,
                runs.time.as_secs_f64(),
                runs.longest.as_secs_f64()
            );
        }
        text
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs: u64 = self.engines.values().map(|runs| runs.runs).sum();
        let (models, states, failures) = (self.models, self.states, self.failures());
        write!(
            f,
            "{models} models, {states} states, {runs} runs, {failures} failures"
        )
    }
}
