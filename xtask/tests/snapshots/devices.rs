//! The devices of this machine, and what each of them prints.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The output that the adapters print: it holds the whole answer. In the others they differ in
/// nothing but the name of the device and the times, which `crates/cli/tests/it/gpu.rs` looks at.
pub(crate) const OUTPUT_ON_ADAPTERS: &str = "labels";

/// What the command line can run on.
#[derive(Clone, Debug)]
pub(crate) enum Device {
    Cpu,
    /// An adapter, by its name.
    Adapter(String),
}

impl Device {
    pub(crate) fn is_cpu(&self) -> bool {
        matches!(self, Self::Cpu)
    }

    /// The options that choose this device.
    pub(crate) fn options(&self) -> [&str; 2] {
        match self {
            Self::Cpu => ["--device", "cpu"],
            Self::Adapter(name) => ["--adapter", name],
        }
    }
}

/// The processor, and every adapter that the command line finds.
///
/// # Errors
/// Where there is no adapter; on a build server only, elsewhere that is said loudly.
pub(crate) fn devices() -> Result<Vec<Device>, String> {
    let run = cargo_xtask().args(["devices", "--format", "json"]).output();
    let found = run.map_err(|error| error.to_string())?.stdout;
    let found: serde_json::Value =
        serde_json::from_slice(&found).map_err(|error| error.to_string())?;
    let adapters = found["adapters"].as_array().into_iter().flatten();
    let names = adapters.filter_map(|adapter| adapter["name"].as_str());
    let mut devices = vec![Device::Cpu];
    devices.extend(names.map(|name| Device::Adapter(name.to_owned())));
    if devices.len() > 1 {
        return Ok(devices);
    }
    let missing = "this machine has no Vulkan adapter: the fixtures run on the processor only";
    if std::env::var_os("CI").is_some() {
        return Err(missing.to_owned());
    }
    eprintln!("SKIPPED: {missing}; `cargo xtask setup` installs one that is software");
    Ok(devices)
}

/// The binary under test.
pub(crate) fn cargo_xtask() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // Mesa complains on standard error where there is no such folder.
        let runtime = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runtime");
        fs::create_dir_all(&runtime).expect("cargo gives tests a folder");
        command.env("XDG_RUNTIME_DIR", runtime);
    }
    command
}
