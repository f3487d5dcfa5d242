//! `maxend cluster`, as people see it: real processes on this machine.

use crate::common::{self, command, maxend, outcome};
use std::fs;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A model large enough to be still worked on when a process is ended: no model is explored in
/// less than a second by the program that is tested.
const LARGE: &str = "\
mdp
module counters
  a : [0..400]; b : [0..400]; c : [0..400];
  [] a<400 -> 0.5:(a'=a+1) + 0.5:(b'=min(b+1,400));
  [] b<400 -> 0.5:(b'=b+1) + 0.5:(c'=min(c+1,400));
  [] c<400 -> (c'=c+1);
  [] c=400 -> (a'=0)&(b'=0)&(c'=0);
endmodule
";

#[test]
fn several_processes_find_the_components_that_one_finds() {
    for model in [
        "../../../fixtures/leaky_choices.tra",
        "../../../fixtures/deadlocks.tra",
        "../../../fixtures/empty.tra",
        "good/walk.prism -c N=30",
        "good/coin.aut",
    ] {
        for kind in ["mec", "scc"] {
            let decompose = format!("decompose {model} --components {kind} -f labels");
            let expected = maxend(&decompose).result();
            let found = maxend(&format!(
                "cluster --local-processes 2 -- {decompose} --threads 2"
            ));
            assert_eq!(found.result(), expected, "{decompose}");
            let certified = maxend(&format!(
                "cluster --local-processes 3 -- {decompose} --threads 1 --certify"
            ));
            assert_eq!(certified.result(), expected, "{decompose}");
        }
    }
}

#[test]
fn an_archive_is_read_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("walk.umb");
    let archive = archive.to_str().unwrap();
    maxend(&format!("build good/walk.prism -c N=30 -o {archive}")).result();
    let decompose = format!("decompose {archive} -f labels");
    let expected = maxend(&decompose).result();
    let found = maxend(&format!(
        "cluster --local-processes 3 -- {decompose} --threads 1"
    ));
    assert_eq!(found.result(), expected);
}

#[test]
fn what_is_printed() {
    let run = |format: &str| {
        let decompose =
            format!("decompose good/walk.prism -c N=30 --threads 1 --certify -f {format}");
        let text = maxend(&format!("cluster --local-processes 2 -- {decompose}")).result();
        // Times and memory are never the same.
        let is_same = |line: &&str| {
            let varies = [
                "read",
                "build",
                "decompose ",
                "certify ",
                "check ",
                "total",
                "limit",
                "memory",
                "\"largest_p",
            ];
            !varies
                .iter()
                .any(|name| line.trim_start().starts_with(name))
                && !line.contains("\"build\":")
                && !line.contains("\"read\":")
                && !line.contains("\"decompose\":")
                && !line.contains("\"certify\":")
                && !line.contains("\"check\":")
        };
        text.lines().filter(is_same).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(
        "what_is_printed",
        format!("{}\n\n{}", run("summary"), run("json"))
    );
}

#[test]
fn what_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (away, wrong) = (
        file("away", "192.0.2.7:4101\n"),
        file("wrong", "127.0.0.1\n"),
    );
    let (here, short) = (file("here", "127.0.0.1:4101\n"), file("short", "short"));
    let model = "../../../fixtures/leaky_choices.tra";
    let lines = [
        format!("cluster -- decompose {model}"),
        "cluster --local-processes 2".to_owned(),
        "cluster --local-processes 0 -- info x.tra".to_owned(),
        format!("cluster --local-processes 2 -- info {model}"),
        format!("cluster --local-processes 2 -- decompose {model} --trace x"),
        format!("cluster --local-processes 2 -- decompose {model} --search tarjan"),
        format!("cluster --local-processes 2 -- decompose {model} -f dot"),
        format!("cluster --local-processes 2 -- decompose {model} --threads 1025"),
        format!("cluster --local-processes 257 -- decompose {model}"),
        format!("cluster --local-processes 2 --wait 4294967296 -- decompose {model}"),
        format!("cluster --local-processes 2 -- decompose {model} --nonsense"),
        format!("cluster --local-processes 2 -- decompose {model} --unordered"),
        format!("cluster --local-processes 2 -- decompose {model} -q"),
        format!("cluster --local-processes 2 -- decompose -v {model}"),
        format!("cluster --local-processes 2 -- decompose {model} --log-format text"),
        format!("cluster --local-processes 2 -- decompose {model} --color never"),
        "cluster --local-processes 2 -- decompose -".to_owned(),
        "cluster --local-processes 2 -- decompose nowhere.tra".to_owned(),
        format!("cluster --local-processes 2 --gather -- decompose {model}"),
        format!("cluster --local-processes 2 -- decompose {model} -f labels -o /dev/full"),
        format!("cluster --hosts {here} -- decompose {model}"),
        format!("cluster --hosts {here} --process 1 -- decompose {model}"),
        format!("cluster --hosts {wrong} --process 0 -- decompose {model}"),
        format!("cluster --hosts {away} --process 0 -- decompose {model}"),
        format!("cluster --hosts {away} --process 0 --token-file {short} -- decompose {model}"),
    ];
    let shown = lines.map(|line| {
        let outcome = maxend(&line);
        let text = format!(
            "$ maxend {line}\n{}exit {:?}\n",
            outcome.stderr, outcome.code
        );
        assert_eq!(outcome.stdout, "");
        text.replace(folder.path().to_str().unwrap(), "FOLDER")
    });
    insta::assert_snapshot!("what_is_refused", shown.join("\n"));
}

#[test]
fn limits_are_those_of_the_whole_model() {
    let line = "cluster --local-processes 2 -- decompose good/walk.prism -c N=30 --max-states 9";
    let ended = maxend(line);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    // The other process knows it too, and leaves it to process 0 to say so.
    insta::assert_snapshot!(ended.stderr, @r"
    error: good/walk.prism: there are more than 9 states
      = --max-states is the limit
    ");
}

/// One process says for all of them how many deadlocks were given self-loops, in any format.
#[test]
fn deadlocks_are_counted_once() {
    for (model, count) in [
        ("good/walk.prism -c N=9", "1 state"),
        ("../../../fixtures/deadlocks.tra", "3 states"),
    ] {
        for format in ["summary", "json", "labels"] {
            let line = format!("cluster --local-processes 3 -- decompose {model} -f {format}");
            let warning = format!("warning: {count} without a choice given a self-loop");
            let ended = maxend(&line);
            assert_eq!(ended.code, Some(0), "{line}: {}", ended.stderr);
            assert_eq!(
                ended.stderr.matches(&warning).count(),
                1,
                "{line}: {}",
                ended.stderr
            );
        }
    }
}

/// The process that computes the wrong state says so, and the others do not.
#[test]
fn errors_in_a_model_are_reported_by_one_process() {
    for processes in 1..4 {
        let lines = [
            format!("cluster --local-processes {processes} -- decompose bad/out_of_range.prism"),
            format!(
                "cluster --local-processes {processes} -- decompose good/walk.prism -c N=9 \
                 --deadlocks error"
            ),
        ];
        let said = lines.map(|line| {
            let ended = maxend(&line);
            assert_eq!(ended.code, Some(1), "{line}: {}", ended.stderr);
            ended.stderr
        });
        let expected = [
            "error: module `m` sets `x` to 4, outside its range [0..3]\n \
             --> bad/out_of_range.prism:6:17\n  \
             |\n\
             6 |     + 0.5 : (x'=x+2);\n  \
             |                 ^^^\n  \
             = in state (x=2)\n\
             note: in this command\n \
             --> bad/out_of_range.prism:4:3\n  \
             |\n\
             4 |   [step] x>=0 ->\n  \
             |   ^^^^^^^^^^^^^^\n",
            "error: good/walk.prism: state 10 has no choice\n",
        ];
        assert_eq!(said, expected);
    }
}

/// Errors that a started process reports have the format that the first process was asked for.
#[test]
fn started_processes_print_messages_alike() {
    let folder = tempfile::tempdir().unwrap();
    for last in 5..9 {
        let text = format!("mdp module m x:[0..{last}]; [] x>=0 -> (x'=x+1); endmodule");
        let model = common::file(&folder, "beyond.prism", text.as_bytes());
        let line = format!(
            "cluster --log-format json --local-processes 3 -- decompose {} --threads 1",
            model.display()
        );
        let run = maxend(&line);
        let is_json = |line: &str| serde_json::from_str::<serde_json::Value>(line).is_ok();
        assert!(run.stderr.lines().all(is_json), "{line}: {}", run.stderr);
        assert!(run.stderr.contains("outside its range"), "{}", run.stderr);
    }
}

/// The lines of a host file for this many processes of this machine.
fn addresses(count: usize) -> Vec<String> {
    let listeners: Vec<_> = (0..count)
        .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
        .collect();
    listeners
        .iter()
        .map(|listener| listener.local_addr().unwrap().to_string())
        .collect()
}

fn start(hosts: &Path, process: usize, model: &Path, output: &Path) -> Child {
    let mut command = command();
    command
        .args(["cluster", "--process", &process.to_string(), "--hosts"])
        .arg(hosts);
    command
        .args(["--", "decompose", "--threads=1", "-f", "labels", "-o"])
        .arg(output)
        .arg(model);
    command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Starts three processes and does something to process 2, which the others have to name.
fn lose_one(end: impl FnOnce(&mut Child), within: Duration) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let lines = addresses(3);
    fs::write(path("hosts"), lines.join("\n")).unwrap();
    fs::write(path("model.prism"), LARGE).unwrap();
    let output = path("labels.txt");
    let begin = |process| start(&path("hosts"), process, &path("model.prism"), &output);
    let mut processes: Vec<Child> = (0..3).map(begin).collect();
    // All of them have met by then, or meet one less.
    thread::sleep(Duration::from_millis(700));
    end(&mut processes[2]);
    let since = Instant::now();
    let said = |process: Child| {
        let ended = process.wait_with_output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(3), "{said}");
        said
    };
    let said: Vec<String> = processes.drain(..2).map(said).collect();
    assert!(since.elapsed() < within);
    processes[0].kill().unwrap();
    processes[0].wait().unwrap();
    for said in said {
        let expected = format!("lost process 2 at {}", lines[2]);
        assert!(said.contains(&expected), "{said}");
    }
    // Nothing is left, under the final name or another.
    assert_eq!(files_in(folder.path()), ["hosts", "model.prism"]);
}

#[test]
fn a_process_that_dies_is_named_by_all_others() {
    let kill = |process: &mut Child| process.kill().unwrap();
    lose_one(kill, Duration::from_secs(10));
}

#[test]
#[cfg(unix)]
fn a_process_that_hangs_is_named_by_all_others() {
    let stop = |process: &mut Child| {
        let status = std::process::Command::new("kill")
            .args(["-STOP", &process.id().to_string()])
            .status();
        assert!(status.unwrap().success());
    };
    lose_one(stop, Duration::from_secs(20));
}

#[test]
fn strangers_are_reported_and_unknown_hosts_are_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).unwrap();
        folder.path().join(name)
    };
    let lines = addresses(2);
    let hosts = write("hosts", &lines.join("\n"));
    let token = write("token", "a secret of some length");
    let run = |hosts: &Path, wait: &str| {
        let mut command = command();
        command.args(["cluster", "--process", "0", "--wait", wait, "--hosts"]);
        command.arg(hosts).arg("--token-file").arg(&token);
        command.args(["--", "decompose", "../../../fixtures/leaky_choices.tra"]);
        command.stderr(Stdio::piped()).spawn().unwrap()
    };
    let said = |process: Child| {
        let ended = process.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(3));
        String::from_utf8(ended.stderr).unwrap()
    };
    let process = run(&hosts, "3");
    let mut stranger = loop {
        match TcpStream::connect(&lines[0]) {
            Ok(stream) => break stream,
            Err(_) => thread::sleep(Duration::from_millis(5)),
        }
    };
    stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let address = stranger.local_addr().unwrap();
    let told = said(process);
    let expected = format!("warning: turned away {address}: it does not speak as maxend does\n");
    assert!(told.starts_with(&expected), "{told}");
    let hosts = write("nowhere", &format!("{}\nnowhere.invalid:4101", lines[0]));
    let (since, told) = (Instant::now(), said(run(&hosts, "60")));
    assert!(since.elapsed() < Duration::from_secs(30), "{told}");
    let expected = "error: lost process 1 at nowhere.invalid:4101: failed to lookup";
    assert!(told.starts_with(expected), "{told}");
}

#[test]
fn processes_with_different_arguments_refuse_to_work() {
    let folder = tempfile::tempdir().unwrap();
    let hosts = folder.path().join("hosts");
    let lines = addresses(2);
    fs::write(&hosts, lines.join("\n")).unwrap();
    let run = |process: &str, kind: &str| {
        let mut command = command();
        command
            .args(["cluster", "--process", process, "--hosts"])
            .arg(&hosts);
        command.args([
            "--",
            "decompose",
            "../../../fixtures/leaky_choices.tra",
            "--threads=1",
        ]);
        command.args(["--components", kind]);
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let processes = [run("0", "mec"), run("1", "scc")];
    for (process, reason) in processes.into_iter().zip([
        "its --components is scc, and mec here",
        "its --components is mec, and scc here",
    ]) {
        let ended = process.wait_with_output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(3), "{said}");
        assert!(said.contains(reason), "{said}");
        assert!(ended.stdout.is_empty());
    }
}

#[test]
fn a_full_disk_ends_all_processes() {
    if !Path::new("/dev/full").exists() {
        eprintln!("SKIPPED: this system has no /dev/full");
        return;
    }
    let decompose = "decompose good/walk.prism -c N=300 --threads 1 -f labels -o /dev/full";
    let mut command = command();
    let ended = outcome(
        command
            .args("cluster --local-processes 2 --gather --".split(' '))
            .args(decompose.split(' ')),
    );
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(
        ended
            .stderr
            .contains("cannot write /dev/full: No space left"),
        "{}",
        ended.stderr
    );
}

/// The names of the files in a folder.
fn files_in(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let mut files: Vec<String> = files.map(|name| name.into_string().unwrap()).collect();
    files.sort();
    files
}

#[test]
fn labels_are_written_in_parts_or_gathered() {
    let folder = tempfile::tempdir().unwrap();
    let (index, whole) = (folder.path().join("labels"), folder.path().join("whole"));
    let decompose = "decompose good/walk.prism -c N=300 --threads 2 -f labels";
    let expected = maxend(decompose).result();
    let run = |options: &str, output: &Path| {
        let output = output.to_str().unwrap();
        maxend(&format!("cluster {options} -- {decompose} -o {output}")).result();
    };
    run("--local-processes 2 --gather", &whole);
    assert_eq!(fs::read_to_string(&whole).unwrap(), expected);
    fs::remove_file(&whole).unwrap();
    // The second time it replaces what is there.
    run("--local-processes 2", &index);
    run("--local-processes 2", &index);
    let names = [
        "labels",
        "labels.part-0",
        "labels.part-1",
        "labels.part-2",
        "labels.part-3",
    ];
    assert_eq!(files_in(folder.path()), names);
    let parts = names[1..]
        .iter()
        .map(|name| fs::read_to_string(folder.path().join(name)).unwrap());
    let parts: Vec<String> = parts.collect();
    assert_eq!(parts.concat(), expected);
    let told: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&index).unwrap()).unwrap();
    assert_eq!(told["schema"], "maxend-label-parts");
    assert_eq!(told["states"], expected.lines().count());
    let mut first = 0;
    for (i, part) in parts.iter().enumerate() {
        let told = &told["parts"][i];
        assert_eq!(told["file"], names[i + 1]);
        assert_eq!(told["process"], i / 2);
        assert_eq!(told["first_state"], first);
        assert_eq!(told["bytes"], part.len());
        first += part.lines().count();
        assert_eq!(told["states"], part.lines().count());
    }
}

#[test]
#[cfg(unix)]
fn parts_that_cannot_be_written_leave_nothing() {
    if !Path::new("/dev/full").exists() {
        eprintln!("SKIPPED: this system has no /dev/full");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("labels");
    fs::write(&index, "an older result").unwrap();
    std::os::unix::fs::symlink("/dev/full", folder.path().join("labels.part-1")).unwrap();
    let line = format!(
        "cluster --local-processes 2 -- decompose good/walk.prism -c N=300 --threads 1 -f labels \
         -o {}",
        index.display()
    );
    let ended = maxend(&line);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let said = ended
        .stderr
        .replace(folder.path().to_str().unwrap(), "FOLDER");
    // Process 1 says it, and process 0 does not say that it did.
    let expected = "error: cannot write FOLDER/labels.part-1: No space left";
    assert!(said.starts_with(expected), "{said}");
    assert!(said.contains("this is process 1 at 127.0.0.1:"), "{said}");
    assert_eq!(said.matches("error: ").count(), 1, "{said}");
    assert_eq!(files_in(folder.path()), ["labels", "labels.part-1"]);
    assert_eq!(fs::read_to_string(&index).unwrap(), "an older result");
}

#[test]
fn unordered_numbers_are_the_same_for_any_number_of_workers() {
    let run = |options: &str, threads: u32| {
        let decompose = format!("decompose good/walk.prism -c N=300 -f labels --threads {threads}");
        maxend(&format!("cluster {options} -- {decompose}")).result()
    };
    let alone = run("--local-processes 1 --unordered", 1);
    assert_eq!(run("--local-processes 3 --unordered", 2), alone);
    // The components are the same, with other names.
    let sizes = |labels: &str| {
        let mut counts = std::collections::HashMap::new();
        labels
            .lines()
            .for_each(|label| *counts.entry(label.to_owned()).or_insert(0) += 1);
        let outside = counts.remove("-1");
        let mut sizes: Vec<u32> = counts.into_values().collect();
        sizes.sort_unstable();
        (outside, sizes)
    };
    assert_eq!(sizes(&alone), sizes(&run("--local-processes 2", 1)));
}

#[test]
#[cfg(unix)]
fn a_process_that_cannot_read_the_model_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model.prism");
    std::os::unix::fs::symlink("/dev/stdin", &model).unwrap();
    let source = folder.path().join("source");
    fs::write(&source, LARGE).unwrap();
    let mut command = command();
    command.args(["cluster", "--local-processes", "2", "--", "decompose"]);
    command.arg(&model).stdin(fs::File::open(&source).unwrap());
    let since = Instant::now();
    let ended = outcome(&mut command);
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    // The other process has another standard input, and says what is wrong with it.
    let said = "it ended before all had met";
    assert!(
        ended.stderr.contains("lost process 1 at 127.0.0.1:"),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains(said), "{}", ended.stderr);
    assert!(since.elapsed() < Duration::from_secs(10));
}
