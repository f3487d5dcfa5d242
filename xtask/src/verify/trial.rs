//! What is run on the interpreter: something that host loops are given, and whose answers are
//! known.

use std::fmt;

use verify::run::{Interpreter, Schedule, Settings};

use super::small::SMALL;

/// Host loops that use the same kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum HostLoop {
    Worklist,
    Papers,
    /// Breadth-first search, level by level.
    Levels,
    /// Breadth-first search by relaxation, as in the papers.
    Relaxation,
    Exploration,
    CycleMean,
    LongRun,
}

impl HostLoop {
    pub(super) const ALL: [Self; 7] = [
        Self::Worklist,
        Self::Papers,
        Self::Levels,
        Self::Relaxation,
        Self::Exploration,
        Self::CycleMean,
        Self::LongRun,
    ];
}

/// How each line about a wrong answer ends.
pub(super) const WRONG_ANSWER: &str = "a wrong answer";

/// An input, which displays as its name.
pub(super) trait Trial: fmt::Display + Send + Sync {
    fn seed(&self) -> u64;

    /// How the interpreter runs it, who would run it so by its seed.
    fn settings(&self, by_seed: Settings) -> Settings {
        by_seed
    }

    /// After how many operations an invocation of a changed kernel counts as one that does not end:
    /// kernels that are right take far fewer for most inputs, a row of 2,100 edges included.
    fn operations(&self) -> u64 {
        200_000
    }

    /// Runs those of some host loops that the input is for on a device; what is wrong with the
    /// answers, and which errors there were.
    fn wrong_answers(&self, device: &Interpreter, loops: &[HostLoop]) -> Vec<String>;
}

/// How the interpreter runs a trial.
pub(super) fn settings(trial: &dyn Trial) -> Settings {
    trial.settings(settings_of(trial.seed()))
}

/// How the interpreter runs by a seed.
pub(super) fn settings_of(seed: u64) -> Settings {
    Settings {
        schedule: match (seed + seed / 8) % 4 {
            0 => Schedule::Random,
            1 => Schedule::Priorities { changes: 3 },
            2 => Schedule::Meetings,
            _ => Schedule::RoundRobin,
        },
        seed,
        subgroup: [4, 8, 32, 64][seed as usize / 3 % 4],
        resident: 1 + seed as u32 / 5 % 4,
        stale: seed / 7 % 2 == 1,
        scales: if is_small(seed) { SMALL } else { &[] },
        ..Settings::default()
    }
}

/// Whether a trial is run with small workgroups, lists and limits: two of three are.
pub(super) fn is_small(seed: u64) -> bool {
    !(seed / 2).is_multiple_of(3)
}

/// Runs those of some host loops that a trial is for on a device; what was wrong.
pub(super) fn faults(trial: &dyn Trial, device: &Interpreter, loops: &[HostLoop]) -> Vec<String> {
    let mut faults = trial.wrong_answers(device, loops);
    let seed = trial.seed();
    let found = device.findings().into_iter();
    faults.extend(
        found.map(|(kernel, finding)| format!("{trial}, seed {seed}, {kernel}: {finding}")),
    );
    faults
}
