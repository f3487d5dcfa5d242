//! The Python in which the package of `crates/python` is tested and its wheel is built: a virtual
//! environment in `target/python`; and `cargo xtask wheel`.

use crate::shell::{self, Outcome, root, run_quietly};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the environment lies.
fn folder() -> PathBuf {
    root().join("target/python")
}

/// A program of the environment.
fn program(name: &str) -> PathBuf {
    folder().join(match cfg!(windows) {
        true => format!("Scripts/{name}.exe"),
        false => format!("bin/{name}"),
    })
}

/// Makes the environment, unless it is there as `crates/python/requirements.txt` wants it.
///
/// # Errors
/// If there is no Python that can do it, or a package cannot be had.
pub(crate) fn ensure() -> Outcome {
    let requirements = root().join("crates/python/requirements.txt");
    let wanted = fs::read_to_string(&requirements)?;
    let installed = folder().join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|text| text == wanted) {
        return Ok(());
    }
    println!(
        "setup: installing crates/python/requirements.txt in target/python: tests of the package for Python"
    );
    let python = Path::new(if cfg!(windows) { "python" } else { "python3" });
    run_quietly(
        Command::new(python)
            .args(["-m", "venv", "--clear"])
            .arg(folder()),
    )?;
    run_quietly(
        Command::new(program("python"))
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ])
            .arg("--requirement")
            .arg(&requirements),
    )?;
    Ok(fs::write(installed, wanted)?)
}

/// Builds the wheel, as optimised as the program.
pub(crate) fn wheel() -> Outcome {
    ensure()?;
    let mut maturin = Command::new(program("maturin"));
    maturin
        .args(["build", "--release", "--out"])
        .arg(root().join("target/wheels"));
    shell::run(maturin.current_dir(root().join("crates/python")))
}
