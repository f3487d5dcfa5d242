//! Tests that crates have exactly the dependencies that `docs/ARCHITECTURE.md` lists, and that
//! constants that host and kernels share are defined once.

#[path = "architecture/constants.rs"]
mod constants;

use constants::Shared;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each crate of the workspace, and those of the workspace on which it depends.
const ARROWS: &[(&str, &[&str])] = &[
    ("decompress", &[]),
    ("parse-error", &[]),
    ("model-type", &[]),
    ("prism-explicit", &["model-type", "parse-error"]),
    ("prism-language", &["model-type", "parse-error"]),
    ("umb", &["model-type", "parse-error"]),
    ("dimacs", &["parse-error"]),
    ("drn", &["parse-error", "model-type"]),
    ("jani", &["parse-error", "prism-language"]),
    ("mdp-graph", &[]),
    ("gpu", &[]),
    ("lts-formats", &["parse-error"]),
    ("lts-network", &["lts-formats", "explore", "mdp-graph"]),
    (
        "gpu-explore",
        &[
            "gpu",
            "explore",
            "lts-network",
            "mdp-graph",
            "prism-language",
        ],
    ),
    ("test-models", &["decompress"]),
    ("explore", &["mdp-graph"]),
    ("warp-segments", &["mdp-graph"]),
    ("decompose", &["mdp-graph", "warp-segments", "gpu"]),
    ("bfs", &["mdp-graph", "decompose", "gpu"]),
    ("cycle-mean", &["mdp-graph", "decompose", "gpu"]),
    ("long-run", &["mdp-graph", "decompose", "gpu", "cycle-mean"]),
    ("verify", &["gpu"]),
    ("cluster", &["explore", "decompose", "mdp-graph"]),
    ("certify", &["mdp-graph"]),
    ("report", &["mdp-graph"]),
    (
        "maxend",
        &[
            "decompress",
            "parse-error",
            "prism-explicit",
            "prism-language",
            "umb",
            "lts-formats",
            "lts-network",
            "mdp-graph",
            "explore",
            "gpu",
            "gpu-explore",
            "decompose",
            "cluster",
            "certify",
            "bfs",
            "cycle-mean",
            "dimacs",
            "drn",
            "jani",
            "long-run",
            "report",
        ],
    ),
    ("python", &["maxend", "mdp-graph"]),
    ("capi", &["maxend", "mdp-graph"]),
    (
        "xtask",
        &[
            "maxend",
            "mdp-graph",
            "decompose",
            "certify",
            "bfs",
            "gpu",
            "cycle-mean",
            "long-run",
            "gpu-explore",
            "explore",
            "lts-formats",
            "lts-network",
            "prism-language",
            "verify",
        ],
    ),
];

/// Packages that only some crates may name.
const OWNED: &[(&str, &[&str])] = &[
    ("wgpu", &["gpu"]),
    ("nom", &["prism-explicit", "prism-language", "lts-formats"]),
    ("pyo3", &["python"]),
    ("timely", &["cluster"]),
    // For files in one; for large arrays in the others.
    ("memmap2", &["maxend", "mdp-graph"]),
];

/// Returns the packages that each crate of the workspace needs to be built and run. Packages that
/// only its tests need are left out.
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

/// Returns the violations in these dependencies, one line each.
fn violations(dependencies: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let allowed: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    let mut violations = Vec::new();
    for (name, needed) in dependencies {
        let Some(arrows) = allowed.get(name.as_str()) else {
            violations.push(format!("{name} is not in the table of crates"));
            continue;
        };
        for &other in *arrows {
            if !needed.contains(other) {
                violations.push(format!("{name} does not depend on {other}"));
            }
        }
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

/// The crates that a row of the page's table says a crate uses.
fn uses(page: &str, name: &str) -> Option<BTreeSet<String>> {
    let begin = format!("| `{name}` |");
    let row = page.lines().find(|line| line.starts_with(&begin))?;
    let cell = row.split(" | ").nth(2)?;
    let named = cell.split('`').skip(1).step_by(2).map(str::to_owned);
    let named: BTreeSet<String> = named.collect();
    if !cell.starts_with("all but ") {
        return Some(named);
    }
    let all = ARROWS.iter().map(|(other, _)| (*other).to_owned());
    let others = ["maxend", "python", "capi", "xtask"];
    let used = all.filter(|other| !named.contains(other) && !others.contains(&other.as_str()));
    Some(used.collect())
}

#[test]
fn the_page_lists_every_crate_and_every_dependency() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/ARCHITECTURE.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let drawing = page.split("```").nth(1).expect("a drawing");
    // The page has the name of the folder.
    let shown = |name: &str| if name == "maxend" { "cli" } else { name }.to_owned();
    for (name, arrows) in ARROWS {
        let name = shown(name);
        let words = drawing.split(|c: char| !c.is_alphanumeric() && c != '-');
        let is_drawn = words.into_iter().any(|word| word == name);
        assert!(is_drawn, "{name} is not in the drawing");
        let arrows: BTreeSet<String> = arrows.iter().map(|other| shown(other)).collect();
        assert_eq!(uses(&page, &name), Some(arrows), "what {name} uses");
    }
}

#[test]
fn crates_depend_on_each_other_as_drawn() {
    let dependencies = dependencies();
    assert!(dependencies.contains_key("xtask"), "{dependencies:?}");
    assert_eq!(violations(&dependencies), [""; 0]);
}

#[test]
fn a_forbidden_dependency_and_a_missing_one_are_found() {
    let mut dependencies = dependencies();
    let jani = dependencies.get_mut("jani").expect("the crate");
    jani.remove("parse-error");
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
            "jani does not depend on parse-error",
            "newcomer is not in the table of crates",
            "report may not depend on prism-explicit",
        ]
    );
}

/// The files below a folder whose names end in this.
fn texts(folder: &Path, end: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(end) {
                let text = fs::read_to_string(&path).expect("text");
                found.push((path, text));
            }
        }
    }
    found
}

#[test]
fn the_host_repeats_no_constant_of_a_kernel() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut shared = Shared::default();
    for (_, text) in texts(&root.join("shaders"), ".wgsl") {
        shared.add(&text);
    }
    assert!(shared.len() > 50, "{}", shared.len());
    let mut wrong = Vec::new();
    for folder in [
        "crates/bfs/src/gpu",
        "crates/cycle-mean/src/gpu",
        "crates/decompose/src/gpu",
        "crates/decompose/tests/gpu",
        "crates/gpu-explore",
    ] {
        for (path, text) in texts(&root.join(folder), ".rs") {
            let repeated = shared.repeated(&text);
            wrong.extend(
                repeated
                    .iter()
                    .map(|what| format!("{}: {what}", path.display())),
            );
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_constant_that_is_repeated_is_found() {
    let mut shared = Shared::default();
    shared.add("const SIZE = 256u;\nconst NAME: u32 = 0x3fffffffu;\nconst BLOCK = 4u * SIZE;\n");
    assert_eq!(shared.len(), 2);
    let of = |text: &str| shared.repeated(text).concat();
    assert_eq!(
        of("const SIZE: u32 = 128;"),
        "`SIZE` is a constant of a kernel"
    );
    assert_eq!(
        of("    pub(super) const MASK: u32 = (1 << 30) - 1;"),
        "`MASK` is the `NAME` of a kernel"
    );
    // Small numbers are equal by chance, and what comes from the kernels is not repeated.
    assert_eq!(of("const EACH: u32 = 256;"), "");
    assert_eq!(of("const SIZE: u64 = worklist::SIZE as u64;"), "");
}
