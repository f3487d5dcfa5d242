//! `cargo xtask setup`: installs what the tests need on this machine. No other code installs
//! anything.
//!
//! If something in the table below cannot be installed, this is not an error: most tests that need
//! it say so and are skipped. The tests of the GPU search in `decompose` require a Vulkan device.

use crate::python;
use crate::shell::{self, Outcome, answers, cargo, run_quietly};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A test whether something is installed.
pub(crate) enum Probe {
    /// A program that answers to `-V`.
    Program(&'static str),
    /// A program that answers to `--version`.
    LongProgram(&'static str),
    /// A Python that is recent enough and has these modules.
    Python(&'static str),
    /// A file whose name begins with this text, in one of the folders that distributions use.
    File(&'static [&'static str], &'static str),
}

/// Something that a system package installs.
pub(crate) struct Need {
    pub(crate) probe: Probe,
    /// The name of the package in Debian.
    pub(crate) package: &'static str,
    pub(crate) why: &'static str,
}

const NEEDS: &[Need] = &[
    Need {
        probe: Probe::Python("ensurepip, venv"),
        package: "python3-venv",
        why: "the package for Python is tested in an environment of its own",
    },
    Need {
        probe: Probe::LongProgram("c++"),
        package: "g++",
        why: "tests build programs in C and C++ that use the library for these languages",
    },
    Need {
        probe: Probe::LongProgram("pkg-config"),
        package: "pkg-config",
        why: "a test installs the library for C, and builds a program as its page says",
    },
    Need {
        probe: Probe::Program("dot"),
        package: "graphviz",
        why: "a test renders what `--format dot` prints",
    },
    Need {
        probe: Probe::File(&["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"], "lvp_icd"),
        package: "mesa-vulkan-drivers",
        why: "the GPU tests run on lavapipe, its software device, wherever there is no GPU",
    },
    Need {
        probe: Probe::File(LIBRARIES, "libvulkan.so.1"),
        package: "libvulkan1",
        why: "it loads that driver, or the one of a GPU",
    },
    Need {
        probe: Probe::LongProgram("z3"),
        package: "z3",
        why: "a test proves with it that accesses of kernels do not race",
    },
];

const LIBRARIES: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
];

/// Components of the Rust toolchain: the program that each installs, and its name.
const COMPONENTS: &[(&str, &str)] = &[("fmt", "rustfmt"), ("clippy", "clippy")];

impl Probe {
    pub(crate) fn is_there(&self) -> bool {
        match self {
            Self::Program(name) => answers(Command::new(name).arg("-V")),
            Self::LongProgram(name) => answers(Command::new(name).arg("--version")),
            Self::Python(modules) => {
                let test = format!("import sys, {modules}; sys.exit(sys.version_info < (3, 11))");
                answers(Command::new("python3").args(["-c", &test]))
            }
            Self::File(folders, prefix) => (folders.iter())
                .filter_map(|folder| fs::read_dir(folder).ok())
                .flatten()
                .flatten()
                .any(|file| file.file_name().to_string_lossy().starts_with(prefix)),
        }
    }
}

/// Installs everything that is missing.
pub(crate) fn run() -> Outcome {
    for (command, component) in COMPONENTS {
        if !answers(cargo().args([command, "--version"])) {
            println!("setup: adding the Rust component {component}: `cargo xtask test` uses it");
            shell::run(Command::new("rustup").args(["component", "add", component]))?;
        }
    }
    if !cfg!(target_os = "linux") {
        println!("setup: this system is not Linux; nothing is installed");
        return Ok(());
    }
    let missing: Vec<&Need> = NEEDS.iter().filter(|need| !need.probe.is_there()).collect();
    if missing.is_empty() {
        println!("setup: no system package is missing");
    } else if let Err(error) = install(&missing) {
        let packages = missing.iter().map(|need| need.package);
        println!("setup: could not install: {error}");
        println!(
            "setup: tests that need these packages fail or are skipped: {}",
            list(packages)
        );
    }
    if let Err(error) = python::ensure() {
        println!("setup: tests of the package for Python fail or are skipped: {error}");
    }
    Ok(())
}

/// Installs something that a task needs but the tests do not. Says so first.
///
/// # Errors
/// If it is missing, and cannot be installed.
#[cfg(feature = "program")]
pub(crate) fn ensure(need: &Need) -> Outcome {
    match need.probe.is_there() {
        true => Ok(()),
        false => install(&[need]),
    }
}

fn list<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

/// Installs system packages. Says first which, and why.
fn install(missing: &[&Need]) -> Outcome {
    let apt_get = "/usr/bin/apt-get";
    if !Path::new(apt_get).exists() {
        return Err("this machine has no apt-get; use its own package manager".into());
    }
    let apt_get = |arguments: &[&str]| {
        let mut command = privileged(apt_get)?;
        // On a machine without a network, this must not wait for one.
        command.args([
            "-qq",
            "-o",
            "Acquire::Retries=1",
            "-o",
            "Acquire::http::Timeout=20",
        ]);
        command.env("DEBIAN_FRONTEND", "noninteractive");
        run_quietly(command.args(arguments))
    };
    for need in missing {
        println!("setup: installing {}: {}", need.package, need.why);
    }
    apt_get(&["update"])?;
    let mut arguments = vec!["install", "--yes", "--no-install-recommends"];
    arguments.extend(missing.iter().map(|need| need.package));
    apt_get(&arguments)
}

/// Returns a command that may change the system.
fn privileged(program: &str) -> Result<Command, String> {
    let is_root = Command::new("id").arg("-u").output();
    if is_root.is_ok_and(|output| output.stdout.trim_ascii() == b"0") {
        return Ok(Command::new(program));
    }
    if answers(Command::new("sudo").args(["-n", "true"])) {
        let mut command = Command::new("sudo");
        command.args(["-n", "--preserve-env=DEBIAN_FRONTEND", program]);
        return Ok(command);
    }
    Err("this user may not install packages".into())
}
