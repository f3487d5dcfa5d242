//! The arrows between the crates: what `docs/ARCHITECTURE.md` draws, and nothing else.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Each crate of the workspace, and those of the workspace that it may depend on.
const ARROWS: &[(&str, &[&str])] = &[
    ("gunzip", &[]),
    ("prism-explicit", &[]),
    ("prism-language", &[]),
    ("umb", &[]),
    ("dimacs", &[]),
    ("mdp-graph", &[]),
    ("gpu", &[]),
    ("lts-formats", &[]),
    ("lts-network", &["lts-formats", "explore"]),
    ("test-models", &["gunzip"]),
    ("explore", &["mdp-graph"]),
    ("warp-segments", &["mdp-graph"]),
    ("decompose", &["mdp-graph", "warp-segments", "gpu"]),
    ("cycle-mean", &["mdp-graph", "decompose"]),
    ("verify", &["gpu"]),
    ("certify", &["mdp-graph"]),
    ("report", &["mdp-graph"]),
    (
        "maxend",
        &[
            "gunzip",
            "prism-explicit",
            "prism-language",
            "umb",
            "lts-formats",
            "lts-network",
            "mdp-graph",
            "explore",
            "gpu",
            "decompose",
            "certify",
            "cycle-mean",
            "dimacs",
            "report",
        ],
    ),
    ("xtask", &["maxend", "mdp-graph", "decompose", "certify"]),
];

/// Packages that only some crates may name.
const OWNED: &[(&str, &[&str])] = &[
    ("wgpu", &["gpu"]),
    ("nom", &["prism-explicit", "prism-language", "lts-formats"]),
    // For files in one; for large arrays in the others.
    ("memmap2", &["maxend", "mdp-graph"]),
];

/// For each crate of the workspace, the packages that it needs to be built and run; what only its
/// tests need is left out.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let name = |value: &Value| value["name"].as_str().expect("a name").to_owned();
    let needed = |package: &Value| {
        let all = package["dependencies"].as_array().expect("a list").iter();
        all.filter(|dependency| dependency["kind"] != "dev")
            .map(name)
            .collect()
    };
    packages
        .iter()
        .map(|package| (name(package), needed(package)))
        .collect()
}

/// What is wrong with these dependencies, one line each.
fn violations(dependencies: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let allowed: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    let mut violations = Vec::new();
    for (name, needed) in dependencies {
        let Some(arrows) = allowed.get(name.as_str()) else {
            violations.push(format!("{name} is not in the table of crates"));
            continue;
        };
        for other in needed {
            let other = other.as_str();
            if allowed.contains_key(other) && !arrows.contains(&other) {
                violations.push(format!("{name} may not depend on {other}"));
            }
            for &(package, owners) in OWNED {
                if package == other && !owners.contains(&name.as_str()) {
                    let owners = owners.join(", ");
                    violations.push(format!(
                        "{name} may not depend on {other}: that is for {owners}"
                    ));
                }
            }
        }
    }
    violations
}

#[test]
fn crates_depend_on_each_other_as_drawn() {
    let dependencies = dependencies();
    assert!(dependencies.contains_key("xtask"), "{dependencies:?}");
    assert_eq!(violations(&dependencies), [""; 0]);
}

#[test]
fn a_forbidden_arrow_is_found() {
    let mut dependencies = dependencies();
    let mut forbid = |name: &str, other: &str| {
        dependencies
            .entry(name.into())
            .or_default()
            .insert(other.into());
    };
    forbid("report", "prism-explicit");
    forbid("decompose", "wgpu");
    forbid("newcomer", "clap");
    assert_eq!(
        violations(&dependencies),
        [
            "decompose may not depend on wgpu: that is for gpu",
            "newcomer is not in the table of crates",
            "report may not depend on prism-explicit",
        ]
    );
}
