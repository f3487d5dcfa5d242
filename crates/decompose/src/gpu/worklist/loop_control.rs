//! The control record of the loop, as the host reads and writes it, and the start of a loop.
//!
//! `shaders/worklist/lib/control.wgsl` defines the meaning of the words and their places.

use super::tuning::Tuning;
use ::gpu::LoopRecord;
use ::gpu::kernels::worklist::{
    CONSTANTS, CONTROL_ADDED, CONTROL_LIVE, CONTROL_PHASE, CONTROL_RAN, CONTROL_WORKED, PHASE_INIT,
    STAGE_SEARCH, STAGE_TRIM,
};
use std::sync::OnceLock;

/// The stages of the decomposition that are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stages {
    /// Trim, once.
    Trim,
    /// Search, without trimming anything.
    Search,
    /// Everything.
    All,
}

impl Stages {
    pub(super) fn bits(self) -> u32 {
        match self {
            Self::Trim => STAGE_TRIM,
            Self::Search => STAGE_SEARCH,
            Self::All => STAGE_TRIM | STAGE_SEARCH,
        }
    }
}

/// The words of a record that the host asks for.
pub(super) trait ControlRecord {
    /// Entries that the iteration before this record has added to the queue.
    fn added(&self) -> u32;
    /// Returns the number of states that were live when they were last counted.
    fn live(&self) -> u32;
    /// Returns the phase that is next.
    fn next_phase(&self) -> u32;
    /// Returns the phase of the iteration that stored this record.
    fn phase_that_ran(&self) -> u32;
    /// Returns the number of workgroups that worked in that iteration.
    fn worked(&self) -> u32;
}

impl ControlRecord for LoopRecord {
    fn added(&self) -> u32 {
        self.words[CONTROL_ADDED as usize]
    }

    fn live(&self) -> u32 {
        self.words[CONTROL_LIVE as usize]
    }

    fn next_phase(&self) -> u32 {
        self.words[CONTROL_PHASE as usize]
    }

    fn phase_that_ran(&self) -> u32 {
        self.words[CONTROL_RAN as usize]
    }

    fn worked(&self) -> u32 {
        self.words[CONTROL_WORKED as usize]
    }
}

/// The number of rounds and iterations that may find little before regions are divided by colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DivisionLimits {
    /// Rounds that decide little.
    pub(super) slow_rounds: u32,
    /// Iterations that find little.
    pub(super) thin: u32,
    /// An iteration finds little if, at its pace, the live states would take more iterations than
    /// this.
    pub(super) left: u32,
    /// The number of passes in which colours may settle.
    pub(super) propagations: u32,
}

/// If states have fewer edges than this on average, most of them have a single edge in or out.
const EDGES_OF_THIN: u64 = 2;

/// In a graph of at least `LARGE` states and edges, colours may take `LARGE_TIMES` as many passes:
/// the host takes longer for each edge than in smaller graphs, and a device does not.
const LARGE: u64 = 1 << 27;
const LARGE_TIMES: u32 = 2;

/// One slow round more is allowed for every two to this power of the states and edges: a round
/// takes about as long in a large graph as in a small one, and dividing its regions takes longer.
const ROUNDS_SHIFT: u32 = 22;

impl DivisionLimits {
    /// Returns the limits for a graph of this many states and edges. Dividing regions takes some
    /// time for each of them, and a search may take as long before that. If most states have a
    /// single edge in or out, a search that finds little at first is likely to continue so.
    pub(super) fn of(tuning: &Tuning, states: u32, edges: u64) -> Self {
        let size = u64::from(states) + edges;
        let is_thin = edges < EDGES_OF_THIN * u64::from(states);
        let (times, shift) = if is_thin { (1, 21) } else { (4, 18) };
        let more = u32::try_from(size >> shift).unwrap_or(u32::MAX);
        let thin = tuning.most_thin.saturating_mul(times).saturating_add(more);
        let more_rounds = u32::try_from(size >> ROUNDS_SHIFT).unwrap_or(u32::MAX);
        let slow_rounds = tuning.most_slow_rounds.saturating_add(more_rounds);
        let propagations = match size {
            ..LARGE => tuning.most_propagations,
            LARGE.. => tuning.most_propagations.saturating_mul(LARGE_TIMES),
        };
        let left = thin.saturating_mul(tuning.left_times).max(1);
        Self {
            slow_rounds,
            thin,
            left,
            propagations,
        }
    }

    /// Returns the limits after a division that was given up, because another one is less likely to
    /// succeed.
    pub(super) fn doubled(self) -> Self {
        Self {
            slow_rounds: self.slow_rounds.saturating_mul(2),
            thin: self.thin.saturating_mul(2),
            left: self.left.saturating_mul(2),
            ..self
        }
    }
}

/// The place where a loop begins, and its limits.
pub(super) struct ResumePoint {
    pub(super) stages: Stages,
    /// The words of the first record.
    pub(super) words: [u32; LoopRecord::WORDS],
    pub(super) division_limits: DivisionLimits,
}

impl ResumePoint {
    /// Returns the beginning of a search.
    pub(super) fn first(stages: Stages, division_limits: DivisionLimits) -> Self {
        let mut words = [0; LoopRecord::WORDS];
        words[CONTROL_PHASE as usize] = PHASE_INIT;
        Self {
            stages,
            words,
            division_limits,
        }
    }

    /// Returns the point after the last iteration of a loop, with `phase`.
    pub(super) fn after(self, last: LoopRecord, phase: u32) -> Self {
        let mut words = last.words;
        words[CONTROL_PHASE as usize] = phase;
        Self { words, ..self }
    }
}

/// Returns the names of the phases, by their numbers: those of the constants `PHASE_` in the
/// kernels, in lower case.
pub(super) fn phase_names() -> &'static [&'static str] {
    static NAMES: OnceLock<Vec<&str>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let phase = |&(name, number): &(&'static str, u32)| {
            let name = name.strip_prefix("PHASE_")?;
            let name: &'static str = name.replace('_', " ").to_lowercase().leak();
            Some((number, name))
        };
        let mut phases: Vec<_> = CONSTANTS.iter().filter_map(phase).collect();
        phases.sort_unstable();
        phases.into_iter().map(|(_, name)| name).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::gpu::kernels::worklist::{
        CONTROL_FLAGS, FLAG_PRUNED, PHASE_GIVE_UP, PHASE_STUCK, PHASE_UPDATE_DEGREES,
    };
    use std::collections::BTreeMap;

    /// Returns the constants whose names begin with `prefix`, by their values.
    fn named(prefix: &str) -> BTreeMap<u32, Vec<&'static str>> {
        let mut named: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
        for (name, value) in CONSTANTS {
            if name.starts_with(prefix) {
                named.entry(*value).or_default().push(name);
            }
        }
        named
    }

    #[test]
    fn phases_are_numbered_without_gaps() {
        let names = phase_names();
        assert_eq!(names[PHASE_INIT as usize], "init");
        assert_eq!(names[PHASE_UPDATE_DEGREES as usize], "update degrees");
        assert_eq!(names.len(), PHASE_STUCK as usize + 1);
    }

    #[test]
    fn colours_of_large_graphs_may_take_longer_to_settle() {
        let tuning = Tuning::default();
        let of = |edges| DivisionLimits::of(&tuning, 1 << 26, edges).propagations;
        let usual = tuning.most_propagations;
        assert_eq!([of((1 << 26) - 1), of(1 << 26)], [usual, 2 * usual]);
        assert_eq!(of(u64::from(u32::MAX)), 2 * usual);
    }

    #[test]
    fn large_graphs_may_have_more_slow_rounds() {
        let tuning = Tuning::default();
        let of = |states, edges| DivisionLimits::of(&tuning, states, edges).slow_rounds;
        let usual = tuning.most_slow_rounds;
        assert_eq!(of(1 << 20, 1 << 20), usual);
        assert_eq!(of(1 << 21, 1 << 21), usual + 1);
        // These are the sizes of coin8 with K=3.
        assert_eq!(of(87_887_872, 583_015_424), usual + 159);
    }

    #[test]
    fn each_word_of_the_record_has_one_name_and_so_has_each_flag() {
        let words = named("CONTROL_");
        assert!(words.values().all(|names| names.len() == 1), "{words:?}");
        let places: Vec<u32> = words.into_keys().collect();
        assert_eq!(places, (0..places.len() as u32).collect::<Vec<_>>());
        assert!(places.len() <= LoopRecord::WORDS);
        let flags = named("FLAG_");
        assert!(flags.values().all(|names| names.len() == 1), "{flags:?}");
        assert!(flags.keys().all(|flag| flag.is_power_of_two()), "{flags:?}");
    }

    #[test]
    fn a_loop_goes_on_with_the_flags_of_the_last_one() {
        let mut last = LoopRecord::default();
        last.words[CONTROL_FLAGS as usize] = FLAG_PRUNED;
        last.words[CONTROL_RAN as usize] = 3;
        last.words[CONTROL_WORKED as usize] = 7;
        assert_eq!((last.phase_that_ran(), last.worked()), (3, 7));
        let division_limits = DivisionLimits {
            slow_rounds: 1,
            thin: 1,
            left: 1,
            propagations: 1,
        };
        let next = ResumePoint::first(Stages::All, division_limits).after(last, PHASE_GIVE_UP);
        assert_eq!(next.words[CONTROL_FLAGS as usize], FLAG_PRUNED);
        assert_eq!(next.words[CONTROL_PHASE as usize], PHASE_GIVE_UP);
    }
}
