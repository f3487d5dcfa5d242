//! How a device interprets kernels.

use gpu::Kernel;

use super::schedule::Schedule;

/// Constants and their values.
pub(super) type Values = [(&'static str, u32)];

/// How a device interprets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Who makes the next step.
    pub schedule: Schedule,
    /// Where random numbers begin.
    pub seed: u64,
    /// The size of subgroups, a power of two, 4 to 128.
    pub subgroup: u32,
    /// How many workgroups run at a time.
    pub resident: u32,
    /// Whether relaxed loads may see old values.
    pub stale: bool,
    /// After how many operations an invocation counts as one that does not end.
    pub patience: u64,
    /// After how many iterations a loop counts as one that does not end, if not before.
    pub iterations: u64,
    /// After how many steps of all kernels the device fails: a host loop that does not end.
    pub steps: u64,
    /// Whether the device fails once something went wrong, for those who ask no more than whether
    /// it does.
    pub fails_early: bool,
    /// Kernels with other constants; the first one that fits counts.
    pub scales: &'static [Scale],
}

/// Constants of some kernels, which runs change: with small workgroups, lists and limits, small
/// inputs come to places that take large ones otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// How the names of the kernels begin.
    pub kernels: &'static str,
    /// The `const`s, and their values.
    pub values: &'static Values,
    /// How many times as many workgroups there are as the host says, which has the kernels' own
    /// constants in mind.
    pub groups: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            schedule: Schedule::Random,
            seed: 0,
            subgroup: 32,
            resident: 4,
            stale: false,
            patience: super::PATIENCE,
            iterations: u64::MAX,
            steps: u64::MAX,
            fails_early: false,
            scales: &[],
        }
    }
}

impl Settings {
    /// What is changed of a kernel.
    pub(super) fn scale(&self, kernel: &Kernel) -> Scale {
        let fits = |scale: &&Scale| kernel.name.starts_with(scale.kernels);
        self.scales.iter().find(fits).copied().unwrap_or(Scale {
            kernels: "",
            values: &[],
            groups: 1,
        })
    }

    /// How many workgroups there are.
    pub(super) fn groups(&self, kernel: &Kernel, [x, y, z]: [u32; 3]) -> [u32; 3] {
        [x * self.scale(kernel).groups, y, z]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_scale_that_fits_counts() {
        const fn scale(kernels: &'static str, groups: u32) -> Scale {
            Scale {
                kernels,
                values: &[],
                groups,
            }
        }
        const SCALES: &[Scale] = &[scale("bfs/level", 2), scale("bfs/", 3)];
        let settings = Settings {
            scales: SCALES,
            ..Settings::default()
        };
        let groups = |name: &str| {
            let mut kernels = gpu::kernels::ALL.iter();
            let kernel = kernels.find(|kernel| kernel.name == name);
            settings.groups(kernel.expect("there is such a kernel"), [5, 1, 1])
        };
        assert_eq!(groups("bfs/level"), [10, 1, 1]);
        assert_eq!(groups("bfs/edge"), [15, 1, 1]);
        assert_eq!(groups("csr/sum"), [5, 1, 1]);
    }
}
