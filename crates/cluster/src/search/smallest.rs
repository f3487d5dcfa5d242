//! Combines what several workers know about a component that they share, at the owner of the
//! component.

use crate::net::Net;
use crate::net::words::{pair, wide};
use crate::part::Part;
use std::collections::HashMap;
use std::hash::Hash;

/// Returns, for each component of which this worker has states, the smallest of the values of all
/// workers.
///
/// A component is named after one of its states. The owner of this state makes the comparison.
pub(super) fn smallest(
    part: &Part,
    own: &HashMap<u64, u64>,
    net: &mut Net<'_>,
) -> HashMap<u64, u64> {
    let mut asked: Vec<Vec<u64>> = vec![Vec::new(); net.workers()];
    let mut outbox = net.outbox();
    for (&component, &value) in own {
        let (owner, state) = part.ranges().place_of(component);
        asked[owner].push(component);
        outbox.push(net, owner, pair(state, value));
    }
    let mut known: HashMap<u32, u64> = HashMap::new();
    let mut askers = Vec::new();
    for (worker, message) in net.exchange(outbox) {
        keep_smaller(&mut known, message[0], wide(message));
        askers.push((worker, message[0]));
    }
    let mut outbox = net.outbox();
    for (worker, state) in askers {
        outbox.push(net, worker, known[&state]);
    }
    // Answers arrive in the order of the requests.
    let mut asked: Vec<_> = asked.into_iter().map(Vec::into_iter).collect();
    let answers = net.exchange(outbox).into_iter();
    answers
        .filter_map(|(owner, value)| Some((asked[owner].next()?, value)))
        .collect()
}

/// Sets the value of a key to the minimum of its old and its new value.
pub(super) fn keep_smaller<K: Eq + Hash>(values: &mut HashMap<K, u64>, key: K, value: u64) {
    values
        .entry(key)
        .and_modify(|least| *least = value.min(*least))
        .or_insert(value);
}
