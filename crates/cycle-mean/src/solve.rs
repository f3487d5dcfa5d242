//! From a problem to its answer: components, bounds, and a search in each component.

use crate::answer::{Answer, Optimum};
use crate::arc::{Arc, Narrow, Wide};
use crate::region::{Copied, Cyclic, Region, Regions, inner};
use crate::{Goal, Problem, Ratio, howard, lawler, yto, zero_time};
use decompose::{Observer, Silent};
use mdp_graph::{BranchId, Components, StateId};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Which algorithm searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// Howard's policy iteration.
    #[default]
    Howard,
    /// Lawler's binary search.
    Lawler,
    /// The parametric shortest paths of Young, Tarjan and Orlin.
    Yto,
}

/// How to solve.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The algorithm.
    pub search: Search,
    /// Who watches, and may stop the search. Of components that are solved it hears how many states
    /// they have.
    pub observer: &'a dyn Observer,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            search: Search::default(),
            observer: &Silent,
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The observer asked to stop.
    #[error("the search was cancelled")]
    Cancelled,
    /// There is no memory.
    #[error(transparent)]
    OutOfMemory(#[from] mdp_graph::OutOfMemory),
    /// The components of the graph could not be found.
    #[error(transparent)]
    Decompose(decompose::Error),
    /// Numbers of a component are too large to compute with exactly.
    #[error(
        "the weights of a component are too large to compute with: {states}² states x {range}{} must \
         be below 2^63",
        .longest.map_or_else(String::new, |longest| format!(" x {longest}"))
    )]
    Bound {
        /// The states of the component.
        states: u64,
        /// The greatest difference of two weights; for ratios, twice the greatest absolute weight.
        range: u128,
        /// The longest time, for ratios.
        longest: Option<u32>,
    },
    /// A cycle takes no time, and so has no ratio.
    #[error("the cycle through {} takes no time, and so has no ratio", listed(.states))]
    ZeroTime {
        /// Its states, in order.
        states: Vec<StateId>,
    },
}

impl From<decompose::Error> for Error {
    fn from(error: decompose::Error) -> Self {
        match error {
            decompose::Error::Cancelled => Self::Cancelled,
            decompose::Error::OutOfMemory(error) => Self::OutOfMemory(error),
            error => Self::Decompose(error),
        }
    }
}

/// States as a list, which is cut off when it is long.
fn listed(states: &[StateId]) -> String {
    const MOST: usize = 10;
    let mut text: Vec<String> = states.iter().take(MOST).map(StateId::to_string).collect();
    if states.len() > MOST {
        text.push(format!("... ({} in all)", states.len()));
    }
    let noun = if states.len() == 1 { "state" } else { "states" };
    format!("{noun} {}", text.join(", "))
}

/// What a search finds in a component.
pub(crate) struct Found {
    /// The weight and the time of the cycle.
    pub(crate) weight: i64,
    pub(crate) time: i64,
    /// Its edges in order, by number.
    pub(crate) arcs: Vec<u32>,
    /// For each state V, such that q weight - p time + V(u) - V(v) >= 0 for each edge u -> v, where
    /// p/q is the value of the cycle in lowest terms.
    pub(crate) potentials: Vec<i64>,
    /// How often the policy, the interval or the tree was improved.
    pub(crate) iterations: u32,
}

/// Asks whether to go on, and counts what is done.
pub(crate) struct Ticker<'a> {
    observer: &'a dyn Observer,
    done: AtomicU64,
    total: u64,
}

impl Ticker<'_> {
    /// Whether to go on.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.observer.is_cancelled() {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }

    /// Counts the states of a component that is solved.
    fn add(&self, states: usize) {
        let before = self.done.fetch_add(states as u64, Ordering::Relaxed);
        self.observer.progress(before + states as u64, self.total);
    }
}

/// Finds the optimal value of the cycles of each strongly connected component.
///
/// # Errors
/// As [`Error`] says.
pub fn solve(problem: &Problem<'_>, options: &Options<'_>) -> Result<Answer, Error> {
    let decomposition = decompose::Options {
        observer: options.observer,
        ..decompose::Options::default()
    };
    let components = decompose::scc(problem.graph, &decomposition)?;
    solve_components(problem, components, options)
}

/// The same for a graph whose strongly connected components are known.
///
/// # Errors
/// As [`solve`].
///
/// # Panics
/// If the components are those of a graph with another number of states.
pub fn solve_components(
    problem: &Problem<'_>,
    components: Components,
    options: &Options<'_>,
) -> Result<Answer, Error> {
    assert_eq!(
        components.num_states(),
        problem.graph.num_states(),
        "components of the graph"
    );
    let cyclic = Cyclic::new(problem, &components)?;
    let found = match cyclic.is_narrow(problem) {
        true => search(problem, &cyclic, &cyclic.arcs::<Narrow>(problem)?, options)?,
        false => search(problem, &cyclic, &cyclic.arcs::<Wide>(problem)?, options)?,
    };
    let mut potentials = vec![0; components.num_states()];
    let mut optima = Vec::with_capacity(found.len());
    for (extent, (found, cycle)) in cyclic.components.iter().zip(found) {
        for (&state, potential) in cyclic.states(extent.id).iter().zip(&found.potentials) {
            potentials[state.index()] = *potential;
        }
        let length = cycle.len() as i128;
        let weight = i128::from(found.weight) + extent.shift(problem) * length;
        let value = Ratio::new(weight, found.time as u64);
        optima.push(Optimum {
            component: extent.id,
            value: match problem.goal {
                Goal::Min => value,
                Goal::Max => value.negated(),
            },
            cycle,
            iterations: found.iterations,
        });
    }
    Ok(Answer {
        goal: problem.goal,
        components,
        optima,
        potentials,
    })
}

/// Solves all components. Returns the cycles as branches of the graph, too.
fn search<A: Copied>(
    problem: &Problem<'_>,
    cyclic: &Cyclic<'_>,
    regions: &Regions<A>,
    options: &Options<'_>,
) -> Result<Vec<(Found, Vec<BranchId>)>, Error> {
    let ticker = Ticker {
        observer: options.observer,
        done: AtomicU64::new(0),
        total: cyclic.components.iter().map(|c| c.states as u64).sum(),
    };
    let one = |component: usize| {
        ticker.check()?;
        let region = regions.region(component);
        let states = cyclic.states(cyclic.components[component].id);
        if problem.times.is_some()
            && let Some(cycle) = zero_time::cycle(&region)
        {
            let states = cycle.into_iter().map(|place| states[place]).collect();
            return Err(Error::ZeroTime { states });
        }
        let found = match options.search {
            Search::Howard => howard::solve(&region, &ticker),
            Search::Lawler => lawler::solve(&region, &ticker),
            Search::Yto => yto::solve(&region, &ticker),
        }?;
        ticker.add(region.len());
        let cycle = branches(problem, cyclic, component, &region, &found.arcs);
        Ok((found, cycle))
    };
    let all: Vec<Result<_, Error>> = (0..cyclic.components.len())
        .into_par_iter()
        .map(one)
        .collect();
    // The first error, whichever was found first.
    all.into_iter().collect()
}

/// The branches of a cycle, from its least state.
fn branches<A: Arc>(
    problem: &Problem<'_>,
    cyclic: &Cyclic<'_>,
    component: usize,
    region: &Region<'_, A>,
    arcs: &[u32],
) -> Vec<BranchId> {
    let extent = &cyclic.components[component];
    let target = |arc: u32| region.arc(arc as usize).target();
    // Each edge leaves the target of the one before.
    let before = arcs.iter().cycle().skip(arcs.len() - 1);
    let mut cycle: Vec<(StateId, BranchId)> = arcs
        .iter()
        .zip(before)
        .map(|(&arc, &before)| {
            let place = target(before);
            let state = cyclic.states(extent.id)[place];
            let nth = arc as usize - region.row(place).start;
            let mut branches = inner(problem, cyclic.all(), extent.id, state);
            (
                state,
                BranchId::from_index(branches.nth(nth).unwrap_or_default()),
            )
        })
        .collect();
    let least = (0..cycle.len())
        .min_by_key(|&i| cycle[i].0)
        .unwrap_or_default();
    cycle.rotate_left(least);
    cycle.into_iter().map(|(_, branch)| branch).collect()
}
