//! One run of a dispatch, under a scheduler.

use std::collections::{BinaryHeap, VecDeque};

use super::finding::Findings;
use super::machine::{Buffers, Launch, Machine};
use super::random::Random;

/// Which invocation makes the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Each in turn.
    RoundRobin,
    /// Any that can, at random.
    Random,
    /// The one of the highest priority. Priorities are random, and change at so many random steps
    /// (S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte: *A randomized scheduler with
    /// probabilistic guarantees of finding bugs*, ASPLOS 2010).
    Priorities {
        /// At how many steps the running invocation becomes the last one.
        changes: u32,
    },
}

/// The steps among which those are drawn where priorities change.
const HORIZON: usize = 1 << 12;

/// Invocations that can make a step.
enum Ready {
    Turns(VecDeque<u32>),
    Any(Vec<u32>),
    Priorities {
        heap: BinaryHeap<(u64, u32)>,
        priorities: Vec<u64>,
        changes: Vec<usize>,
        steps: usize,
    },
}

impl Ready {
    fn new(schedule: Schedule, invocations: usize, random: &mut Random) -> Self {
        match schedule {
            Schedule::RoundRobin => Self::Turns(VecDeque::new()),
            Schedule::Random => Self::Any(Vec::new()),
            Schedule::Priorities { changes } => Self::Priorities {
                heap: BinaryHeap::new(),
                priorities: (0..invocations).map(|_| random.next() | 1 << 63).collect(),
                changes: (0..changes).map(|_| random.below(HORIZON)).collect(),
                steps: 0,
            },
        }
    }

    fn push(&mut self, invocation: u32) {
        match self {
            Self::Turns(queue) => queue.push_back(invocation),
            Self::Any(all) => all.push(invocation),
            Self::Priorities {
                heap, priorities, ..
            } => heap.push((priorities[invocation as usize], invocation)),
        }
    }

    fn pop(&mut self, random: &mut Random) -> Option<u32> {
        match self {
            Self::Turns(queue) => queue.pop_front(),
            Self::Any(all) if all.is_empty() => None,
            Self::Any(all) => Some(all.swap_remove(random.below(all.len()))),
            Self::Priorities {
                heap,
                priorities,
                changes,
                steps,
            } => {
                let (_, invocation) = heap.pop()?;
                *steps += 1;
                if changes.contains(steps) {
                    // Behind all others, and those that were put there before.
                    priorities[invocation as usize] = (HORIZON - *steps) as u64;
                }
                Some(invocation)
            }
        }
    }
}

/// Runs a dispatch to its end; the steps that were made. No more than `resident` workgroups run at
/// a time: the next one starts when one has ended.
pub(super) fn run(
    launch: &Launch<'_>,
    buffers: &mut Buffers,
    findings: &mut Findings,
    schedule: Schedule,
    resident: u32,
    random: &mut Random,
) -> u64 {
    let groups = launch.num_groups();
    let size = launch.code.invocations();
    let mut ready = Ready::new(schedule, (groups * size) as usize, random);
    let mut waiting: Vec<u32> = (0..groups).rev().collect();
    if schedule != Schedule::RoundRobin {
        for k in (1..waiting.len()).rev() {
            waiting.swap(k, random.below(k + 1));
        }
    }
    let mut machine = Machine::new(launch, buffers, findings);
    let mut running: u32 = 0;
    let mut steps = 0;
    loop {
        while running < resident
            && let Some(group) = waiting.pop()
        {
            machine.start(group);
            running += 1;
            if machine.is_done(group) {
                machine.drop_group(group);
                running -= 1;
            }
        }
        machine.woken.drain(..).for_each(|one| ready.push(one));
        machine.met.clear();
        let Some(next) = ready.pop(random) else {
            return steps;
        };
        machine.step(next, &mut |n| random.below(n));
        steps += 1;
        let group = next / size;
        if machine.is_done(group) {
            machine.drop_group(group);
            running -= 1;
        }
    }
}
