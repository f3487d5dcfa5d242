//! A command does not replace a file that it reads. Files that are replaced keep their permissions.
#![cfg(unix)]

use crate::common::{Outcome, command, outcome, tests};
use flate2::read::GzDecoder;
use std::fmt::Write as _;
use std::fs::{self, File, Permissions};
use std::io::Read as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A folder with models, their annotations, and links to them.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let copy = |from: &str, to: &str| {
        fs::copy(tests().join("good").join(from), folder.path().join(to)).unwrap();
    };
    for ending in ["tra", "sta", "lab"] {
        copy(&format!("rounds.{ending}"), &format!("a.{ending}"));
    }
    copy("walk.prism", "walk.prism");
    copy("walk.prism", "walk.sta");
    fs::hard_link(folder.path().join("a.tra"), folder.path().join("hard.tra")).unwrap();
    symlink("a.tra", folder.path().join("soft.tra")).unwrap();
    symlink("a.sta", folder.path().join("soft.sta")).unwrap();
    symlink("later.json", folder.path().join("dangling.json")).unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    folder
}

/// Runs the binary in a folder.
fn maxend(folder: &TempDir, args: &str) -> Outcome {
    let mut command = command();
    command.current_dir(folder.path());
    outcome(command.args(args.split(' ')))
}

/// The name, the number and the content of each file, so that any change shows.
fn state_of(folder: &Path) -> Vec<(String, u64, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let files = entries.filter(|entry| entry.path().is_file());
    let mut all: Vec<_> = files
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            let number = fs::symlink_metadata(entry.path()).unwrap().ino();
            (name, number, fs::read(entry.path()).unwrap())
        })
        .collect();
    all.sort();
    all
}

#[test]
fn standard_input_is_read_for_one_file_only() {
    let folder = folder();
    let mut all = String::new();
    for args in [
        "decompose - --format json --labels -",
        "info - --labels -",
        "convert - b.tra --states -",
        "decompose a.tra --format json --valuations --states - --labels -",
    ] {
        let run = maxend(&folder, args);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{args}");
        let said = run.stderr.lines().next().unwrap_or_default();
        writeln!(all, "{said}").unwrap();
    }
    insta::assert_snapshot!(all, @r"
    error: the model and --labels cannot both be read from standard input: name a file
    error: the model and --labels cannot both be read from standard input: name a file
    error: the model and --states cannot both be read from standard input: name a file
    error: --states and --labels cannot both be read from standard input: name a file
    ");
}

#[test]
fn nothing_that_is_read_is_replaced() {
    let folder = folder();
    let before = state_of(folder.path());
    let mut all = String::new();
    for args in [
        "decompose a.tra -o a.tra",
        "decompose a.tra -o sub/../a.tra",
        "decompose a.tra -o hard.tra",
        "decompose soft.tra -o a.tra",
        "decompose a.tra -o soft.tra",
        "decompose a.tra --trace a.tra",
        "decompose a.tra --trace hard.tra -o out.txt",
        "decompose a.tra --format prism -o a.sta",
        "decompose a.tra --format prism --states a.sta -o soft.sta",
        "decompose a.tra --format json --labels a.lab -o a.lab",
        "decompose a.tra --format umb -o a.lab",
        "decompose a.tra --format labels -o a.lab",
        "cycle-mean a.tra -o a.sta",
        "decompose a.tra -o x.json --trace x.json",
        "decompose a.tra -o sub/x.json --trace sub/../sub/x.json",
        "decompose a.tra -o dangling.json --trace later.json",
        "decompose a.tra --trace -",
        "decompose walk.prism --const N=3 -o walk.prism",
        "build walk.prism --const N=3 -o walk.prism",
        "build walk.sta --const N=3 -o walk.tra",
        "build walk.prism --const N=3 -o new.sta --to prism",
        "build walk.prism --const N=3 -o new.lab --to prism",
        "convert a.tra a.tra",
        "convert a.tra hard.tra",
        "convert a.tra soft.tra --to umb",
        "convert a.tra a.storm --to storm",
        "convert a.tra b.tra --labels b.lab --states b.lab",
    ] {
        if args.contains("b.lab") {
            fs::copy(folder.path().join("a.lab"), folder.path().join("b.lab")).unwrap();
        }
        let run = maxend(&folder, args);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (Some(2), ""),
            "{args}\n{}",
            run.stderr
        );
        writeln!(all, "$ maxend {args}\n{}", run.stderr).unwrap();
        fs::remove_file(folder.path().join("b.lab")).ok();
        assert!(state_of(folder.path()) == before, "{args}");
    }
    insta::assert_snapshot!("nothing_that_is_read_is_replaced", all);
}

/// Only the text of a model names its processes and its parts.
#[test]
fn processes_and_parts_are_not_replaced() {
    let folder = folder();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("p.aut", "des (0,1,1)\n(0,a,0)\n");
    let network = "par a in \"p.aut\" || \"p.aut\" end par";
    write("network.exp", network);
    write("network", network);
    write("token", "0123456789abcdef");
    write("hosts", "127.0.0.1:1\n");
    symlink("token", folder.path().join("link")).unwrap();
    let parts = "cluster -q --local-processes 2 -- decompose a.tra --threads 1 -f umb -o i.umb";
    maxend(&folder, parts).result();
    let before = state_of(folder.path());
    let mut all = String::new();
    for line in [
        "maxend explore network.exp -o p.aut",
        "maxend explore network -o p.aut",
        "maxend explore network -o sub/../p.aut",
        "maxend decompose - -f labels -o p.aut < network",
        "maxend quotient - -o q.aut --map p.aut < network",
        "maxend decompose i.umb -f umb -o i.umb.part-0",
        "maxend convert i.umb i.umb.part-1 --to umb",
        "maxend bfs i.umb -f labels -o i.umb.part-1",
        "maxend decompose i.umb --trace i.umb.part-0",
        "maxend quotient i.umb -o q.aut --map i.umb.part-0",
        "maxend info i.umb >> i.umb.part-0",
        "maxend cluster --token-file token --hosts hosts --process 0 -- decompose a.tra -o token",
        "maxend cluster --token-file link --local-processes 2 -- decompose a.tra -o token",
        "maxend cluster --hosts hosts --process 0 --gather -- decompose a.tra -f umb -o hosts",
    ] {
        let run = shell(&folder, line);
        let said = &run.stderr;
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (Some(2), ""),
            "{line}\n{said}"
        );
        writeln!(all, "$ {line}\n{said}").unwrap();
        assert!(state_of(folder.path()) == before, "{line}");
    }
    insta::assert_snapshot!("processes_and_parts_are_not_replaced", all);
}

#[test]
fn files_that_are_not_read_may_be_replaced() {
    let folder = folder();
    for args in [
        "decompose -q a.tra -o a.tra.sta",
        "decompose -q a.tra -o out.txt --trace trace.json",
        "decompose -q a.tra -o out.txt --trace trace.json",
        "decompose -q a.tra -o /dev/null --trace /dev/null",
        "build -q walk.prism --const N=3 -o walk.tra",
        "build -q walk.prism --const N=3 -o walk.tra",
        "convert -q walk.prism --const N=3 walk.tra",
        "convert -q a.tra b.umb",
        "convert -q b.umb b.tra",
        "convert -q b.tra a.umb",
    ] {
        let run = maxend(&folder, args);
        assert_eq!(run.code, Some(0), "{args}\n{}", run.stderr);
    }
}

/// An answer does not replace an older one if the trace of the same run cannot be written.
#[test]
fn an_answer_and_its_trace_appear_together() {
    if !Path::new("/dev/full").exists() {
        eprintln!("SKIPPED: this system has no /dev/full");
        return;
    }
    let folder = folder();
    let before = state_of(folder.path());
    for format in ["summary", "umb"] {
        let line = format!("decompose -q a.tra -f {format} -o out --trace /dev/full");
        let run = maxend(&folder, &line);
        let expected = "error: cannot write /dev/full: No space left";
        assert!(run.stderr.starts_with(expected), "{}", run.stderr);
        assert_eq!(run.code, Some(1), "{line}");
        assert!(state_of(folder.path()) == before, "{line}");
    }
}

/// Runs a line of a shell in a folder; `maxend` is the binary.
fn shell(folder: &TempDir, line: &str) -> Outcome {
    let line = format!(
        "maxend() {{ '{}' \"$@\"; }}; {line}",
        env!("CARGO_BIN_EXE_maxend")
    );
    let mut shell = Command::new("sh");
    outcome(shell.args(["-c", &line]).current_dir(folder.path()))
}

#[test]
fn input_files_are_not_replaced_by_redirections() {
    let folder = folder();
    let before = state_of(folder.path());
    let mut all = String::new();
    for line in [
        "maxend decompose a.tra >> a.tra",
        "maxend decompose - -o a.tra < a.tra",
        "maxend info hard.tra >> a.tra",
        "maxend convert a.tra - 1<> soft.tra",
    ] {
        let run = shell(&folder, line);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{line}");
        writeln!(all, "$ {line}\n{}", run.stderr).unwrap();
        assert!(state_of(folder.path()) == before, "{line}");
    }
    insta::assert_snapshot!("redirections", all);
}

#[test]
fn replaced_files_keep_their_permissions_and_links() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let mode = |name: &str| fs::metadata(path(name)).unwrap().mode() & 0o777;
    fs::write(path("private"), "old").unwrap();
    for permissions in [0o600, 0o640, 0o755] {
        fs::set_permissions(path("private"), Permissions::from_mode(permissions)).unwrap();
        maxend(&folder, "decompose -q a.tra -o private").result();
        assert_eq!(mode("private"), permissions);
        assert!(
            fs::read_to_string(path("private"))
                .unwrap()
                .starts_with("model")
        );
    }
    let run = maxend(&folder, "decompose -q a.tra -o dangling.json --format json");
    assert_eq!(run.result(), "");
    assert!(
        fs::symlink_metadata(path("dangling.json"))
            .unwrap()
            .is_symlink()
    );
    assert!(
        fs::read_to_string(path("later.json"))
            .unwrap()
            .starts_with('{')
    );
    // Once more, where there is a file now; and by a link in another folder.
    symlink("../dangling.json", path("sub/link.json")).unwrap();
    fs::write(path("later.json"), "old").unwrap();
    maxend(&folder, "decompose -q a.tra -o sub/link.json --format json").result();
    for link in ["dangling.json", "sub/link.json"] {
        assert!(fs::symlink_metadata(path(link)).unwrap().is_symlink());
    }
    assert!(
        fs::read_to_string(path("later.json"))
            .unwrap()
            .starts_with('{')
    );
}

/// The owner of a file that another user replaces, where the system lets that user give it back.
#[test]
fn replaced_files_keep_their_owner_if_that_is_allowed() {
    let folder = folder();
    let path = folder.path().join("theirs");
    fs::write(&path, "old").unwrap();
    if std::os::unix::fs::chown(&path, Some(12_345), Some(54_321)).is_err() {
        eprintln!("SKIPPED: only the superuser gives files away");
        return;
    }
    maxend(&folder, "decompose -q a.tra -o theirs").result();
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!((metadata.uid(), metadata.gid()), (12_345, 54_321));
}

#[test]
fn pipes_and_devices_are_written_to_directly() {
    let folder = folder();
    let pipe = folder.path().join("pipe.gz");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let end = pipe.clone();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let mut archive = GzDecoder::new(File::open(end).unwrap());
        archive.read_to_string(&mut text).map(|_| text)
    });
    maxend(&folder, "decompose -q a.tra --format labels -o pipe.gz").result();
    assert_eq!(reader.join().unwrap().unwrap(), "0\n1\n1\n3\n-1\n");
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    let run = shell(
        &folder,
        "maxend decompose -q a.tra --format labels -o /dev/stdout; echo more",
    );
    assert_eq!(run.result(), "0\n1\n1\n3\n-1\nmore\n");
    shell(
        &folder,
        "{ maxend decompose -q a.tra --format labels -o /dev/stdout; echo more; } > both",
    );
    let both = fs::read_to_string(folder.path().join("both")).unwrap();
    assert_eq!(both, "0\n1\n1\n3\n-1\nmore\n");
}

/// Labels and values have no place beside a pipe or a device.
#[test]
fn nothing_is_written_beside_a_stream() {
    let folder = folder();
    let pipe = folder.path().join("pipe.tra");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let before = fs::read_dir(folder.path()).unwrap().count();
    let all: String = [
        "convert a.tra pipe.tra --to prism",
        "convert walk.prism pipe.tra -c N=2",
        "build walk.prism -o pipe.tra -c N=2",
        "quotient a.tra --keep goal -o pipe.tra",
        "convert a.tra - --to prism",
        "convert a.tra /dev/stdout --to prism",
    ]
    .iter()
    .map(|args| {
        let reader = args.contains("pipe").then(|| {
            let pipe = pipe.clone();
            std::thread::spawn(move || fs::read_to_string(pipe).unwrap())
        });
        let run = maxend(&folder, args);
        assert_eq!(run.code, Some(0), "{args}\n{}", run.stderr);
        let text = reader.map_or(run.stdout, |reader| reader.join().unwrap());
        assert!(text.starts_with("# Transitions"), "{text}");
        let warnings = run.stderr.lines().filter(|line| line.contains("left out"));
        format!(
            "$ maxend {args}\n{}\n",
            warnings.collect::<Vec<_>>().join("\n")
        )
    })
    .collect();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), before);
    insta::assert_snapshot!(all);
}

#[test]
fn outputs_that_cannot_be_written_are_reported_before_reading() {
    let folder = folder();
    symlink("nowhere/x", folder.path().join("astray")).unwrap();
    let mut all = String::new();
    for args in [
        "decompose missing.tra -o sub",
        "decompose missing.tra -o no/such/folder",
        "decompose missing.tra -o astray",
        "decompose missing.tra -o a.tra/x",
        "decompose missing.tra --trace sub",
        "build missing.prism -o sub",
        "convert missing.tra no/such/folder",
    ] {
        let run = maxend(&folder, args);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{args}");
        writeln!(all, "$ maxend {args}\n{}", run.stderr).unwrap();
    }
    // Nothing can be created in this folder, although it is one.
    if cfg!(target_os = "linux") {
        let run = maxend(&folder, "decompose missing.tra -o /proc/x.json");
        let expected = "error: cannot write /proc/x.json: cannot create a file in /proc: No such \
                        file or directory (os error 2)\n";
        assert_eq!(run.stderr, expected);
    }
    insta::assert_snapshot!("what_cannot_be_written", all);
    let run = maxend(&folder, "decompose a.tra -o /dev/full");
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr.contains("cannot write /dev/full: "),
        "{}",
        run.stderr
    );
}

/// Storm's dialect separates labels by blanks. The others are written.
#[test]
fn labels_with_names_that_a_dialect_does_not_allow_are_left_out() {
    let folder = folder();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("few.tra", "2 2 2\n0 0 1 1\n1 0 0 1\n");
    write(
        "few.lab",
        "0=\"init\" 1=\"two words\" 2=\"done\"\n0: 0 1\n1: 1 2\n",
    );
    maxend(&folder, "convert -q few.tra few.umb").result();
    for model in ["few.tra", "few.umb"] {
        let run = maxend(&folder, &format!("convert {model} storm.tra --to storm"));
        insta::allow_duplicates! {
            insta::assert_snapshot!(run.stderr, @r#"
            warning: left out: the label "two words", which Storm's dialect cannot hold
            wrote storm.tra and storm.lab
            "#);
        }
        let labels = fs::read_to_string(folder.path().join("storm.lab")).unwrap();
        assert_eq!(labels, "#DECLARATION\ninit done\n#END\n0 init\n1 done\n");
    }
}

/// A model of many reward structures has as many files.
#[test]
fn at_most_ten_files_are_named() {
    let folder = folder();
    let rewards = |k: u32| format!("rewards \"r{k}\" true : {k}; endrewards ");
    let text = |structures: u32| {
        let all: String = (1..=structures).map(rewards).collect();
        format!("dtmc module m x : bool; [] !x -> (x'=true); [] x -> true; endmodule {all}")
    };
    fs::write(folder.path().join("many.prism"), text(30)).unwrap();
    fs::write(folder.path().join("few.prism"), text(12)).unwrap();
    let first = maxend(&folder, "convert many.prism new.tra");
    insta::assert_snapshot!(first.stderr, @r"
    wrote new.tra, new.lab, new1.srew, new2.srew, new3.srew, new4.srew, new5.srew, new6.srew, new7.srew, new8.srew and 23 more files
    ");
    let second = maxend(&folder, "convert few.prism new.tra");
    insta::assert_snapshot!(second.stderr, @r"
    warning: new13.srew was there before and is read with new.tra: remove it if it is another model's
    warning: new14.srew was there before and is read with new.tra: remove it if it is another model's
    warning: new15.srew was there before and is read with new.tra: remove it if it is another model's
    warning: new16.srew was there before and is read with new.tra: remove it if it is another model's
    warning: new17.srew was there before and is read with new.tra: remove it if it is another model's
    warning: new18.srew was there before and is read with new.tra: remove it if it is another model's
    warning: new19.srew was there before and is read with new.tra: remove it if it is another model's
    warning: new20.srew was there before and is read with new.tra: remove it if it is another model's
    warning: new21.srew was there before and is read with new.tra: remove it if it is another model's
    warning: new22.srew was there before and is read with new.tra: remove it if it is another model's
    warning: 8 more files were there before
    wrote new.tra, new.lab, new1.srew, new2.srew, new3.srew, new4.srew, new5.srew, new6.srew, new7.srew, new8.srew and 5 more files
    ");
}

/// The last of the files is larger than the system allows, or the disk is full.
#[test]
fn files_that_belong_together_are_replaced_together() {
    let folder = folder();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    // The values take more space than the transitions.
    let variables: String = (0..100).map(|i| format!("x{i} : [0..9]; ")).collect();
    let updates: Vec<String> = (0..100).map(|i| format!("(x{i}'=A)")).collect();
    let text = "dtmc const int A; module m VARIABLES [] true -> UPDATES; endmodule";
    let text = text.replace("VARIABLES", &variables);
    write("many.prism", &text.replace("UPDATES", &updates.join("&")));
    maxend(&folder, "build -q many.prism --const A=1 -o y.tra").result();
    maxend(&folder, "convert -q y.tra z.tra --to prism").result();
    maxend(&folder, "build -q many.prism --const A=2 -o new.tra").result();
    let before = state_of(folder.path());
    let mut all = String::new();
    for args in [
        "build many.prism --const A=2 -o y.tra",
        "convert new.tra z.tra --to prism",
    ] {
        let run = shell(&folder, &format!("ulimit -f 1; maxend {args}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{args}");
        let said = run.stderr.lines().filter(|line| line.starts_with("error"));
        all.extend(said.map(|line| format!("$ maxend {args}\n{line}\n")));
        assert!(state_of(folder.path()) == before, "{args}");
    }
    insta::assert_snapshot!(all, @r"
    $ maxend build many.prism --const A=2 -o y.tra
    error: cannot write y.sta: File too large (os error 27)
    $ maxend convert new.tra z.tra --to prism
    error: cannot write z.sta: File too large (os error 27)
    ");
}

/// Files of another model that are read with a new one, and that this one does not replace.
#[test]
fn files_of_an_older_model_beside_a_new_one_are_named() {
    let folder = folder();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("new.srew", "# Reward structure \"steps\"\n3 1\n0 1\n");
    write("new1.trew", "old");
    write("new.obs", "old");
    write("new9.srew", "of no model: no structure has the number 2");
    let outcome = maxend(&folder, "convert walk.prism --const N=3 new.tra");
    insta::assert_snapshot!(outcome.stderr, @r"
    warning: new.obs was there before and is read with new.tra: remove it if it is another model's
    warning: new.srew was there before and is read with new.tra: remove it if it is another model's
    warning: new1.trew was there before and is read with new.tra: remove it if it is another model's
    wrote new.tra, new.lab and new.sta
    ");
    // Nor do models that are converted without being held replace them.
    write("bare.tra", "1 1 1\n0 0 0 1\n");
    write("copy.lab", "0=\"old\"\n0: 0\n");
    let outcome = maxend(&folder, "convert bare.tra copy.tra --to prism");
    insta::assert_snapshot!(outcome.stderr, @r"
    warning: copy.lab was there before and is read with copy.tra: remove it if it is another model's
    wrote copy.tra
    ");
    // What is replaced is the new model's.
    let outcome = maxend(&folder, "convert walk.prism --const N=3 new.tra -q");
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
}

/// Numbered files of rewards may not be writable, or be another model's. Then nothing is written.
#[test]
fn files_of_rewards_are_checked_before_the_first_file_is_written() {
    let folder = folder();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let rewards = "rewards \"a\" true : 1; endrewards\nrewards \"b\" true : 2; endrewards\n";
    write(
        "two.prism",
        &format!("dtmc\nmodule m x : bool; [] true -> true; endmodule\n{rewards}"),
    );
    write("y.tra", "old");
    fs::create_dir(folder.path().join("y2.srew")).unwrap();
    write("z.tra", "old");
    write("z1.tra", "1 1\n0 0 1\n");
    let before = state_of(folder.path());
    let outcomes = ["y.tra", "z.tra"].map(|out| {
        let outcome = maxend(&folder, &format!("convert two.prism {out}"));
        assert_eq!(state_of(folder.path()), before, "{out}");
        (outcome.code, outcome.stderr)
    });
    insta::assert_debug_snapshot!(outcomes);
}
