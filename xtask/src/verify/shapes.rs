//! The second table of the page: which indices are proved to be within their arrays, and which
//! buffers have the monotone shape.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gpu::{Checks, Kernel};
use rayon::prelude::*;
use verify::Program;
use verify::monotone::{Shape, shape};
use verify::race::{Bounds, bounds};

use crate::shell::Outcome;

/// The text above the table.
const HEAD: &str = "
## Indices, and the monotone shape

**Indices.** For each array (a buffer, workgroup memory, or memory of an invocation), z3 searches
for an invocation whose index lies outside the array. If there is none, the array is *proved*. The
proof uses the conditions around each access and the promises of the host; it knows the lengths of
buffers only from `//@ assume` lines. For arrays that are not proved, the column *checks* says what
keeps an index within its array. *On*: the checks of naga, which clamp each index in every build
(*clamped*). *Off*: release builds leave these checks out if the driver has `robustBufferAccess`,
which bounds accesses to buffers (*clamped*, too); debug builds, and drivers without this feature,
keep the checks. In release builds without checks, nothing bounds accesses to other memory.
Therefore these accesses have to be proved, or the kernel has to say why they are within the array
(`//@ within NAME: why`, *declared*); otherwise the task fails. All runs check the indices that are
declared or clamped: an index outside its array is a fault. Local variables of functions are not
examined.

**Monotone shape.** The theorem of `proofs/Monotone.v` is about kernels that only lower words, or
only raise them, by atomic operations, to values that are monotone in these words, until nothing
changes. All runs of such a kernel end with the same words, whatever the schedule, the number of
workgroups, and the age of the values that loads see. `crates/verify/src/monotone` checks on
naga's IR that a kernel has this shape: only one of the operations `atomicMin`, `atomicMax`,
`atomicAnd` and `atomicOr` changes the words of a buffer; the choice of the word does not depend on
words that change; values are monotone; conditions may only become true, or skip operations that
would change nothing; and an invocation that changes a word requests another iteration. The check
does not examine whether the operations are those of distances or of reachability, or whether all of
them are tried. The comparison with the CPU and the certificates test that.

Relaxation (`bfs/edge`, `bfs/vertex`) has the shape without flags, so its distances do not depend on
the schedule, for every graph. With flags, words that are set and cleared decide which vertices are
visited. The backward search without a transpose (`fbt/search_no_transpose`, all variants) has the
shape, and so its reachability does not depend on the schedule. The other searches, attractors
(`fbt/mec_*`, `fbt/trim*`) and colouring do not have it in their present form: they take entries
from worklists, or use counters, or contain other phases in the same kernel. Only runs and
certificates test these. The last column names the buffers that have the shape; the second list
below the table says why other buffers do not have it.

";

/// The facts about a kernel.
struct Row {
    kernel: &'static Kernel,
    bounds: BTreeMap<String, Bounds>,
    shape: Shape,
}

/// Returns the table, and the obstacles to the shape. Errors go to `faults`.
pub(super) fn section(faults: &mut Vec<String>) -> Outcome<String> {
    let kernels: Vec<&'static Kernel> = gpu::kernels::ALL.iter().collect();
    let rows: Vec<Result<Row, String>> = kernels.into_par_iter().map(row).collect();
    let rows: Vec<Row> = rows.into_iter().collect::<Result<_, _>>()?;
    let mut text = HEAD.to_owned();
    text.push_str("| kernel | checks | proved | clamped | declared | monotone |\n");
    text.push_str("| --- | --- | --- | --- | --- | --- |\n");
    for row in &rows {
        faults.extend(row.faults());
        writeln!(text, "{}", row.line())?;
    }
    text.push_str("\nWhy the declared indices are within their arrays:\n\n");
    for (line, variants) in by_kernel(&rows, Row::declared) {
        writeln!(text, "- {line}{variants}.")?;
    }
    text.push_str("\nWhy the other buffers do not have the monotone shape:\n\n");
    for (line, variants) in by_kernel(&rows, Row::obstacles) {
        writeln!(text, "- {line}{variants}.")?;
    }
    Ok(text)
}

fn row(kernel: &'static Kernel) -> Result<Row, String> {
    let constants: Vec<_> = kernel.constants.iter().map(|&name| (name, 32)).collect();
    let program = Program::of_kernel(kernel, &constants).map_err(|error| error.to_string())?;
    Ok(Row {
        kernel,
        bounds: bounds(&program).map_err(|error| error.to_string())?,
        shape: shape(&program),
    })
}

/// Returns lines about kernels. A line names the variants in which it holds, if it does not hold in
/// all.
fn by_kernel(rows: &[Row], of: impl Fn(&Row) -> Vec<String>) -> BTreeMap<String, String> {
    let mut lines: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for row in rows {
        for line in of(row) {
            let variants = lines
                .entry(format!("{}, {line}", row.kernel.name))
                .or_default();
            variants.push(row.kernel.variant);
        }
    }
    let each = lines.into_iter().map(|(line, variants)| {
        let variants = match variants[..] {
            ["plain"] => String::new(),
            _ => format!(" ({})", variants.join(", ")),
        };
        (line, variants)
    });
    each.collect()
}

impl Row {
    fn is_checked(&self) -> bool {
        self.kernel.checks == Checks::ALWAYS
    }

    /// Returns whether the indices into an array are kept within it by something other than a proof
    /// or a promise of the kernel.
    fn is_clamped(&self, bounds: &Bounds) -> bool {
        self.is_checked() || bounds.is_storage
    }

    fn line(&self) -> String {
        let names = |is_meant: &dyn Fn(&Bounds) -> bool| {
            let all = self.bounds.iter().filter(|(_, bounds)| is_meant(bounds));
            let names: Vec<String> = all.map(|(name, _)| format!("`{name}`")).collect();
            names.join(", ")
        };
        let proved = names(&|bounds| bounds.open.is_none());
        let clamped = names(&|bounds| bounds.open.is_some() && self.is_clamped(bounds));
        let declared = names(&|bounds| bounds.open.is_some() && !self.is_clamped(bounds));
        let monotone: Vec<String> = self
            .shape
            .monotone()
            .map(|name| format!("`{name}`"))
            .collect();
        let mut monotone = monotone.join(", ");
        if let Some(condition) = &self.shape.condition
            && !monotone.is_empty()
        {
            monotone += &format!(" if `{condition}`");
        }
        let checks = if self.is_checked() { "on" } else { "off" };
        let label = self.kernel.label();
        format!("| {label} | {checks} | {proved} | {clamped} | {declared} | {monotone} |")
    }

    /// Returns the reasons why indices are within arrays that nothing clamps.
    fn declared(&self) -> Vec<String> {
        let open = self
            .bounds
            .iter()
            .filter(|(_, bounds)| !self.is_clamped(bounds));
        let lines = open.filter_map(|(name, bounds)| {
            let why = bounds.why.as_ref()?;
            Some(format!("`{name}`: {why}"))
        });
        lines.collect()
    }

    /// Returns the obstacles to the shape.
    fn obstacles(&self) -> Vec<String> {
        let lines = self.shape.buffers.iter().filter_map(|(name, verdict)| {
            let obstacle = verdict.as_ref().err()?;
            let place = &obstacle.place;
            Some(format!(
                "`{name}`: {}, {}:{}",
                obstacle.what, place.file, place.line
            ))
        });
        lines.collect()
    }

    fn faults(&self) -> Vec<String> {
        let label = self.kernel.label();
        let broken = self.shape.broken().into_iter();
        let mut faults: Vec<String> = broken
            .map(|name| {
                format!(
                    "{label}: `{name}` does not have the monotone shape that it is said to have"
                )
            })
            .collect();
        for (name, bounds) in &self.bounds {
            if let (Some(place), None) = (&bounds.open, &bounds.why)
                && !self.is_clamped(bounds)
            {
                faults.push(format!(
                    "{label}: {place}: an index into `{name}` is not proved to be within it, and \
                     nothing bounds it; say why it is in a line `//@ within {name}: why`"
                ));
            }
        }
        faults
    }
}
