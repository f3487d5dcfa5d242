//! Inputs that are run on the interpreter, with known answers.

use std::fmt;

use verify::run::{Interpreter, Schedule, Settings};

use super::small::SMALL;

/// Groups of host loops that use the same kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum HostLoop {
    Worklist,
    Papers,
    /// Breadth-first search, level by level.
    Levels,
    /// Breadth-first search by relaxation, as in the papers.
    Relaxation,
    Exploration,
    /// The search for states of GPUexplore's paper.
    PapersExploration,
    CycleMean,
    LongRun,
}

impl HostLoop {
    pub(super) const ALL: [Self; 8] = [
        Self::Worklist,
        Self::Papers,
        Self::Levels,
        Self::Relaxation,
        Self::Exploration,
        Self::PapersExploration,
        Self::CycleMean,
        Self::LongRun,
    ];
}

/// The end of each line about a wrong answer.
pub(super) const WRONG_ANSWER: &str = "a wrong answer";

/// An input, which displays as its name.
pub(super) trait Trial: fmt::Display + Send + Sync {
    fn seed(&self) -> u64;

    /// Returns the settings of the interpreter. `by_seed` are those that the seed would choose.
    fn settings(&self, by_seed: Settings) -> Settings {
        by_seed
    }

    /// Returns the number of operations after which an invocation of a changed kernel is considered
    /// endless. For most inputs, correct kernels take far fewer, even with a row of 2,100 edges.
    fn operations(&self) -> u64 {
        200_000
    }

    /// Runs some host loops on a device, if the input is meant for them. Returns descriptions of
    /// wrong answers and errors.
    fn wrong_answers(&self, device: &Interpreter, loops: &[HostLoop]) -> Vec<String>;
}

/// Returns the settings of the interpreter for a trial.
pub(super) fn settings(trial: &dyn Trial) -> Settings {
    trial.settings(settings_of(trial.seed()))
}

/// Returns the settings of the interpreter that a seed chooses.
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

/// Returns whether a trial is run with small workgroups, lists and limits. Two of three are.
pub(super) fn is_small(seed: u64) -> bool {
    !(seed / 2).is_multiple_of(3)
}

/// Runs some host loops on a device, if the trial is meant for them. Returns descriptions of
/// errors.
pub(super) fn faults(trial: &dyn Trial, device: &Interpreter, loops: &[HostLoop]) -> Vec<String> {
    let mut faults = trial.wrong_answers(device, loops);
    let seed = trial.seed();
    let found = device.findings().into_iter();
    faults.extend(
        found.map(|(kernel, finding)| format!("{trial}, seed {seed}, {kernel}: {finding}")),
    );
    faults
}
