//! The values of states with a relative precision.
//!
//! The search for values takes an absolute distance of bounds. The first one fits values as great
//! as the greatest gain. If a value turns out to be closer to 0, the distance becomes smaller until
//! it fits that value, too. A value may be much closer to 0 than the gains from which it is
//! computed, so that they have to be closer as well. No distance is close enough for a value of 0;
//! `zeros.rs` finds such values if it can.

use crate::bounds::Bounds;
use crate::context::Context;
use crate::error::Error;
use crate::gain::{MecGain, gain};
use crate::inner::Inner;
use crate::mec::Mec;
use crate::precision::{Precision, Wanted};
use crate::problem::Problem;
use crate::quotient::{self, Found};
use crate::zeros;
use mdp_graph::{ComponentId, Components};
use rayon::prelude::*;

/// If nothing is known of a value but that it is near 0, the distance is multiplied by this.
const CLOSER: f64 = 1.0 / 1024.0;

/// Computes bounds on the value of each state. Those of the wanted states are as close as wanted.
/// May narrow the bounds on gains.
pub(crate) fn values(
    problem: &Problem<'_>,
    mecs: &Components,
    gains: &mut [MecGain],
    wanted: Wanted<'_>,
    context: &Context<'_>,
) -> Result<Found, Error> {
    let precision = wanted.precision;
    let bounds: Vec<Bounds> = gains.iter().map(|gain| gain.gain).collect();
    let all = Bounds::spanning(&bounds).unwrap_or_default();
    let greatest = all.upper.abs().max(all.lower.abs());
    let mut epsilon = precision.distance(Bounds::exactly(greatest));
    let mut found = quotient::values(problem, mecs, &bounds, epsilon, context)?;
    for (value, is_zero) in found
        .values
        .iter_mut()
        .zip(zeros::known_values(problem, mecs, &bounds)?)
    {
        if is_zero {
            *value = Bounds::exactly(0.0);
        }
    }
    loop {
        let far = wanted
            .states
            .iter()
            .map(|&state| found.values[state.index()]);
        let far: Vec<Bounds> = far.filter(|&value| !precision.allows(value)).collect();
        // If a distance was not reached, a smaller one is not, either.
        if far.is_empty() || far.iter().any(|value| value.width() > epsilon) {
            quotient::check(&found, wanted, context)?;
            return Ok(found);
        }
        let needed = |&value: &Bounds| precision.distance(value).max(epsilon * CLOSER);
        epsilon = far.iter().map(needed).fold(epsilon / 2.0, f64::min);
        narrow_gains(
            problem,
            mecs,
            gains,
            precision.and_absolute(epsilon).half(),
            context,
        )?;
        let bounds: Vec<Bounds> = gains.iter().map(|gain| gain.gain).collect();
        let closer = quotient::values(problem, mecs, &bounds, epsilon, context)?;
        found.narrow(closer);
    }
}

/// Computes the gains again whose bounds are not close enough. Gains of which no closer bounds are
/// found stay as they are.
fn narrow_gains(
    problem: &Problem<'_>,
    mecs: &Components,
    gains: &mut [MecGain],
    precision: Precision,
    context: &Context<'_>,
) -> Result<(), Error> {
    let is_far = |id: ComponentId| !precision.allows(gains[id.index()].gain);
    let inner = Inner::new(problem, mecs, is_far)?;
    let far = gains.par_iter_mut().filter(|of| !precision.allows(of.gain));
    far.try_for_each(|of| {
        let id = of.component;
        let mec = Mec::new(&inner, id.index(), mecs.smallest(id));
        match gain(&mec, None, precision, context) {
            Ok(found) => {
                of.gain = of.gain.meet(found.gain);
                of.iterations += found.iterations;
                of.is_exact |= found.is_exact;
                Ok(())
            }
            Err(Error::NotReached { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    })
}
