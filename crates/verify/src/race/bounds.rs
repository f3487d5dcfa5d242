//! Proofs that indices are within their arrays: z3 searches for an invocation whose index is not.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use naga::{AddressSpace, GlobalVariable, Handle};

use super::solver::{Answers, Error, premises};
use super::value::Term;
use super::walk::{self, Touch, Walked};
use crate::{Place, Program};

/// The limit on the work of z3 for an index, in z3's own units.
const LIMIT: u32 = 2_000_000;

/// The result for the indices into an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Whether the array is in storage. If not, it belongs to a workgroup or an invocation.
    pub is_storage: bool,
    /// The first access that is not proved to be within the array, if there is one.
    pub open: Option<Place>,
    /// The reason why it is within the array nevertheless, in a line `//@ within NAME: why`.
    pub why: Option<String>,
}

/// Returns the results for all arrays that a kernel indexes, by name.
///
/// # Errors
/// If z3 is not installed, or does not answer.
pub fn bounds(program: &Program) -> Result<BTreeMap<String, Bounds>, Error> {
    let walked = walk::accesses(program);
    let mut all = BTreeMap::new();
    for (handle, variable) in program.module.global_variables.iter() {
        let own: Vec<&Touch> = of(&walked, handle);
        if own.is_empty() {
            continue;
        }
        let name = variable.name.clone().unwrap_or_default();
        let open = ask(program, &walked, &own)?;
        let bounds = Bounds {
            is_storage: matches!(variable.space, AddressSpace::Storage { .. }),
            why: open
                .as_ref()
                .and_then(|_| program.declared("within", &name))
                .map(str::to_owned),
            open,
        };
        all.insert(name, bounds);
    }
    Ok(all)
}

/// Returns the accesses to an array, without those that are the same for z3.
fn of(walked: &Walked, variable: Handle<GlobalVariable>) -> Vec<&Touch> {
    let mut own: Vec<&Touch> = Vec::new();
    for touch in walked
        .touches
        .iter()
        .filter(|touch| touch.variable == variable)
    {
        let is_same = |other: &&Touch| {
            let same = other.index == touch.index && other.conditions == touch.conditions;
            same && other.length == touch.length
        };
        if !own.iter().any(is_same) {
            own.push(touch);
        }
    }
    own
}

/// Returns the first access that is not proved to be within its array.
fn ask(program: &Program, walked: &Walked, touches: &[&Touch]) -> Result<Option<Place>, Error> {
    let mut asked = Vec::new();
    for touch in touches {
        let known = touch.index.as_ref().and_then(Term::as_number);
        match (known, &touch.index) {
            (Some(index), _)
                if touch
                    .length
                    .as_number()
                    .is_some_and(|length| index < length) => {}
            (_, Some(index)) => asked.push((*touch, index)),
            (_, None) => return Ok(Some(program.place(touch.span))),
        }
    }
    if asked.is_empty() {
        return Ok(None);
    }
    let terms = asked
        .iter()
        .flat_map(|(touch, index)| touch.conditions.iter().chain([*index, &touch.length]));
    let mut script = premises(program, walked, terms, LIMIT) + "(check-sat)\n";
    for (touch, index) in &asked {
        script.push_str("(push)\n");
        for condition in &touch.conditions {
            let _ = writeln!(script, "(assert {})", condition.text.replace('@', "a"));
        }
        let (index, length) = (index.text.replace('@', "a"), &touch.length.text);
        let _ = writeln!(
            script,
            "(assert (bvuge {index} {length}))\n(check-sat)\n(pop)"
        );
    }
    let mut answers = Answers::to(script)?;
    let first = answers.line()?;
    if !matches!(first.as_str(), "sat" | "unknown") {
        return Err(Error::Answer(first));
    }
    for (touch, _) in asked {
        match answers.line()?.as_str() {
            "unsat" => {}
            "sat" | "unknown" => return Ok(Some(program.place(touch.span))),
            other => return Err(Error::Answer(other.to_owned())),
        }
    }
    Ok(None)
}
