//! The distribution of work in the search by levels.

use ::gpu::{AdapterInfo, AdapterKind};

/// The distribution of work. No answer depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// The maximum number of workgroups of an iteration, 1 to 65,535.
    pub most_groups: u32,
    /// The number of narrow levels that a workgroup explores alone before it ends the iteration.
    pub levels: u32,
    /// Whether all iterations have the same number of workgroups. Then an iteration begins earlier
    /// than if the previous iteration determined the number.
    pub fixed_grid: bool,
    /// A frontier with more edges than this is dense: its level uses one bit for each state of the
    /// graph. `None` selects a limit that suits the number of states.
    pub dense_edges: Option<u32>,
    /// The maximum number of levels that workgroups explore without waiting for each other, if
    /// frontiers hardly grow. If it is 0 or 1, they wait after each level.
    pub most_span: u32,
    /// The maximum number of rows of such levels that an iteration may leave to the next one, at
    /// most [`EARLY_ROWS`](Self::EARLY_ROWS). If there are more, the search begins again, and waits
    /// after each level.
    pub early_rows: u32,
}

/// A sparse frontier has at most this many edges, plus one for each `STATES_AN_EDGE` states. A
/// dense level reads and writes some bits of all states, and takes two dispatches. In a sparse
/// level, an edge takes as long as reading some hundred bytes in order.
const SPARSE_EDGES: u32 = 1 << 15;
const STATES_AN_EDGE: u32 = 64;

/// The greatest value of `most_span`.
const MAX_SPAN: u32 = 1 << 10;

impl Default for Tuning {
    fn default() -> Self {
        Self {
            most_groups: 1024,
            levels: 1024,
            fixed_grid: true,
            dense_edges: None,
            most_span: 64,
            early_rows: Self::EARLY_ROWS,
        }
    }
}

impl Tuning {
    /// The greatest value of `early_rows`.
    pub const EARLY_ROWS: u32 = 1 << 16;

    /// Returns the defaults for an adapter. A software adapter starts the workgroups of an
    /// iteration one by one, including those without work.
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

    /// Returns the maximum number of edges of a sparse frontier, in a graph of this many states.
    pub(super) fn dense_edges(&self, states: u32) -> u32 {
        self.dense_edges
            .unwrap_or(SPARSE_EDGES + states / STATES_AN_EDGE)
    }

    /// Limits the values to what the kernels support.
    pub(super) fn bounded(self) -> Self {
        Self {
            most_groups: self.most_groups.clamp(1, ::gpu::MAX_WORKGROUPS),
            levels: self.levels.max(1),
            most_span: self.most_span.clamp(1, MAX_SPAN),
            early_rows: self.early_rows.min(Self::EARLY_ROWS),
            ..self
        }
    }
}
