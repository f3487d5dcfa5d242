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
    /// The parts of the search, in the order of `shaders/worklist/lib/control.wgsl`.
    pub parts: [Part; PARTS.len()],
    /// How many states were left to the host.
    pub host_states: u64,
    /// Whether the host is to finish the search.
    pub(super) is_left_to_host: bool,
    /// Whether the words of `regions` are this search's.
    pub(super) has_begun: bool,
    /// Each iteration by itself, if they are timed.
    pub steps: Option<Vec<Step>>,
    pub(super) measured: Measured,
    /// The states of the graph.
    states: u32,
    /// The last record that was seen. What its iteration did, the next one says.
    pending: Option<LoopRecord>,
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

/// Parts, as `worklist/lib/control.wgsl` and `worklist/colouring.wgsl` number them.
const PARTS: [&str; 20] = [
    "init", "peel", "pivot", "seed", "search", "recount", "relabel", "starve", "reopen", "count",
    "fall", "leave", "finish", "end", "halt", "sign", "spread", "cut", "rename", "give up",
];

/// The part whose records tell how many states are live.
const SEED: usize = 3;
/// The part that ends a round of a search for maximal end components.
pub(super) const REOPEN: usize = 8;
/// The part that a search begins with, the one that a loop leaves to be done when regions are to be divided, and the one that does
/// so first.
pub(super) const INIT: u32 = 0;
pub(super) const PIVOT: u32 = 2;
pub(super) const SIGN: u32 = 15;
/// In place of a part: the round of a search for maximal end components that has just ended has removed no choice.
pub(super) const STUCK: u32 = 20;
/// The part in which a loop ends that has found the whole graph to be one component.
pub(super) const FINISH: u32 = 12;

impl Profile {
    pub(super) fn new(states: u32, measured: Measured) -> Self {
        Self {
            iterations: 0,
            dispatches: 1,
            submissions: 0,
            rounds: 0,
            live_states: None,
            host_states: 0,
            is_left_to_host: false,
            has_begun: false,
            parts: PARTS.map(|name| Part {
                name,
                ..Part::default()
            }),
            steps: (measured != Measured::Nothing).then(Vec::new),
            measured,
            states,
            pending: None,
        }
    }

    /// Takes the records of further iterations into account, but for the last one's.
    pub(super) fn add(&mut self, records: &[LoopRecord]) {
        for record in records {
            if let Some(before) = self.pending.replace(*record) {
                self.add_iteration(before, *record);
            }
        }
    }

    /// Takes the last iteration into account, with the record that it left. Returns the part that would come next.
    pub(super) fn end(&mut self, last: LoopRecord) -> u32 {
        if let Some(before) = self.pending.take() {
            self.add_iteration(before, last);
        }
        asked_part(last)
    }

    /// Takes an iteration into account: the record that it was given, and the one that it left.
    fn add_iteration(&mut self, given: LoopRecord, left: LoopRecord) {
        let [entries, counted, ..] = given.words;
        let number = (left.words[3] >> 8 & 0xff) as usize;
        if number == SEED {
            // Without a look for candidates it follows on the first look at the whole graph.
            let live = match asked_part(given) as usize {
                SEED => counted,
                _ => self.states,
            };
            self.rounds += u64::from(live != 0);
            self.live_states = Some(live);
        }
        if let Some(part) = self.parts.get_mut(number) {
            part.iterations += 1;
            part.entries += u64::from(entries);
        }
        if let Some(steps) = &mut self.steps {
            steps.push(Step {
                part: number.min(PARTS.len() - 1),
                groups: left.words[3] >> 16,
                entries,
                nanoseconds: 0,
            });
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

    /// How many rounds of a search for maximal end components have ended.
    pub(super) fn mec_rounds(&self) -> u64 {
        self.parts[REOPEN].iterations
    }

    /// The states of the graph.
    pub(super) fn states(&self) -> u32 {
        self.states
    }

    /// How many words [`add_edges`](Self::add_edges) takes.
    pub(super) const EDGE_WORDS: u64 = 2 * PARTS.len() as u64;

    /// The time of all iterations on the device, if it was asked for and the adapter can tell; or 0.
    pub fn nanoseconds(&self) -> u64 {
        self.parts.iter().map(|part| part.nanoseconds).sum()
    }
}

/// The part that an iteration is asked to do (`conclude` in `worklist/lib/control.wgsl`).
fn asked_part(record: LoopRecord) -> u32 {
    record.words[3] & 0xff
}
