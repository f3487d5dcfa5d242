//! The project's rules that the compiler cannot check.

#[path = "tidy/code.rs"]
mod code;
#[path = "tidy/features.rs"]
mod features;
#[path = "tidy/functions.rs"]
mod functions;

use code::code_only;
use features::closed_enums;
use functions::functions;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The largest number of lines of a file.
const MAX_LINES: usize = 600;

/// Pages that tasks write, with a line for each kernel, may be longer.
const WRITTEN_BY_TASKS: &[&str] = &["docs/verification.md", "docs/mutations.md"];

/// The largest number of columns of a line. Lines with quoted text, and rows of tables, may be
/// wider.
const MAX_COLUMNS: usize = 100;

/// The largest number of lines of a function, except in tests and examples.
const MAX_LINES_OF_FUNCTION: usize = 60;

/// Functions that may be longer.
const MAY_BE_LONG: &[(&str, &str)] = &[
    // The innermost loop of exploration: an arm for each instruction, in one function, so that the
    // top of the stack and the next instruction stay in registers.
    ("crates/prism-language/src/code.rs", "run"),
];

/// Words that must not occur in committed code, split so that this file passes.
const FORBIDDEN: &[&str] = &[
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("db", "g!("),
    concat!("unimple", "mented!("),
    concat!("/wo", "rk/"),
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
];

/// Folders in which `unsafe` may be written.
const MAY_BE_UNSAFE: &[&str] = &[
    "crates/gpu/",
    "crates/cli/",
    "crates/python/",
    "crates/capi/",
];

/// The root of the repository.
fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("xtask lies in the repository")
}

/// The files of the repository with one of these extensions, build products left out.
fn files(extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
            if path.is_dir() {
                if name != "target" && !name.starts_with('.') {
                    folders.push(path);
                }
            } else if extensions.contains(&path.extension().and_then(OsStr::to_str).unwrap_or("")) {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty(), "no files with extension {extensions:?}");
    found
}

/// Returns the violations in the file at `path` in the repository, one line each.
fn violations(path: &str, text: &str) -> Vec<String> {
    let mut violations = Vec::new();
    if path.ends_with(".rs") && !text.starts_with("//! ") {
        violations.push("does not say in its first line what it is for".to_owned());
    }
    let lines = text.lines().count();
    if lines > MAX_LINES && !WRITTEN_BY_TASKS.contains(&path) {
        violations.push(format!("is {lines} lines long; {MAX_LINES} are enough"));
    }
    for (i, line) in text.lines().enumerate() {
        for word in FORBIDDEN.iter().filter(|word| line.contains(*word)) {
            violations.push(format!("line {}: {word}", i + 1));
        }
    }
    if path.ends_with(".rs") || path.ends_with(".wgsl") {
        violations.extend(wide_lines(text));
    }
    if path.ends_with(".rs") {
        violations.extend(unsafe_violations(path, text));
        violations.extend(long_functions(path, text));
        violations.extend(closed_enums(text));
    }
    if path.ends_with(".wgsl") {
        violations.extend(atomic_violations(text));
    }
    violations
        .iter()
        .map(|violation| format!("{path}: {violation}"))
        .collect()
}

/// Finds functions that are too long.
fn long_functions(path: &str, text: &str) -> Vec<String> {
    let exempt = ["/tests/", "/tests.rs", "/examples/", "/fuzz/"];
    if exempt.iter().any(|part| path.contains(part)) {
        return Vec::new();
    }
    let long = functions(text).into_iter().filter(|function| {
        let is_accepted = MAY_BE_LONG.contains(&(path, function.name.as_str()));
        function.lines > MAX_LINES_OF_FUNCTION && !is_accepted
    });
    long.map(|function| {
        let (name, line, lines) = (&function.name, function.line, function.lines);
        format!("line {line}: `{name}` has {lines} lines; {MAX_LINES_OF_FUNCTION} are enough")
    })
    .collect()
}

/// Finds lines that are too wide.
fn wide_lines(text: &str) -> Vec<String> {
    let mut violations = Vec::new();
    let code = code_only(text);
    for (i, (line, code)) in text.lines().zip(code.lines()).enumerate() {
        let is_row = line
            .trim_start()
            .trim_start_matches(['/', '!'])
            .starts_with(" |");
        let columns = line.chars().count();
        if columns > MAX_COLUMNS && !code.contains('"') && !is_row {
            violations.push(format!(
                "line {}: {columns} columns; {MAX_COLUMNS} are enough",
                i + 1
            ));
        }
    }
    violations
}

/// Finds `unsafe` where it may not be, or without a reason above it.
fn unsafe_violations(path: &str, text: &str) -> Vec<String> {
    let keyword = concat!("uns", "afe");
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut violations = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        let is_used = code
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(|w| w == keyword);
        if !is_used || code.contains('"') {
            continue;
        }
        if !MAY_BE_UNSAFE.iter().any(|folder| path.starts_with(folder)) {
            violations.push(format!("line {}: {keyword} code has no place here", i + 1));
        }
        // Attributes may stand between a function and its documentation.
        let mut above = lines[..i]
            .iter()
            .rev()
            .take_while(|line| line.starts_with("//") || line.starts_with("#["));
        if !above.any(|line| line.starts_with("// SAFETY:") || line.starts_with("/// # Safety")) {
            violations.push(format!(
                "line {}: {keyword} without a SAFETY line above",
                i + 1
            ));
        }
    }
    violations
}

/// Atomic operations whose result must be used. Operations that only count (`atomicAdd`), or keep
/// the largest or the smallest value (`atomicMax`, `atomicMin`), are not among them: there the
/// order of invocations makes no difference.
const TELLING: &[&str] = &[
    "atomicOr",
    "atomicAnd",
    "atomicXor",
    "atomicSub",
    "atomicExchange",
    "atomicCompareExchangeWeak",
];

/// Finds atomic operations in a kernel whose result is not used, without a reason above. The result
/// decides which invocation acts; if it is ignored, two invocations may act instead of one.
fn atomic_violations(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_statement = |line: &str| {
        let line = line.trim_start_matches("_ = ");
        let name = line.split('(').next().unwrap_or_default();
        // A line that continues the previous one is an operand.
        TELLING.contains(&name) && line.ends_with(';')
    };
    let mut violations = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let is_begun = i == 0 || lines[i - 1].ends_with(['{', ';', '}']) || lines[i - 1].is_empty();
        let mut above = lines[..i]
            .iter()
            .rev()
            .take_while(|line| line.starts_with("//"));
        let is_reasoned = above.any(|line| line.starts_with("// RESULT UNUSED: "));
        let is_begun = is_begun || lines[i - 1].starts_with(['/', '#']);
        if is_statement(line) && is_begun && !is_reasoned {
            violations.push(format!(
                "line {}: the result of an atomic operation is not used, without a RESULT UNUSED line above",
                i + 1
            ));
        }
    }
    violations
}

#[test]
fn every_file_is_tidy() {
    let mut all = Vec::new();
    for path in files(&["rs", "wgsl", "toml", "md", "py"]) {
        let text = fs::read_to_string(&path).expect("text");
        let path = path.strip_prefix(root()).expect("in the repository");
        let path = path.to_string_lossy().replace('\\', "/");
        all.extend(violations(&path, &text));
    }
    assert!(all.is_empty(), "\n{}", all.join("\n"));
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    let mut without = Vec::new();
    for path in files(&["toml"]) {
        let text = fs::read_to_string(&path).expect("text");
        let is_member = text.contains("[package]") && !text.contains("[workspace]");
        if is_member && !text.contains("[lints]\nworkspace = true") {
            without.push(path);
        }
    }
    assert!(without.is_empty(), "{without:?}");
}

#[test]
fn untidiness_is_found() {
    let broken = concat!("fn main() {} // TO", "DO\n");
    assert_eq!(
        violations("crates/report/src/x.rs", broken),
        [
            "crates/report/src/x.rs: does not say in its first line what it is for",
            concat!("crates/report/src/x.rs: line 1: TO", "DO"),
        ]
    );
    assert_eq!(
        violations("x.md", &"\n".repeat(601)),
        ["x.md: is 601 lines long; 600 are enough"]
    );
    let wide = format!("//! Sorts.\nfn f() {{ {} }}\n", "g(); ".repeat(20));
    assert_eq!(
        violations("crates/decompose/src/gpu/x.rs", &wide),
        ["crates/decompose/src/gpu/x.rs: line 2: 111 columns; 100 are enough"]
    );
    let text = format!("//! Sorts.\nconst F: &str = \"{}\";\n", "g".repeat(100));
    assert_eq!(violations("crates/decompose/src/gpu/x.rs", &text), [""; 0]);
    let long = format!("//! Sorts.\nfn f() {{\n{}}}\n", "    g();\n".repeat(60));
    let said = "crates/report/src/x.rs: line 2: `f` has 62 lines; 60 are enough";
    assert_eq!(violations("crates/report/src/x.rs", &long), [said]);
    assert_eq!(violations("crates/report/src/x/tests.rs", &long), [""; 0]);
    let reckless = concat!("//! Maps.\nlet map = uns", "afe { map(file) };\n");
    assert_eq!(violations("crates/report/src/x.rs", reckless).len(), 2);
    assert_eq!(violations("crates/cli/src/x.rs", reckless).len(), 1);
    let reasoned = reckless.replace("let", "// SAFETY: nobody writes to it.\nlet");
    assert_eq!(violations("crates/cli/src/x.rs", &reasoned), [""; 0]);
}

#[test]
fn public_enums_whose_variants_depend_on_features_are_found() {
    let closed =
        "//! A device.\npub enum Device {\n    Cpu,\n    #[cfg(feature = \"gpu\")]\n    Gpu,\n}\n";
    let said = "x.rs: line 2: a feature adds a variant to `Device`, which is not #[non_exhaustive]";
    assert_eq!(violations("x.rs", closed), [said]);
    let open = closed.replace("pub enum", "#[non_exhaustive]\npub enum");
    let private = closed.replace("pub enum", "pub(crate) enum");
    for tidy in [
        open,
        private,
        closed.replace("    #[cfg(feature = \"gpu\")]\n", ""),
    ] {
        assert_eq!(violations("x.rs", &tidy), [""; 0]);
    }
}

#[test]
fn results_of_atomic_operations_that_are_thrown_away_are_found() {
    let thrown = "fn fall(i: u32) {\n    atomicOr(&regions[i], FALLEN);\n}\n";
    let said = "x.wgsl: line 2: the result of an atomic operation is not used, without a RESULT UNUSED line above";
    assert_eq!(violations("x.wgsl", thrown), [said]);
    assert_eq!(
        violations("x.wgsl", &thrown.replace("atomicOr", "_ = atomicOr")),
        [said]
    );
    let reasoned = thrown.replace(
        "    atomic",
        "    // RESULT UNUSED: the bit is only set.\n    atomic",
    );
    for tidy in [
        reasoned.as_str(),
        "fn take(i: u32) -> u32 {\n    return atomicOr(&regions[i], FALLEN);\n}\n",
        "fn take(i: u32) {\n    let was =\n        atomicOr(&regions[i], FALLEN);\n}\n",
        "fn count() {\n    atomicAdd(&found, 1u);\n}\n",
    ] {
        assert_eq!(violations("x.wgsl", tidy), [""; 0]);
    }
}
