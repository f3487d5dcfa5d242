//! One run of a dispatch, under a scheduler.

use std::collections::{BTreeSet, BinaryHeap, VecDeque};

use super::finding::Findings;
use super::machine::{Access, Buffers, Launch, Machine};
use super::races::WordMap;
use super::random::Random;

/// How the scheduler picks the invocation that makes the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Each invocation in turn.
    RoundRobin,
    /// A random invocation that can make a step.
    Random,
    /// The invocation with the highest priority. Priorities are random, and change at `changes`
    /// random steps (S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte: *A randomized
    /// scheduler with probabilistic guarantees of finding bugs*, ASPLOS 2010).
    Priorities {
        /// The number of steps at which the running invocation gets the lowest priority.
        changes: u32,
    },
    /// Invocations wait before each access to storage that may conflict with another one, until no
    /// invocation can do anything else. Then the invocations that wait for the word with the most
    /// waiting invocations take turns. So operations of several invocations on one word are
    /// interleaved as closely as possible.
    Meetings,
    /// A random invocation, but those that are about to store atomically to a word that they have
    /// just loaded wait until no invocation can do anything else. Then the one that began to wait
    /// last continues. So everything that others do to a word comes between a load and a store.
    LateUpdates,
}

/// The number of steps among which those are chosen at which priorities change.
const HORIZON: usize = 1 << 12;

/// The invocations that can make a step.
enum Ready {
    Turns(VecDeque<u32>),
    Any(Vec<u32>),
    Priorities {
        heap: BinaryHeap<(u64, u32)>,
        priorities: Vec<u64>,
        changes: Vec<usize>,
        steps: usize,
    },
    Meetings {
        /// The invocations that make other accesses.
        others: Vec<u32>,
        /// The invocations that wait for each word.
        waiting: WordMap<VecDeque<u32>>,
        /// The number of invocations that wait for each word, other than `word`.
        lengths: BTreeSet<(usize, u64)>,
        /// The word whose invocations take turns.
        word: u64,
    },
    LateUpdates {
        /// The invocations that do something else.
        others: Vec<u32>,
        /// The invocations that are about to store to a word that they have just loaded.
        late: Vec<u32>,
        /// The word that each invocation has just loaded, or is about to load.
        loaded: Vec<Option<u64>>,
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
            Schedule::Meetings => Self::Meetings {
                others: Vec::new(),
                waiting: WordMap::default(),
                lengths: BTreeSet::new(),
                word: 0,
            },
            Schedule::LateUpdates => Self::LateUpdates {
                others: Vec::new(),
                late: Vec::new(),
                loaded: vec![None; invocations],
            },
        }
    }

    /// Adds an invocation, with the access of its next step.
    fn push(&mut self, invocation: u32, next: impl FnOnce() -> Option<Access>) {
        match self {
            Self::Turns(queue) => queue.push_back(invocation),
            Self::Any(all) => all.push(invocation),
            Self::Priorities {
                heap, priorities, ..
            } => heap.push((priorities[invocation as usize], invocation)),
            Self::Meetings {
                others,
                waiting,
                lengths,
                word: current,
            } => match next().filter(|access| access.is_write || access.is_atomic_load) {
                Some(Access { word, .. }) => {
                    let queue = waiting.entry(word).or_default();
                    queue.push_back(invocation);
                    if word != *current {
                        lengths.remove(&(queue.len() - 1, word));
                        lengths.insert((queue.len(), word));
                    }
                }
                None => others.push(invocation),
            },
            Self::LateUpdates {
                others,
                late,
                loaded,
            } => {
                let next = next();
                let load = next.filter(|access| access.is_atomic_load);
                let store = next.filter(|access| access.is_atomic_store);
                let load = load.map(|access| access.word);
                let before = std::mem::replace(&mut loaded[invocation as usize], load);
                match store.is_some_and(|access| before == Some(access.word)) {
                    true => late.push(invocation),
                    false => others.push(invocation),
                }
            }
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
                    // This priority is lower than all others, including those that were lowered
                    // before.
                    priorities[invocation as usize] = (HORIZON - *steps) as u64;
                }
                Some(invocation)
            }
            Self::Meetings {
                others,
                waiting,
                lengths,
                word,
            } => {
                if !others.is_empty() {
                    return Some(others.swap_remove(random.below(others.len())));
                }
                if !waiting.contains_key(word) {
                    *word = lengths.pop_last()?.1;
                }
                let queue = waiting.get_mut(word)?;
                let next = queue.pop_front();
                if queue.is_empty() {
                    waiting.remove(word);
                }
                next
            }
            Self::LateUpdates { others, late, .. } => match others.is_empty() {
                true => late.pop(),
                false => Some(others.swap_remove(random.below(others.len()))),
            },
        }
    }
}

/// The number of steps between two looks at the clock, which takes about as long as a step.
const STEPS_PER_LOOK: u64 = 1 << 10;

/// Runs a dispatch to its end, or until its time is over. Returns the number of steps. When a
/// workgroup has ended, the next one starts.
pub(super) fn run(
    launch: &Launch<'_>,
    buffers: &mut Buffers,
    findings: &mut Findings,
    schedule: Schedule,
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
    let mut woken = Vec::new();
    let mut running: u32 = 0;
    let mut steps = 0;
    loop {
        while running < launch.resident
            && let Some(group) = waiting.pop()
        {
            machine.start(group);
            running += 1;
            if machine.is_done(group) {
                machine.drop_group(group);
                running -= 1;
            }
        }
        std::mem::swap(&mut woken, &mut machine.woken);
        for one in woken.drain(..) {
            ready.push(one, || machine.next(one));
        }
        let is_over = launch.fails_early && !machine.findings.all.is_empty()
            || steps % STEPS_PER_LOOK == 0 && launch.is_late();
        let Some(next) = ready.pop(random).filter(|_| !is_over) else {
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::Program;
    use crate::run::{Dispatch, compile};

    /// A millisecond is too short for two million steps.
    #[test]
    fn a_dispatch_ends_when_its_time_is_over() {
        let text = "@group(0) @binding(0) var<storage, read_write> sum: atomic<u32>;
            @compute @workgroup_size(64)
            fn main() {
                for (var i = 0u; i < 32768u; i++) { atomicAdd(&sum, 1u); }
            }";
        let program = Program::parse("sum.wgsl", text).expect("it is valid");
        let code = compile(&program).expect("the interpreter knows all of it");
        let dispatch = Dispatch::new(&code, [1, 1, 1]).bind(0, 0, vec![0]);
        let (mut launch, mut buffers) = dispatch.launch();
        launch.deadline = Instant::now().checked_add(Duration::from_millis(1));
        let mut findings = Findings::default();
        let random = &mut Random::new(0);
        let schedule = Schedule::RoundRobin;
        let steps = run(&launch, &mut buffers, &mut findings, schedule, random);
        assert!(steps < 1 << 21, "{steps} steps");
        assert!(findings.all.is_empty());
    }

    /// Of additions in two steps, each under this schedule gets lost but one; in one step, none.
    #[test]
    fn updates_in_two_steps_are_lost() {
        let sum = |add: &str, seed| {
            let text = format!(
                "@group(0) @binding(0) var<storage, read_write> sum: atomic<u32>;
                @group(0) @binding(1) var<storage, read_write> ended: array<atomic<u32>>;
                @compute @workgroup_size(4)
                fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                    {add}
                    atomicStore(&ended[id.x], 1u);
                }}"
            );
            let program = Program::parse("sum.wgsl", &text).expect("it is valid");
            let code = compile(&program).expect("the interpreter knows all of it");
            let dispatch =
                Dispatch::new(&code, [2, 1, 1])
                    .bind(0, 0, vec![0])
                    .bind(0, 1, vec![0; 8]);
            let ended = dispatch.run(Schedule::LateUpdates, seed);
            assert_eq!(ended.findings, []);
            assert_eq!(ended.buffers[1], [1; 8]);
            ended.buffers[0][0]
        };
        for seed in 0..20 {
            assert_eq!(sum("atomicAdd(&sum, 1u);", seed), 8);
            let two_steps = "let old = atomicLoad(&sum); atomicStore(&sum, old + 1u);";
            assert_eq!(sum(two_steps, seed), 1);
        }
    }
}
