//! From policy to policy, until none is better or the host takes over.

use super::passes::Passes;
use super::upload::{Buffers, Shape, Upload};
use super::{doubling, steps};
use crate::Error;
use crate::answer::Work;
use crate::region::Regions;
use crate::search::Ticker;
use ::gpu::{Control, Gpu, Recording};
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::time::Instant;

/// The last policies of all components. States are counted over all components.
pub(super) struct Last {
    /// The number of the edge of each state.
    pub(super) choices: Vec<u32>,
    /// The sum of q weight - p time from each state to the leader of the best cycle, where p/q is
    /// the value of that cycle, not in lowest terms.
    pub(super) values: Vec<i64>,
    /// The leader of the best cycle of each component.
    pub(super) best: Vec<u32>,
    /// For each component the number of the policy that its last change has led to.
    changed: Vec<u32>,
    /// The number of the policy that was not finished, if one was not.
    unfinished: Option<u32>,
    pub(super) work: Work,
}

impl Last {
    /// Whether the policy of a component cannot be improved.
    pub(super) fn is_done(&self, component: usize) -> bool {
        self.unfinished
            .is_none_or(|number| self.changed[component] < number)
    }

    /// How many policies of a component came before its last one.
    pub(super) fn policies(&self, component: usize) -> u32 {
        self.changed[component]
    }
}

/// Goes from policy to policy on a device, and evaluates them by doubling, or `by_steps`.
///
/// A search that leads states to the best cycle of their component may take `most_levels` levels.
/// If one does not end before, the policies of its iteration are unfinished.
pub(super) fn run<A: Upload>(
    gpu: &Gpu,
    regions: &Regions<A>,
    by_steps: bool,
    most_levels: u32,
    ticker: &Ticker<'_>,
) -> Result<Last, Error> {
    let kernels = ::gpu::kernels::ALL.iter();
    for kernel in kernels.filter(|kernel| kernel.name.starts_with("cycle_mean/")) {
        gpu.info().can_run(kernel)?;
    }
    let begin = Instant::now();
    let (buffers, shape) = Buffers::new(gpu, regions, by_steps)?;
    let uploaded = Instant::now();
    let passes = Passes {
        buffers: &buffers,
        shape,
        most_levels,
    };
    let mut work = Work::default();
    let mut recording = Recording::new();
    passes.cheapest(&mut recording);
    let unfinished = loop {
        let number = work.policies;
        passes.start(&mut recording, number);
        let evaluation = match &buffers.entries {
            Some(entries) => steps::evaluate(&passes, entries, &mut recording, number),
            None => doubling::evaluate(&passes, &mut recording, number),
        };
        let tickets = passes.lead_and_improve(&mut recording, number);
        let outcome = gpu.run_with(
            &recording,
            &mut Control {
                observer: Some(&mut |_| match ticker.check() {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }),
                time_passes: false,
            },
        )?;
        work.policies += 1;
        let [first, second] = evaluation.map(|ticket| outcome[ticket].iterations);
        match by_steps {
            true => work.levels += first + second,
            false => work.doublings += doubling::PER_ITERATION * (first + second),
        }
        work.levels += outcome[tickets.levels].iterations;
        if outcome[tickets.levels].last.groups[0] > 0 {
            break Some(number);
        }
        // A change would have led to the next policy.
        if outcome.get(tickets.changed) == [number] {
            break None;
        }
        recording = Recording::new();
    };
    work.upload = uploaded - begin;
    work.search = uploaded.elapsed();
    last(gpu, &buffers, shape, unfinished, work)
}

/// Reads the last policy.
fn last(
    gpu: &Gpu,
    buffers: &Buffers,
    shape: Shape,
    unfinished: Option<u32>,
    work: Work,
) -> Result<Last, Error> {
    let mut changed = gpu.read(&buffers.changed)?;
    changed.truncate(shape.components as usize);
    let values = gpu.read(&buffers.values)?;
    let choices = match unfinished {
        // Those that were led to the best cycle are to be led there again.
        Some(_) => &buffers.kept_choices,
        None => &buffers.choices,
    };
    Ok(Last {
        choices: gpu.read(choices)?,
        values: values
            .par_iter()
            .map(|&[low, high]| (u64::from(high) << 32 | u64::from(low)) as i64)
            .collect(),
        best: gpu.read(&buffers.best)?,
        changed,
        unfinished,
        work,
    })
}
