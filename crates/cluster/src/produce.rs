//! Produces a [`Certificate`] for an answer.

use crate::certificate::Certificate;
use crate::classes::Classes;
use crate::component_labels::ComponentLabels;
use crate::eliminate::ranks;
use crate::levels::levels;
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
