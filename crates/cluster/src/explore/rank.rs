//! Numbers the new states of a batch in the order of their first places.

use crate::net::Net;
use crate::words::{pair, wide};

/// A place: the state that leads to a new one, counted from the first of the batch, and which of
/// its branches does, in the lower half.
pub(super) type Place = u64;

/// The numbers of this worker's new states, which have these first places; no two states have the
/// same. The batch has `batch` states, and the first new one of all workers gets number `first`.
pub(super) fn numbers(places: &[Place], batch: u64, first: u64, net: &mut Net<'_>) -> Vec<u64> {
    let workers = net.workers() as u64;
    let mut outbox = net.outbox::<[u32; 3]>();
    for (state, &place) in places.iter().enumerate() {
        // The stretches of places ascend with the workers.
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
