//! The decompositions on the CPU.
//!
//! | search | SCCs | MECs |
//! | --- | --- | --- |
//! | `auto` | [`pearce`] | [`mod@mec`], which passes over choices that leave and looks again only where it must |
//! | `tarjan` | [`tarjan`] | [`basic`], the papers' baseline, which looks at everything in each round |

mod basic;
mod mec;
mod pearce;
mod rows;
mod tarjan;
#[cfg(test)]
mod tests;
mod ticker;

use crate::{Error, Options, Phase, Search};
use mdp_graph::{Components, MdpGraph};
use ticker::Ticker;

pub(crate) fn scc(graph: &MdpGraph, options: &Options<'_>) -> Result<Components, Error> {
    options.observer.phase(Phase::Decompose);
    let mut ticker = Ticker::new(options.observer, graph.num_states());
    let marks = match options.search {
        Search::Auto => pearce::sccs(graph, &mut ticker)?,
        Search::Tarjan => tarjan::sccs(graph, &tarjan::Everything, &mut ticker)?,
        search @ (Search::Fbt | Search::Bfbt) => return Err(unsupported(search)),
    };
    Ok(Components::from_scc_marks(graph, marks))
}

pub(crate) fn mec(graph: &MdpGraph, options: &Options<'_>) -> Result<Components, Error> {
    options.observer.phase(Phase::Decompose);
    let mut ticker = Ticker::new(options.observer, graph.num_states());
    let marks = match options.search {
        Search::Auto => mec::mecs(graph, &mut ticker)?,
        Search::Tarjan => basic::mecs(graph, &mut ticker)?,
        search @ (Search::Fbt | Search::Bfbt) => return Err(unsupported(search)),
    };
    Ok(Components::from_mec_marks(marks))
}

fn unsupported(search: Search) -> Error {
    Error::Unsupported {
        search,
        device: "the CPU",
    }
}
