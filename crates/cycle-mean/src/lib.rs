//! Optimal cycle means and cost-to-time ratios of weighted directed graphs, exactly.
//!
//! The *mean* of a cycle is the sum of its weights divided by the number of its edges. If edges
//! have times, the *ratio* of a cycle is the sum of its weights divided by the sum of its times.
//! [`solve()`] finds the least or greatest value of all cycles, for each strongly connected
//! component of a graph, with a cycle that attains it and the potentials that prove it. All numbers
//! are integers, and answers are fractions.
//!
//! ```
//! use cycle_mean::{Objective, Options, Problem, Ratio, solve};
//! use mdp_graph::{BranchId, MdpGraph, StateId};
//!
//! // 0 -> 1 (weight 3), 1 -> 0 (weight 4), 1 -> 1 (weight 5), 1 -> 2 (weight 0)
//! let targets = [1, 0, 1, 2].map(StateId).to_vec();
//! let graph = MdpGraph::from_parts(vec![0, 1, 4, 4], vec![0, 1, 2, 3, 4], targets)?;
//! let weights = [3, 4, 5, 0];
//!
//! let answer = solve(&Problem::mean(&graph, &weights, Objective::Min), &Options::default())?;
//! let optimal = answer.optimal().expect("the graph has cycles");
//! assert_eq!(optimal.value, Ratio::new(7, 2));
//! assert_eq!(optimal.cycle, [0, 1].map(BranchId)); // 0 -> 1 and 1 -> 0
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Algorithms
//!
//! The crate `decompose` finds the components. States and edges that are on no cycle are removed
//! first. Then each component is solved by itself. Small components are solved in parallel on all
//! threads.
//!
//! The paper is that of Barnat, Bauch, Brim and Češka: *Computing optimal cycle mean in parallel on
//! CUDA* (2011).
//!
//! | [`MeanSearch`] | algorithm |
//! | --- | --- |
//! | [`Howard`](MeanSearch::Howard) | Howard's policy iteration (Algorithm 2 of the paper) |
//! | [`Lawler`](MeanSearch::Lawler) | Lawler's binary search (section 2.4.2) |
//! | [`Yto`](MeanSearch::Yto) | the algorithm of Young, Tarjan and Orlin (section 2.4.3) |
//! | [`Paper`](MeanSearch::Paper) | Howard's policy iteration with the paper's kernels (section 3), on a GPU |
//!
//! On a GPU ([`OpenDevice`]) Howard's policy iteration solves all components at once, and evaluates
//! policies by pointer doubling; answers are the same on every device. Some graphs take as many
//! policies as they have states. Therefore, after 100 policies, the algorithm of Young, Tarjan and
//! Orlin takes turns with it, if no edge has the time 0 and there is enough memory.
//!
//! # Bounds
//!
//! Let n be the number of states of a component, and W the difference of its greatest and its least
//! weight. Then n² W must be below 2^63. For ratios, let W be the greatest absolute weight and T
//! the longest time; then 2 n² W T must be below 2^63. So all numbers fit 64 bits. A component
//! beyond the bound is an [`Error`], and so is a cycle whose time is 0.

#![forbid(unsafe_code)]

mod answer;
mod arc;
mod error;
mod feasibility;
#[cfg(feature = "gpu")]
mod gpu;
mod howard;
mod lawler;
mod options;
mod parse;
mod policy;
mod problem;
mod ratio;
mod region;
mod scale;
mod search;
mod solve;
mod yto;
mod zero_time;

pub use answer::{Answer, Optimum, PassTime, Work};
pub use decompose::OpenDevice;
pub use error::Error;
pub use mdp_graph::Objective;
pub use options::{MeanSearch, Options};
pub use parse::NotANumber;
pub use problem::Problem;
pub use ratio::Ratio;
pub use scale::{Scale, ScaleError};
pub use solve::{solve, solve_components};
