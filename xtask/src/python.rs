//! The Python environment in `target/python`, in which the package of `crates/python` is tested and
//! its wheel is built; and `cargo xtask wheel`, which also tries the wheel in a new environment.

use crate::shell::{self, Outcome, root, run_quietly};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the folder of the environment.
fn folder() -> PathBuf {
    root().join("target/python")
}

/// Returns the path of a program in an environment.
fn program(folder: &Path, name: &str) -> PathBuf {
    folder.join(match cfg!(windows) {
        true => format!("Scripts/{name}.exe"),
        false => format!("bin/{name}"),
    })
}

/// Makes an empty environment.
fn make(folder: &Path) -> Outcome {
    let python = Path::new(if cfg!(windows) { "python" } else { "python3" });
    run_quietly(
        Command::new(python)
            .args(["-m", "venv", "--clear"])
            .arg(folder),
    )
}

/// Returns the command `pip install` of an environment.
fn pip_install(folder: &Path) -> Command {
    let mut pip = Command::new(program(folder, "python"));
    let arguments = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ];
    pip.args(arguments);
    pip
}

/// Makes the environment, unless it exists and has the packages of `crates/python/requirements.txt`
/// and `requirements-optional.txt`.
///
/// # Errors
/// If there is no Python that can do it, or a package cannot be had that is not optional.
pub(crate) fn ensure() -> Outcome {
    let requirements = root().join("crates/python/requirements.txt");
    let optional = root().join("crates/python/requirements-optional.txt");
    let wanted = fs::read_to_string(&requirements)? + &fs::read_to_string(&optional)?;
    let installed = folder().join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|text| text == wanted) {
        return Ok(());
    }
    println!(
        "setup: installing crates/python/requirements.txt in target/python: tests of the package for Python"
    );
    make(&folder())?;
    run_quietly(
        pip_install(&folder())
            .arg("--requirement")
            .arg(&requirements),
    )?;
    let extra = run_quietly(
        pip_install(&folder())
            .args(["--only-binary", ":all:", "--requirement"])
            .arg(&optional),
    );
    if extra.is_err() {
        println!(
            "setup: crates/python/requirements-optional.txt cannot be had here: tests that need it are skipped"
        );
    }
    Ok(fs::write(installed, wanted)?)
}

/// The program that tries the wheel.
const TRIAL: &str = "\
import maxend
assert maxend.connected_components([[0, 1], [1, 0]], connection='strong')[0] == 1
model = maxend.Model.from_arrays([0, 2, 3, 4], [0, 1, 3, 4, 5], [0, 1, 2, 0, 2])
assert model.mec().labels.tolist() == [0, -1, 1]
";

/// Builds the wheel, with the optimisation of a release, and tries it in a new environment, which
/// has only the packages that the wheel requires.
pub(crate) fn wheel() -> Outcome {
    ensure()?;
    let wheels = root().join("target/wheels");
    let mut maturin = Command::new(program(&folder(), "maturin"));
    maturin.args(["build", "--release", "--out"]).arg(&wheels);
    shell::run(maturin.current_dir(root().join("crates/python")))?;
    let trial = root().join("target/python-trial");
    make(&trial)?;
    run_quietly(pip_install(&trial).arg(newest_wheel(&wheels)?))?;
    // The root of the repository does not contain a folder `maxend`, which Python would import.
    run_quietly(
        Command::new(program(&trial, "python"))
            .args(["-c", TRIAL])
            .current_dir(root()),
    )?;
    println!("wheel: it can be installed and imported in a new environment");
    Ok(())
}

/// Returns the latest wheel.
fn newest_wheel(folder: &Path) -> Outcome<PathBuf> {
    let files = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let wheels = files
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "whl"));
    let newest = wheels.max_by_key(|path| fs::metadata(path).and_then(|file| file.modified()).ok());
    Ok(newest.ok_or("maturin has written no wheel")?)
}
