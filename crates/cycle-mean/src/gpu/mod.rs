//! Howard's policy iteration on a GPU, for all components at once.
//!
//! It goes from policy to policy as [`howard`] does, with the same answer. A policy is evaluated by
//! pointer doubling. First each state finds its *leader*: the least state of the cycle to which the
//! policy leads the state. Then each state sums up weights and times on the way to its leader. For
//! comparison there are the kernels of Barnat, Bauch, Brim and Češka (2011), which evaluate a
//! policy step by step.
//!
//! `upload.rs` puts the components on the device; `passes.rs` records the kernels, and
//! `doubling.rs` and `steps.rs` those that evaluate a policy in either way; `driver.rs` goes from
//! policy to policy. This file makes answers from the last policies. It leaves a component to the
//! host if the component is too deep for a breadth-first search on a device.

mod doubling;
mod driver;
mod passes;
mod steps;
mod upload;

use crate::answer::Work;
use crate::arc::Arc;
use crate::howard;
use crate::policy::{self, Cycle, Policy};
use crate::region::{Region, Regions};
use crate::search::{Solution, Ticker};
use crate::{Error, MeanSearch, Options};
use ::gpu::Gpu;
use driver::Last;
use rayon::prelude::*;
use upload::Evaluation;
pub(crate) use upload::Upload;

/// The minimum number of states that a thread handles at a time.
const PER_TASK: usize = 1 << 12;

/// Solves all components.
pub(crate) fn solve<A: Upload>(
    gpu: &Gpu,
    regions: &Regions<A>,
    options: &Options<'_>,
    ticker: &Ticker<'_>,
) -> Result<(Vec<Solution>, Work), Error> {
    let evaluation = match options.search {
        MeanSearch::Howard => Evaluation::Doubling,
        MeanSearch::Paper => Evaluation::StepByStep,
        search => {
            let device = "a GPU";
            return Err(Error::Unsupported { search, device });
        }
    };
    ticker.check()?;
    if regions.len() == 0 {
        return Ok((Vec::new(), Work::default()));
    }
    let last = driver::run(gpu, regions, evaluation, options, ticker)?;
    let one = |component: usize| {
        let region = regions.region(component);
        let found = match last.is_done(component) {
            true => finished(&region, regions.first(component), component, &last),
            false => {
                let choices = last.choices[regions.states(component)].to_vec();
                howard::go_on(
                    &region,
                    Policy::of(&region, choices),
                    last.policies(component),
                    ticker,
                )?
            }
        };
        ticker.add(region.len());
        Ok(found)
    };
    let all: Vec<Result<_, Error>> = (0..regions.len()).into_par_iter().map(one).collect();
    let found = all.into_iter().collect::<Result<_, Error>>()?;
    let left = (0..regions.len()).filter(|&component| !last.is_done(component));
    let host_states = left.map(|component| regions.region(component).len() as u64);
    let work = Work {
        host_states: host_states.sum(),
        ..last.work.clone()
    };
    Ok((found, work))
}

/// Returns the solution of a component from its last policy. `first` is the number of its first
/// state.
fn finished<A: Arc>(
    region: &Region<'_, A>,
    first: usize,
    component: usize,
    last: &Last,
) -> Solution {
    let states = first..first + region.len();
    let choices = &last.choices[states.clone()];
    let chosen = |state: usize| region.arc(choices[state] as usize);
    let cycle = Cycle::through(last.best[component] as usize - first, chosen);
    // The device has not divided the values by this.
    let divisor = cycle.time / cycle.lowest().1;
    Solution {
        weight: cycle.weight,
        time: cycle.time,
        arcs: policy::cycle(region, choices, cycle.root),
        potentials: states
            .into_par_iter()
            .with_min_len(PER_TASK)
            .map(|state| -(last.value(state) / divisor))
            .collect(),
        iterations: last.policies(component) + 1,
    }
}
