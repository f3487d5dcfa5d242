//! Produces a [`Certificate`] for an answer.

use super::Certificate;
use super::classes::Classes;
use super::eliminate::ranks;
use super::levels::levels;
use crate::answer::ComponentLabels;
use crate::net::Net;
use crate::part::Part;
use mdp_graph::ComponentKind;

/// Returns the certificate of this worker's states, if the answer of all workers is correct.
/// Otherwise, it consists of numbers that no checker accepts.
pub fn produce(
    part: &Part,
    labels: &ComponentLabels,
    kind: ComponentKind,
    net: &mut Net<'_>,
) -> Certificate {
    let classes = Classes::new(part, labels, kind, net);
    let [forward, backward] = levels(&classes, net);
    Certificate {
        ranks: ranks(&classes, net),
        forward,
        backward,
    }
}
