//! [`Profile`]: what a search took, read off the records of its loop.

use ::gpu::LoopRecord;

/// What a search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Iterations of the loop, a dispatch a shard each.
    pub iterations: u64,
    /// How often the host handed work to the device.
    pub submissions: u64,
    /// The time of all iterations on the device, if it was asked for and the adapter can tell; or 0.
    pub nanoseconds: u64,
    /// How many times pivots were chosen, and something was left to choose from.
    pub rounds: u64,
    /// Iterations that peeled.
    pub peels: u64,
    /// Iterations that searched.
    pub searches: u64,
    /// States that were handed over from one iteration to another, while peeling and while searching.
    pub handed_over: [u64; 2],
    /// States that were in no component when pivots were last chosen.
    pub live_states: Option<u32>,
}

/// Parts, as `shared/fast/turn.wgsl` numbers them.
const PEEL: u32 = 1;
const SEED: u32 = 3;
const SEARCH: u32 = 4;

impl Profile {
    /// Takes the records of further iterations into account.
    pub(super) fn add(&mut self, records: &[LoopRecord]) {
        for record in records {
            let [entries, counted, _, part] = record.words;
            match part {
                PEEL => {
                    self.peels += 1;
                    self.handed_over[0] += u64::from(entries);
                }
                SEED => {
                    self.rounds += u64::from(counted != 0);
                    self.live_states = Some(counted);
                }
                SEARCH => {
                    self.searches += 1;
                    self.handed_over[1] += u64::from(entries);
                }
                _ => {}
            }
        }
    }
}
