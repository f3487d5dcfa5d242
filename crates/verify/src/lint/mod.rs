//! What can be said of a kernel without running it.
//!
//! | lint | what it forbids |
//! | --- | --- |
//! | `uniformity` | a barrier that not all invocations of a workgroup reach together, or a subgroup operation that not all of a subgroup do |
//! | `waiting` | a loop that ends only once another invocation has changed storage |
//! | `plain` | a storage buffer that one dispatch both reads and writes without atomic operations |
//! | `recursion` | a function that calls itself; naga refuses that already, so it is an error of [`Program`] |

mod finding;
mod flow;
mod plain;
mod state;
mod uniformity;
mod values;
mod variables;
mod waiting;

pub use finding::Finding;
pub use plain::{Discipline, disciplines};
pub(crate) use waiting::visit;

use crate::Program;

/// All that the lints find in a kernel, in the order of its lines.
#[must_use]
pub fn lint(program: &Program) -> Vec<Finding> {
    let mut all = uniformity::check(program);
    all.extend(waiting::check(program));
    all.extend(plain::check(program));
    all.sort();
    all.dedup();
    all
}
