//! The decompositions on the CPU.
//!
//! `--search auto` decides which searches to try by the size of a graph, a sample of its edges and
//! the number of threads ([`strategy`]). For SCCs these are, in this order:
//!
//! 1. [`numbering`]: the numbers of the states may show that the graph is one component.
//! 2. [`functional`]: walks along the edges, if there are at most two edges for each state, and
//!    edges lead far. They find the components if no state has two successors, or none has two
//!    predecessors.
//! 3. [`numbering`], with many threads: each state is a component by itself if all edges lead to
//!    later states, or all to earlier ones.
//! 4. [`ranges`]: many threads search ranges of states, if edges lead nearby or one way. They give
//!    up if most cycles lead through several ranges.
//! 5. With at most three threads, if sweeps would follow, one thread begins with step 8, and goes
//!    on unless it is slow.
//! 6. [`giant`]: all threads look for a component that is a large part of the graph. They do so by
//!    sweeps if most edges lead far. Many threads find the rest of it by following edges
//!    ([`mod@follow`]), and then other such components ([`giants`]).
//! 7. [`parallel`]: many threads search the rest in rounds of [`cells`], if most edges lead far.
//!    Before that, they trim it: [`decided::trim_sinks`] decides states without successors, and
//!    [`mod@trim_sources`] those without predecessors.
//! 8. [`pearce`]: one thread searches what is left, or the whole graph.
//!
//! With four threads or more, one or two of them begin with step 8 when the others begin with step
//! 2, and the first result counts ([`portfolio`]).
//!
//! For MECs:
//!
//! 1. [`functional`], as for SCCs, if no state has two successors.
//! 2. [`of_sccs`]: if no state has two choices, the MECs follow from the SCCs, which are found as
//!    above. So they do if no choice has two branches, unless sweeps are faster. In other models,
//!    [`numbering`] may show that all states are one MEC.
//! 3. [`ranges`] find the SCCs, as above, and [`regions`] searches these. If most of the graph is
//!    one region, one sweep tries to decide all states ([`decided::decide_all_in_order`]). If it
//!    cannot, step 6 follows.
//! 4. [`giant`] and [`regions`], if ranges were given up. If the giant is most of the graph, or
//!    there is none, step 6 follows.
//! 5. [`decided`]: sweeps decide states, if most edges lead far. Many threads then find the SCCs of
//!    the rest as in step 7 above, and search these as [`regions`].
//! 6. [`shared_region`]: many threads search what is left, or the whole graph, at once, as they
//!    search large regions in steps 3 to 5. They give up if most states seem to be in one
//!    component.
//! 7. [`whole`]: one thread searches what is left then ([`mod@mec`]). After sweeps, [`pearce`]
//!    first closes states on no cycle, and SCCs that are MECs. [`mod@lockstep`] takes over if the
//!    same states are searched too often.
//!
//! `--search tarjan` is [`tarjan`] for SCCs, and [`basic`] for MECs: the papers' baseline, which
//! searches the whole graph in each round.

mod backward;
mod basic;
mod cache_fit;
mod cells;
mod decided;
mod edges;
mod follow;
mod forward;
mod functional;
mod giant;
mod giants;
mod interleave;
mod jumps;
mod kept_choices;
mod lockstep;
mod marks;
mod mec;
mod numbering;
mod of_sccs;
mod parallel;
mod pearce;
mod pivots;
mod portfolio;
mod quotient;
mod ranges;
mod regions;
mod shared_region;
mod steps;
mod strategy;
mod sweep;
mod tarjan;
#[cfg(test)]
mod tests;
mod threads;
mod ticker;
mod trim_sources;
mod whole;

use crate::{ComponentSearch, Error, Observer, Options, Phase};
use decided::Decided;
use edges::{AllEdges, GraphRows};
use giant::{Giant, GiantSearch};
use mdp_graph::{
    ComponentKind, Components, Index, MdpGraph, Partition, SharedBits, StateId, StateRows, Table,
    UncheckedRows,
};
use pivots::PivotChoice;
use strategy::{Facts, LookForGiant, Plan, RangeLimits};
pub(crate) use strategy::{plans_ranges, plans_rounds};
use ticker::Ticker;

pub(crate) fn scc(graph: &MdpGraph, options: &Options<'_>) -> Result<Components, Error> {
    options.observer.phase(Phase::Decompose);
    let mut ticker = Ticker::new(options.observer, graph.num_states());
    match options.search {
        ComponentSearch::Auto => {
            let plan = plan_with_room(Facts::of_graph(graph), ComponentKind::Scc)?;
            let rows = StateRows::new(graph);
            let edges = AllEdges::new(graph, &rows);
            let found = auto_sccs(edges, &plan, &mut ticker)?;
            let has_self_loop = |StateId(state)| edges.of(state).contains(&state);
            Ok(Components::from_scc_marks_and_loops(found, has_self_loop))
        }
        ComponentSearch::Tarjan => {
            check_room_of_tarjan(graph)?;
            let found = tarjan::sccs(graph, &tarjan::Everything, &mut ticker)?;
            Ok(Components::from_scc_marks(graph, found))
        }
        search @ (ComponentSearch::Fbt | ComponentSearch::Bfbt) => Err(unsupported(search)),
    }
}

/// Returns the number of strongly connected components of a graph, and the component of each state.
pub(crate) fn scc_numbers<I: Index>(
    rows: &UncheckedRows<I>,
    observer: &dyn Observer,
) -> Result<(usize, Table<u32>), Error> {
    observer.phase(Phase::Decompose);
    let edges = AllEdges {
        rows: rows.offsets(),
        targets: rows.targets(),
    };
    let plan = plan_with_room(Facts::of(edges), ComponentKind::Scc)?;
    let mut ticker = Ticker::new(observer, edges.num_states());
    // The search by one thread visits each edge once, so it can check the targets itself, without
    // an extra pass.
    if plan.is_one_pass() {
        if numbering::is_one_component(edges, &ticker)? {
            return Ok(Partition::one(edges.num_states()).into_numbers());
        }
        if let Some(found) = pearce::sccs_unless_wrong(edges, plan.facts.sample, &mut ticker)? {
            return Ok(found.into_numbers());
        }
    }
    let rows = rows.check().map_err(Error::InvalidRows)?;
    let edges = AllEdges {
        rows: rows.offsets(),
        targets: StateId::as_numbers(rows.targets()),
    };
    let found = auto_sccs(edges, &plan, &mut ticker)?;
    Ok(found.into_numbers())
}

pub(crate) fn mec(graph: &MdpGraph, options: &Options<'_>) -> Result<Components, Error> {
    options.observer.phase(Phase::Decompose);
    let mut ticker = Ticker::new(options.observer, graph.num_states());
    let marks = match options.search {
        ComponentSearch::Auto => {
            let facts = Facts::of_graph(graph);
            let plan = plan_with_room(facts, kind_to_search(graph, &facts))?;
            auto_mecs(graph, &plan, &mut ticker)?
        }
        ComponentSearch::Tarjan => {
            check_room_of_tarjan(graph)?;
            basic::mecs(graph, &mut ticker)?.into()
        }
        search @ (ComponentSearch::Fbt | ComponentSearch::Bfbt) => return Err(unsupported(search)),
    };
    Ok(Components::from_mec_marks(marks))
}

/// Returns the usual plan, for which there is enough memory. A portfolio, and searches for MECs by
/// all threads at once, are left out if they need more than there is.
fn plan_with_room(facts: Facts, kind: ComponentKind) -> Result<Plan, Error> {
    let plan = Plan::usual(facts, kind);
    if check_room_of(&plan).is_ok() {
        return Ok(plan);
    }
    let plan = Plan {
        portfolio: None,
        shared: None,
        ..plan
    };
    check_room_of(&plan)?;
    Ok(plan)
}

/// Checks whether there is enough memory for the searches of a plan.
fn check_room_of(plan: &Plan) -> Result<(), Error> {
    let (states, edges) = (plan.facts.states, plan.facts.edges);
    // The search for MECs needs the longest path. Sweeps keep up to eight bits per state at the
    // same time.
    let of_one = [mec::PATH_BYTES * states, edges / 8, states];
    let of_rounds = match plan.rounds {
        Some(_) => parallel::room(states, edges),
        None => [0; 3],
    };
    // Searches by many threads take as much as one of those by one thread.
    let of_others = [plan.portfolio.map_or(0, <[_]>::len) * pearce::BYTES * states];
    let of_parts = match plan.shared {
        Some(_) => shared_region::room(states),
        None => [0; 2],
    };
    let of_several = of_rounds.into_iter().chain(of_others).chain(of_parts);
    check_room(states, of_one.into_iter().chain(of_several))
}

/// Checks whether there is enough memory for `--search tarjan`.
fn check_room_of_tarjan(graph: &MdpGraph) -> Result<(), Error> {
    let (states, choices) = (graph.num_states(), graph.num_choices());
    let branches = graph.num_branches();
    let tables = [
        4 * states + 16 * states,
        4 * branches + 4 * choices,
        4 * choices + (choices + branches) / 8,
    ];
    check_room(states, tables.into_iter())
}

/// Checks whether there is enough memory for tables of these many bytes, and for those of every
/// search: one number per state for each of: rows, indices, open states, and three for naming
/// components.
fn check_room(states: usize, tables: impl Iterator<Item = usize>) -> Result<(), Error> {
    let numbers = [4 * (states + 1); 6].into_iter();
    mdp_graph::check_room("the search", &numbers.chain(tables).collect::<Vec<_>>())?;
    Ok(())
}

fn auto_sccs(
    edges: AllEdges<'_>,
    plan: &Plan,
    ticker: &mut Ticker<'_>,
) -> Result<Partition, Error> {
    if numbering::is_one_component(edges, ticker)? {
        return Ok(Partition::one(edges.num_states()));
    }
    let sample = plan.facts.sample;
    if let Some(orders) = plan.portfolio {
        return portfolio::first_of(
            orders,
            |order, ticker| pearce::sccs_in(order, edges, sample, ticker),
            |ticker| sccs_by_several(edges, plan, ticker),
            ticker,
        );
    }
    match sccs_by_several(edges, plan, ticker)? {
        Some(found) => Ok(found),
        None => pearce::sccs_of_whole(edges, sample, ticker),
    }
}

/// Returns the components, if the plan has other searches than that of the whole graph by one
/// thread, and one of them finds the components.
fn sccs_by_several(
    edges: AllEdges<'_>,
    plan: &Plan,
    ticker: &mut Ticker<'_>,
) -> Result<Option<Partition>, Error> {
    if plan.walks
        && let Some(found) = functional::sccs(edges, ticker)?
    {
        return Ok(Some(found));
    }
    if plan
        .one_way
        .is_some_and(|way| numbering::is_acyclic(edges, way))
    {
        return Ok(Some(Partition::singletons(edges.num_states())));
    }
    if let Some(limits) = plan.ranges
        && let Some(found) = sccs_by_ranges(edges, plan, limits, ticker)?
    {
        return Ok(Some(found));
    }
    if plan.begins_with_one
        && let Some(found) = pearce::sccs_unless_slow(edges, plan.facts.sample, ticker)?
    {
        return Ok(Some(found));
    }
    let giant = find_giant(edges, plan, ticker)?;
    // A part of a giant is no use to the search by one thread, which takes the states in the order
    // that suits it best.
    let giant = giant.filter(|giant| giant.is_complete || plan.giant != LookForGiant::WithinBudget);
    if giant.is_none() && plan.rounds.is_none() {
        return Ok(None);
    }
    sccs_around(edges, giant, None, plan, ticker).map(Some)
}

fn sccs_by_ranges(
    edges: AllEdges<'_>,
    plan: &Plan,
    limits: RangeLimits,
    ticker: &mut Ticker<'_>,
) -> Result<Option<Partition>, Error> {
    let (sample, threads) = (plan.facts.sample, plan.sharing_threads());
    ranges::sccs(edges, sample, threads, limits, ticker)
}

/// Looks for a giant component as planned.
fn find_giant(
    edges: AllEdges<'_>,
    plan: &Plan,
    ticker: &Ticker<'_>,
) -> Result<Option<Giant>, Error> {
    let Some(first) = plan.first_search() else {
        return Ok(None);
    };
    let search = GiantSearch {
        edges: &edges,
        outside: &SharedBits::new(edges.num_states()),
        num_live: edges.num_states(),
        first,
        pivots: PivotChoice::Last,
        ticker,
    };
    match threads::are_many() {
        true => search.find(),
        // Few threads do not find all of a giant around a pivot that reaches many others.
        false => search.find_wanted(|giant| giant.is_complete),
    }
}

/// Returns the components of the states that are not `decided`, if sweeps have found this giant, or
/// none.
fn sccs_around(
    edges: AllEdges<'_>,
    giant: Option<Giant>,
    decided: Option<&Decided>,
    plan: &Plan,
    ticker: &mut Ticker<'_>,
) -> Result<Partition, Error> {
    let n = edges.num_states();
    match giant {
        Some(giant) if giant.num_core == n => Ok(Partition::one(n)),
        Some(giant) if giant.is_complete => {
            let decided = giants::after(giant, decided, edges, plan, ticker)?;
            parallel::sccs_of_others(edges, &decided, plan, ticker)
        }
        // Where MECs are wanted, states have been decided already as far as that pays.
        None if plan.rounds.is_some() && decided.is_none() => {
            let trimmed = decided::trim_sinks(&edges, Decided::none(n), ticker)?;
            parallel::sccs(edges, None, Some(&trimmed), plan, ticker)
        }
        giant => parallel::sccs(edges, giant.as_ref(), decided, plan, ticker),
    }
}

/// Returns the components to search for when MECs are wanted: SCCs if the MECs follow from these.
/// Where sweeps pay, they decide a giant component of a transition system at once.
fn kind_to_search(graph: &MdpGraph, facts: &Facts) -> ComponentKind {
    let sccs_are_faster = of_sccs::is_deterministic(graph)
        || of_sccs::has_single_branches(graph) && !facts.sweeps_are_worthwhile(ComponentKind::Mec);
    match sccs_are_faster {
        true => ComponentKind::Scc,
        false => ComponentKind::Mec,
    }
}

/// Returns the mark of the MEC of each state, or [`Components::NONE`]. `plan` is for the result of
/// [`kind_to_search`].
fn auto_mecs(graph: &MdpGraph, plan: &Plan, ticker: &mut Ticker<'_>) -> Result<Table<u32>, Error> {
    let rows = StateRows::new(graph);
    let rows = GraphRows { graph, rows: &rows };
    let edges = rows.edges();
    if plan.walks
        && let Some(found) = functional::mecs(graph, edges, ticker)?
    {
        return Ok(found);
    }
    if plan.kind == ComponentKind::Scc {
        let sccs = auto_sccs(edges, plan, ticker)?;
        return Ok(of_sccs::mecs(graph, edges, sccs));
    }
    let n = graph.num_states();
    // No choice leaves a component that is the whole graph.
    if numbering::is_one_component(edges, ticker)? {
        return Ok(Table::new(n));
    }
    if let Some(limits) = plan.ranges
        && let Some(sccs) = sccs_by_ranges(edges, plan, limits, ticker)?
    {
        let found = regions::mecs(rows, &Decided::none(n), sccs, n / 2, plan.shared, ticker)?;
        if let Some(found) = found {
            return Ok(found);
        }
        // One search of the whole graph is faster than one of a region of its size.
        return match decided::decide_all_in_order(graph, ticker)? {
            Some(decided) => Ok(decided.marks().0),
            None => whole::mecs(rows, None, plan.shared, ticker),
        };
    }
    match plan.giant {
        LookForGiant::No => whole::mecs(rows, None, plan.shared, ticker),
        LookForGiant::WithinBudget => match mecs_around_giant(rows, plan, ticker)? {
            Some(found) => Ok(found),
            None => whole::mecs(rows, None, plan.shared, ticker),
        },
        LookForGiant::BySweeps(_) => mecs_by_sweeps(rows, plan, ticker),
    }
}

/// Decides states by sweeps, and searches the rest: in rounds and by regions, or by one thread.
fn mecs_by_sweeps(
    rows: GraphRows<'_>,
    plan: &Plan,
    ticker: &mut Ticker<'_>,
) -> Result<Table<u32>, Error> {
    let GraphRows { graph, .. } = rows;
    let (n, edges) = (graph.num_states(), rows.edges());
    let (decided, giant) = decided::decide_by_sweeps(graph, &edges, ticker)?;
    if decided.num_states == n {
        return Ok(decided.marks().0);
    }
    if plan.rounds.is_none() {
        return whole::mecs(rows, Some(&decided), plan.shared, ticker);
    }
    // The giant leads to other states by choices that leave it. Only a giant that is taken as a
    // whole may do so.
    let whole = giant.filter(|giant| giant.is_complete);
    let sccs = sccs_around(edges, whole, Some(&decided), plan, ticker)?;
    let found = regions::mecs(rows, &decided, sccs, usize::MAX, plan.shared, ticker)?;
    Ok(found.expect("no region is too large"))
}

/// Looks for a giant component after many threads have given up ranges, and searches it and the
/// other components for MECs. Returns `None` if there is none, or if it is most of the graph, so
/// that one thread would have to search it.
fn mecs_around_giant(
    rows: GraphRows<'_>,
    plan: &Plan,
    ticker: &mut Ticker<'_>,
) -> Result<Option<Table<u32>>, Error> {
    let GraphRows { graph, .. } = rows;
    let (n, edges) = (graph.num_states(), rows.edges());
    let giant = find_giant(edges, plan, ticker)?;
    let Some(giant) = giant.filter(|giant| giant.is_complete) else {
        return Ok(None);
    };
    if giant.num_core == n {
        return Ok(Some(Table::new(n)));
    }
    if giant.num_core > n / 2 && regions::is_split(graph, &giant.core) {
        return Ok(None);
    }
    let sccs = sccs_around(edges, Some(giant), None, plan, ticker)?;
    regions::mecs(
        rows,
        &Decided::none(n),
        sccs,
        usize::MAX,
        plan.shared,
        ticker,
    )
}

fn unsupported(search: ComponentSearch) -> Error {
    Error::Unsupported {
        search,
        device: "the CPU",
    }
}
