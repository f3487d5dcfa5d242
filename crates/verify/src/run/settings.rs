//! [`Settings`]: the configuration of the interpreter.

use std::time::Duration;

use gpu::{Kernel, Limits};

use super::schedule::Schedule;

/// Constants and their values.
pub(super) type Values = [(&'static str, u32)];

/// The number of steps that [`Settings::steps`] counts for a dispatch besides its own. So a host
/// loop that dispatches kernels without end is found even if they do nothing.
pub const STEPS_OF_A_DISPATCH: u64 = 1000;

/// The configuration of the interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The scheduler.
    pub schedule: Schedule,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The size of subgroups, a power of two, 4 to 128.
    pub subgroup: u32,
    /// The number of workgroups that run at a time.
    pub resident: u32,
    /// Whether relaxed loads may see old values.
    pub stale: bool,
    /// The number of operations after which an invocation counts as endless.
    pub max_operations: u64,
    /// The largest number of iterations of a loop before it counts as endless.
    pub iterations: u64,
    /// The number of steps of all kernels after which the device fails, because the host loop
    /// counts as endless. Each dispatch counts for [`STEPS_OF_A_DISPATCH`] more.
    pub steps: u64,
    /// The time after which the device fails, even within a dispatch, because its caller waits no
    /// longer. It begins with the device.
    pub limit: Duration,
    /// The largest buffer that the device allocates, in bytes.
    pub max_buffer_bytes: u64,
    /// Whether the device fails at the first fault, for callers that need no details.
    pub fails_early: bool,
    /// Changed constants of kernels. The first entry that matches a kernel is used.
    pub scales: &'static [Scale],
}

/// Changed constants of some kernels. With small workgroups, lists and limits, small inputs reach
/// code that otherwise needs large inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// The prefix of the names of the kernels.
    pub kernels: &'static str,
    /// The `const`s, and their values.
    pub values: &'static Values,
    /// The factor by which the number of workgroups is multiplied. The host computes this number
    /// with the original constants.
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
            max_operations: super::MAX_OPERATIONS,
            iterations: u64::MAX,
            steps: u64::MAX,
            limit: Duration::MAX,
            max_buffer_bytes: Limits::WEBGPU.max_buffer_bytes,
            fails_early: false,
            scales: &[],
        }
    }
}

impl Settings {
    /// Returns the changes to a kernel.
    pub(super) fn scale(&self, kernel: &Kernel) -> Scale {
        let fits = |scale: &&Scale| kernel.name.starts_with(scale.kernels);
        self.scales.iter().find(fits).copied().unwrap_or(Scale {
            kernels: "",
            values: &[],
            groups: 1,
        })
    }

    /// Returns the number of workgroups.
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
