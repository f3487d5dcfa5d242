//! The gains of maximal end components in which no choice branches.
//!
//! In such a component, each retained choice leads to one state with certainty. A strategy follows
//! a path, whose average is at best that of a cycle, and it may go round the best cycle forever. So
//! the gain is the greatest cycle mean, which the crate `cycle-mean` finds exactly, in integers.
//!
//! Bounds need integers for rewards that are doubles. A *unit* is chosen for each component, and
//! each reward becomes the nearest multiple of it. The mean of a cycle differs from that of its
//! multiples by no more than a reward differs from its multiple. This difference is 0 if all
//! rewards are multiples of a power of two that is not too small, such as integers are. For
//! decimals it is that between a decimal and its double.

use crate::bounds::Bounds;
use crate::context::Context;
use crate::error::Error;
use crate::gain;
use crate::precision::Precision;
use crate::problem::Problem;
use cycle_mean::Objective;
use decompose::Observer;
use mdp_graph::{ChoiceId, ComponentId, Components, MdpGraph, Members, StateId, check_room};
use num_bigint::BigInt;
use num_rational::BigRational;
use rayon::prelude::*;

/// The square of the number of states times the range of the weights is below this, and so are all
/// weights, so that `cycle-mean` can compute with them.
const LIMIT: u64 = 1 << 62;

/// The maximum number of digits of decimals that become integers.
const MOST_DIGITS: i32 = 9;

/// Rewards count as decimals if they differ from them by no more than this part of the
/// greatest reward.
const NEAR: f64 = 4.0 * f64::EPSILON;

/// The greatest cycle mean of a component.
pub(crate) struct Mean<U> {
    /// The mean of the weights.
    pub(crate) weight: BigRational,
    /// The data that came with the weights.
    pub(crate) unit: U,
    /// The number of policies or other steps that found it.
    pub(crate) iterations: u64,
}

/// The unit of weights, and bounds on the rewards minus the multiples of it.
struct Unit {
    size: BigRational,
    difference: Bounds,
}

/// Computes the gain of each component in which no choice branches. The others get `None`, and so
/// do components of one state, whose gain is found at once, and those whose rewards do not fit
/// integers so well that the bounds are as close as `precision` says.
pub(crate) fn gains(
    problem: &Problem<'_>,
    mecs: &Components,
    precision: Precision,
    context: &Context<'_>,
) -> Result<Vec<Option<gain::Found>>, Error> {
    let weigh = |states: usize, choices: &[(StateId, ChoiceId)]| {
        let earned: Vec<Bounds> = choices
            .iter()
            .map(|&(state, choice)| problem.earned(state, choice))
            .collect();
        let (weights, unit) = integers(states, &earned)?;
        // The doubles around a fraction take some of the distance, too. A relative distance is not
        // known yet.
        let enough = precision.is_relative()
            || unit.difference.width() <= precision.half().distance(unit.difference);
        enough.then_some((weights, unit))
    };
    let found = means(problem.graph, mecs, &weigh, context)?;
    let gain = |mean: Mean<Unit>| {
        let nearest = Bounds::enclosing(&(mean.weight * mean.unit.size));
        let gain = nearest.plus(mean.unit.difference);
        precision.allows(gain).then_some(gain::Found {
            gain,
            iterations: mean.iterations,
            is_exact: false,
        })
    };
    Ok(found.into_iter().map(|mean| mean.and_then(gain)).collect())
}

/// A component in which no choice branches.
struct Part<U> {
    component: usize,
    /// The number of choices of each state.
    lengths: Vec<u32>,
    targets: Vec<StateId>,
    weights: Vec<i64>,
    unit: U,
}

/// Computes the greatest cycle mean of each component of several states in which no choice
/// branches, and for which `weigh` returns weights. It is called with the number of states and the
/// retained choices.
pub(crate) fn means<U: Send>(
    graph: &MdpGraph,
    mecs: &Components,
    weigh: &(impl Fn(usize, &[(StateId, ChoiceId)]) -> Option<(Vec<i64>, U)> + Sync),
    context: &Context<'_>,
) -> Result<Vec<Option<Mean<U>>>, Error> {
    // For each component its mean, what follows from it, and its number.
    let each = size_of::<Option<Mean<U>>>() + size_of::<Option<gain::Found>>() + 4;
    check_room("the cycles of components", &[each * mecs.len()])?;
    let mut means: Vec<Option<Mean<U>>> = mecs.ids().map(|_| None).collect();
    let ids: Vec<ComponentId> = mecs.ids().filter(|&id| mecs.size(id) > 1).collect();
    if ids.is_empty() {
        return Ok(means);
    }
    let members = mecs.members();
    let parts = ids.into_par_iter();
    let parts: Vec<Part<U>> = parts
        .filter_map(|id| part(graph, mecs, &members, id, weigh))
        .collect();
    if parts.is_empty() {
        return Ok(means);
    }
    let (all, weights) = joined(graph.num_states(), &parts, &members)?;
    let options = cycle_mean::Options {
        observer: &Quietly(context.observer),
        ..cycle_mean::Options::default()
    };
    let of = cycle_mean::Problem::mean(&all, &weights, Objective::Max);
    let answer = match cycle_mean::solve(&of, &options) {
        Ok(answer) => answer,
        Err(cycle_mean::Error::Cancelled) => return Err(Error::Cancelled),
        // Value iteration needs less memory, and no bound on weights.
        Err(_) => return Ok(means),
    };
    // The states of each part are one component, and have ascending numbers.
    let mut optima: Vec<_> = answer.optima().iter().collect();
    optima.sort_unstable_by_key(|optimum| answer.components().smallest(optimum.component));
    for (part, optimum) in parts.into_iter().zip(optima) {
        let value = optimum.value;
        let (numerator, denominator) = (value.numerator(), value.denominator());
        means[part.component] = Some(Mean {
            weight: BigRational::new(numerator.into(), denominator.into()),
            unit: part.unit,
            iterations: optimum.iterations.into(),
        });
    }
    Ok(means)
}

/// Returns a component with its weights, unless a choice branches or there are no weights.
fn part<U>(
    graph: &MdpGraph,
    mecs: &Components,
    members: &Members,
    id: ComponentId,
    weigh: &impl Fn(usize, &[(StateId, ChoiceId)]) -> Option<(Vec<i64>, U)>,
) -> Option<Part<U>> {
    let states = members.states(id);
    let (mut lengths, mut retained) = (Vec::new(), Vec::new());
    let mut targets = Vec::new();
    for &state in states {
        let before = retained.len();
        for choice in mecs.retained_choices(graph, state) {
            let (&target, others) = graph.targets(choice).split_first()?;
            if others.iter().any(|&other| other != target) {
                return None;
            }
            targets.push(target);
            retained.push((state, choice));
        }
        lengths.push((retained.len() - before) as u32);
    }
    let (weights, unit) = weigh(states.len(), &retained)?;
    Some(Part {
        component: id.index(),
        lengths,
        targets,
        weights,
        unit,
    })
}

/// Returns the graph of all parts, and its weights.
fn joined<U>(
    states: usize,
    parts: &[Part<U>],
    members: &Members,
) -> Result<(MdpGraph, Vec<i64>), Error> {
    let mut places = vec![StateId(0); states];
    let mut next = 0;
    for part in parts {
        for state in members.states(ComponentId::from_index(part.component)) {
            places[state.index()] = StateId(next);
            next += 1;
        }
    }
    let mut end = 0;
    let lengths = parts.iter().flat_map(|part| &part.lengths);
    let ends = lengths.map(|&length| {
        end += length;
        end
    });
    let starts: Vec<u32> = [0].into_iter().chain(ends).collect();
    let targets = parts.iter().flat_map(|part| &part.targets);
    let targets: Vec<StateId> = targets.map(|target| places[target.index()]).collect();
    let weights = parts.iter().flat_map(|part| &part.weights).copied();
    let choices = (0..=targets.len() as u32).collect();
    Ok((
        MdpGraph::from_parts(starts, choices, targets)?,
        weights.collect(),
    ))
}

/// Returns whether `cycle-mean` can compute with weights in a component of this many states.
pub(crate) fn fits(states: usize, weights: &[i64]) -> bool {
    let (least, greatest) = weights.iter().fold((0, 0), |(least, greatest), &weight| {
        (weight.min(least), weight.max(greatest))
    });
    let range = (i128::from(greatest) - i128::from(least)) as u128;
    let square = (states as u128).pow(2);
    square
        .checked_mul(range)
        .is_some_and(|all| all < LIMIT.into())
}

/// Returns rewards as integers, and their unit.
fn integers(states: usize, earned: &[Bounds]) -> Option<(Vec<i64>, Unit)> {
    let greatest = earned.iter().fold(0.0f64, |most, of| {
        most.max(of.lower.abs()).max(of.upper.abs())
    });
    // The range of the weights is at most twice the greatest.
    let room = LIMIT as f64 / 4.0 / (states as f64).powi(2);
    let exponent = if greatest > 0.0 {
        (room / greatest).log2().floor()
    } else {
        0.0
    };
    if !(-900.0..=900.0).contains(&exponent) {
        return None;
    }
    // Powers of two are exact.
    let (many, size) = (exponent.exp2(), (-exponent).exp2());
    let of = |weight| Bounds::exactly(weight * size);
    let (mut weights, difference) = multiples(earned, many, of);
    // Small weights are searched faster.
    let digits = weights.iter().fold(0, |all, weight| all | weight);
    let zeros = digits.trailing_zeros() % i64::BITS;
    weights.iter_mut().for_each(|weight| *weight >>= zeros);
    let size = BigRational::from_float(size)? * BigInt::from(1u64 << zeros);
    let mut best = (weights, Unit { size, difference });
    for digits in 0..=MOST_DIGITS {
        let many = 10f64.powi(digits);
        if best.1.difference.width() == 0.0 || many * greatest > room {
            break;
        }
        let of = |weight| Bounds::exactly(weight).divided_by(Bounds::exactly(many));
        let (weights, difference) = multiples(earned, many, of);
        if difference.width() <= NEAR * greatest {
            let size = BigRational::new(1.into(), BigInt::from(10).pow(digits as u32));
            best = (weights, Unit { size, difference });
            break;
        }
    }
    fits(states, &best.0).then_some(best)
}

/// Returns the nearest multiples of a unit, of which `many` make 1, and bounds on the differences.
/// `of` is the size of a multiple.
fn multiples(earned: &[Bounds], many: f64, of: impl Fn(f64) -> Bounds) -> (Vec<i64>, Bounds) {
    let weights: Vec<f64> = earned
        .iter()
        .map(|earned| (earned.middle() * many).round())
        .collect();
    let each = earned.iter().zip(&weights);
    let differences: Vec<Bounds> = each
        .map(|(earned, &weight)| earned.minus(of(weight)))
        .collect();
    let difference = Bounds::spanning(&differences).unwrap_or_default();
    let weights = weights.into_iter().map(|weight| weight as i64);
    (weights.collect(), difference)
}

/// Passes on only whether the search is cancelled. Progress is counted for all components together.
pub(crate) struct Quietly<'a>(pub(crate) &'a dyn Observer);

impl Observer for Quietly<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
