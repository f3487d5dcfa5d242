//! How the interpreter runs kernels: in turns, by a seed.

use verify::run::{Schedule, Settings};

/// The settings of a seed.
pub(super) fn settings(seed: u64) -> Settings {
    Settings {
        schedule: match (seed + seed / 8) % 4 {
            0 => Schedule::Random,
            1 => Schedule::Priorities { changes: 3 },
            2 => Schedule::Meetings,
            _ => Schedule::RoundRobin,
        },
        seed,
        subgroup: [4, 8, 32, 64][seed as usize / 3 % 4],
        resident: 1 + seed as u32 / 5 % 4,
        stale: seed / 7 % 2 == 1,
        ..Settings::default()
    }
}
