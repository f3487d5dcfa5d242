//! Verdicts on data races, by z3: what is proved of the kernels, and which races are found.

use verify::Program;
use verify::race::{self, Verdict, summary, verdicts};

fn is_there() -> bool {
    let is_there = race::is_there();
    if !is_there {
        eprintln!("SKIPPED: there is no z3 (Debian's package `z3`)");
    }
    is_there
}

/// A line for each buffer that the program writes without atomic operations.
fn said(program: &Program) -> Vec<String> {
    let found = verdicts(program).expect("z3 answers");
    let say = |(name, verdict): (&String, &Verdict)| match verdict {
        Verdict::Free => format!("{name}: free of races"),
        Verdict::Declared(why, _) => format!("{name}: declared, {why}"),
        Verdict::Open(witness) => {
            let [first, second] = &witness.places;
            format!("{name}: not proved\n    {first}\n    {second}")
        }
    };
    found.iter().map(say).collect()
}

/// `cargo xtask verify` asks z3 about all kernels, and writes what it says to a page. Of some the
/// page is compared here with what z3 says now.
#[test]
fn the_page_says_what_is_proved() {
    if !is_there() {
        return;
    }
    let page = include_str!("../../../../docs/verification.md");
    let folders = ["basic/", "bfs/", "csr/", "fbt/"];
    for kernel in gpu::kernels::ALL {
        if !folders.iter().any(|folder| kernel.name.starts_with(folder)) {
            continue;
        }
        let constants: Vec<_> = kernel.constants.iter().map(|&name| (name, 32)).collect();
        let program = Program::of_kernel(kernel, &constants).expect("it is valid");
        let summary = summary(&verdicts(&program).expect("z3 answers"));
        let begin = format!("| {} |", kernel.label());
        let row = page.lines().find(|line| line.starts_with(&begin));
        let row = row.unwrap_or_else(|| panic!("no row for {}", kernel.label()));
        let said = row.contains(&format!("| {summary} |"));
        assert!(said, "{}: {summary}\n{row}", kernel.label());
    }
}

/// Both races that the paper found: two vertices that write the cost, or the flag, of a neighbour.
#[test]
fn the_races_of_harish_are_found() {
    if !is_there() {
        return;
    }
    let text = include_str!("../wgsl/harish.wgsl");
    let program = Program::parse("harish.wgsl", text).expect("it is valid");
    insta::assert_snapshot!(said(&program).join("\n"), @r"
    costs: not proved
        harish.wgsl:20: `costs[neighbour] = costs[own] + 1u;`
        harish.wgsl:20: `costs[neighbour] = costs[own] + 1u;`
    frontier: not proved
        harish.wgsl:21: `frontier[neighbour] = 1u;`
        harish.wgsl:12: `if frontier[own] == 0u {`
    visited: not proved
        harish.wgsl:16: `visited[own] = 1u;`
        harish.wgsl:19: `if visited[neighbour] == 0u {`
    ");
}
