//! Promises: lines of a kernel that state properties on which its author relies and that WGSL
//! cannot express.
//!
//! ```wgsl
//! //@ disjoint queue: an iteration reads what earlier ones wrote, and writes behind that
//! //@ once claim_trimmed(state): one invocation enters a state into the queue
//! //@ once enter_trimmed(state) if waits: before the first split it does not matter
//! //@ owned values: an invocation reads and writes a stretch of its own
//! ```
//!
//! `disjoint` is about a buffer: no invocation accesses elements that another one writes, unless
//! both use atomic operations. `owned` says the same, but has to be proved. `once` is about a
//! function that returns a `bool`: it returns true at most once in a dispatch for the same values
//! of these arguments, among calls in which the argument after `if` is true. So it decides which
//! invocation acts. The interpreter checks these promises in each dispatch that it runs.

use crate::{Error, Program};

/// A promise that a function returns true at most once for the same arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Once {
    /// The function's name.
    pub(crate) function: String,
    /// The indices of the arguments that distinguish its calls.
    pub(crate) arguments: Vec<usize>,
    /// The index of the argument that says whether the promise applies to a call.
    pub(crate) condition: Option<usize>,
}

impl Program {
    /// Returns whether the kernel has a line `//@ KIND NAME: why`.
    pub(crate) fn declares(&self, kind: &str, name: &str) -> bool {
        self.declared(kind, name).is_some()
    }

    /// Returns the reason in a line `//@ KIND NAME: why`.
    pub(crate) fn declared(&self, kind: &str, name: &str) -> Option<&str> {
        let lines = self.text().lines();
        let mut lines = lines.filter_map(|line| line.trim().strip_prefix("//@ ")?.split_once(": "));
        let line = lines.find(|(head, _)| head.split_once(' ') == Some((kind, name)));
        line.map(|(_, why)| why)
    }

    /// Returns the lines `//@ KIND ABOUT: why`: their numbers in the expanded text, with `ABOUT`
    /// and `why`.
    fn promises(&self) -> impl Iterator<Item = (u32, &str, &str)> {
        (1..).zip(self.text().lines()).filter_map(|(number, line)| {
            let (head, _) = line.trim().strip_prefix("//@ ")?.split_once(": ")?;
            let (kind, about) = head.split_once(' ')?;
            Some((number, kind, about))
        })
    }

    /// Returns the promises that functions return true at most once.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a promise about a function or an argument that does not exist.
    pub(crate) fn once(&self) -> Result<Vec<Once>, Error> {
        let of_kind = self.promises().filter(|&(_, kind, _)| kind == "once");
        let read = |(line, _, about): (u32, &str, &str)| {
            self.read_once(about).ok_or_else(|| Error::Invalid {
                place: self.place_of_line(line),
                message: "expected `//@ once FUNCTION(ARGUMENT, ...) if ARGUMENT: why`, about a \
                          function of this kernel that returns a bool, the part from `if` optional"
                    .to_owned(),
            })
        };
        of_kind.map(read).collect()
    }

    fn read_once(&self, about: &str) -> Option<Once> {
        let (name, rest) = about.split_once('(')?;
        let (arguments, condition) = rest.split_once(')')?;
        let named = |(_, function): &(_, &naga::Function)| function.name.as_deref() == Some(name);
        let (_, function) = self.module.functions.iter().find(named)?;
        let result = &self.module.types[function.result.as_ref()?.ty].inner;
        if result.scalar_kind() != Some(naga::ScalarKind::Bool) {
            return None;
        }
        let number = |name: &str| {
            let mut all = function.arguments.iter();
            all.position(|argument| argument.name.as_deref() == Some(name.trim()))
        };
        Some(Once {
            function: name.to_owned(),
            arguments: arguments.split(',').map(number).collect::<Option<_>>()?,
            condition: match condition.trim() {
                "" => None,
                condition => Some(number(condition.strip_prefix("if ")?)?),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &str = "@group(0) @binding(0) var<storage, read_write> taken: atomic<u32>;
fn take(bit: u32, waits: bool) -> bool {
    return (atomicOr(&taken, bit) & bit) == 0u || !waits;
}
@compute @workgroup_size(1)
fn main() {
    take(1u, true);
}
";

    fn once(promise: &str) -> Result<Vec<Once>, String> {
        let program = Program::parse("taken.wgsl", &format!("//@ {promise}\n{KERNEL}"));
        let program = program.expect("it is valid");
        program.once().map_err(|error| error.to_string())
    }

    #[test]
    fn a_promise_names_a_function_and_its_arguments() {
        let expected = |arguments: &[usize], condition| Once {
            function: "take".to_owned(),
            arguments: arguments.to_vec(),
            condition,
        };
        assert_eq!(
            once("once take(bit) if waits: it claims"),
            Ok(vec![expected(&[0], Some(1))])
        );
        assert_eq!(
            once("once take(waits, bit): it claims"),
            Ok(vec![expected(&[1, 0], None)])
        );
        assert_eq!(once("disjoint taken: of no concern here"), Ok(vec![]));
    }

    #[test]
    fn a_promise_about_nothing_is_refused() {
        for promise in [
            "once take: why",
            "once give(bit): why",
            "once take(bits): why",
            "once take(bit) when waits: why",
            "once main(): why",
        ] {
            let error = once(promise).expect_err(promise);
            assert!(error.starts_with("taken.wgsl:1: `//@ once "), "{error}");
            assert!(error.contains("expected `//@ once FUNCTION("), "{error}");
        }
    }
}
