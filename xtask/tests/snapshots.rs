//! Compares every output of `cargo xtask` for every fixture with a reviewed snapshot.
//!
//! Each output of a fixture is a separate test. All devices of the machine must print the same,
//! except for the device's name and the times: the CPU prints every output, and each adapter the
//! one with the whole answer, alternately for MECs and SCCs. `cargo xtask snapshot` runs this file,
//! and lists the differences.

#[path = "snapshots/devices.rs"]
mod devices;

use devices::{Device, OUTPUT_ON_ADAPTERS, cargo_xtask, devices};
use insta::Settings;
use libtest_mimic::{Arguments, Trial};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, panic};

/// Outputs with more lines than this are cut short.
const MAX_LINES: usize = 80;
/// The lines that are shown of an output that is cut short.
const SHOWN_LINES: usize = 12;

/// The message if a driver takes long to compile. Whether it does depends on the driver's cache.
const COMPILING: &str = "compiling GPU kernels";

/// How the names of models end.
const MODELS: &[&str] = &[".tra", ".tra.gz", ".prism", ".aut", ".exp", ".exp.gz"];

/// The outputs: their names, and the commands that make them.
const OUTPUTS: &[(&str, &[&str])] = &[
    ("info", &["info"]),
    ("summary", &["decompose", "--format", "summary"]),
    ("labels", &["decompose", "--format", "labels"]),
    ("prism", &["decompose", "--format", "prism"]),
    ("json", &["decompose", "--format", "json"]),
    ("dot", &["decompose", "--format", "dot"]),
    (
        "explore",
        &["explore", "--check", "deadlock", "--check", "livelock"],
    ),
];

/// The components that are printed.
const KINDS: [&str; 2] = ["mec", "scc"];

/// The outputs of networks.
const OF_NETWORKS: [&str; 3] = ["info", "summary", "explore"];

/// Whether a fixture is shown in an output: only networks are explored, and they are large in other
/// outputs.
fn is_shown(fixture: &str, output: &str) -> bool {
    match fixture.contains(".exp") {
        true => OF_NETWORKS.contains(&output),
        false => output != "explore",
    }
}

fn main() -> ExitCode {
    silence_differences();
    let devices = devices();
    let mut trials = Vec::new();
    if let Err(missing) = &devices {
        let missing = missing.clone();
        trials.push(Trial::test("an adapter is there", || Err(missing.into())));
    }
    let devices = devices.unwrap_or_else(|_| vec![Device::Cpu]);
    for (number, fixture) in fixtures().into_iter().enumerate() {
        for &(output, command) in OUTPUTS
            .iter()
            .filter(|(output, _)| is_shown(&fixture, output))
        {
            let is_used = |device: &&Device| !device.is_cpu() && output == OUTPUT_ON_ADAPTERS;
            let adapters: Vec<Device> = devices.iter().filter(is_used).cloned().collect();
            let fixture = fixture.clone();
            trials.push(Trial::test(format!("{fixture}::{output}"), move || {
                let kind = KINDS[number % KINDS.len()];
                let print = |kind: &str, device: &Device| {
                    decomposition(&fixture, (output, command), kind, device)
                };
                compare(&fixture, output, command, &print);
                for adapter in &adapters {
                    let expected = print(kind, &Device::Cpu);
                    assert_eq!(print(kind, adapter), expected, "{adapter:?}");
                }
                Ok(())
            }));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A difference is a panic of insta's, which has shown the lines before it panics. A trace of the
/// stack under each says nothing more.
fn silence_differences() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let message = panic.payload_as_str().unwrap_or_default();
        if !message.starts_with("snapshot assertion") {
            usual(panic);
        }
    }));
}

/// Where the fixtures lie.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}

/// The names of the models, in order.
fn fixtures() -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("the folder of fixtures");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut fixtures: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| MODELS.iter().any(|end| name.ends_with(end)))
        .collect();
    fixtures.sort();
    fixtures
}

/// Compares one output of a fixture with its snapshot. `print` makes a decomposition's.
fn compare(fixture: &str, output: &str, command: &[&str], print: &dyn Fn(&str, &Device) -> String) {
    let name = format!("{}.{output}", fixture.split('.').next().unwrap_or(fixture));
    let mut settings = Settings::clone_current();
    settings.set_snapshot_path("../../fixtures/snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        let printed = match command[0] {
            "decompose" => KINDS.map(|kind| print(kind, &Device::Cpu)).join("\n"),
            _ => transcript(fixture, command, &[]),
        };
        insta::assert_snapshot!(name.as_str(), printed);
    });
}

/// What a device prints of the components of a kind.
fn decomposition(
    fixture: &str,
    (output, command): (&str, &[&str]),
    kind: &str,
    device: &Device,
) -> String {
    let mut words = command.to_vec();
    words.extend(["--components", kind]);
    if output == "json" && kind == "mec" {
        words.push("--choices");
    }
    transcript(fixture, &words, &device.options())
}

/// Returns what a terminal would show: the command line without the device, the output, and the
/// exit code.
fn transcript(fixture: &str, command: &[&str], device: &[&str]) -> String {
    let (task, words) = command.split_first().expect("a command has a name");
    let constants = constants(fixture);
    let mut options: Vec<&str> = constants.split_whitespace().collect();
    options.extend(words);
    let run = cargo_xtask()
        .args([task, fixture])
        .args(&options)
        .args(device)
        .current_dir(folder())
        .output()
        .expect("xtask runs");
    let mut typed = format!("$ cargo xtask {task} {fixture}");
    for word in options {
        let _ = write!(typed, " {word}");
    }
    let mut text = typed + "\n" + &shortened(&redacted(&run.stdout));
    let notices = redacted(&run.stderr);
    for line in notices.lines().filter(|line| !line.starts_with(COMPILING)) {
        let _ = writeln!(text, "stderr: {line}");
    }
    if !run.status.success() {
        let _ = writeln!(text, "{}", run.status);
    }
    text
}

/// The option `--const` of a model in PRISM's language, as a comment in its head says it: `// The
/// snapshots take --const N=3,K=2`, up to the end of the line, or a bracket after it.
fn constants(fixture: &str) -> String {
    let text = fs::read(folder().join(fixture)).expect("the fixture is there");
    let text = String::from_utf8_lossy(&text);
    let comments = text.lines().filter(|line| line.starts_with("//"));
    let said = comments
        .filter_map(|line| line.split_once("snapshots take "))
        .next();
    let option = said.and_then(|(_, said)| said.split(" (").next());
    let option = option.unwrap_or_default().trim_end();
    option.trim_end_matches('.').to_owned()
}

/// The text without what differs between runs: times, the version, and the name of the device.
fn redacted(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.lines()
        .map(|line| redacted_line(line) + "\n")
        .collect()
}

/// One line without its value, if that differs between runs.
fn redacted_line(line: &str) -> String {
    let name = line.trim_start_matches([' ', '"']);
    let name = name.split([' ', '"']).next().unwrap_or_default();
    let differs = [
        "read",
        "explore",
        "build",
        "decompose",
        "total",
        "limit",
        "version",
        "device",
    ];
    if !differs.contains(&name) {
        return line.to_owned();
    }
    let (line, end) = match line.strip_suffix(',') {
        Some(line) => (line, ","),
        None => (line, ""),
    };
    let (line, unit) = match line.strip_suffix(" s") {
        Some(line) => (line, " s"),
        None => (line, ""),
    };
    let value = line
        .rfind("  ")
        .map(|at| at + 2)
        .max(line.rfind(": ").map(|at| at + 2));
    format!("{}...{unit}{end}", &line[..value.unwrap_or(0)])
}

/// Returns the text or, if it is long, its beginning and a fingerprint of all of it.
fn shortened(text: &str) -> String {
    let lines = text.lines().count();
    if lines <= MAX_LINES {
        return text.to_owned();
    }
    let shown: String = text.split_inclusive('\n').take(SHOWN_LINES).collect();
    format!(
        "{shown}... {lines} lines in all, FNV-1a {:016x}\n",
        fnv1a(text.as_bytes())
    )
}

/// The 64-bit FNV-1a hash (Fowler, Noll and Vo), which is the same on every machine.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
