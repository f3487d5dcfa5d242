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
    /// A frontier with more edges is dense: its level takes a bit for each state of the graph.
    /// `None` is what suits the number of states.
    pub dense_edges: Option<u32>,
}

/// The most edges of a frontier that is not dense: so many, and one more for each `STATES_AN_EDGE`
/// states. A dense level reads and writes some bits of all states, and takes two dispatches.
/// Otherwise an edge costs as much as reading some hundred bytes in order.
const SPARSE_EDGES: u32 = 1 << 15;
const STATES_AN_EDGE: u32 = 64;

impl Default for Tuning {
    fn default() -> Self {
        Self {
            most_groups: 1024,
            levels: 1024,
            fixed_grid: true,
            dense_edges: None,
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

    /// The most edges of a frontier that is not dense, in a graph of so many states.
    pub(super) fn dense_edges(&self, states: u32) -> u32 {
        self.dense_edges
            .unwrap_or(SPARSE_EDGES + states / STATES_AN_EDGE)
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
