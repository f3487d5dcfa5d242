//! Every message that a user can see.

use crate::common;
use crate::common::{command, maxend, outcome, tests};
use std::fmt::Write as _;
use std::fs;

/// The names of the files in `tests/bad` that end in `ending`, in order.
fn bad_files(ending: &str) -> Vec<String> {
    let entries = fs::read_dir(tests().join("bad")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(ending)).collect();
    names.sort();
    assert!(!names.is_empty());
    names
}

/// Returns the messages of `command` for each of `files`, and checks that a wrong input has no
/// result.
fn refusals(files: &[String], command: &str) -> String {
    let mut all = String::new();
    for file in files {
        let run = maxend(&format!("{command} bad/{file}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{file}");
        writeln!(all, "{}", run.stderr).unwrap();
    }
    all
}

#[test]
fn bad_models() {
    let refused = refusals(&bad_files(".tra"), "decompose --format labels");
    insta::assert_snapshot!("bad_models", refused);
}

#[test]
fn bad_archives() {
    let refused = refusals(&bad_files(".tra.gz"), "decompose --format labels");
    insta::assert_snapshot!("bad_archives", refused);
}

#[test]
fn bad_programs() {
    // Labels are part of the document, so those that cannot be evaluated are refused.
    let refused = refusals(&bad_files(".prism"), "decompose --format json");
    insta::assert_snapshot!("bad_programs", refused);
}

/// Properties begin with words of their own, or only the name of the file says what they are.
#[test]
fn bad_properties() {
    let mut all = refusals(&bad_files(".props"), "decompose");
    all += &refusals(&bad_files(".properties"), "info");
    insta::assert_snapshot!("bad_properties", all);
}

/// What the file is for, neither its name nor its first word says.
#[test]
fn files_of_an_unknown_kind() {
    insta::assert_snapshot!("unknown_kind", refusals(&bad_files(".txt"), "info"));
}

#[test]
fn bad_values_of_variables() {
    let command = "decompose good/two_states.tra --format prism --states";
    insta::assert_snapshot!("bad_values", refusals(&bad_files(".sta"), command));
}

#[test]
fn bad_labels() {
    let command = "info good/two_states.tra --labels";
    insta::assert_snapshot!("bad_labels", refusals(&bad_files(".lab"), command));
}

#[test]
fn every_command_refuses_the_same_models() {
    for file in bad_files(".tra") {
        for command in ["info", "convert --to storm"] {
            let out = if command == "info" { "" } else { "-" };
            let run = maxend(&format!("{command} bad/{file} {out}"));
            assert_eq!(
                (run.code, run.stdout.as_str()),
                (Some(1), ""),
                "{command} {file}"
            );
        }
    }
}

/// The file of each kind of error is there: the name of a kind is that of its file, in snake case,
/// before any further words.
#[test]
fn every_kind_of_error_has_a_file() {
    let mut files = bad_files(".tra");
    files.extend(
        [".sta", ".lab", ".gz"]
            .iter()
            .flat_map(|ending| bad_files(ending)),
    );
    let kinds = [
        "syntax",
        "truncated",
        "other_file",
        "unsupported_type",
        "interval",
        "bad_intervals",
        "empty_interval",
        "type_conflict",
        "count_mismatch",
        "number_too_large",
        "too_many_states",
        "unbacked_states",
        "state_out_of_range",
        "observation_out_of_range",
        "two_observations",
        "no_observation",
        "state_decreases",
        "choice_order",
        "duplicate_branch",
        "lts_choice",
        "two_actions",
        "bad_action",
        "bad_value_nan",
        "bad_value_negative",
        "bad_value_infinite",
        "bad_sum",
        "all_zero",
        "wrong_arity",
        "row_order",
        "mixed_types",
        "duplicate_name",
        "undeclared_label",
        "repeated_label",
        "bad_archive",
        "truncated_archive",
    ];
    for kind in kinds {
        assert!(
            files.iter().any(|file| file.starts_with(kind)),
            "no file for {kind}"
        );
    }
}

/// The memory of an exploration depends on the number of threads, so the number is left out.
fn without_memory(text: &str) -> String {
    let without = |line: &str| match line.split_once("found so far") {
        Some((before, after)) => {
            let found = after.rsplit_once(", in ").map_or(after, |(found, _)| found);
            format!("{before}found so far{found}, in [MEMORY]")
        }
        None => line.to_owned(),
    };
    text.split('\n').map(without).collect::<Vec<_>>().join("\n")
}

#[test]
fn other_failures() {
    let mut all = String::new();
    for (code, args) in [
        (1, "decompose no/such/file.tra"),
        (2, "decompose good/walk.prism --threads -1"),
        (2, "long-run good/walk.prism --epsilon -1"),
        (1, "decompose bad"),
        (1, "decompose good/deadlock.tra --deadlocks error"),
        (1, "decompose good/stuck.tra --deadlocks error"),
        (1, "convert good/stuck.tra - --deadlocks error"),
        (
            1,
            "decompose good/two_states.tra --format json --valuations",
        ),
        (1, "decompose good/two_states.tra --type dtmc"),
        (1, "decompose good/rates.tra --type dtmc"),
        (1, "decompose good/rounds.tra --type pomdp"),
        (
            1,
            "decompose good/two_states.tra --output no/such/folder/file",
        ),
        (1, "decompose good/walk.prism"),
        (1, "decompose good/walk.prism --const N=7,M=1"),
        (1, "decompose good/walk.prism --const N=7 --const N=8"),
        (1, "decompose good/walk.prism --const N=7,H=3"),
        (1, "decompose good/walk.prism --const N=1:2:7"),
        (1, "decompose good/walk.prism --const N=many"),
        (1, "decompose good/walk.prism --const N=99 --max-states 50"),
        (1, "decompose good/walk.prism --const N=99 --max-memory 1K"),
        (
            1,
            "decompose good/counter.prism --const UP=1000 --max-states 50000",
        ),
        (1, "decompose good/walk.prism --const N=9 --deadlocks error"),
        (
            1,
            "info good/together.prism --const MANY=false --max-states 10",
        ),
        (
            1,
            "info good/together.prism --const MANY=false --max-memory 20M",
        ),
        (
            1,
            "info good/together.prism --const MANY=true --max-memory 20M",
        ),
        (
            1,
            "info good/walk.prism --const N=1 --labels good/rounds.lab",
        ),
        (2, "decompose good/walk.prism --const N"),
        (2, "decompose good/walk.prism --max-memory lots"),
        (2, "decompose good/walk.prism --threads 0"),
        (2, "decompose good/walk.prism --threads many"),
        (2, "decompose good/walk.prism -const N=7"),
        (2, "decompose good/walk.prism -c N"),
        (2, "decompose good/walk.prism -c N="),
        (2, "decompose good/walk.prism -c N=max(1,2),K"),
        (2, "decompose good/walk.prism -c =7"),
        (2, "decompose good/walk.prism -c N=7,"),
        (2, "decompose good/walk.prism --max-states 1.5M"),
        (2, "decompose good/walk.prism --max-memory 1.5"),
        (1, "decompose good/walk.prism -c N=99 --max-states 1"),
        (1, "decompose good/walk.prism -c N=99 --max-memory 1"),
        (2, "completions"),
        (2, "completions csh"),
        (2, "man frobnicate"),
        (2, "man info -o bad"),
        (1, "man -o no/such/folder"),
        (1, "man -o good/rounds.tra"),
        (2, "help frobnicate"),
        (2, "decompose good/walk.prism --const N=9 --type mdp"),
        (2, "info good/blocked.exp --allow-any-sum"),
        (2, "info good/rounds.tra --const N=9"),
        (1, "convert good/deadlock.tra - --deadlocks keep"),
        (1, "convert good/deadlock.tra - --deadlocks error"),
        (
            2,
            "decompose good/two_states.tra --choices --components scc --format json",
        ),
        (2, "decompose good/two_states.tra --choices"),
        (2, "decompose good/two_states.tra --format dot --valuations"),
        (
            2,
            "decompose good/two_states.tra --format labels --labels good/rounds.lab",
        ),
        (
            2,
            "decompose good/two_states.tra --format json --states good/rounds.sta",
        ),
        (2, "convert good/rounds.tra - --labels good/rounds.lab"),
        (2, "convert good/rounds.tra good/rounds.storm --to storm"),
        (2, "decompose"),
        (2, "decompose good/two_states.tra --format yaml"),
        (2, "decompose good/two_states.tra --device abacus"),
        (2, "decompose good/two_states.tra -q -v"),
        (
            2,
            "decompose good/two_states.tra --device cpu --adapter H200",
        ),
        (
            2,
            "decompose good/two_states.tra --device gpu --search tarjan",
        ),
        (2, "decompose good/two_states.tra --device cpu --search fbt"),
        (2, "decompose good/two_states.tra --device cpu --no-hybrid"),
        (
            2,
            "decompose good/two_states.tra --device cpu --max-binding 1.5M",
        ),
        (
            2,
            "decompose good/two_states.tra --search tarjan --cache-hops 3",
        ),
        (
            2,
            "decompose good/two_states.tra --components scc --candidates join",
        ),
        (2, "decompose good/two_states.tra --cache-hops 256"),
        (2, "decompose good/two_states.tra --cache-hops many"),
        (2, "decompose good/two_states.tra --segment-interval -1"),
        (2, "decompose good/two_states.tra --adapter="),
        (2, "good/two_states.tra"),
        (2, "decompose good/two_states.tra --max-binding lots"),
        (
            2,
            "decompose good/two_states.tra --max-binding 99999999999G",
        ),
        (2, "decompose good/two_states.tra --pivot smallest"),
        (2, "frobnicate"),
        (2, "decompose good/two_states.tra --scc"),
        (2, "info good/two_states.tra --json"),
        (2, "decompose good/two_states.tra --mecs"),
    ] {
        let run = maxend(args);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (Some(code), ""),
            "{args}\n{}",
            run.stderr
        );
        writeln!(all, "$ maxend {args}\n{}", without_memory(&run.stderr)).unwrap();
    }
    insta::assert_snapshot!("other_failures", all);
}

/// Runs without an adapter, on every machine.
#[cfg(target_os = "linux")]
#[test]
fn without_an_adapter() {
    let mut all = String::new();
    let scc = "decompose good/two_states.tra --components scc";
    let empty = "decompose ../../../fixtures/empty.tra --format labels";
    let edgeless = "good/edgeless.tra --format labels --device gpu";
    for (code, args) in [
        (3, format!("{scc} --device gpu")),
        (3, format!("{scc} --adapter H200")),
        (3, format!("{scc} --search fbt")),
        (3, format!("{scc} --no-transpose")),
        (0, format!("{scc} --format labels")),
        // There is nothing to do for a GPU, unless an algorithm is asked for that only a GPU has.
        (0, format!("{empty} --device gpu")),
        (0, format!("bfs {edgeless}")),
        (0, format!("decompose {edgeless} --deadlocks keep")),
        (3, format!("{empty} --search fbt")),
        (0, "devices".to_owned()),
        (0, "devices --format json".to_owned()),
    ] {
        let mut command = common::command();
        command.args(args.split(' '));
        // What the loader of Vulkan looks for drivers in; it once had the other name.
        command.env("VK_DRIVER_FILES", "/no/driver.json");
        command.env("VK_ICD_FILENAMES", "/no/driver.json");
        let run = outcome(&mut command);
        assert_eq!(run.code, Some(code), "{args}\n{}", run.stderr);
        writeln!(all, "$ maxend {args}\n{}{}", run.stdout, run.stderr).unwrap();
    }
    insta::assert_snapshot!("without_an_adapter", all);
}

#[test]
fn warnings_and_notes() {
    let mut all = String::new();
    for args in [
        "decompose good/deadlock.tra",
        "decompose good/zeros.tra",
        "decompose good/rates.tra",
        "decompose good/rounds.tra --device cpu",
        "decompose good/deadlock.tra --deadlocks keep",
        "decompose good/walk.prism --const N=6 --device cpu",
        "convert good/deadlock.tra -",
        "convert good/lts.tra -",
        "convert good/initial.tra -",
    ] {
        let run = maxend(args);
        assert_eq!(run.code, Some(0), "{args}");
        writeln!(all, "$ maxend {args}\n{}", run.stderr).unwrap();
    }
    insta::assert_snapshot!("warnings_and_notes", all);
}

#[test]
fn quiet_says_nothing_but_errors() {
    for model in ["deadlock", "zeros", "rates"] {
        let run = maxend(&format!("decompose -q good/{model}.tra"));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    }
    assert!(
        maxend("decompose -q bad/syntax.tra")
            .stderr
            .starts_with("error: ")
    );
}

#[test]
fn verbose_says_more() {
    assert!(
        maxend("decompose -v good/rounds.tra")
            .stderr
            .contains("reading good/rounds.tra")
    );
}

/// If all adapters are software, the error about the papers' engine says how to run it.
#[cfg(target_os = "linux")]
#[test]
fn without_hardware() {
    let devices = maxend("devices").result();
    if !devices.contains("llvmpipe") || devices.contains(" GPU\n") {
        eprintln!("SKIPPED: llvmpipe is not the only adapter");
        return;
    }
    let run = maxend("decompose good/two_states.tra --cache-hops 4");
    assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""));
    let (first, hint) = run.stderr.split_once('\n').unwrap();
    assert!(
        first.starts_with("error: no hardware GPU found; present: llvmpipe"),
        "{first}"
    );
    insta::assert_snapshot!(hint, @"  = `--device gpu` uses a software adapter if there is no other");
    let run = maxend("decompose good/two_states.tra --cache-hops 4 --device gpu");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
}

/// Mesa's drivers say so where nobody is logged in, as on servers.
#[test]
fn drivers_do_not_complain() {
    let mut command = common::command();
    let run = outcome(command.arg("devices").env_remove("XDG_RUNTIME_DIR"));
    assert_eq!(run.code, Some(0));
    assert!(!run.stderr.contains("XDG_RUNTIME_DIR"), "{}", run.stderr);
}

#[test]
fn log_lines_are_json() {
    for args in [
        "decompose good/deadlock.tra",
        "decompose bad/syntax.tra",
        "info nowhere",
    ] {
        let run = maxend(&format!("--log-format json {args}"));
        let lines: Vec<serde_json::Value> = run
            .stderr
            .lines()
            .map(|line| serde_json::from_str(line).expect(line))
            .collect();
        assert!(lines.iter().all(|line| line["message"].is_string()));
        if args.contains("syntax") {
            let at = [&lines[0]["file"], &lines[0]["line"], &lines[0]["column"]];
            assert_eq!(
                serde_json::json!(at),
                serde_json::json!(["bad/syntax.tra", 2, 5])
            );
        }
        if args.contains("nowhere") {
            assert_eq!(lines[0]["file"], "nowhere");
            assert!(lines[0].get("line").is_none(), "{}", lines[0]);
        }
    }
}

#[test]
fn colours_are_for_terminals() {
    for (code, args) in [
        (1, "decompose bad/syntax.tra"),
        (0, "decompose -v good/zeros.tra"),
        (0, "decompose -vv good/deadlock.tra"),
        (0, "-vv devices"),
        (0, "-v decompose good/walk.prism -c N=3 --log-format json"),
    ] {
        let run = maxend(args);
        assert_eq!(run.code, Some(code), "{args}");
        assert!(!run.stderr.contains('\x1b'), "{args}\n{:?}", run.stderr);
    }
}

/// `--color` decides, on a terminal or not; messages of the command line's own parser, too.
#[test]
fn colours_when_they_are_asked_for() {
    for (args, is_coloured) in [
        ("--color always info nosuch.tra", true),
        ("info nosuch.tra --color=always", true),
        ("--color always nosuch", true),
        ("info --help --color always", true),
        ("info nosuch.tra --color never", false),
        ("info nosuch.tra", false),
        ("info -- --color=always", false),
    ] {
        let run = outcome(command().args(args.split(' ')).env("NO_COLOR", "1"));
        let text = run.stdout + &run.stderr;
        assert_eq!(text.contains('\x1b'), is_coloured, "{args}\n{text:?}");
    }
}

/// Scripts for shells, and pages for `man`.
#[test]
fn completions_and_pages() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = maxend(&format!("completions {shell}")).result();
        for word in ["decompose", "allow-any-sum", "completions"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        let has_values = !["elvish", "powershell"].contains(&shell);
        assert_eq!(script.contains("bfbt"), has_values, "{shell}");
    }
    let fish = maxend("completions fish").result();
    let words = "using_subcommand completions\" -f -a \"bash elvish fish powershell zsh\"";
    assert!(fish.contains(words), "{fish}");
    let folder = tempfile::tempdir().unwrap();
    let run = maxend(&format!("man -o {}", folder.path().display()));
    assert_eq!(
        (run.code, run.stdout.as_str(), run.stderr.as_str()),
        (Some(0), "", "")
    );
    let commands = [
        "",
        "-decompose",
        "-components",
        "-cycle-mean",
        "-long-run",
        "-bfs",
        "-build",
        "-explore",
        "-convert",
        "-quotient",
        "-cluster",
        "-info",
        "-devices",
        "-completions",
        "-man",
    ];
    for command in commands {
        let page = fs::read_to_string(folder.path().join(format!("maxend{command}.1"))).unwrap();
        let alone = maxend(&format!("man {}", command.trim_start_matches('-'))).result();
        assert_eq!(page, alone, "{command}");
        let name = format!("maxend{}", command.replace('-', "\\-"));
        for part in [
            name.as_str(),
            ".SH NAME\n",
            ".SH EXAMPLES\n",
            ".SH \"SEE ALSO\"\n",
        ] {
            assert!(page.contains(part), "{command}: {part}\n{page}");
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), commands.len());
    insta::assert_snapshot!("page_of_info", maxend("man info").result());
}

/// What each shell makes of its script: bash and fish complete a value, zsh finds the function.
#[cfg(unix)]
#[test]
fn shells_understand_their_scripts() {
    let values = ["bscc", "mec", "scc"];
    for (shell, flag, ask) in [
        (
            "bash",
            "--norc",
            "source $SCRIPT; COMP_WORDS=(maxend decompose --components ''); COMP_CWORD=3
            _maxend maxend '' --components; printf '%s\\n' \"${COMPREPLY[@]}\"",
        ),
        (
            "fish",
            "--no-config",
            "source $SCRIPT; complete -C 'maxend decompose --components ' | string replace -r '\\t.*' ''",
        ),
        (
            "zsh",
            "-f",
            "fpath=($(dirname $SCRIPT) $fpath); autoload -Uz compinit; compinit -D -u
            autoload +X $_comps[maxend] && print 'bscc\\nmec\\nscc'",
        ),
    ] {
        let script = maxend(&format!("completions {shell}")).result();
        let folder = tempfile::tempdir().unwrap();
        let file = common::file(&folder, "_maxend", script.as_bytes());
        let mut command = std::process::Command::new(shell);
        command.args([flag, "-c", ask]).env("SCRIPT", &file);
        match command.output() {
            Err(error) => eprintln!("SKIPPED: cannot run {shell}: {error}"),
            Ok(output) => {
                let complaints = String::from_utf8_lossy(&output.stderr);
                assert_eq!(complaints, "", "{shell}");
                let text = String::from_utf8_lossy(&output.stdout);
                let mut found: Vec<&str> = text.lines().collect();
                found.sort_unstable();
                assert_eq!(found, values, "{shell}");
            }
        }
    }
}

#[test]
fn help() {
    let mut all = String::new();
    for args in [
        "help",
        "-h",
        "decompose -h",
        "decompose --help",
        "help build",
        "convert --help",
        "info --help",
        "devices --help",
        "completions --help",
        "man --help",
    ] {
        // As wide as clap makes it where there is no terminal to ask.
        let run = outcome(
            common::command()
                .args(args.split(' '))
                .env_remove("COLUMNS"),
        );
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        writeln!(all, "$ maxend {args}\n{}", run.stdout).unwrap();
    }
    insta::assert_snapshot!("help", all);
}
