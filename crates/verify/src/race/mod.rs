//! Proofs that kernels have no data races, about two arbitrary invocations of a dispatch, by an SMT
//! solver.
//!
//! For each storage buffer that is written without atomic operations, this module collects all
//! accesses that are not atomic, with their indices and conditions. These are formulas over the
//! identity of the invocation and the values that it has read. The solver searches for two
//! different invocations that access the same element, at least one of which writes. If there are
//! none, these accesses do not race, whatever the graph and the schedule. Values that the formulas
//! do not describe, such as values loaded from memory that other invocations write or variables
//! that loops change, may be anything. So the answer "none" is a proof. The answer "some" may be a
//! false alarm, and comes with the two lines.
//!
//! Assumptions: the indices and strides that a dispatch gives to its invocations do not wrap
//! (`lib/grid.wgsl`); buffers that are bound to different names are different, and no larger than 4
//! GiB; and no index lies outside its array.
//!
//! ```text
//! value.rs     formulas, and values that consist of them
//! walk.rs      statements: the accesses of an invocation, and their conditions
//! loops.rs     what a loop changes in any of its iterations
//! evaluate.rs  expressions
//! memory.rs    loads and stores
//! promised.rs  what the host promises
//! verdict.rs   what is known of a buffer
//! solver.rs    the question, in SMT-LIB, and z3's answer
//! bounds.rs    the question whether an index lies within its array
//! ```

mod bounds;
mod evaluate;
mod loops;
mod memory;
mod promised;
mod solver;
mod value;
mod verdict;
mod walk;

use std::collections::BTreeMap;

use naga::AddressSpace;

use crate::Program;
use walk::AccessKind;

pub use bounds::{Bounds, bounds};
pub use solver::{Error, is_there};
pub use verdict::{Verdict, Witness, summary};

/// Returns the verdicts on all storage buffers that a kernel writes without atomic operations, by
/// name.
///
/// # Errors
/// If z3 is not installed, or does not answer.
pub fn verdicts(program: &Program) -> Result<BTreeMap<String, Verdict>, Error> {
    let walked = walk::accesses(program);
    let mut verdicts = BTreeMap::new();
    for (handle, variable) in program.module.global_variables.iter() {
        if !matches!(variable.space, AddressSpace::Storage { .. }) {
            continue;
        }
        let own = walked.accesses.iter();
        let own: Vec<_> = own.filter(|access| access.buffer == handle).collect();
        if !own.iter().any(|access| access.kind == AccessKind::Write) {
            continue;
        }
        let name = variable.name.clone().unwrap_or_default();
        let declared = program.declared("disjoint", &name);
        let limit = match declared {
            Some(_) => solver::SMALL_LIMIT,
            None => solver::LIMIT,
        };
        let verdict = match solver::find_race(program, &walked, &own, limit)? {
            Verdict::Open(witness) => match declared {
                Some(why) => Verdict::Declared(why.to_owned(), witness),
                None => Verdict::Open(witness),
            },
            proved => proved,
        };
        verdicts.insert(name, verdict);
    }
    Ok(verdicts)
}
