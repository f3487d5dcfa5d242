//! Functions that make processes and networks.

use lts_formats::{Behaviour, Lts, Matching, Parallel, Synchronisation};

/// Returns a process with these transitions.
pub(super) fn labelled<'a>(
    states: u32,
    initial: u32,
    transitions: impl IntoIterator<Item = (u32, &'a str, u32)>,
) -> Behaviour {
    let lts = Lts::from_transitions(states, initial, transitions);
    Behaviour::Lts(lts.expect("transitions between states"))
}

/// Returns the parallel composition of processes that synchronise on these labels.
pub(super) fn parallel(branches: Vec<Behaviour>, labels: Vec<String>) -> Behaviour {
    Behaviour::Parallel(Parallel {
        synchronisation: Synchronisation::Labels {
            matching: Matching::Total,
            labels,
        },
        branches,
    })
}
