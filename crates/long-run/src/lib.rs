//! Optimal long-run average rewards of Markov decision processes, with lower and upper bounds.
//!
//! In the long run, a strategy earns some average reward per step. [`solve()`] computes bounds on
//! the least or greatest such average, for each maximal end component (MEC) and for each state. All
//! bounds are rounded away from the value, so they hold for real numbers and not just for doubles.
//!
//! ```
//! use long_run::{Objective, Options, Problem, Rewards, solve};
//! use mdp_graph::{MdpGraph, StateId};
//!
//! // State 0 earns 1 and goes to state 1 or, by its other choice, stays; state 1 earns 4 and goes
//! // back.
//! let targets = [1, 0, 0].map(StateId).to_vec();
//! let graph = MdpGraph::from_parts(vec![0, 2, 3], vec![0, 1, 2, 3], targets)?;
//! let rewards = Rewards {
//!     states: Some(&[1.0, 4.0]),
//!     ..Rewards::default()
//! };
//! let problem = Problem::new(&graph, &[1.0, 1.0, 1.0], rewards, Objective::Max)?;
//! let answer = solve(&problem, &[StateId(0)], &Options::default())?;
//! let value = answer.value(StateId(0));
//! assert!(value.lower <= 2.5 && 2.5 <= value.upper);
//! assert!(value.upper - value.lower <= 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Algorithms
//!
//! 1. The MECs come from the crate `decompose`. If strategies stay in a MEC, the optimum is the
//!    same for all of its states: this is the *gain* of the MEC. Value iteration approaches the
//!    gain. For every vector v, the gain lies between the least and the greatest of (T v)(s) -
//!    v(s), where T is the optimal one-step operator (Odoni, 1969; Puterman, *Markov decision
//!    processes*, theorem 8.5.5). Each step goes only part of the way from v to T v, so that
//!    periodic models converge, too. If no choice branches in a MEC, its gain is the optimal mean
//!    of its cycles, and the crate `cycle-mean` finds it without iterations.
//! 2. Each MEC becomes one state, which may stay for its gain or leave. No other end component is
//!    left, so exactly one vector solves the optimality equations. Value iteration from below and
//!    from above converges to it (Ashok, Chatterjee, Daca, Křetínský and Meggendorfer, *Value
//!    iteration for long-run average reward in Markov decision processes*, CAV 2017).
//!
//! If either step takes many iterations, policy iteration takes over. It solves the Markov chain of
//! each policy by eliminating states one by one, as long as this adds few branches. If each state
//! has a single choice, the bounds then follow from the number of roundings. If that is not enough,
//! exact arithmetic solves small parts of the model.
//!
//! On a GPU ([`OpenDevice`]), the iteration of the first step uses integers of 64 bits, and handles
//! all MECs at the same time. The CPU then computes the bounds, so they hold whatever the device
//! has computed. If they are not close enough, the CPU continues the iteration.
//!
//! [`solve_exactly`] finds the averages of small models as fractions, by policy iteration.
//!
//! With [`Options::is_relative`], bounds differ by at most [`Options::epsilon`] times the average,
//! for every component and every wanted state. If an average is 0 and rounding keeps its bounds
//! apart, the search fails, unless the component is small.
//!
//! Probabilities are doubles whose sums are 1 up to rounding; each distribution is divided by its
//! sum, and the bounds are those of that model.

#![forbid(unsafe_code)]

mod anderson;
mod bounds;
mod chain;
mod context;
mod cycles;
mod eliminate;
mod error;
mod exact;
mod gain;
#[cfg(feature = "gpu")]
mod gpu;
mod inner;
mod mec;
mod nodes;
mod options;
mod order;
mod policy;
mod precision;
mod problem;
mod quotient;
mod relative;
mod residual;
mod shared;
mod solve;
mod sum;
mod visit;
mod wide;
mod zeros;

pub use bounds::Bounds;
pub use decompose::OpenDevice;
pub use error::{Error, Subject};
pub use exact::{ExactAnswer, MAX_STATES, solve_exactly};
pub use gain::MecGain;
pub use mdp_graph::Objective;
pub use num_rational::BigRational;
pub use options::Options;
pub use problem::{Fractions, Problem, ProblemError, Rewards};
pub use solve::{Answer, solve};
