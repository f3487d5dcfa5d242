//! Runs the tests of the package, which are written in Python, over the library that cargo has
//! built for them.
//!
//! They need Python and some packages, which `cargo xtask setup` puts in `target/python`. Where
//! these are missing, they are skipped; on a build server that is a failure. What is skipped for
//! want of another package is said.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Python, in the environment that has what the tests need.
fn python() -> Option<PathBuf> {
    let name = if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    };
    let python = root().join("target/python").join(name);
    (python.is_file() && root().join("target/python/installed.txt").is_file()).then_some(python)
}

/// Puts the package together as a wheel would have it, in a folder of its own.
fn assemble() -> io::Result<PathBuf> {
    let site = Path::new(env!("CARGO_TARGET_TMPDIR")).join("site");
    let package = site.join("maxend");
    if package.exists() {
        fs::remove_dir_all(&package)?;
    }
    fs::create_dir_all(&package)?;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/maxend");
    for entry in fs::read_dir(source)? {
        let file = entry?.path();
        if let Some(name) = file.file_name().filter(|_| file.is_file()) {
            fs::copy(&file, package.join(name))?;
        }
    }
    // Beside this test.
    let test = env::current_exe()?;
    let library = test.with_file_name(format!("{DLL_PREFIX}_maxend{DLL_SUFFIX}"));
    let name = if cfg!(windows) {
        "_maxend.pyd"
    } else {
        "_maxend.abi3.so"
    };
    fs::hard_link(&library, package.join(name))
        .or_else(|_| fs::copy(&library, package.join(name)).map(|_| ()))?;
    Ok(site)
}

#[test]
fn the_tests_in_python_pass() {
    let Some(python) = python() else {
        assert!(
            env::var_os("CI").is_none(),
            "no Python in target/python: see `cargo xtask setup`"
        );
        eprintln!("SKIPPED: no Python in target/python: see `cargo xtask setup`");
        return;
    };
    let site = assemble().expect("the library was built");
    let output = Command::new(python)
        .args(["-m", "pytest", "--quiet", "-rs", "-p", "no:cacheprovider"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("PYTHONPATH", site)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("Python runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let also = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{also}");
    let skipped = said.lines().filter(|line| line.starts_with("SKIPPED"));
    skipped.for_each(|line| eprintln!("{line}"));
}

#[test]
fn the_wheel_has_the_texts_of_the_licences() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let project = fs::read_to_string(package.join("pyproject.toml")).expect("the project is there");
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        assert!(project.contains(&format!("\"{name}\"")), "{name}");
        let read = |folder: &Path| fs::read(folder.join(name)).expect("the text is there");
        assert_eq!(read(package), read(root()), "{name}");
    }
}
