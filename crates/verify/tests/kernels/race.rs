//! Verdicts on data races, by z3.

use verify::Program;
use verify::race::{self, Verdict, verdicts};

fn is_there() -> bool {
    let is_there = race::is_there();
    if !is_there {
        eprintln!("SKIPPED: no z3");
    }
    is_there
}

#[test]
fn experiment() {
    if !is_there() {
        return;
    }
    for kernel in gpu::kernels::ALL {
        let start = std::time::Instant::now();
        let constants: Vec<_> = kernel.constants.iter().map(|&name| (name, 32)).collect();
        let program = Program::of_kernel(kernel, &constants).expect("it is valid");
        let found = verdicts(&program).expect("z3 answers");
        let said: Vec<String> = found
            .iter()
            .map(|(name, verdict)| match verdict {
                Verdict::Free => format!("{name}: free"),
                Verdict::Declared => format!("{name}: declared"),
                Verdict::Open(witness) => format!(
                    "{name}: OPEN {} | {} | {:?}",
                    witness.places[0], witness.places[1], witness.invocations
                ),
            })
            .collect();
        eprintln!(
            "{} {:?}\n    {}",
            kernel.label(),
            start.elapsed(),
            said.join("\n    ")
        );
    }
}

fn said(name: &str, text: &str) -> Vec<String> {
    let program = Program::parse(name, text).expect("it is valid");
    let found = verdicts(&program).expect("z3 answers");
    let say = |(name, verdict): (&String, &Verdict)| match verdict {
        Verdict::Free => format!("{name}: free"),
        Verdict::Declared => format!("{name}: declared"),
        Verdict::Open(witness) => {
            let [first, second] = &witness.places;
            format!("{name}: {first} and {second}")
        }
    };
    found.iter().map(say).collect()
}

/// Both races that the paper found.
#[test]
fn the_races_of_harish_are_found() {
    if !is_there() {
        return;
    }
    let found = said("harish.wgsl", include_str!("../wgsl/harish.wgsl"));
    insta::assert_snapshot!(found.join("\n"), @"");
}
