//! Runs the commands of docs/capi.md: the library is installed below a prefix, and programs find it
//! by pkg-config and by CMake.

use crate::examples::{libraries, root};
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// The block of code of the page that has this text.
fn block(text: &str) -> String {
    let page = root().join("../../docs/capi.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let mut blocks = page.split("\n```").skip(1).step_by(2);
    let found = blocks.find(|block| block.contains(text));
    let (_, code) = found
        .and_then(|block| block.split_once('\n'))
        .expect("the page has the block");
    code.to_owned()
}

/// Runs a program, which must succeed. Answers with what it prints; nothing, if it is not there.
fn run(command: &mut Command) -> Option<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let Ok(output) = command.output() else {
        eprintln!("SKIPPED: no {name}");
        return None;
    };
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {complaints}");
    Some(String::from_utf8(output.stdout).expect("it prints text"))
}

fn sh(line: &str, folder: &Path, prefix: &Path) -> String {
    let mut command = Command::new("sh");
    command.args(["-e", "-c", line]).current_dir(folder);
    command.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
    command.env("LD_LIBRARY_PATH", prefix.join("lib"));
    run(&mut command).expect("there is a shell")
}

/// Installs the library that cargo has built for these tests.
fn install(folder: &Path, prefix: &Path) {
    let text = |path: &Path| path.to_str().expect("it is text").to_owned();
    let lines = block("install -D").replace("/usr/local", &text(prefix));
    let lines = lines.replace("target/release", &text(&libraries()));
    // The page writes this file to the folder that it is in.
    let lines = lines.replace(
        " maxend_c.pc",
        &format!(" {}", text(&folder.join("maxend_c.pc"))),
    );
    sh(&lines, &root().join("../.."), prefix);
}

#[test]
fn as_the_page_says() {
    if run(Command::new("pkg-config").arg("--version")).is_none() {
        assert!(env::var_os("CI").is_none(), "no pkg-config");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (folder, prefix) = (folder.path(), &folder.path().join("prefix"));
    install(folder, prefix);
    for example in ["decompose.c", "decompose.cpp"] {
        let copied = fs::copy(root().join("examples").join(example), folder.join(example));
        copied.expect("the example is there");
    }
    let first = |printed: &str| printed.lines().next().map(str::to_owned);
    let shared = sh(
        "cc decompose.c $(pkg-config --cflags --libs maxend_c); ./a.out",
        folder,
        prefix,
    );
    assert_eq!(first(&shared).as_deref(), Some("2 components"));
    let fixed = format!(
        "cc decompose.c $(pkg-config --cflags maxend_c) {}/lib/libmaxend_c.a -lpthread -ldl -lm; ./a.out",
        prefix.display(),
    );
    assert_eq!(sh(&fixed, folder, prefix), shared);

    fs::write(folder.join("CMakeLists.txt"), block("find_package")).expect("a file");
    let mut configure = Command::new("cmake");
    configure
        .args(["-S", ".", "-B", "build"])
        .current_dir(folder);
    configure.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
    if run(&mut configure).is_some() {
        run(Command::new("cmake")
            .args(["--build", "build"])
            .current_dir(folder));
        // The program knows where the library is.
        let mut checker = Command::new(folder.join("build/checker").as_os_str() as &OsStr);
        let printed = run(checker.env_remove("LD_LIBRARY_PATH")).expect("it was built");
        assert_eq!(
            first(&printed).as_deref(),
            Some("3 components on cpu: 0 0 1 2")
        );
    }
}
