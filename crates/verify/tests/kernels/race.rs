//! Verdicts on data races, by z3: what is proved of the kernels, and which races are found.

use verify::Program;
use verify::race::{self, Verdict, verdicts};

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
        Verdict::Declared => format!("{name}: declared disjoint"),
        Verdict::Open(witness) => {
            let [first, second] = &witness.places;
            format!("{name}: not proved\n    {first}\n    {second}")
        }
    };
    found.iter().map(say).collect()
}

/// What is not proved is mostly a permutation or a ticket, of which the formulas do not know that
/// no two invocations have the same. `race.txt` is what was said last; MAXEND_RACES_TO=FILE writes
/// it anew.
#[test]
fn what_is_proved_of_the_kernels() {
    if !is_there() {
        return;
    }
    let mut all = String::new();
    for kernel in gpu::kernels::ALL {
        let constants: Vec<_> = kernel.constants.iter().map(|&name| (name, 32)).collect();
        let program = Program::of_kernel(kernel, &constants).expect("it is valid");
        for line in said(&program) {
            all += &format!("{}, {line}\n", kernel.label());
        }
    }
    // Not a snapshot, which would count as unused where there is no z3.
    if let Some(path) = std::env::var_os("MAXEND_RACES_TO") {
        std::fs::write(path, &all).expect("it can be written");
    }
    let before = include_str!("race.txt");
    let first = all
        .lines()
        .zip(before.lines())
        .find(|(new, old)| new != old);
    assert!(all == before, "first difference: {first:?}");
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
