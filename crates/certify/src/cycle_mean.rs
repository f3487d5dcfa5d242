//! Optimal cycle means and ratios. They are checked by a cycle that attains each value, and by
//! potentials which prove that no cycle has a better value.
//!
//! A [`Certificate`](crate::Certificate) shows that the components are the strongly connected ones.
//! Then each cycle lies in one component. Let p/q be the value of a component, and let each edge u
//! -> v inside it have q weight - p time + V(u) - V(v) >= 0. Along a cycle the potentials V cancel,
//! so q times its weight is at least p times its time. Therefore no cycle whose time is above 0 has
//! a value below p/q. If greatest values are claimed, the weights and p are negated.

use mdp_graph::{BranchId, ComponentId, Components, MdpGraph, Objective, StateId};
use rayon::prelude::*;

/// The claimed optimum of a component.
#[derive(Clone, Copy, Debug)]
pub struct ClaimedOptimum<'a> {
    /// The component.
    pub component: ComponentId,
    /// The numerator p of the value.
    pub numerator: i128,
    /// The denominator q of the value.
    pub denominator: u64,
    /// The branches of a cycle that has this value, in order.
    pub cycle: &'a [BranchId],
}

/// The claimed optima of all components of a weighted graph, and the potentials that prove them.
#[derive(Clone, Copy, Debug)]
pub struct ClaimedMeans<'a> {
    /// The weight of each branch.
    pub weights: &'a [i64],
    /// The time of each branch. If not set, each branch takes time 1.
    pub times: Option<&'a [u32]>,
    /// Whether the least or the greatest values are claimed.
    pub objective: Objective,
    /// The strongly connected components.
    pub components: &'a Components,
    /// The optimum of each component that has an edge inside it, in any order.
    pub optima: &'a [ClaimedOptimum<'a>],
    /// The potential of each state.
    pub potentials: &'a [i64],
}

/// An obligation that claimed optima do not meet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeanViolation {
    /// An array has the wrong length.
    #[error("the array of {array} has length {found}, but {wanted} are needed")]
    WrongLength {
        /// The contents of the array.
        array: &'static str,
        /// Its length.
        found: usize,
        /// The length that it must have.
        wanted: usize,
    },
    /// A component has two claimed optima.
    #[error("W1: the component of state {component} has two claimed optima")]
    TwoOptima {
        /// The smallest state of the component.
        component: StateId,
    },
    /// A component with an edge inside it has no claimed optimum.
    #[error("W1: the component of state {component} has an edge inside it, but no claimed optimum")]
    NoOptimum {
        /// The smallest state of the component.
        component: StateId,
    },
    /// The claimed cycle is not a cycle, or it leaves the component.
    #[error("W2: the optimal cycle of the component of state {component} is no cycle inside it")]
    NotACycle {
        /// The smallest state of the component.
        component: StateId,
    },
    /// The cycle does not have the claimed value, or takes no time.
    #[error(
        "W3: the optimal cycle of the component of state {component} has weight {weight} and time \
         {time}, which is not {numerator}/{denominator}"
    )]
    OtherValue {
        /// The smallest state of the component.
        component: StateId,
        /// The total weight of the cycle.
        weight: i128,
        /// The total time of the cycle.
        time: u128,
        /// The numerator of the claimed value.
        numerator: i128,
        /// The denominator of the claimed value.
        denominator: u64,
    },
    /// An edge lies below the value, given the potentials.
    #[error(
        "W4: the potentials do not prove the optimal value of the component of state {component}: \
         the edge from state {state} to state {target} lies below it"
    )]
    Below {
        /// The smallest state of the component.
        component: StateId,
        /// The source of the edge.
        state: StateId,
        /// Its target.
        target: StateId,
    },
}

impl MeanViolation {
    /// Returns the name of the obligation in [`check_cycle_means`], or `"form"` if the claim does
    /// not have the form that the obligations assume.
    #[must_use]
    pub fn obligation(&self) -> &'static str {
        match self {
            Self::WrongLength { .. } => "form",
            Self::TwoOptima { .. } | Self::NoOptimum { .. } => "W1",
            Self::NotACycle { .. } => "W2",
            Self::OtherValue { .. } => "W3",
            Self::Below { .. } => "W4",
        }
    }
}

/// Checks that each component has the claimed optimum, if `components` are the strongly connected
/// components of `graph`:
///
/// - W1: each component with an edge inside it has a claim, and no component has two;
/// - W2: the claimed cycle is a cycle inside the component;
/// - W3: the cycle takes time, and has the claimed value;
/// - W4: no edge inside the component lies below the value, given the potentials.
///
/// Takes one pass over the branches, on all threads of the current rayon pool. Shares no code with
/// any search.
///
/// # Errors
/// The violated obligation. If there are several, the choice does not depend on the number of
/// threads.
pub fn check_cycle_means(graph: &MdpGraph, claim: &ClaimedMeans<'_>) -> Result<(), MeanViolation> {
    check_lengths(graph, claim)?;
    // The numerator and the denominator of the claimed value of each component.
    let mut values = vec![None; claim.components.len()];
    for optimum in claim.optima {
        let value = values.get_mut(optimum.component.index());
        let value = value.ok_or(MeanViolation::WrongLength {
            array: "optima",
            found: optimum.component.index(),
            wanted: claim.components.len(),
        })?;
        if value.is_some() {
            return Err(MeanViolation::TwoOptima {
                component: claim.components.smallest(optimum.component),
            });
        }
        *value = Some((optimum.numerator, optimum.denominator));
    }
    let wrong = claim
        .optima
        .par_iter()
        .map(|optimum| check_cycle(graph, claim, optimum));
    if let Some(Err(violation)) = wrong.find_first(Result::is_err) {
        return Err(violation);
    }
    let states = (0..graph.num_states())
        .into_par_iter()
        .with_min_len(1 << 12);
    let violation = states.find_map_first(|state| {
        check_edges(graph, claim, &values, StateId::from_index(state)).err()
    });
    violation.map_or(Ok(()), Err)
}

fn check_lengths(graph: &MdpGraph, claim: &ClaimedMeans<'_>) -> Result<(), MeanViolation> {
    let (states, branches) = (graph.num_states(), graph.num_branches());
    let times = claim.times.map_or(branches, <[u32]>::len);
    for (array, found, wanted) in [
        ("weights", claim.weights.len(), branches),
        ("times", times, branches),
        ("components", claim.components.num_states(), states),
        ("potentials", claim.potentials.len(), states),
    ] {
        if found != wanted {
            return Err(MeanViolation::WrongLength {
                array,
                found,
                wanted,
            });
        }
    }
    Ok(())
}

/// Checks W2 and W3.
fn check_cycle(
    graph: &MdpGraph,
    claim: &ClaimedMeans<'_>,
    optimum: &ClaimedOptimum<'_>,
) -> Result<(), MeanViolation> {
    let component = claim.components.smallest(optimum.component);
    let (mut weight, mut time) = (0i128, 0u128);
    let next = optimum.cycle.iter().cycle().skip(1);
    for (branch, next) in optimum.cycle.iter().zip(next) {
        let target = graph.all_targets().get(branch.index());
        let goes_on = target.is_some_and(|&target| {
            claim.components.component(target) == Some(optimum.component)
                && graph.branch_range(target).contains(&next.index())
        });
        if !goes_on {
            return Err(MeanViolation::NotACycle { component });
        }
        weight += i128::from(claim.weights[branch.index()]);
        time += u128::from(claim.times.map_or(1, |times| times[branch.index()]));
    }
    let (p, q) = (optimum.numerator, optimum.denominator);
    // Checks q weight = p time. If a product does not fit, the two are not equal.
    let left = weight.checked_mul(i128::from(q));
    let right = i128::try_from(time)
        .ok()
        .and_then(|time| p.checked_mul(time));
    match !optimum.cycle.is_empty() && time > 0 && q > 0 && left.is_some() && left == right {
        true => Ok(()),
        false => Err(MeanViolation::OtherValue {
            component,
            weight,
            time,
            numerator: p,
            denominator: q,
        }),
    }
}

/// Checks W4, and the rest of W1, for the edges of a state.
fn check_edges(
    graph: &MdpGraph,
    claim: &ClaimedMeans<'_>,
    values: &[Option<(i128, u64)>],
    state: StateId,
) -> Result<(), MeanViolation> {
    let Some(own) = claim.components.component(state) else {
        return Err(MeanViolation::WrongLength {
            array: "components",
            found: state.index(),
            wanted: graph.num_states(),
        });
    };
    let component = || claim.components.smallest(own);
    for branch in graph.branch_range(state) {
        let target = graph.all_targets()[branch];
        if claim.components.component(target) != Some(own) {
            continue;
        }
        let Some((p, q)) = values[own.index()] else {
            return Err(MeanViolation::NoOptimum {
                component: component(),
            });
        };
        if slack(claim, (p, q), branch, [state, target]).is_none_or(|slack| slack < 0) {
            return Err(MeanViolation::Below {
                component: component(),
                state,
                target,
            });
        }
    }
    Ok(())
}

/// Returns the amount by which the edge of a branch, between `ends`, lies above the value p/q,
/// given the potentials, or `None` if this does not fit.
fn slack(
    claim: &ClaimedMeans<'_>,
    (p, q): (i128, u64),
    branch: usize,
    ends: [StateId; 2],
) -> Option<i128> {
    let weight = i128::from(claim.weights[branch]);
    let time = i128::from(claim.times.map_or(1, |times| times[branch]));
    let cost = weight
        .checked_mul(i128::from(q))?
        .checked_sub(p.checked_mul(time)?)?;
    let cost = match claim.objective {
        Objective::Min => cost,
        Objective::Max => cost.checked_neg()?,
    };
    let [source, target] = ends.map(|state| i128::from(claim.potentials[state.index()]));
    cost.checked_add(source - target)
}
