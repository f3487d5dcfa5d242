//! From a problem to its answer: components, bounds, and a search in each component.

use crate::answer::{Answer, Optimum};
use crate::arc::{Arc, Narrow, Wide};
#[cfg(feature = "gpu")]
use crate::gpu;
use crate::region::{Copied, Cyclic, Region, Regions, inner};
use crate::search::{Solution, Ticker};
use crate::{
    Error, MeanSearch, OpenDevice, Options, Problem, Ratio, Work, howard, lawler, yto, zero_time,
};
use mdp_graph::{BranchId, Components, Objective, StateId};
use rayon::prelude::*;

/// Finds the optimal value of the cycles of each strongly connected component.
///
/// # Errors
/// Every [`Error`].
pub fn solve(problem: &Problem<'_>, options: &Options<'_>) -> Result<Answer, Error> {
    let decomposition = decompose::Options {
        device: options.device.clone().into(),
        observer: options.observer,
        ..decompose::Options::default()
    };
    let components = decompose::scc(problem.graph, &decomposition)?;
    solve_components(problem, components, options)
}

/// Returns the same for a graph whose strongly connected components are known.
///
/// # Errors
/// As [`solve`].
///
/// # Panics
/// Panics if the components are those of a graph with another number of states.
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
    let (found, work) = match cyclic.is_narrow(problem) {
        true => search(problem, &cyclic, &cyclic.arcs::<Narrow>(problem)?, options)?,
        false => search(problem, &cyclic, &cyclic.arcs::<Wide>(problem)?, options)?,
    };
    let mut potentials = Vec::with_capacity(found.len());
    let mut optima = Vec::with_capacity(found.len());
    for (extent, (found, cycle)) in cyclic.components.iter().zip(found) {
        potentials.push(found.potentials);
        let length = cycle.len() as i128;
        let weight = i128::from(found.weight) + extent.shift(problem) * length;
        let value = Ratio::new(weight, found.time as u64);
        optima.push(Optimum {
            component: extent.id,
            value: match problem.objective {
                Objective::Min => value,
                Objective::Max => value.negated(),
            },
            cycle,
            iterations: found.iterations,
        });
    }
    let potentials = cyclic.by_state(potentials);
    Ok(Answer {
        objective: problem.objective,
        components,
        optima,
        potentials,
        work,
    })
}

/// An edge that any device can search.
#[cfg(feature = "gpu")]
trait Edge: Copied + gpu::Upload {}
#[cfg(feature = "gpu")]
impl<A: Copied + gpu::Upload> Edge for A {}
#[cfg(not(feature = "gpu"))]
trait Edge: Copied {}
#[cfg(not(feature = "gpu"))]
impl<A: Copied> Edge for A {}

/// The solution of each component, and its cycle as branches of the graph.
type Solved = Vec<(Solution, Vec<BranchId>)>;

/// Solves all components.
fn search<A: Edge>(
    problem: &Problem<'_>,
    cyclic: &Cyclic<'_>,
    regions: &Regions<A>,
    options: &Options<'_>,
) -> Result<(Solved, Option<Work>), Error> {
    let states = cyclic.components.iter().map(|c| c.states as u64).sum();
    let ticker = Ticker::new(options.observer, states);
    if problem.times.is_some() {
        refuse_timeless(cyclic, regions)?;
    }
    let (found, work) = match &options.device {
        OpenDevice::Cpu => (on_cpu(regions, options.search, &ticker)?, None),
        #[cfg(feature = "gpu")]
        OpenDevice::Gpu(gpu) => {
            let (found, work) = gpu::solve(gpu, regions, options, &ticker)?;
            (found, Some(work))
        }
        // A crate asked for the feature `gpu` of `decompose`, but none for that of this crate.
        _ => {
            let package = env!("CARGO_PKG_NAME");
            return Err(decompose::Error::BuiltWithoutGpu { package }.into());
        }
    };
    let with_cycle = |(component, found): (usize, Solution)| {
        let region = regions.region(component);
        let cycle = branches(problem, cyclic, component, &region, &found.arcs);
        (found, cycle)
    };
    let each = found.into_par_iter().enumerate();
    Ok((each.map(with_cycle).collect(), work))
}

/// Returns an error if there is a cycle that takes no time.
fn refuse_timeless<A: Arc>(cyclic: &Cyclic<'_>, regions: &Regions<A>) -> Result<(), Error> {
    let timeless = |component: usize| {
        let id = cyclic.components[component].id;
        let cycle = zero_time::cycle(&regions.region(component))?;
        let states = cycle.into_iter().map(|place| cyclic.state(id, place));
        Some(states.collect())
    };
    match (0..regions.len()).into_par_iter().find_map_first(timeless) {
        Some(states) => Err(Error::ZeroTime { states }),
        None => Ok(()),
    }
}

/// Solves each component separately, and small components in parallel.
fn on_cpu<A: Arc>(
    regions: &Regions<A>,
    search: MeanSearch,
    ticker: &Ticker<'_>,
) -> Result<Vec<Solution>, Error> {
    let one = |component: usize| {
        ticker.check()?;
        let region = regions.region(component);
        let found = match search {
            MeanSearch::Howard => howard::solve(&region, ticker),
            MeanSearch::Lawler => lawler::solve(&region, ticker),
            MeanSearch::Yto => yto::solve(&region, ticker),
            MeanSearch::Paper => Err(Error::Unsupported {
                search,
                device: "the CPU",
            }),
        }?;
        ticker.add(region.len());
        Ok(found)
    };
    let all: Vec<Result<_, Error>> = (0..regions.len()).into_par_iter().map(one).collect();
    // The error of the first component is returned, whichever was found first.
    all.into_iter().collect()
}

/// Returns the branches of a cycle, beginning at its smallest state.
fn branches<A: Arc>(
    problem: &Problem<'_>,
    cyclic: &Cyclic<'_>,
    component: usize,
    region: &Region<'_, A>,
    arcs: &[u32],
) -> Vec<BranchId> {
    let extent = &cyclic.components[component];
    let target = |arc: u32| region.arc(arc as usize).target();
    // The source of each edge is the target of the one before.
    let before = arcs.iter().cycle().skip(arcs.len() - 1);
    let mut cycle: Vec<(StateId, BranchId)> = arcs
        .iter()
        .zip(before)
        .map(|(&arc, &before)| {
            let place = target(before);
            let state = cyclic.state(extent.id, place);
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
