//! All runs on the interpreter.

use std::collections::BTreeMap;

use mdp_graph::ComponentKind;
use rayon::prelude::*;
use verify::run::{Interpreter, KernelRuns};
use verify::small::{digraphs, mdps};

use super::trial::{HostLoop, Trial, faults, settings};
use super::{averages, explorations, graphs};

/// The results of all runs.
#[derive(Default)]
pub(super) struct Ran {
    pub(super) digraphs: usize,
    pub(super) mdps: usize,
    pub(super) drawn: usize,
    pub(super) explorations: usize,
    pub(super) averages: usize,
    pub(super) kernels: BTreeMap<String, KernelRuns>,
    /// Everything that was wrong.
    pub(super) faults: Vec<String>,
}

/// Runs all digraphs of up to three states, all MDPs of two, one of `every` MDPs of three states,
/// this many random models, explorations, and averages.
pub(super) fn all(every: usize, drawn: u64) -> Ran {
    let small = (1..=3).flat_map(digraphs);
    let kinds = [
        graphs::small(small, ComponentKind::Scc),
        graphs::small(mdps(2).chain(mdps(3).step_by(every)), ComponentKind::Mec),
        graphs::random(drawn)
            .into_iter()
            .chain(graphs::wide(drawn / 4))
            .chain(graphs::level_cases(drawn / 16))
            .chain(graphs::functional(drawn / 8))
            .chain(graphs::forks(drawn / 8))
            .chain(graphs::leaky_pairs(drawn / 8))
            .collect(),
        explorations::trials(1)
            .into_iter()
            .chain(explorations::drawn(drawn / 4))
            .collect(),
        averages::trials(1)
            .into_iter()
            .chain(averages::drawn(drawn / 4))
            .collect(),
    ];
    let [digraphs, mdps, drawn, explorations, averages] = kinds.each_ref().map(Vec::len);
    let mut ran = Ran {
        digraphs,
        mdps,
        drawn,
        explorations,
        averages,
        ..Ran::default()
    };
    let trials: Vec<Box<dyn Trial>> = kinds.into_iter().flatten().collect();
    let one = |trial: &dyn Trial| {
        let device = Interpreter::new(settings(trial));
        (faults(trial, &device, &HostLoop::ALL), device.runs())
    };
    let found = trials.par_iter().map(AsRef::as_ref).map(one);
    for (faults, kernels) in found.collect::<Vec<_>>() {
        ran.faults.extend(faults);
        for (name, runs) in kernels {
            let sum = ran.kernels.entry(name).or_default();
            sum.dispatches += runs.dispatches;
            sum.steps += runs.steps;
        }
    }
    ran
}

/// Returns inputs that are made to find changes, and some inputs of [`all`], about this many of
/// each kind.
pub(super) fn some(each: usize) -> Vec<Box<dyn Trial>> {
    let mut trials = graphs::corner_cases(each as u64 / 4);
    trials.extend(explorations::corner_cases(each as u64 / 8));
    trials.extend(averages::corner_cases(each as u64 / 4));
    trials.extend(graphs::level_cases(each as u64 / 4));
    trials.extend(graphs::leaky_pairs(each as u64 / 4));
    trials.extend(graphs::functional(each as u64 / 4));
    trials.extend(graphs::forks(each as u64 / 4));
    trials.extend(graphs::wide(each as u64 / 2));
    trials.extend(graphs::random(2 * each as u64));
    let digraphs = digraphs(3).step_by(512 / each);
    trials.extend(graphs::small(digraphs, ComponentKind::Scc));
    let mdps = mdps(3).step_by((1 << 21) / each);
    trials.extend(graphs::small(mdps, ComponentKind::Mec));
    trials.extend(explorations::drawn(each as u64 * 3 / 4));
    trials.extend(explorations::trials(1500 / each));
    trials.extend(averages::drawn(each as u64));
    trials.extend(averages::trials(900 / each));
    trials
}
