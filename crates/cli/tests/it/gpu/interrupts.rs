//! Ctrl-C while a GPU works, or while its driver compiles.

use super::COMPILING;
use crate::common::{adapter_is_there, command, file, interrupt};
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use test_models::adapter;

/// With a cache of its own, which is empty, Mesa compiles all kernels anew.
#[test]
fn ctrl_c_ends_the_program_while_kernels_are_compiled() {
    if !adapter_is_there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut child = command()
        .args(["decompose", "good/rounds.tra", "--components", "mec"])
        .args(["--adapter", &adapter()])
        .env("MESA_SHADER_CACHE_DIR", folder.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    if !lines.any(|line| line.unwrap().contains(COMPILING)) {
        assert_eq!(child.wait().unwrap().code(), Some(0));
        return eprintln!("SKIPPED: the driver compiles faster than anybody would wait");
    }
    interrupt(&child);
    let start = std::time::Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    // A second, and some more as other tests run beside it.
    assert!(start.elapsed().as_secs() < 3, "{:?}", start.elapsed());
}

/// Returns a ladder of rungs. Each may stay, or take a gamble: to the next rung or back. Each round
/// of the search for MECs removes one gamble, the highest that is left, so the search takes too
/// many rounds to end during a test.
fn ladder(rungs: usize) -> String {
    let mut text = format!("{} {} {}\n", rungs + 1, 2 * rungs + 1, 3 * rungs + 1);
    for rung in 0..rungs {
        let (below, above) = (rung.saturating_sub(1), rung + 1);
        text.push_str(&format!(
            "{rung} 0 {below} 0.5\n{rung} 0 {above} 0.5\n{rung} 1 {rung} 1\n"
        ));
    }
    text + &format!("{rungs} 0 {rungs} 1\n")
}

#[test]
fn ctrl_c_ends_a_search() {
    if !adapter_is_there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let model = file(&folder, "ladder.tra", ladder(200_000).as_bytes());
    let out = folder.path().join("labels");
    let mut child = command()
        .args([
            "decompose",
            "-v",
            "--components",
            "mec",
            "--format",
            "labels",
        ])
        .arg(&model)
        .args(["--adapter", &adapter(), "--output"])
        .arg(&out)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let messages = BufReader::new(child.stderr.take().unwrap());
    let mut lines = messages.lines().map(|line| line.unwrap());
    assert!(
        lines.any(|line| line.contains("running on ")),
        "it has begun"
    );
    // A full pipe must not block the program, so a thread reads the messages.
    let reader = std::thread::spawn(move || lines.for_each(drop));
    // Into the middle of the search.
    std::thread::sleep(std::time::Duration::from_secs(1));
    interrupt(&child);
    let start = std::time::Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(start.elapsed().as_secs() < 10, "it stops at once");
    reader.join().unwrap();
    assert!(!out.exists());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
