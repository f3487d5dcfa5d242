//! Static analyses of a kernel.
//!
//! | lint | what it forbids |
//! | --- | --- |
//! | `uniformity` | a barrier that not all invocations of a workgroup reach together, or a subgroup operation that not all invocations of a subgroup reach together |
//! | `waiting` | a loop that ends only once another invocation has changed storage |
//! | `plain` | a storage buffer that one dispatch both reads and writes without atomic operations |
//! | `recursion` | a function that calls itself; naga already rejects that, so it is an error of [`Program`] |

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

use crate::Program;

/// Returns all findings in a kernel, in the order of its lines.
#[must_use]
pub fn lint(program: &Program) -> Vec<Finding> {
    let mut all = uniformity::check(program);
    all.extend(waiting::check(program));
    all.extend(plain::check(program));
    all.sort();
    all.dedup();
    all
}
