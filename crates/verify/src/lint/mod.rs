//! What can be said of a kernel without running it.
//!
//! | lint | what it forbids |
//! | --- | --- |
//! | `uniformity` | a barrier that not all invocations of a workgroup reach together, or a subgroup operation that not all of a subgroup do |
//! | `waiting` | a loop that ends only once another invocation has changed storage |
//! | `plain` | a storage buffer that one dispatch both reads and writes without atomic operations |
//! | `recursion` | a function that calls itself; naga refuses that already, so it is an error of [`Program`] |

mod plain;
mod uniformity;
mod values;
mod variables;
mod waiting;

use std::fmt;

pub use plain::{Discipline, disciplines};

use crate::{Place, Program};

/// Something that a lint forbids.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Where.
    pub place: Place,
    /// Which lint.
    pub lint: &'static str,
    /// What is wrong.
    pub message: String,
    /// Other places that have to do with it, and how.
    pub notes: Vec<(String, Place)>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            place,
            lint,
            message,
            notes,
        } = self;
        let Place { file, line, text } = place;
        write!(f, "{file}:{line}: {message} [{lint}]\n    {text}")?;
        for (note, Place { file, line, text }) in notes {
            write!(f, "\n  {note}, {file}:{line}\n    {text}")?;
        }
        Ok(())
    }
}

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
