//! The places where kernels can be changed, and the trials that run the kernels there.

use std::collections::BTreeMap;
use std::time::Duration;

use rayon::prelude::*;
use verify::Program;
use verify::mutate::{Site, sites};
use verify::run::{Interpreter, KernelRuns, STEPS_OF_A_DISPATCH, Settings};

use crate::shell::Outcome;
use crate::verify::trial::{HostLoop, Trial, faults, settings};

/// The number of trials of a kernel that a change has to survive.
const TRIALS: usize = 160;
/// The number of iterations after which a loop is considered endless.
pub(super) const ITERATIONS: u64 = 500;
/// The largest buffer that a run may allocate, in bytes. With it, a host loop that requests ever
/// larger buffers ends with an error, before this machine runs out of memory.
pub(super) const MAX_BUFFER_BYTES: u64 = 4 << 20;
/// A host loop is considered endless after this many times the steps with the kernels that are
/// shipped, plus this many more.
const STEPS: (u64, u64) = (20, 1_000_000);

/// The numbers of a changed place in kernels, by the labels of the kernels.
pub(super) type Places = BTreeMap<&'static str, usize>;

/// A change of a line, which is made in all kernels that contain it.
pub(super) struct Change {
    pub(super) site: Site,
    /// The places of the change. If the line has several places in the kernels, they are tried one
    /// after another.
    pub(super) places: Vec<Places>,
}

impl Change {
    /// Returns the folder of `shaders/` that contains the line.
    pub(super) fn folder(&self) -> &str {
        folder(&self.site.place.file)
    }
}

/// Returns the folder of a file.
pub(super) fn folder(name: &str) -> &str {
    name.split('/').next().unwrap_or_default()
}

/// Runs a host loop of a trial with the kernels as they ship. Returns the kernels that it ran, and
/// what is wrong.
fn as_shipped(
    trial: &dyn Trial,
    host_loop: HostLoop,
    limit: Duration,
) -> (BTreeMap<String, KernelRuns>, Vec<String>) {
    let device = Interpreter::new(Settings {
        max_operations: trial.operations(),
        iterations: ITERATIONS,
        limit,
        max_buffer_bytes: MAX_BUFFER_BYTES,
        ..settings(trial)
    });
    let wrong = faults(trial, &device, &[host_loop]);
    let wrong = match device.is_late() {
        true => vec![format!(
            "{trial}, seed {}, {host_loop:?}: takes too long: more than {} s",
            trial.seed(),
            limit.as_secs()
        )],
        false => wrong,
    };
    (device.runs(), wrong)
}

/// A trial that runs changed kernels, the host loops that do so, and the number of steps that they
/// may make.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    pub(super) trial: usize,
    pub(super) loops: Vec<HostLoop>,
    pub(super) most_steps: u64,
}

/// The kernels that trials run.
pub(super) struct Kernels {
    programs: BTreeMap<&'static str, Program>,
    /// The trials that run each kernel, and their host loops that do so.
    users: BTreeMap<String, Vec<(usize, HostLoop)>>,
    /// The number of steps of each trial's host loops.
    steps: Vec<BTreeMap<HostLoop, u64>>,
}

impl Kernels {
    /// Returns the kernels that some trials run. Each trial is run once, each host loop of it at
    /// most as long as `limit`.
    ///
    /// # Errors
    /// What is wrong with the kernels as they ship, and which trials take too long.
    pub(super) fn run_by(trials: &[Box<dyn Trial>], limit: Duration) -> Outcome<Self> {
        let runs = |trial: &dyn Trial| {
            HostLoop::ALL.map(|host_loop| {
                let (runs, wrong) = as_shipped(trial, host_loop, limit);
                (host_loop, runs, wrong)
            })
        };
        let mut users: BTreeMap<String, Vec<(usize, HostLoop)>> = BTreeMap::new();
        let mut steps = vec![BTreeMap::new(); trials.len()];
        let all: Vec<_> = trials.par_iter().map(AsRef::as_ref).map(runs).collect();
        let mut wrong = Vec::new();
        for (trial, ran) in all.into_iter().enumerate() {
            for (host_loop, kernels, faults) in ran {
                wrong.extend(faults);
                let counted =
                    |runs: &KernelRuns| runs.steps + runs.dispatches * STEPS_OF_A_DISPATCH;
                let sum = kernels.values().map(counted).sum();
                steps[trial].insert(host_loop, sum);
                for kernel in kernels.into_keys() {
                    users.entry(kernel).or_default().push((trial, host_loop));
                }
            }
        }
        if !wrong.is_empty() {
            return Err(wrong.join("\n").into());
        }
        let mut programs = BTreeMap::new();
        for kernel in gpu::kernels::ALL {
            let constants: Vec<_> = kernel.constants.iter().map(|&name| (name, 32)).collect();
            if let Some((label, _)) = users.get_key_value(&kernel.label()) {
                let label: &'static str = label.clone().leak();
                programs.insert(label, Program::of_kernel(kernel, &constants)?);
            }
        }
        Ok(Self {
            programs,
            users,
            steps,
        })
    }

    /// Returns a kernel that is run.
    pub(super) fn program(&self, label: &str) -> &Program {
        &self.programs[label]
    }

    /// Returns all changes of the kernels, or those in some folders, in the order of these folders.
    pub(super) fn changes(&self, folders: &[String]) -> Vec<Change> {
        let mut changes: BTreeMap<Site, Vec<Places>> = BTreeMap::new();
        for (&label, program) in &self.programs {
            for (number, site) in sites(program).into_iter().enumerate() {
                let places = changes.entry(site).or_default();
                let free = places.iter_mut().find(|places| !places.contains_key(label));
                match free {
                    Some(places) => {
                        places.insert(label, number);
                    }
                    None => places.push(Places::from([(label, number)])),
                }
            }
        }
        let changes = changes.into_iter();
        let mut changes: Vec<Change> = changes
            .map(|(site, places)| Change { site, places })
            .collect();
        let place = |change: &Change| {
            let mut folders = folders.iter();
            folders.position(|folder| folder == change.folder())
        };
        if !folders.is_empty() {
            changes.retain(|change| place(change).is_some());
            changes.sort_by_key(place);
        }
        changes
    }

    /// Returns the trials of a change. Each kernel is run in several of them, if there are enough.
    /// Trials with few steps come first.
    pub(super) fn chosen(&self, places: &Places) -> Vec<Chosen> {
        let mut chosen: BTreeMap<usize, Vec<HostLoop>> = BTreeMap::new();
        for label in places.keys() {
            let mut trials = 0;
            let mut last = None;
            for &(trial, host_loop) in &self.users[*label] {
                trials += usize::from(last.replace(trial) != Some(trial));
                if trials > TRIALS {
                    break;
                }
                let loops = chosen.entry(trial).or_default();
                if !loops.contains(&host_loop) {
                    loops.push(host_loop);
                }
            }
        }
        let mut chosen: Vec<Chosen> = chosen
            .into_iter()
            .map(|(trial, loops)| {
                let steps = loops.iter().map(|host_loop| self.steps[trial][host_loop]);
                let most_steps = STEPS.0 * steps.sum::<u64>() + STEPS.1;
                Chosen {
                    trial,
                    loops,
                    most_steps,
                }
            })
            .collect();
        chosen.sort_by_key(|chosen| chosen.most_steps);
        chosen
    }
}
