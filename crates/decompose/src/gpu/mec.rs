//! Maximal end components: the loop on the host (2014, section 2.3; 2016, sections 2.4 and 6), with choices
//! removed where the papers remove states only.
//!
//! What the host knows of a round is how many states go into the next.

use super::mec_steps::MecState;
use super::search::{Host, Told};
use super::{Candidates, Loaded};
use crate::{Error, Observer, Search, Silent};
use ::gpu::{PassTime, Recording};

/// Searches for MECs.
pub(super) fn run(
    graph: &Loaded,
    state: &MecState,
    search: Search,
    observer: &dyn Observer,
) -> Result<Told, Error> {
    let mut host = Host::new(graph, observer);
    rounds(&mut host, graph, state, search)?;
    Ok(host.told())
}

/// Searches for MECs and times each kernel.
pub(super) fn profile(
    graph: &Loaded,
    state: &MecState,
    search: Search,
) -> Result<Vec<PassTime>, Error> {
    let mut host = Host::new(graph, &Silent);
    host.times = Some(Vec::new());
    rounds(&mut host, graph, state, search)?;
    Ok(host.times.unwrap_or_default())
}

/// Runs rounds until every state is dead or in a maximal end component.
fn rounds<'a>(
    host: &mut Host<'a>,
    graph: &'a Loaded,
    state: &'a MecState,
    search: Search,
) -> Result<(), Error> {
    host.sccs_are_final = false;
    let mut start = Recording::new();
    graph.reset(&mut start);
    state.reset(&mut start);
    let mut left = graph.num_states();
    while left > 0 {
        host.statistics.mec_rounds += 1;
        host.sccs(search, start)?; // step 1, in the regions that the last round has left
        let mut rest = Recording::new();
        if host.candidates.is_some() {
            graph.name_left_over(&mut rest, host.statistics.rounds);
        }
        let attractors = graph.remove_leaving(state, &mut rest); // step 2: U, and Attr(U) in each SCC
        graph.settle(state, &mut rest); // step 3: SCCs that lost nothing are done
        let active = graph.count_active(&mut rest, None);
        let outcome = host.run(&rest)?;
        host.statistics.attractor_steps += outcome[attractors].iterations;
        let before = left;
        left = outcome.get(active)[0];
        if left >= before && host.has_lost_nothing(state)? {
            let search = "the search for end components";
            return Err(Error::NoProgress { search, left });
        }
        host.report(left);
        // Step 4: what is left goes on.
        if graph.options.candidates == Candidates::Join {
            host.candidates = Some(&state.candidates);
        }
        start = Recording::new();
    }
    Ok(())
}
