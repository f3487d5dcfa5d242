//! Decides how many iterations a batch of a loop has, and how many batches are submitted before the
//! host waits for the first batch.

use std::slice;
use std::time::{Duration, Instant};

use super::pace::Pace;

/// The expected number of iterations of a loop that has not run before. Most trimming ends within
/// them.
pub(super) const FIRST_BATCH: u64 = 8;

/// The numbers of iterations of the first batches of a pipelined loop, which are all submitted
/// before the host waits for any. The first batch is short, so that the device begins soon. Each of
/// the others can be encoded while the device runs the one before. Together they are enough for
/// most short searches.
const PIPELINED: [u64; 3] = [4, 12, 20];

/// The numbers of iterations of the first batches of other loops that are expected to have more
/// than [`FEW`] iterations. Both are submitted at once: the device begins with the short one while
/// the next is encoded.
const RAMP: [u64; 2] = [16, 64];

/// If a loop is expected to have at most this many iterations, they are submitted at once.
const FEW: u64 = 64;

/// The maximum number of iterations of a batch. It is even, so that a batch starts and ends with an
/// even record.
const MAX_BATCH: u64 = 256;

/// Batches that take longer than this are made shorter, so that a run can be cancelled.
const LONG: Duration = Duration::from_millis(100);

/// The minimum time that a batch of a pipelined loop should take.
const SHORT: Duration = Duration::from_millis(2);

/// A later batch of a pipelined loop may always have this many iterations.
const LATER: u64 = 24;

/// The number of iterations after the end of a loop that take as long as a submission, which takes
/// 30 microseconds on an H200.
const SUBMISSION: u64 = 5;

/// The properties of a loop that determine its schedule.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// Whether batches are submitted before the host knows the results of earlier ones.
    pub(super) is_pipelined: bool,
    /// The maximum number of iterations of the loop.
    pub(super) at_most: u64,
    /// The expected number of iterations, which is even.
    pub(super) expected: u64,
    /// The number of bytes that an iteration binds.
    pub(super) bytes: u64,
    /// If dispatches are timed: the number of dispatches of a submission that can be timed, and the
    /// number of dispatches of an iteration.
    pub(super) timed: Option<(u64, u64)>,
}

/// The batches of a loop.
pub(super) struct Schedule {
    shape: Shape,
    /// The sizes of the next batches, as long as they are known in advance.
    first: slice::Iter<'static, u64>,
    /// The size of later batches.
    size: u64,
    /// The maximum number of iterations of a batch.
    longest: u64,
    /// The number of batches that may be in flight.
    depth: usize,
    /// The number of iterations in all batches so far.
    scheduled: u64,
    begin: Instant,
    /// The time at which the last batch was done.
    last: Instant,
}

impl Schedule {
    pub(super) fn new(shape: Shape, pace: &Pace) -> Self {
        let fit = pace.iterations(shape.bytes);
        let is_pipelined =
            shape.is_pipelined && pace.allows_in_flight(PIPELINED.iter().sum(), shape.bytes);
        let ramps = !shape.is_pipelined
            && shape.expected > FEW
            && pace.allows_in_flight(RAMP.iter().sum(), shape.bytes);
        let first: &[u64] = match (is_pipelined, ramps) {
            (true, _) => &PIPELINED,
            (_, true) => &RAMP,
            _ => &[],
        };
        let begin = Instant::now();
        Self {
            first: first.iter(),
            size: shape.expected.clamp(2, MAX_BATCH).min(fit),
            longest: match shape.timed {
                // The number of iterations is even, and at least one pair.
                Some((most, each)) => (most / each.max(1) / 2 * 2).clamp(2, MAX_BATCH),
                None => MAX_BATCH,
            },
            depth: match shape.timed {
                Some(_) => 1,
                None => first.len().max(1),
            },
            scheduled: 0,
            begin,
            last: begin,
            shape,
        }
    }

    /// Returns the first iteration of the next batch, and the number of its iterations, if another
    /// batch may be in flight in addition to `in_flight` batches. If the loop is not pipelined, the
    /// host waits at its expected end.
    pub(super) fn next(&mut self, in_flight: usize) -> Option<(u64, u64)> {
        let first = self.scheduled;
        let until_expected = match self.shape.is_pipelined {
            true => None,
            false => self.shape.expected.checked_sub(first),
        };
        let is_expected_over = until_expected == Some(0);
        let may_be_over = is_expected_over && in_flight > 0;
        if in_flight >= self.depth || first >= self.shape.at_most || may_be_over {
            return None;
        }
        if is_expected_over && first > FEW {
            // The loop goes on, and its end is not known.
            self.size = self.size.min(FIRST_BATCH);
        }
        let left = (self.shape.at_most - first).next_multiple_of(2);
        let size = *self.first.next().unwrap_or(&self.size);
        let expected = until_expected.filter(|&expected| expected > 0);
        let count = size.min(self.longest).min(left);
        let count = count.min(expected.unwrap_or(u64::MAX));
        self.scheduled += count;
        Some((first, count))
    }

    /// Learns that a batch of `count` iterations is done, which was begun at `since`. `live` of its
    /// iterations had workgroups.
    pub(super) fn learn(&mut self, pace: &mut Pace, since: Instant, count: u64, live: u64) {
        let now = Instant::now();
        let took = now - since.max(self.last);
        self.last = now;
        pace.learn_of_loop(self.shape.bytes * live, took);
        let each = took / count as u32;
        self.size = match self.shape.is_pipelined {
            true => paced(each, now - self.begin, self.scheduled),
            false => longer(each, self.size),
        };
        self.depth = match self.shape.timed {
            None if took <= LONG => 2,
            _ => 1,
        };
    }
}

/// Returns the number of iterations of the next batch of a pipelined loop whose recent iterations
/// took `each`. The longer the loop has taken (`so_far`), the less the iterations matter that are
/// submitted beyond its end. If batches have `s` iterations, half of the last batch is wasted on
/// average. The time for this and for the submissions of `n` iterations is least for s² = 2n ·
/// [`SUBMISSION`].
fn paced(each: Duration, so_far: Duration, n: u64) -> u64 {
    let wanted = (SHORT + so_far / 4).min(LONG).as_nanos() / each.as_nanos().max(1);
    let pays = (2 * n * SUBMISSION).isqrt().max(LATER);
    (wanted as u64)
        .min(pays)
        .next_multiple_of(2)
        .clamp(2, MAX_BATCH)
}

/// Returns the number of iterations of the batch after one of `size` iterations that took `each`:
/// twice as many, unless these take too long.
fn longer(each: Duration, size: u64) -> u64 {
    let fit = LONG.as_nanos() / each.as_nanos().max(1);
    (2 * size).min(fit as u64 / 2 * 2).clamp(2, MAX_BATCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_as_long_as_pays_and_short_enough_to_be_stopped() {
        let (fast, slow) = (Duration::from_micros(10), Duration::from_millis(20));
        assert_eq!(paced(fast, 36 * fast, 36), 24);
        // This is the square root of 2 · 1000 · 5.
        assert_eq!(paced(fast, 1000 * fast, 1000), 100);
        // These iterations take about a tenth of a second.
        assert_eq!(paced(slow, 1000 * slow, 1000), 6);
        assert_eq!(paced(slow, Duration::ZERO, 36), 2);
        let slower = Duration::from_secs(1);
        assert_eq!(paced(slower, 1000 * slower, 1000), 2);
    }

    #[test]
    fn batches_grow_while_they_are_short_and_shrink_when_they_are_not() {
        let (fast, slow) = (Duration::from_micros(10), Duration::from_millis(9));
        assert_eq!(longer(fast, 8), 16);
        assert_eq!(longer(fast, 256), 256);
        assert_eq!(longer(Duration::ZERO, 4), 8);
        assert_eq!(longer(slow, 8), 10);
        assert_eq!(longer(slow, 256), 10);
        assert_eq!(longer(Duration::from_secs(1), 256), 2);
    }

    #[test]
    fn a_loop_is_submitted_to_where_it_is_expected_to_end_and_not_beyond() {
        let shape = Shape {
            is_pipelined: false,
            at_most: 1 << 32,
            expected: 638,
            bytes: 1 << 10,
            timed: None,
        };
        let mut pace = Pace::default();
        let mut schedule = Schedule::new(shape, &pace);
        let mut batches = Vec::new();
        let mut in_flight = 0;
        // A batch is done whenever no other may be submitted.
        for _ in 0..7 {
            while let Some((_, count)) = schedule.next(in_flight) {
                batches.push(count);
                in_flight += 1;
            }
            in_flight -= 1;
            schedule.learn(&mut pace, Instant::now(), 64, 64);
        }
        // After the expected end, batches are short again, and two of them are in flight.
        assert_eq!(batches, [16, 64, 256, 256, 46, 8, 8, 16]);
    }

    /// Returns the batches that are submitted before any is done.
    fn at_first(shape: Shape) -> Vec<(u64, u64)> {
        let mut schedule = Schedule::new(shape, &Pace::default());
        let mut batches = Vec::new();
        while let Some(batch) = schedule.next(batches.len()) {
            batches.push(batch);
        }
        batches
    }

    #[test]
    fn only_a_pipelined_loop_has_several_batches_in_flight_from_the_start() {
        let shape = Shape {
            is_pipelined: false,
            at_most: 1 << 32,
            expected: FIRST_BATCH,
            bytes: 1 << 20,
            timed: None,
        };
        let pipelined = Shape {
            is_pipelined: true,
            ..shape
        };
        let timed = Some((2048, 300));
        assert_eq!(at_first(shape), [(0, 8)]);
        assert_eq!(at_first(pipelined), [(0, 4), (4, 12), (16, 20)]);
        assert_eq!(at_first(Shape { timed, ..pipelined }), [(0, 4)]);
        assert_eq!(at_first(Shape { timed, ..shape }), [(0, 6)]);
        // If nothing is known about a device, passes that bind large buffers are submitted in small
        // batches.
        let bytes = 100 << 20;
        assert_eq!(at_first(Shape { bytes, ..pipelined }), [(0, 6)]);
        let expected = 20;
        assert_eq!(at_first(Shape { expected, ..shape }), [(0, 20)]);
        let at_most = 25;
        assert_eq!(
            at_first(Shape {
                at_most,
                ..pipelined
            }),
            [(0, 4), (4, 12), (16, 10)]
        );
    }
}
