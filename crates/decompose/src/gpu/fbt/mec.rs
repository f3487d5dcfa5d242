//! Maximal end components: the loop on the host (2014, section 2.3; 2016, sections 2.4 and 6), with
//! choices removed where the papers remove states only.
//!
//! Of each round, the host knows only how many states go on to the next round.

use super::driver::Host;
use super::passes::Trimming;
use super::state::MecState;
use super::upload::FbtGraph;
use crate::gpu::options::Candidates;
use crate::{ComponentSearch, Error};
use ::gpu::Recording;

/// Runs rounds until every state is dead or in a maximal end component.
pub(super) fn find_mecs<'a>(
    host: &mut Host<'a>,
    graph: &'a FbtGraph,
    state: &'a MecState,
    search: ComponentSearch,
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
        // Step 2: U, and Attr(U) in each SCC.
        let attractors = graph.remove_leaving(state, &mut rest);
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
        host.first_trimming = Trimming::Later;
    }
    Ok(())
}
