//! Tests that one build is enough: `cargo xtask` requires the same features of third-party crates
//! as the tests. If two commands required different features of a crate, it would be compiled
//! twice, and so would all crates that depend on it.

use std::collections::BTreeSet;
use std::process::Command;

/// The third-party crates that these packages need, each with its version and features. Those of
/// build scripts are left out: cargo compiles them for themselves, in all commands alike.
fn crates(packages: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--prefix", "none", "--format", "{p} with {f}"])
        .args(packages)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    let lines = String::from_utf8(output.stdout).expect("names are text");
    let lines = lines.lines().map(|line| line.trim_end_matches(" (*)"));
    // Crates of this workspace have a folder, in brackets.
    let others = lines.filter(|line| !line.is_empty() && !line.contains('/'));
    others.map(str::to_owned).collect()
}

#[test]
fn tasks_and_tests_share_every_crate() {
    let tests = crates(&["--workspace", "--all-features", "--edges", "normal,dev"]);
    for (name, packages) in [
        (
            "cargo xtask snapshot",
            &[
                "--package",
                "xtask",
                "--features",
                "program",
                "--edges",
                "normal,dev",
            ][..],
        ),
        (
            "cargo doc",
            &["--workspace", "--all-features", "--edges", "normal"],
        ),
    ] {
        let own: Vec<String> = crates(packages).difference(&tests).cloned().collect();
        assert!(
            own.is_empty(),
            "`{name}` compiles these for itself alone; name their features in xtask/Cargo.toml: {own:#?}"
        );
    }
}
