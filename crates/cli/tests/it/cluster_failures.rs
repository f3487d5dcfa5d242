//! What the system refuses to the processes of a cluster, and signals while they start.
#![cfg(target_os = "linux")]

use crate::common::{command, interrupt, maxend, tests};
use std::fs;
use std::io::Read as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A folder with the pipe `model.tra`: whoever opens it waits until somebody writes to it.
fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("model.tra");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    (folder, pipe)
}

/// Starts a process of a cluster, which waits for its model.
fn start(options: &[&str], pipe: &Path) -> Child {
    let mut command = command();
    command.arg("cluster").args(options);
    command
        .args(["--", "decompose", "--threads", "1"])
        .arg(pipe);
    command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Gives the model to the next process that has opened the pipe, or will do so.
fn write_model(pipe: &Path) {
    let model = fs::read(tests().join("good/rounds.tra")).unwrap();
    fs::write(pipe, model).unwrap();
}

/// Makes it impossible for a process to start a thread: its memory may grow by less than a stack.
fn without_threads(child: &Child) {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let mut lines = status.lines();
    let size = lines.find_map(|line| line.strip_prefix("VmSize:")).unwrap();
    let size: u64 = size.trim().trim_end_matches(" kB").parse().unwrap();
    let limit = format!("--as={}", (size + 1024) * 1024);
    let pid = child.id().to_string();
    let set = Command::new("prlimit")
        .args(["--pid", &pid, &limit])
        .status();
    assert!(set.unwrap().success());
}

/// Waits until a process waits for its model.
fn wait_for_opening(child: &mut Child) {
    let wait = format!("/proc/{}/wchan", child.id());
    for _ in 0..100 {
        std::thread::sleep(std::time::Duration::from_millis(10));
        if fs::read_to_string(&wait).is_ok_and(|place| place.contains("fifo")) {
            return;
        }
    }
    // Not all systems say what a process waits for. By now, it does.
    assert_eq!(child.try_wait().unwrap(), None);
}

/// One machine and several processes fail alike.
#[test]
fn output_that_cannot_be_written_is_an_error_of_a_file() {
    let run = maxend(
        "cluster -q --local-processes 2 --gather -- decompose good/rounds.tra -f labels \
         -o /dev/full",
    );
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(
        run.stderr.contains("cannot write /dev/full: "),
        "{}",
        run.stderr
    );
}

/// The other process waits for its model, and so for long.
#[test]
fn a_signal_ends_processes_that_have_not_met() {
    let (_folder, pipe) = folder();
    let mut child = start(&["--local-processes", "2"], &pipe);
    wait_for_opening(&mut child);
    write_model(&pipe);
    std::thread::sleep(std::time::Duration::from_millis(500));
    let start = std::time::Instant::now();
    interrupt(&child);
    assert_eq!(end(child), (Some(130), String::new()));
    assert!(start.elapsed().as_millis() < 1900, "{:?}", start.elapsed());
}

/// The exit code, and what was said on standard error.
fn end(mut child: Child) -> (Option<i32>, String) {
    let mut said = String::new();
    let mut from = child.stderr.take().unwrap();
    from.read_to_string(&mut said).unwrap();
    (child.wait().unwrap().code(), said)
}

#[test]
fn a_thread_that_cannot_be_started_is_an_error() {
    let (_folder, pipe) = folder();
    let mut child = start(&["--local-processes", "2"], &pipe);
    wait_for_opening(&mut child);
    without_threads(&child);
    write_model(&pipe);
    insta::assert_debug_snapshot!(end(child), @r#"
    (
        Some(
            1,
        ),
        "error: cannot start processes: Resource temporarily unavailable (os error 11)\n",
    )
    "#);
}

/// Each caller is heard by a thread.
#[test]
fn a_caller_that_cannot_be_heard_is_an_error() {
    let (folder, pipe) = folder();
    let address = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let hosts = folder.path().join("hosts");
    fs::write(&hosts, format!("{address}\n127.0.0.1:1\n")).unwrap();
    let options = ["--hosts", hosts.to_str().unwrap(), "--process", "0"];
    let mut child = start(&options, &pipe);
    wait_for_opening(&mut child);
    without_threads(&child);
    write_model(&pipe);
    let call = || TcpStream::connect(address).ok();
    let mut calls = (0..500).map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        call()
    });
    let _open = calls.find(Option::is_some);
    let (code, said) = end(child);
    let said = said.replace(&address.to_string(), "HOST");
    insta::assert_debug_snapshot!((code, said), @r#"
    (
        Some(
            3,
        ),
        "error: cannot start the workers: cannot start a thread: Resource temporarily unavailable (os error 11)\n  = this is process 0 at HOST\n",
    )
    "#);
}
