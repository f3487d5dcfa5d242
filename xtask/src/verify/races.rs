//! The results of z3 about races: a column of the page, and the reasons why accesses that z3 cannot
//! decide do not race.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gpu::Kernel;
use verify::Program;
use verify::race::{self, Verdict, Witness, verdicts};

use crate::shell::Outcome;

/// The reasons that the kernels declare, and the two accesses that z3 cannot distinguish, with the
/// variants in which this occurs.
type Declared = BTreeMap<(&'static str, String, String, [String; 2]), Vec<String>>;

/// The results for all kernels so far.
#[derive(Default)]
pub(super) struct Races {
    declared: Declared,
    proved: usize,
}

impl Races {
    /// Starts, or fails if z3 is not installed.
    pub(super) fn begin() -> Outcome<Self> {
        match race::is_there() {
            true => Ok(Self::default()),
            false => Err("there is no z3; install the package `z3`".into()),
        }
    }

    /// Returns the cell of a kernel in the table.
    pub(super) fn column(
        &mut self,
        kernel: &'static Kernel,
        program: &Program,
        faults: &mut Vec<String>,
    ) -> Outcome<String> {
        let verdicts = verdicts(program)?;
        for (buffer, verdict) in &verdicts {
            match verdict {
                Verdict::Free => self.proved += 1,
                Verdict::Declared(why, witness) => {
                    let key = (kernel.name, buffer.clone(), why.clone(), accesses(witness));
                    let variants = self.declared.entry(key).or_default();
                    variants.push(kernel.variant.to_owned());
                }
                Verdict::Open(witness) => faults.push(format!(
                    "{}: `{buffer}` is not proved to be free of races, nor does a line `//@ \
                     disjoint {buffer}: why` say why it is: {}",
                    kernel.label(),
                    accesses(witness).join(" and ")
                )),
            }
        }
        Ok(race::summary(&verdicts))
    }

    /// Returns the text below the table.
    pub(super) fn below(&self) -> Outcome<String> {
        let declared: usize = self.declared.values().map(Vec::len).sum();
        let mut text = format!(
            "\n## Buffers that are declared to be free of races\n\nCounted over all variants, {} \
             buffers are proved to be free of races, and {declared} are\ndeclared to be. For each \
             of the declared buffers, the list has the reason that the kernel gives, and\ntwo \
             accesses of which z3 did not show that they concern different elements.\n",
            self.proved
        );
        for ((kernel, buffer, why, accesses), variants) in &self.declared {
            write!(
                text,
                "\n- {kernel}, `{buffer}`: {why}.\n  {}; {}.\n",
                accesses[0], accesses[1]
            )?;
            let variants: Vec<&str> = variants.iter().map(String::as_str).collect();
            if variants != ["plain"] {
                writeln!(text, "  Variants: {}.", variants.join(", "))?;
            }
        }
        Ok(text)
    }
}

/// Returns two accesses, each with its invocation and its line.
fn accesses(witness: &Witness) -> [String; 2] {
    let [first, second] = &witness.places;
    let [one, other] = &witness.invocations;
    [(one, first), (other, second)]
        .map(|(invocation, place)| format!("{invocation} at {}:{}", place.file, place.line))
}
