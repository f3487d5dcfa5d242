//! The examples are built by the compilers of the system, and do what they should. They run under
//! AddressSanitizer where the compiler has it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the folder in which cargo has put the library: that of this test, or the one above.
pub(crate) fn libraries() -> PathBuf {
    let test = env::current_exe().expect("the test is a file");
    let folders = test.ancestors().skip(1).take(2);
    let mut folders = folders.filter(|folder| folder.join("libmaxend_c.a").is_file());
    folders
        .next()
        .expect("cargo has built the library")
        .to_owned()
}

/// Builds an example in `folder`, and answers with what it prints.
fn run(folder: &Path, source: &str, link: &[&str], arguments: &[PathBuf]) -> Option<String> {
    let (compiler, standard) = match source.ends_with(".cpp") {
        true => ("c++", "-std=c++17"),
        false => ("cc", "-std=c11"),
    };
    let program = folder.join("program");
    let libraries = libraries();
    let build = |sanitizer: &[&str]| {
        let mut command = Command::new(compiler);
        command
            .args([standard, "-Wall", "-Wextra", "-Werror", "-g"])
            .args(sanitizer);
        command.arg(root().join(source)).arg("-o").arg(&program);
        command
            .arg("-I")
            .arg(root().join("include"))
            .arg("-L")
            .arg(&libraries);
        command
            .args(link)
            .args(["-lpthread", "-ldl", "-lm"])
            .output()
    };
    let output = match build(&["-fsanitize=address,undefined"]) {
        Ok(output) if output.status.success() => output,
        Ok(_) => build(&[]).expect("it ran a moment ago"),
        Err(error) => {
            assert!(env::var_os("CI").is_none(), "no {compiler}: {error}");
            eprintln!("SKIPPED: no {compiler}: {error}");
            return None;
        }
    };
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{source}: {complaints}");
    let mut command = Command::new(&program);
    command.args(arguments).env("LD_LIBRARY_PATH", &libraries);
    // What the library keeps for the next call is no leak, and drivers leak by themselves.
    let output = command.env("ASAN_OPTIONS", "detect_leaks=0").output();
    let output = output.expect("the program runs");
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{source}: {complaints}");
    assert_eq!(complaints, "", "{source}");
    Some(String::from_utf8(output.stdout).expect("it prints text"))
}

const OF_C: &str = "\
2 components
state 0: 0
state 1: -1
state 2: 1
sizes 1 1
retained 1 0 0 1
stopped while starting
status 5 after 1 call, stopped
status 2: a choice of state 1 leads to state 9, but the graph has 2 states
8 states, 1 initial, 3 labels, 0 warnings
status 2: bad.tra, line 2, column 5
status 2: missing.tra, line 0, column 0
";

/// Linked with the shared library.
#[test]
fn c() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = root().join("../../fixtures/running_example.tra");
    let bad = folder.path().join("bad.tra");
    fs::write(&bad, "1 1 1\n0 0 x 1\n").expect("a file");
    let files = [good, bad, folder.path().join("missing.tra")];
    let Some(printed) = run(
        folder.path(),
        "examples/decompose.c",
        &["-lmaxend_c"],
        &files,
    ) else {
        return;
    };
    let name = format!("{}/", folder.path().display());
    assert_eq!(printed.replace(&name, ""), OF_C);
}

const OF_CPP: &str = "\
3 components on cpu: 0 0 1 2
2 bottom
status 2: a choice of state 0 leads to state 7, but the graph has 1 state
thrown by the callback
";

/// Linked with the static library.
#[test]
fn cpp() {
    let folder = tempfile::tempdir().expect("a folder");
    if let Some(printed) = run(
        folder.path(),
        "examples/decompose.cpp",
        &["-l:libmaxend_c.a"],
        &[],
    ) {
        assert_eq!(printed, OF_CPP);
    }
}

const OF_LENT: &str = "\
0 states
status 2: offsets have at least one number, 0
status 2: offsets have at least one number, 0
";

/// A graph borrows no vectors that are gone when it is made: that does not compile.
#[test]
fn lent_vectors() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = "tests/capi/lent.cpp";
    if let Some(printed) = run(folder.path(), source, &["-l:libmaxend_c.a"], &[]) {
        assert_eq!(printed, OF_LENT);
    }
}

/// Whatever is passed, the answer is an error, and no memory is touched that is not there.
#[test]
fn wrong_arguments() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = root().join("../../fixtures/running_example.tra");
    let source = "tests/capi/wrong.c";
    if let Some(printed) = run(folder.path(), source, &["-lmaxend_c"], &[good]) {
        insta::assert_snapshot!("wrong_arguments", printed);
    }
}
