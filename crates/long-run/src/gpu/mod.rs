//! Value iteration for the gains of all maximal end components at once, on a GPU.
//!
//! Kernels have no doubles. So the device computes with integers of 64 bits, in a unit that fits
//! the wanted precision, and finds the same values on every device. These values need not be right:
//! `gain.rs` computes the bounds from them, with directed rounding. If the bounds are not close
//! enough, it continues the iteration on the host.
//!
//! `fixed.rs` converts the numbers of the model to integers.

mod fixed;

use crate::bounds::Bounds;
use crate::context::Context;
use crate::error::Error;
use crate::gain::Begin;
use crate::inner::Inner;
use crate::precision::Precision;
use ::gpu::kernels::{GainParams, long_run::Iterate};
use ::gpu::{Buffer, Gpu, Recording, Repeat, RunOptions};
use fixed::Fixed;
use rayon::prelude::*;
use std::ops::ControlFlow;

/// The maximum number of branches of a state that one invocation handles.
const LONGEST_ROW: usize = 1 << 12;

/// The greatest absolute value, in units. The difference of two values, and the reward of a step,
/// then fit 64 bits.
const LIMIT: u64 = 1 << 60;

/// Computes values for each component, for which the bounds on its gain are probably as close as
/// `precision` says, if the gain is as great as the greatest reward. Returns `None` if a device
/// cannot handle the model: a state has too many branches, or rewards are too large for such close
/// bounds.
pub(crate) fn values(
    gpu: &Gpu,
    inner: &Inner,
    precision: Precision,
    context: &Context<'_>,
) -> Result<Option<Vec<Begin>>, Error> {
    context.check()?;
    let greatest = fixed::greatest_earned(inner);
    let epsilon = precision.distance(Bounds::exactly(greatest));
    let Some(unit) = fixed::unit(greatest, epsilon) else {
        return Ok(None);
    };
    if inner.num_states() == 0 || has_long_row(inner) {
        return Ok(None);
    }
    let kernels = ::gpu::kernels::ALL.iter();
    for kernel in kernels.filter(|kernel| kernel.name.starts_with("long_run/")) {
        gpu.info().can_run(kernel)?;
    }
    let device = OnDevice::new(gpu, inner, &Fixed::new(inner, unit)?)?;
    // Each end may take an eighth of the distance, and rounding as much.
    let tolerance = ((epsilon / 8.0 / unit) as u64).max(1);
    device.run(gpu, inner, tolerance, context)?;
    device.read(gpu, inner, unit).map(Some)
}

/// Returns whether a state has more branches than one invocation handles.
fn has_long_row(inner: &Inner) -> bool {
    let is_long = |state: usize| {
        let choices = inner.choices(state);
        let starts = inner.choice_starts();
        (starts[choices.end] - starts[choices.start]) as usize > LONGEST_ROW
    };
    (0..inner.num_states()).into_par_iter().any(is_long)
}

/// The components on a device. The kernel documents the contents of the buffers.
struct OnDevice {
    rows: Buffer<[u32; 2]>,
    choices: Buffer<u32>,
    earned: Buffer<[u32; 2]>,
    branches: Buffer<[u32; 2]>,
    probabilities: Buffer<[u32; 2]>,
    values: [Buffer<[u32; 2]>; 2],
    changes: [Buffer<[u32; 2]>; 2],
    far: Buffer<u32>,
}

impl OnDevice {
    /// Uploads all components, with values of 0.
    fn new(gpu: &Gpu, inner: &Inner, fixed: &Fixed) -> Result<Self, Error> {
        let (states, components) = (inner.num_states() as u64, inner.num_components() as u64);
        let words = |numbers: &[u64]| -> Vec<[u32; 2]> {
            let split = |&number: &u64| [number as u32, (number >> 32) as u32];
            numbers.par_iter().map(split).collect()
        };
        Ok(Self {
            rows: gpu.upload("rows", &rows(inner))?,
            choices: gpu.upload("choices", inner.choice_starts())?,
            earned: gpu.upload("rewards", &words(&fixed.earned))?,
            branches: gpu.upload("branches", &fixed.branches)?,
            probabilities: gpu.upload("probabilities", &words(&fixed.probabilities))?,
            values: [gpu.zeroed("values", states)?, gpu.zeroed("values", states)?],
            changes: [
                gpu.zeroed("changes", components)?,
                gpu.zeroed("changes", components)?,
            ],
            far: gpu.zeroed("far", components)?,
        })
    }

    /// Iterates until all components are done, or until the maximum number of iterations.
    fn run(
        &self,
        gpu: &Gpu,
        inner: &Inner,
        tolerance: u64,
        context: &Context<'_>,
    ) -> Result<(), Error> {
        let most = context.max_iterations.min(u64::from(u32::MAX) / 2) as u32;
        let mut recording = Recording::new();
        let how = Repeat::over("gains", inner.num_states() as u64).pipelined();
        recording.repeat(how, |body| {
            for (from, to) in [(0, 1), (1, 0)] {
                body.dispatch(&Iterate {
                    rows: &self.rows,
                    choices: &self.choices,
                    earned: &self.earned,
                    branches: &self.branches,
                    probabilities: &self.probabilities,
                    from_values: &self.values[from],
                    to_values: &self.values[to],
                    from_changes: &self.changes[from],
                    to_changes: &self.changes[to],
                    far: &self.far,
                    params: GainParams {
                        states: inner.num_states() as u32,
                        half: from as u32 + 1,
                        most_iterations: most,
                        padding: 0,
                        tolerance_low: tolerance as u32,
                        tolerance_high: (tolerance >> 32) as u32,
                        limit_low: LIMIT as u32,
                        limit_high: (LIMIT >> 32) as u32,
                    },
                });
            }
        });
        gpu.run_with(
            &recording,
            &mut RunOptions {
                observer: Some(&mut |_| match context.check() {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }),
                time_passes: false,
            },
        )?;
        Ok(())
    }

    /// Reads the values of all components.
    fn read(&self, gpu: &Gpu, inner: &Inner, unit: f64) -> Result<Vec<Begin>, Error> {
        let values = gpu.read(&self.values[0])?;
        let far = gpu.read(&self.far)?;
        let of_component = |component: usize| Begin {
            values: values[inner.component(component)]
                .iter()
                .map(|&[low, high]| (u64::from(high) << 32 | u64::from(low)) as i64 as f64 * unit)
                .collect(),
            iterations: u64::from(far[component]) + 1,
        };
        Ok((0..inner.num_components())
            .into_par_iter()
            .map(of_component)
            .collect())
    }
}

/// Returns the first choice of each state and its component, and the end of the last choices.
fn rows(inner: &Inner) -> Vec<[u32; 2]> {
    let components = (0..inner.num_components()).flat_map(|component| {
        let states = inner.component(component);
        states.map(move |state| (state, component as u32))
    });
    let mut rows: Vec<[u32; 2]> = components
        .map(|(state, component)| [inner.choices(state).start as u32, component])
        .collect();
    rows.push([inner.earned.len() as u32, 0]);
    rows
}
