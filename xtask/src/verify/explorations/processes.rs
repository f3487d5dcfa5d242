//! Processes of networks, and networks of them.

use lts_formats::{Behaviour, Lts, Matching, Parallel, Synchronisation};

/// A process with these transitions.
pub(super) fn labelled<'a>(
    states: u32,
    initial: u32,
    transitions: impl IntoIterator<Item = (u32, &'a str, u32)>,
) -> Behaviour {
    let lts = Lts::from_transitions(states, initial, transitions);
    Behaviour::Lts(lts.expect("transitions between states"))
}

/// Processes side by side, which take steps with these labels together.
pub(super) fn parallel(branches: Vec<Behaviour>, labels: Vec<String>) -> Behaviour {
    Behaviour::Parallel(Parallel {
        synchronisation: Synchronisation::Labels {
            matching: Matching::Total,
            labels,
        },
        branches,
    })
}
