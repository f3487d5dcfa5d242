//! The page, which has a section for each folder, and first the totals of all.

use std::collections::{BTreeMap, BTreeSet};

const HEAD: &str = "\
# Mutations of the kernels

`cargo xtask verify --mutations` wrote this page. It shows which errors in kernels the checks of
[verification.md](verification.md) would find. The task makes one small change at a time to one line
of a kernel, runs the host loops on small inputs as described there, and records which check finds
the change first. A change *survives* if no check finds it. For each surviving change, the page says
why the answer is right nevertheless; or the reason begins with OPEN, and the change is an error
that no run shows.

| folder | changes | survive | of these, open |
| --- | --: | --: | --: |
";

/// What the sections contain, and how they are made.
const CHECKS: &str = "
**Columns.** A section has a table with a column for each check: naga's validation (*compiler*); the
lints; the check for data races; the promises; the checks of indices and barriers; the limits on
invocations and loops that do not end (*end*); errors of the host; and the comparison with the
answer of the CPU.

**Changes.** There are six kinds. *Guard dropped*: a condition always holds, or a function always
returns true. *Claim's result not used*: an atomic operation returns the value of an earlier load,
or a compare-and-exchange that failed counts as done. *Atomic operation in two steps*: a load and a
store replace it. *Barrier dropped*. *Bound off by one*: `<` replaces `<=`, or the other way round.
*Index swapped*: an access to an array in storage or workgroup memory uses the next element instead.
If several kernels import a line, a change of this line is made in all of them at once, and counts
once, in the section of the folder of its file. Kernels that the runs do not reach are left out, and
so are folders whose kernels have not been changed yet.

**Runs.** There are up to 160 runs for each kernel that contains the line. The first of them have
inputs that were made to find changes (`corner_cases.rs` in `xtask/src/verify/graphs` and
`xtask/src/verify/explorations`). The page lists each surviving change with the number of its runs
and the number of its reason. If the time for a change ended before all runs were made (`--limit
SECONDS`), both numbers of runs are given. The reasons are in `xtask/src/verify/reasons`; the task
fails if a surviving change has no reason there.

**Repeating it.** A folder takes minutes to hours of processor time. Therefore `--folder NAME`
writes only the section of this folder, and `--verdicts FILE` keeps the results in a file, from
which an interrupted run can continue. So the results of a section may come from several series of
runs: those of a change are kept as long as its line has the same number and text. `--unfinished`
tries only the changes for which the page gives both numbers, and replaces their results. `--place
FILE:LINE --check` tries the changes of one line, and writes nothing.
";

/// Returns the page with the given sections.
pub(super) fn page(sections: &BTreeMap<String, String>) -> String {
    let rows = sections.iter().map(|(folder, section)| {
        let [made, survive, open] = totals(section);
        format!("| [{folder}](#{folder}) | {made} | {survive} | {open} |\n")
    });
    let table: String = rows.collect();
    let sections = sections.iter();
    let sections = sections.map(|(folder, section)| format!("\n## {folder}\n{section}"));
    HEAD.to_owned() + &table + CHECKS + &sections.collect::<String>()
}

/// Returns how many changes a section has, how many of them survive, and how many of these do so
/// for a reason that begins with `OPEN`.
fn totals(section: &str) -> [usize; 3] {
    let mut open = BTreeSet::new();
    let mut totals = [0; 3];
    for line in section.lines() {
        if let Some((number, _)) = line.split_once(". OPEN") {
            open.insert(number);
        }
        let row = line.strip_prefix("| ");
        let Some(row) = row.and_then(|row| row.strip_suffix(" |")) else {
            continue;
        };
        let cells: Vec<&str> = row.split(" | ").collect();
        let number = |cell: Option<&&str>| cell.and_then(|cell| cell.parse::<usize>().ok());
        if cells[0].contains(".wgsl") {
            let is_open = cells.last().is_some_and(|why| open.contains(why));
            totals[2] += usize::from(is_open);
        } else if let (Some(made), Some(survive)) = (number(cells.get(1)), number(cells.last())) {
            totals[0] += made;
            totals[1] += survive;
        }
    }
    totals
}

/// Returns the sections of a page, by folder.
pub(super) fn sections(page: &str) -> BTreeMap<String, String> {
    let sections = page.split("\n## ").skip(1);
    let parts = sections.filter_map(|section| section.split_once('\n'));
    parts
        .map(|(folder, text)| (folder.to_owned(), text.trim_end().to_owned() + "\n"))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::shell::root;

    #[test]
    fn sections_are_read_as_they_are_written() {
        let expected = [("bfs", "\n| a |\n"), ("csr", "\n| b |\n")];
        let expected = expected.map(|(folder, text)| (folder.to_owned(), text.to_owned()));
        let expected = BTreeMap::from(expected);
        assert_eq!(sections(&page(&expected)), expected);
    }

    /// The page that is there has the totals of its sections.
    #[test]
    fn the_totals_are_those_of_the_sections() {
        let there = fs::read_to_string(root().join("docs/mutations.md")).expect("it is there");
        assert_eq!(page(&sections(&there)), there);
    }

    #[test]
    fn a_section_has_changes_survivors_and_open_ones() {
        let section = "
| change | made | race | survive |
| --- | --: | --: | --: |
| guard dropped | 7 | 5 | 2 |
| barrier dropped | 4 | 3 | 1 |

1. It is 0.
2. OPEN. No run shows it.

| survives at | change | text | runs | why |
| --- | --- | --- | --: | --: |
| bfs/a.wgsl:1 | guard dropped | `if a \\|\\| b {` | 9 | 2 |
| bfs/a.wgsl:2 | guard dropped | `if a {` | 3 of 9 | 1 |
| bfs/a.wgsl:3 | barrier dropped | `workgroupBarrier();` | 9 | 2 |
";
        assert_eq!(totals(section), [11, 3, 2]);
    }
}
