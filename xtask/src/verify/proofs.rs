//! `cargo xtask verify --proofs`: makes Coq check the proofs in `proofs/`, and checks that no
//! theorem rests on an axiom.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::setup::{self, Need, Probe};
use crate::shell::{Outcome, root, run_quietly};

/// The files, each after those that it uses.
const FILES: &[&str] = &[
    "Graph",
    "Bfs",
    "Order",
    "Scc",
    "Mec",
    "Explore",
    "CycleMean",
    "Monotone",
    "Kernels",
];

const COQ: Need = Need {
    probe: Probe::LongProgram("coqc"),
    package: "coq",
    why: "it checks the proofs in proofs/",
};

/// The message of Coq about a theorem that rests on no axiom.
const NO_AXIOMS: &str = "Closed under the global context";

/// Runs the task.
pub(super) fn run() -> Outcome {
    setup::ensure(&COQ)?;
    let build = root().join("target/proofs");
    let theorems = check(&root().join("proofs"), &build)?;
    println!("verify: {theorems} theorems are proved, and rest on no axiom");
    Ok(())
}

/// Checks all proofs of a folder, and builds them in another one. Returns the number of theorems.
fn check(proofs: &Path, build: &Path) -> Result<usize, Box<dyn Error>> {
    fs::create_dir_all(build)?;
    let mut theorems = Vec::new();
    for name in FILES {
        let path = proofs.join(name).with_extension("v");
        let text = fs::read_to_string(&path);
        let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        theorems.extend(named(&text).map(|theorem| format!("{name}.{theorem}")));
        coq(build, name, &text)?;
    }
    let imports = FILES.iter().map(|name| format!("Require {name}.\n"));
    let asked = theorems.iter();
    let asked = asked.map(|theorem| format!("Print Assumptions {theorem}.\n"));
    let said = coq(
        build,
        "Assumptions",
        &imports.chain(asked).collect::<String>(),
    )?;
    let closed = said.lines().filter(|line| *line == NO_AXIOMS).count();
    match closed == theorems.len() && said.lines().count() == closed {
        true => Ok(closed),
        false => Err(format!("a theorem rests on an axiom:\n{said}").into()),
    }
}

/// Returns the theorems of a file. Lemmas are checked only as parts of theorems.
fn named(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix("Theorem ")?;
        rest.split([' ', ':']).next()
    })
}

/// Makes Coq check a file. Returns its output.
fn coq(build: &Path, name: &str, text: &str) -> Result<String, Box<dyn Error>> {
    let path: PathBuf = build.join(name).with_extension("v");
    fs::write(&path, text)?;
    let command = || {
        let mut command = Command::new("coqc");
        command
            .current_dir(build)
            .arg("-q")
            .arg(format!("{name}.v"));
        command
    };
    let output = command().output()?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        // Coq is run again, for the error message with the place.
        false => run_quietly(&mut command()).map(|()| String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let name = format!("maxend-{name}-{}", std::process::id());
        std::env::temp_dir().join(name)
    }

    #[test]
    fn the_proofs_are_checked_where_coq_is_installed() {
        if !COQ.probe.is_there() {
            eprintln!("SKIPPED: no coqc; `cargo xtask verify --proofs` installs it");
            return;
        }
        let build = folder("proofs");
        let checked = check(&root().join("proofs"), &build);
        fs::remove_dir_all(&build).expect("it was made");
        assert!(checked.expect("they are right") >= FILES.len());
    }

    #[test]
    fn all_files_are_checked() {
        let files = fs::read_dir(root().join("proofs")).expect("it is there");
        let paths = files.map(|file| file.expect("it can be read").path());
        let paths = paths.filter(|path| path.extension().is_some_and(|kind| kind == "v"));
        let mut names: Vec<_> = paths
            .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
            .collect();
        names.sort();
        let mut known = FILES.to_vec();
        known.sort_unstable();
        assert_eq!(names, known);
    }

    #[test]
    fn a_proof_that_is_left_out_is_an_error() {
        if !COQ.probe.is_there() {
            eprintln!("SKIPPED: no coqc");
            return;
        }
        let (proofs, build) = (folder("no-proofs"), folder("no-proofs-built"));
        fs::create_dir_all(&proofs).expect("there is room");
        for name in FILES {
            let left_out = "Theorem absurd : False.\nProof. Admitted.\n";
            fs::write(proofs.join(name).with_extension("v"), left_out).expect("there is room");
        }
        let error = check(&proofs, &build).expect_err("nothing is proved");
        for folder in [proofs, build] {
            fs::remove_dir_all(folder).expect("it was made");
        }
        assert!(
            error
                .to_string()
                .starts_with("a theorem rests on an axiom:")
        );
    }
}
