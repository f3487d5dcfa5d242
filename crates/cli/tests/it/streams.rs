//! Pipes, files and limits.

use crate::common::{command, file, maxend, stairs};
use std::io::Read as _;
use std::process::Stdio;

#[test]
fn a_closed_pipe_is_not_an_error() {
    let folder = tempfile::tempdir().unwrap();
    // Much more output than a pipe holds.
    let model = file(&folder, "stairs.tra", stairs(200_000).as_bytes());
    for format in ["labels", "prism", "json", "dot"] {
        let mut child = command()
            .args(["decompose", "--device", "cpu", "--format", format])
            .arg(&model)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut start = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut start).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{format}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{format}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_printed_is_an_error() {
    for args in [&["--help"][..], &["help", "bfs"], &["--version"]] {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = command().args(args).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let message = String::from_utf8_lossy(&output.stderr);
        let expected = "error: cannot write standard output: ";
        assert!(message.starts_with(expected), "{message}");
    }
}

/// A standard output that is open for reading only takes no result.
#[cfg(unix)]
#[test]
fn a_standard_output_that_cannot_be_written_to_is_an_error() {
    let folder = tempfile::tempdir().expect("room for a folder");
    let input = file(&folder, "input", b"");
    for format in ["summary", "labels", "json", "umb"] {
        let read_only = std::fs::File::open(&input).expect("the file that was just written");
        let output = command()
            .args(["decompose", "-q", "good/rounds.tra", "--format", format])
            .stdout(read_only)
            .output()
            .expect("the program starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{format}: {message}");
        let expected = "error: cannot write standard output: Bad file descriptor (os error 9)\n";
        assert_eq!(message, expected, "{format}");
    }
}

#[test]
fn an_output_file_appears_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.labels");
    let to = |model: &str| {
        let out = out.display();
        maxend(&format!(
            "decompose -q {model} --format labels --output {out}"
        ))
    };
    assert_eq!(to("good/rounds.tra").result(), "");
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "0\n1\n1\n3\n-1\n");
    // A wrong model leaves the old result alone, and nothing beside it.
    assert_eq!(to("bad/syntax.tra").code, Some(1));
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "0\n1\n1\n3\n-1\n");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn an_output_file_has_the_usual_permissions_and_a_device_stays_one() {
    use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
    let folder = tempfile::tempdir().unwrap();
    let (out, usual) = (folder.path().join("out"), folder.path().join("usual"));
    std::fs::write(&usual, "").unwrap();
    maxend(&format!(
        "decompose -q good/rounds.tra --output {}",
        out.display()
    ))
    .result();
    let mode = |path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&out), mode(&usual));
    maxend("decompose -q good/rounds.tra --output /dev/null").result();
    assert!(
        std::fs::metadata("/dev/null")
            .unwrap()
            .file_type()
            .is_char_device()
    );
}

/// Nobody waits for threads that are of no use, and one line says so.
#[test]
fn the_number_of_threads_is_limited() {
    let decompose = |options: &str| {
        maxend(&format!(
            "decompose good/rounds.tra --format labels --device cpu {options}"
        ))
    };
    let start = std::time::Instant::now();
    for threads in ["65536", "100000", "18446744073709551615"] {
        let run = decompose(&format!("--threads {threads}"));
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        let said = format!("warning: --threads {threads}: taking ");
        assert!(run.stderr.starts_with(&said), "{}", run.stderr);
        assert!(
            run.stderr
                .ends_with(", 4 for each core; more are of no use\n")
        );
        assert_eq!(run.result(), "0\n1\n1\n3\n-1\n");
    }
    assert!(start.elapsed().as_secs() < 20);
    assert_eq!(decompose("--threads 1").stderr, "");
}
