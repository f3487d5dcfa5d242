//! Numbers the new states of a batch in the order of their first places.

use super::set::{Set, hash};
use crate::net::Net;
use crate::net::words::{pair, wide};

/// A place: the state that leads to a new one, counted from the first of the batch, in the upper
/// half, and the index of its branch in the lower half. If the numbers need not be those of a
/// sequential search, a place is only the state, or an earlier one.
pub(super) type Place = u64;

/// Returns the numbers of this worker's new states, whose first places are given and all different.
/// The batch has `batch` states, and the first new state of all workers gets the number `first`.
pub(super) fn numbers(places: &[Place], batch: u64, first: u64, net: &mut Net<'_>) -> Vec<u64> {
    let workers = net.workers() as u64;
    let mut outbox = net.outbox::<[u32; 3]>();
    for (state, &place) in places.iter().enumerate() {
        // Ranges of places are assigned to the workers in ascending order.
        let ranker = u128::from(place >> 32) * u128::from(workers) / u128::from(batch);
        outbox.push(net, ranker as usize, pair(state as u32, place));
    }
    let inbox = net.exchange(outbox).into_iter();
    let mut ranked: Vec<(Place, u32, u32)> = inbox
        .map(|(owner, message)| (wide(message), owner as u32, message[0]))
        .collect();
    ranked.sort_unstable();
    let counts = net.gather(ranked.len() as u64);
    let before: u64 = counts[..net.me()].iter().sum();
    let mut outbox = net.outbox::<[u32; 3]>();
    for (number, (_, owner, state)) in (first + before..).zip(ranked) {
        outbox.push(net, owner as usize, pair(state, number));
    }
    let mut numbers = vec![0; places.len()];
    for (_, message) in net.exchange(outbox) {
        numbers[message[0] as usize] = wide(message);
    }
    numbers
}

/// Returns the numbers of this worker's new states, which are those in the set from `known` on.
/// They are in the order of the first places and, if these are equal, of the states' hashes. Places
/// are from 0 to `places - 1`. The first new state of all workers gets the number `first`.
///
/// So states that are found one after another have numbers that are close, and often their targets,
/// too. Owners send one half of the hashes, from which the order is determined; states with the
/// same half have the same owner, which has sorted them.
pub(super) fn by_hash(
    firsts: &[Place],
    places: u64,
    (set, known): (&Set, usize),
    first: u64,
    net: &mut Net<'_>,
) -> Vec<u64> {
    let state = |new: u32| set.get(known + new as usize);
    let key = |(new, &place): (u32, &Place)| (place, hash(state(new)), new);
    let mut order: Vec<(Place, u64, u32)> = (0..).zip(firsts).map(key).collect();
    order.sort_unstable_by(|a, b| {
        let by_state = || state(a.2).cmp(state(b.2));
        (a.0, a.1).cmp(&(b.0, b.1)).then_with(by_state)
    });
    let workers = net.workers() as u128;
    let mut outbox = net.outbox::<[u32; 2]>();
    for &(place, hash, _) in &order {
        let ranker = u128::from(place) * workers / u128::from(places);
        outbox.push(net, ranker as usize, [place as u32, (hash >> 32) as u32]);
    }
    let arrived: Vec<(usize, [u32; 2])> = net.exchange(outbox).into_iter().collect();
    let mut ranked: Vec<u32> = (0..arrived.len() as u32).collect();
    // The data from each owner are sorted.
    ranked.sort_unstable_by_key(|&i| (arrived[i as usize].1, i));
    let counts = net.gather(arrived.len() as u64);
    let before: u64 = counts[..net.me()].iter().sum();
    let mut ranks = vec![0; arrived.len()];
    for (number, i) in (first + before..).zip(ranked) {
        ranks[i as usize] = number;
    }
    let mut outbox = net.outbox::<u64>();
    for (&(owner, _), rank) in arrived.iter().zip(ranks) {
        outbox.push(net, owner, rank);
    }
    // Ranges of places are assigned in ascending order, so numbers are returned in the order of the
    // requests.
    let mut numbers = vec![0; firsts.len()];
    for ((_, number), (_, _, new)) in net.exchange(outbox).into_iter().zip(order) {
        numbers[new as usize] = number;
    }
    numbers
}
