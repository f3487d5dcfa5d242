//! How the search by levels distributes its work.

use ::gpu::{AdapterInfo, AdapterKind};

/// How work is distributed. No answer depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// The most workgroups of an iteration, 1 to 65,535.
    pub most_groups: u32,
    /// How many levels a workgroup explores alone, as long as they are narrow, before it ends the
    /// iteration.
    pub levels: u32,
    /// Give all iterations the same number of workgroups. An iteration then begins sooner than one
    /// whose workgroups the iteration before asks for.
    pub fixed_grid: bool,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            most_groups: 1024,
            levels: 1024,
            fixed_grid: true,
        }
    }
}

impl Tuning {
    /// What suits an adapter. A software adapter starts the workgroups of an iteration one by one,
    /// and takes as long for those without work.
    pub(super) fn of(adapter: &AdapterInfo) -> Self {
        match adapter.kind {
            AdapterKind::Software => Self {
                most_groups: 64,
                fixed_grid: false,
                ..Self::default()
            },
            _ => Self::default(),
        }
    }

    /// Within what the kernels can take.
    pub(super) fn bounded(self) -> Self {
        Self {
            most_groups: self.most_groups.clamp(1, ::gpu::MAX_WORKGROUPS),
            levels: self.levels.max(1),
            ..self
        }
    }
}
