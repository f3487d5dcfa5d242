//! [`Profile`]: what a search took, read off the records of its loop.

use crate::Observer;
use ::gpu::{DispatchTime, LoopRecord};

/// What is to be known of a search beside its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measured {
    Nothing,
    /// Each iteration's time.
    Times,
    /// The edges that are looked at, too. To count them takes some time by itself.
    TimesAndEdges,
}

impl Measured {
    /// For an observer that wants to know, or not.
    pub(super) fn by(observer: &dyn Observer) -> Self {
        match observer.wants_work() {
            true => Self::TimesAndEdges,
            false => Self::Nothing,
        }
    }
}

/// What a search took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Iterations of the loop.
    pub iterations: u64,
    /// The dispatches of an iteration, one a shard.
    pub dispatches: u32,
    /// How often the host handed work to the device.
    pub submissions: u64,
    /// How many times pivots were chosen, and something was left to choose from.
    pub rounds: u64,
    /// States that were in no component when pivots were last chosen.
    pub live_states: Option<u32>,
    /// The parts of the search, in the order of `shaders/shared/fast/turn.wgsl`.
    pub parts: [Part; PARTS.len()],
    /// Each iteration by itself, if they are timed.
    pub steps: Option<Vec<Step>>,
    pub(super) measured: Measured,
}

/// What an iteration took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Its part, as an index of `parts`.
    pub part: usize,
    /// Its workgroups.
    pub groups: u32,
    /// Entries of the queue that the iteration before handed to it.
    pub entries: u32,
    /// Time on the device, if the adapter can tell; or 0.
    pub nanoseconds: u64,
}

/// What the iterations of a part took together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// What it is called.
    pub name: &'static str,
    /// Iterations.
    pub iterations: u64,
    /// Entries of the queue that iterations of this part were handed by the ones before.
    pub entries: u64,
    /// Time on the device, if it was asked for and the adapter can tell; or 0.
    pub nanoseconds: u64,
    /// How many edges were looked at, each time anew, if that was asked for; or 0.
    pub edges: u64,
}

/// Parts, as `shared/fast/turn.wgsl` numbers them.
const PARTS: [&str; 13] = [
    "init", "peel", "pivot", "seed", "search", "recount", "relabel", "starve", "reopen", "count",
    "fall", "leave", "finish",
];

/// The part whose records tell how many states are live.
const SEED: usize = 3;
/// The part in which a loop ends that has found the whole graph to be one component.
pub(super) const FINISH: u32 = 12;

impl Profile {
    pub(super) fn new(measured: Measured) -> Self {
        Self {
            iterations: 0,
            dispatches: 1,
            submissions: 0,
            rounds: 0,
            live_states: None,
            parts: PARTS.map(|name| Part {
                name,
                ..Part::default()
            }),
            steps: (measured != Measured::Nothing).then(Vec::new),
            measured,
        }
    }

    /// Takes the records of further iterations into account.
    pub(super) fn add(&mut self, records: &[LoopRecord]) {
        for record in records {
            let [entries, counted, _, number] = record.words;
            let Some(part) = self.parts.get_mut(number as usize) else {
                continue;
            };
            part.iterations += 1;
            part.entries += u64::from(entries);
            if number as usize == SEED {
                self.rounds += u64::from(counted != 0);
                self.live_states = Some(counted);
            }
            if let Some(steps) = &mut self.steps {
                steps.push(Step {
                    part: number as usize,
                    groups: record.groups[0],
                    entries,
                    nanoseconds: 0,
                });
            }
        }
    }

    /// Takes the times of all dispatches into account, the first of which is of iteration `first`.
    pub(super) fn add_times(&mut self, first: usize, times: &[DispatchTime]) {
        let steps = self.steps.as_deref_mut().unwrap_or_default();
        let times = times.chunks(self.dispatches as usize);
        for (step, times) in steps.iter_mut().skip(first).zip(times) {
            step.nanoseconds = times.iter().map(|time| time.nanoseconds).sum();
            self.parts[step.part].nanoseconds += step.nanoseconds;
        }
    }

    /// Takes the edges that were looked at: for each part a low word, then a high one.
    pub(super) fn add_edges(&mut self, words: &[u32]) {
        for (part, words) in self.parts.iter_mut().zip(words.chunks(2)) {
            part.edges += words
                .iter()
                .rev()
                .fold(0, |high, &low| high << 32 | u64::from(low));
        }
    }

    /// How many words [`add_edges`](Self::add_edges) takes.
    pub(super) const EDGE_WORDS: u64 = 2 * PARTS.len() as u64;

    /// The time of all iterations on the device, if it was asked for and the adapter can tell; or 0.
    pub fn nanoseconds(&self) -> u64 {
        self.parts.iter().map(|part| part.nanoseconds).sum()
    }
}
