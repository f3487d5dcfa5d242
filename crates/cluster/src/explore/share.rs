//! Distributes rows by the numbers of their states, in ranges of about the same weight.

use super::options::ExploreOptions;
use super::rows::Rows;
use crate::error::Error;
use crate::net::{Net, Outbox};
use crate::part::{Part, PartBuilder};
use crate::ranges::Ranges;
use bytemuck::Pod;

/// The number of slices for each worker, whose weights determine the ranges.
const SLICES: usize = 256;
/// The approximate number of words that are sent to a worker at once.
const AT_ONCE: u64 = 1 << 19;

/// Returns the part of this worker. `states` are the numbers of the states of `rows`, in ascending
/// order.
pub(super) fn by_ranges(
    rows: Rows,
    states: &[u64],
    options: &ExploreOptions,
    net: &mut Net<'_>,
) -> Result<Part, Error> {
    let total = net.sum(states.len() as u64);
    let slices = SLICES * net.workers();
    let cuts = Ranges::even(0, total, slices);
    let mut weights = vec![0u64; slices];
    for (&state, weight) in states.iter().zip(rows.weights()) {
        weights[cuts.place_of(state).0] += weight;
    }
    let weights = net.sums(&weights);
    let ranges = Ranges::balanced(total, &weights, net.workers());
    let words = weights.iter().sum::<u64>() / net.workers() as u64;
    let rounds = (words / AT_ONCE + 1).min(ranges.largest().max(1));
    let slices = |to| Ranges::even(ranges.start_of(to), ranges.len_of(to), rounds as usize);
    let slices: Vec<Ranges> = (0..ranges.workers()).map(slices).collect();
    let builder = PartBuilder::new(ranges, net.me(), options.deadlocks);
    match total <= options.narrow {
        true => send::<u32>(rows, states, &slices, builder, net),
        false => send::<u64>(rows, states, &slices, builder, net),
    }
}

/// A number in the form in which it is sent, of 32 or 64 bits.
trait Number: Pod + Into<u64> {
    fn of(number: u64) -> Self;
}

impl Number for u32 {
    fn of(number: u64) -> Self {
        number as Self
    }
}

impl Number for u64 {
    fn of(number: u64) -> Self {
        number
    }
}

/// Sends all rows, in rounds. Each round sends one of the slices of each worker's range, so that
/// all workers are busy, and no worker receives more than it can store.
fn send<T: Number>(
    rows: Rows,
    states: &[u64],
    slices: &[Ranges],
    mut builder: PartBuilder,
    net: &mut Net<'_>,
) -> Result<Part, Error> {
    let own = &slices[net.me()];
    let starts = rows.starts();
    for round in 0..own.workers() {
        let mut outbox = net.outbox();
        for (to, of_range) in slices.iter().enumerate() {
            let first = of_range.start_of(round);
            let begin = states.partition_point(|&state| state < first);
            let end = states.partition_point(|&state| state < first + of_range.len_of(round));
            for (place, &state) in (begin..).zip(&states[begin..end]) {
                push_row::<T>(state, rows.row(&starts, place), to, &mut outbox, net);
            }
        }
        let words: Vec<T> = net
            .exchange(outbox)
            .into_iter()
            .map(|(_, word)| word)
            .collect();
        take_rows(&words, own.start_of(0), &mut builder);
    }
    drop(rows);
    builder.finish(net)
}

/// Adds a row to a message: the state, the number of its choices, and for each choice the number of
/// its branches and their targets.
fn push_row<T: Number>(
    state: u64,
    (choices, mut targets): (&[u32], &[u64]),
    to: usize,
    outbox: &mut Outbox<T>,
    net: &mut Net<'_>,
) {
    outbox.push(net, to, T::of(state));
    outbox.push(net, to, T::of(choices.len() as u64));
    for &branches in choices {
        outbox.push(net, to, T::of(branches.into()));
        let (own, rest) = targets.split_at(branches as usize);
        for &target in own {
            outbox.push(net, to, T::of(target));
        }
        targets = rest;
    }
}

/// Adds the rows of one slice, which were received from all workers.
fn take_rows<T: Number>(words: &[T], first: u64, builder: &mut PartBuilder) {
    let mut rows: Vec<(u32, usize)> = Vec::new();
    let mut place = 0;
    while place < words.len() {
        rows.push(((words[place].into() - first) as u32, place + 1));
        place = choices(words, place + 1)
            .last()
            .map_or(place + 2, |choice| choice.end);
    }
    rows.sort_unstable();
    for (state, row) in rows {
        for choice in choices(words, row) {
            builder.push_choice(state, words[choice].iter().map(|&target| target.into()));
        }
    }
}

/// Returns the positions of the targets of each choice, for a row whose number of choices is at
/// `place`.
fn choices<T: Number>(
    words: &[T],
    place: usize,
) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    let count: u64 = words[place].into();
    let mut next = place + 1;
    (0..count).map(move |_| {
        let branches: u64 = words[next].into();
        let targets = next + 1..next + 1 + branches as usize;
        next = targets.end;
        targets
    })
}
