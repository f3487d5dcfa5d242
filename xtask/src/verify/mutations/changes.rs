//! The places where kernels can be changed, and the trials that run the kernels there.

use std::collections::BTreeMap;

use rayon::prelude::*;
use verify::Program;
use verify::mutate::{Site, sites};
use verify::run::{Interpreter, KernelRuns, STEPS_OF_A_DISPATCH, Settings};

use crate::shell::Outcome;
use crate::verify::trial::{HostLoop, Trial, faults, settings};

/// How many trials that run a kernel a change of it has to survive.
const TRIALS: usize = 160;
/// After how many iterations a loop counts as one that does not end.
pub(super) const ITERATIONS: u64 = 500;
/// The largest buffer that a run may allocate, in bytes. A host loop that asks for ever larger
/// buffers ends with an error, and not only when the memory of this machine does.
pub(super) const MAX_BUFFER_BYTES: u64 = 4 << 20;
/// How many times as many steps a run may take as one of the kernels that ship, and how many more:
/// after them, a host loop does not end.
const STEPS: (u64, u64) = (20, 1_000_000);

/// A place in each of some kernels, by their labels: the number of the site.
pub(super) type Places = BTreeMap<&'static str, usize>;

/// A change of a line, which is made in all kernels that it is part of.
pub(super) struct Change {
    pub(super) site: Site,
    /// If the kernels have several places to change on the line, these are tried one after the
    /// other.
    pub(super) places: Vec<Places>,
}

impl Change {
    /// The folder of `shaders/` in which the line stands.
    pub(super) fn folder(&self) -> &str {
        folder(&self.site.place.file)
    }
}

/// The folder of a file.
pub(super) fn folder(name: &str) -> &str {
    name.split('/').next().unwrap_or_default()
}

/// A trial that runs changed kernels, the host loops that do so, and how many steps they may make.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    pub(super) trial: usize,
    pub(super) loops: Vec<HostLoop>,
    pub(super) most_steps: u64,
}

/// The kernels that trials run.
pub(super) struct Kernels {
    programs: BTreeMap<&'static str, Program>,
    /// The trials that run each kernel, and the host loops that do so there.
    users: BTreeMap<String, Vec<(usize, HostLoop)>>,
    /// How many steps the host loops of each trial make.
    steps: Vec<BTreeMap<HostLoop, u64>>,
}

impl Kernels {
    /// Those of some trials, each of which is run once.
    ///
    /// # Errors
    /// What is wrong with the kernels as they ship.
    pub(super) fn run_by(trials: &[Box<dyn Trial>]) -> Outcome<Self> {
        let runs = |trial: &dyn Trial| {
            HostLoop::ALL.map(|host_loop| {
                let device = Interpreter::new(Settings {
                    patience: trial.operations(),
                    iterations: ITERATIONS,
                    max_buffer_bytes: MAX_BUFFER_BYTES,
                    ..settings(trial)
                });
                let wrong = faults(trial, &device, &[host_loop]);
                (host_loop, device.runs(), wrong)
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

    /// A kernel that is run.
    pub(super) fn program(&self, label: &str) -> &Program {
        &self.programs[label]
    }

    /// All changes of kernels that are run, or those of some folders, in the order of these.
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

    /// The trials of a change: each kernel is run in some of them, if there are enough. Those come
    /// first that make few steps.
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
