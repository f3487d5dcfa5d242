//! Values of branches that files cannot hold, or can hold only in part.

use crate::common::{self, maxend};
use std::fmt::Write as _;

/// Returns what commands say. They write a model, in a folder of their own.
fn said(model: &str, text: &str, commands: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = common::file(&folder, model, text.as_bytes());
    let (path, folder) = (
        path.display().to_string(),
        folder.path().display().to_string(),
    );
    let mut said = String::new();
    for command in commands {
        let args = command
            .replace("MODEL", &path)
            .replace("OUT", &format!("{folder}/out"));
        let run = maxend(&args);
        let errors = run.stderr.replace(&format!("{folder}/"), "");
        let is_time = |line: &&str| line.ends_with(" s");
        let errors: Vec<&str> = errors.lines().filter(|line| !is_time(line)).collect();
        let errors = errors.join("\n");
        writeln!(said, "{command}: {:?}\n{errors}\n", run.code).expect("memory");
    }
    said
}

#[test]
fn probabilities_that_do_not_sum_to_1() {
    let said = said(
        "model.tra",
        "2 2 3\n0 0 0 0.2\n0 0 1 0.2\n1 0 1 1\n",
        &[
            "convert MODEL OUT.umb --allow-any-sum",
            "convert MODEL OUT.aut --allow-any-sum",
            "convert MODEL OUT.drn --allow-any-sum",
            "convert MODEL OUT.tra --allow-any-sum",
            "quotient MODEL -o OUT.tra --allow-any-sum",
            "quotient MODEL -o OUT.umb --allow-any-sum",
        ],
    );
    insta::assert_snapshot!("sums_of_explicit_choices", said);
}

#[test]
fn probabilities_of_a_program_that_do_not_sum_to_1() {
    let said = said(
        "model.prism",
        "mdp module m s:[0..1]; [a] s=0 -> 0.2:(s'=0) + 0.2:(s'=1); [b] s=1 -> true; endmodule",
        &[
            "explore MODEL -o OUT.tra --allow-any-sum",
            "explore MODEL -o OUT.aut --allow-any-sum",
            "build MODEL -o OUT.tra --allow-any-sum",
        ],
    );
    insta::assert_snapshot!("sums_of_program_choices", said);
}

#[test]
fn rates_whose_sums_are_infinite() {
    let explicit = said(
        "model.tra",
        "2 3\n0 0 1e308\n0 1 1.7e308\n1 1 1\n",
        &[
            "convert MODEL OUT.drn --type ctmc",
            "convert MODEL OUT.umb --type ctmc",
        ],
    );
    let program = said(
        "model.prism",
        "ctmc module m s:[0..1]; [] s=0 -> 1e308:(s'=1); [] s=0 -> 1e308:(s'=1); endmodule",
        &["build MODEL -o OUT.drn", "build MODEL -o OUT.tra"],
    );
    insta::assert_snapshot!("infinite_rates", explicit + &program);
}

/// A rate that is tiny compared with the exit rate stays a branch.
#[test]
fn tiny_rates_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = b"ma module m s:[0..2]; <> s=0 -> 1e-320:(s'=1) + 1e308:(s'=2); endmodule";
    let model = common::file(&folder, "model.prism", program);
    for ending in ["umb", "drn"] {
        let out = folder.path().join("out").with_extension(ending);
        let built = maxend(&format!(
            "build -q {} -o {}",
            model.display(),
            out.display()
        ));
        assert_eq!(built.code, Some(0), "{}", built.stderr);
        let info = maxend(&format!("info {}", out.display())).result();
        assert!(info.contains("branches        4\n"), "{ending}: {info}");
    }
}
