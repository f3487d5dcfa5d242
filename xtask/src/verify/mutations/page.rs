//! The page, which has a section for each folder.

use std::collections::BTreeMap;

const HEAD: &str = "\
# Mutations of the kernels

`cargo xtask verify --mutations` wrote this page. It makes one change at a time to one place of one
kernel, runs the host loops on small graphs as described in [verification.md](verification.md), and
records which check finds the change first. The columns are: naga's validation (*compiler*); the
lints; the check for data races; the promises; the checks of indices and barriers; the limits on
invocations and loops that do not end (*end*); an error of the host; or the comparison with the
answer of the CPU.

There are six kinds of changes. *Guard dropped*: a condition always holds, or a function always
returns true. *Claim's result not used*: an atomic operation returns the value of an earlier load,
or a compare-and-exchange that failed counts as done. *Atomic operation in two steps*: a load and a
store replace it. *Barrier dropped*. *Bound off by one*: `<` replaces `<=`, or the other way round.
*Index swapped*: an access to an array in storage or workgroup memory uses the next element instead.

If several kernels import a line, a change of this line is made in all of them at once, and counts
once, in the section of the folder of its file. Kernels that the runs do not reach are left out. A
change survives if neither the lints nor the runs find it. There are up to 160 runs for each kernel
that contains the line. The first of them have inputs that were made to find changes
(`corner_cases.rs` in `xtask/src/verify/graphs` and `xtask/src/verify/explorations`). The page lists
each surviving change with the number of its runs and the number of the reason why it survives. The
reasons are in `xtask/src/verify/reasons`; the task fails if a change survives that has no reason
there. If the time for a change ended before all runs were made (`--limit SECONDS`), both numbers
are given.

A folder takes minutes to hours of processor time. Therefore `--folder NAME` writes only the section
of this folder, and `--verdicts FILE` keeps the results in a file, from which an interrupted run can
continue. So the results of a section may come from several series of runs: those of a change are
kept as long as its line has the same number and text. `--unfinished` tries only the changes for
which the page gives both numbers, and replaces their results. `--place FILE:LINE --check` tries the
changes of one line, and writes nothing. A folder whose kernels have not been changed yet has no
section.
";

/// Returns the page with the given sections.
pub(super) fn page(sections: &BTreeMap<String, String>) -> String {
    let sections = sections.iter();
    let sections = sections.map(|(folder, section)| format!("\n## {folder}\n{section}"));
    HEAD.to_owned() + &sections.collect::<String>()
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
    use super::*;

    #[test]
    fn sections_are_read_as_they_are_written() {
        let expected = [("bfs", "\n| a |\n"), ("csr", "\n| b |\n")];
        let expected = expected.map(|(folder, text)| (folder.to_owned(), text.to_owned()));
        let expected = BTreeMap::from(expected);
        assert_eq!(sections(&page(&expected)), expected);
    }
}
