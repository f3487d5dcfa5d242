//! Tests that each published crate is packed with everything that it is built from.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Crates that are used only in this repository, or that users get in another way.
const PRIVATE: &[&str] = &["capi", "python", "test-models", "verify", "xtask"];

/// Runs cargo in the workspace; gives what it prints.
fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {message}");
    String::from_utf8(output.stdout).expect("cargo prints text")
}

fn packages() -> Vec<Value> {
    let metadata = cargo(&["metadata", "--format-version", "1", "--no-deps"]);
    let mut metadata: Value = serde_json::from_str(&metadata).expect("cargo prints JSON");
    match metadata["packages"].take() {
        Value::Array(packages) => packages,
        other => panic!("{other} is no list of packages"),
    }
}

fn name(package: &Value) -> &str {
    package["name"].as_str().expect("a name")
}

/// `cargo publish` takes nothing from folders above a crate, and no dependency without a version.
#[test]
fn published_crates_can_be_packed() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
    let mut arguments = vec!["package", "--workspace", "--no-verify", "--offline"];
    // The working tree may have uncommitted changes.
    arguments.extend(["--allow-dirty", "--quiet", "--target-dir"]);
    arguments.push(target.to_str().expect("a path that is text"));
    for package in PRIVATE {
        arguments.extend(["--exclude", package]);
    }
    cargo(&arguments);
    let packed = |package: &Value| {
        let version = package["version"].as_str().expect("a version");
        let file = format!("package/{}-{version}.crate", name(package));
        fs::metadata(target.join(file)).is_ok_and(|file| file.len() > 0)
    };
    for package in packages() {
        assert_eq!(
            packed(&package),
            !PRIVATE.contains(&name(&package)),
            "{}",
            name(&package)
        );
    }
}

#[test]
fn published_crates_say_what_they_are() {
    let packages = packages();
    let private = packages
        .iter()
        .filter(|package| package["publish"].is_array());
    let private: BTreeSet<&str> = private.map(name).collect();
    assert_eq!(private, PRIVATE.iter().copied().collect());
    for package in packages
        .iter()
        .filter(|package| package["publish"].is_null())
    {
        let name = name(package);
        for field in ["description", "license", "readme", "rust_version"] {
            assert!(package[field].is_string(), "{name}: {field}");
        }
        for field in ["keywords", "categories"] {
            let count = package[field].as_array().map_or(0, Vec::len);
            assert!((1..=5).contains(&count), "{name}: {field}");
        }
    }
}

#[test]
fn packages_have_kernels_and_licences() {
    let files = |package: &str| {
        cargo(&[
            "package",
            "--list",
            "--allow-dirty",
            "--offline",
            "--package",
            package,
        ])
    };
    let gpu = files("gpu");
    let shaders = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shaders");
    for folder in fs::read_dir(shaders).expect("the kernels are there") {
        let folder = folder.expect("an entry").file_name();
        let begin = format!("shaders/{}", folder.to_string_lossy());
        assert!(gpu.lines().any(|line| line.starts_with(&begin)), "{begin}");
    }
    for package in packages()
        .iter()
        .filter(|package| package["publish"].is_null())
    {
        let files = files(name(package));
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let has = files.lines().any(|line| line == licence);
            assert!(has, "{}: {licence}", name(package));
        }
    }
}
