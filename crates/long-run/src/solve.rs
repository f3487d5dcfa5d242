//! From a problem to its answer: components, their gains, and the values of states.

use crate::bounds::Bounds;
use crate::context::Context;
use crate::cycles::{self, Quietly};
use crate::error::Error;
use crate::gain::{Begin, Found, MecGain, gain};
use crate::inner::Inner;
use crate::mec::Mec;
use crate::precision::{Precision, Wanted};
use crate::problem::Problem;
use crate::{OpenDevice, Options};
use crate::{quotient, relative, zeros};
use mdp_graph::{ComponentId, Components, OutOfMemory, StateId, check_room};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// The optimal long-run averages of a model.
#[derive(Clone, Debug)]
pub struct Answer {
    mecs: Components,
    gains: Vec<MecGain>,
    values: Vec<Bounds>,
    iterations: u64,
    is_exact: bool,
}

impl Answer {
    /// Returns the maximal end components.
    #[must_use]
    pub fn mecs(&self) -> &Components {
        &self.mecs
    }

    /// Returns the gain of each maximal end component.
    #[must_use]
    pub fn gains(&self) -> &[MecGain] {
        &self.gains
    }

    /// Returns the optimal average of a state. Only the bounds of wanted states are as close as the
    /// options require.
    #[must_use]
    pub fn value(&self, state: StateId) -> Bounds {
        self.values[state.index()]
    }

    /// Returns the number of iterations that computed the values of the states.
    #[must_use]
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Returns whether some gains or values were computed without rounding, because their bounds
    /// were not close enough.
    #[must_use]
    pub fn has_exact_parts(&self) -> bool {
        self.is_exact
    }
}

/// Computes bounds on the optimal long-run average of each maximal end component and of each state.
/// The bounds of the `wanted` states are as close as the options require.
///
/// # Errors
/// Every [`Error`] except [`Error::TooLarge`] and [`Error::Singular`].
pub fn solve(
    problem: &Problem<'_>,
    wanted: &[StateId],
    options: &Options<'_>,
) -> Result<Answer, Error> {
    let decomposition = decompose::Options {
        device: options.device.clone().into(),
        observer: options.observer,
        ..decompose::Options::default()
    };
    let mecs = decompose::mec(problem.graph, &decomposition)?;
    let context = Context {
        observer: options.observer,
        objective: problem.objective,
        max_iterations: options.max_iterations,
    };
    let precision = options.precision();
    let mut gains = gains(problem, &mecs, options, precision.half(), &context)?;
    let wanted = Wanted {
        states: wanted,
        precision,
    };
    let found = match options.is_relative {
        true => relative::values(problem, &mecs, &mut gains, wanted, &context)?,
        false => {
            let bounds: Vec<Bounds> = gains.iter().map(|gain| gain.gain).collect();
            let found = quotient::values(problem, &mecs, &bounds, options.epsilon, &context)?;
            quotient::check(&found, wanted, &context)?;
            found
        }
    };
    let signed = |gain: MecGain| MecGain {
        gain: context.signed(gain.gain),
        ..gain
    };
    Ok(Answer {
        is_exact: found.is_exact || gains.iter().any(|gain| gain.is_exact),
        gains: gains.into_iter().map(signed).collect(),
        iterations: found.iterations,
        values: found
            .values
            .into_iter()
            .map(|value| context.signed(value))
            .collect(),
        mecs,
    })
}

/// Computes the gain of each component, with bounds as close as `precision` says. Small components
/// are solved in parallel.
fn gains(
    problem: &Problem<'_>,
    mecs: &Components,
    options: &Options<'_>,
    precision: Precision,
    context: &Context<'_>,
) -> Result<Vec<MecGain>, Error> {
    let mut known = cycles::gains(problem, mecs, precision, context)?;
    if options.is_relative {
        let decomposition = decompose::Options {
            observer: &Quietly(context.observer),
            ..decompose::Options::default()
        };
        // Iteration may only approach these gains.
        let are_zero = zeros::known_gains(problem, mecs, &decomposition)?;
        for (known, _) in known
            .iter_mut()
            .zip(are_zero)
            .filter(|(_, is_zero)| *is_zero)
        {
            *known = Some(Found {
                gain: Bounds::exactly(0.0),
                iterations: 0,
                is_exact: false,
            });
        }
    }
    let inner = Inner::new(problem, mecs, |id| known[id.index()].is_none())?;
    check_room_for_gains(mecs)?;
    let begins = begins(&inner, mecs, options, precision, context)?;
    let (done, total) = (AtomicU64::new(0), mecs.num_member_states() as u64);
    let ids: Vec<ComponentId> = mecs.ids().collect();
    let all: Vec<Result<MecGain, Error>> = ids
        .into_par_iter()
        .zip(begins)
        .zip(known)
        .map(|((component, begin), known)| {
            let mec = Mec::new(&inner, component.index(), mecs.smallest(component));
            let found = match known {
                Some(known) => known,
                None => gain(&mec, begin, precision, context)?,
            };
            let states = u64::from(mecs.size(component));
            let before = done.fetch_add(states, Ordering::Relaxed);
            context.observer.progress(before + states, total);
            Ok(MecGain {
                component,
                gain: found.gain,
                iterations: found.iterations,
                is_exact: found.is_exact,
            })
        })
        .collect();
    // The error of the first component is returned, whichever was found first.
    all.into_iter().collect()
}

/// Checks whether there is memory for the number of each component, where its iteration begins, how
/// that ends, and its gain.
fn check_room_for_gains(mecs: &Components) -> Result<(), OutOfMemory> {
    let iteration = 4 + size_of::<Option<Begin>>() + size_of::<Result<MecGain, Error>>();
    let gain = size_of::<MecGain>() + size_of::<Bounds>();
    let each = iteration + gain;
    check_room("the averages of components", &[each * mecs.len()])
}

/// Returns where the iteration of each component begins: what a GPU has computed, or nothing.
#[cfg_attr(not(feature = "gpu"), expect(unused_variables))]
fn begins(
    inner: &Inner,
    mecs: &Components,
    options: &Options<'_>,
    precision: Precision,
    context: &Context<'_>,
) -> Result<Vec<Option<Begin>>, Error> {
    let begins: Option<Vec<Begin>> = match &options.device {
        OpenDevice::Cpu => None,
        #[cfg(feature = "gpu")]
        OpenDevice::Gpu(gpu) => crate::gpu::values(gpu, inner, precision, context)?,
        // A crate asked for the feature `gpu` of `decompose`, but none for that of this crate.
        _ => {
            let package = env!("CARGO_PKG_NAME");
            return Err(decompose::Error::BuiltWithoutGpu { package }.into());
        }
    };
    Ok(match begins {
        Some(begins) => begins.into_iter().map(Some).collect(),
        None => mecs.ids().map(|_| None).collect(),
    })
}
