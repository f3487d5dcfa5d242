//! Archives in the Unified Markov Binary format: written, read, converted, and refused.

use crate::common;
use crate::common::{Folder, maxend, patch, tests};
use std::fmt::Write as _;
use std::fs;
use umb::{Entity, ReadOptions, Umb, Values};

#[test]
fn a_model_survives_a_conversion_to_an_archive_and_back() {
    let folder = Folder::new();
    for (model, options) in [
        ("rounds.tra", ""),
        ("deadlock.tra", ""),
        ("lts.tra", ""),
        ("rates.tra", ""),
        ("storm.tra", "--to storm"),
        ("initial.tra", ""),
    ] {
        let original = match options {
            "" => "convert -q good/MODEL @original.tra --to prism",
            _ => "convert -q good/MODEL @original.tra --to storm",
        };
        folder.run(&original.replace("MODEL", model)).result();
        for there in ["there.umb", "there.umb.gz"] {
            let convert = format!("convert -q good/{model} @{there}");
            folder.run(&convert).result();
            let back = format!("convert -q @{there} @back.tra {options}");
            folder.run(&back).result();
            let (original, back) = (folder.text("original.tra"), folder.text("back.tra"));
            // The initial states of a transitions file have become a label.
            let original: Vec<&str> = original.lines().filter(|l| !l.starts_with("- -")).collect();
            assert_eq!(original, back.lines().collect::<Vec<_>>(), "{model}");
        }
        if model == "rounds.tra" {
            let sta = fs::read_to_string(tests().join("good/rounds.sta")).unwrap();
            assert_eq!(folder.text("back.sta").split_once('\n').unwrap().1, sta);
            let lab = fs::read_to_string(tests().join("good/rounds.lab")).unwrap();
            assert_eq!(
                folder.text("back.lab").lines().count(),
                lab.lines().count() + 1
            );
        }
    }
    assert!(folder.bytes("there.umb.gz").starts_with(&[0x1F, 0x8B]));
    assert!(umb::is_tar(&folder.bytes("there.umb")));
}

/// The format has exit rates and probabilities, of which rates are the products.
#[test]
fn rates_are_the_same_after_a_conversion() {
    let folder = Folder::new();
    let mut model = "# Transitions (CTMC)\n9 18\n".to_owned();
    for state in 0..9 {
        let (next, rate) = ((state + 1) % 9, state + 1);
        writeln!(model, "{state} {state} 1.8\n{state} {next} 0.{rate}").unwrap();
    }
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut lines: Vec<String> = lines.map(str::to_owned).collect();
        lines.sort();
        lines
    };
    fs::write(folder.path("model.tra"), &model).unwrap();
    folder.run("convert -q @model.tra @there.umb").result();
    folder.run("convert -q @there.umb @back.tra").result();
    assert_eq!(lines(&folder.text("back.tra")), lines(&model));
}

/// JSON objects have no order, but labels do for their users.
#[test]
fn labels_stay_in_their_order() {
    let folder = Folder::new();
    let model = "# Transitions (MDP)\n2 2 2\n0 0 1 1\n1 0 0 1\n";
    let labels = "# Labels\n0=\"init\" 1=\"zoo\" 2=\"Ape\" 3=\"two words\" 4=\"ape\"\n\
                  0: 0 1 3\n1: 2 3 4\n";
    fs::write(folder.path("model.tra"), model).unwrap();
    fs::write(folder.path("model.lab"), labels).unwrap();
    for command in [
        "convert -q @model.tra @there.umb",
        "convert -q @there.umb @copy.umb",
        "decompose -q @copy.umb -f umb -o @found.umb",
        "convert -q @copy.umb @back.tra",
    ] {
        folder.run(command).result();
    }
    assert_eq!(folder.text("back.tra"), model);
    assert_eq!(folder.text("back.lab"), labels);
    let info = folder.run("info -q @found.umb").result();
    let at = |name: &str| info.find(&format!("\n  {name} ")).unwrap();
    let names = ["init", "zoo", "Ape", "two words", "ape", "in_mec"];
    assert!(names.map(at).is_sorted(), "{info}");
}

#[test]
fn a_built_model_is_the_same_in_all_formats() {
    let folder = Folder::new();
    for model in ["walk.prism --const N=4", "queue.prism"] {
        for out in ["a.tra", "b.umb", "c.tra.gz"] {
            folder
                .run(&format!("build -q good/{model} -o @{out}"))
                .result();
        }
        folder.run("convert -q @b.umb @b.tra").result();
        folder
            .run("convert -q @c.tra.gz @d.tra --to prism")
            .result();
        for ending in ["tra", "sta"] {
            let [a, b, d] = ["a", "b", "d"].map(|name| folder.text(&format!("{name}.{ending}")));
            assert_eq!(a, b, "{model}");
            assert_eq!(a, d, "{model}");
        }
        assert_eq!(folder.text("a.lab"), folder.text("d.lab"));
        // The same answer as without a file between.
        let direct = folder.run(&format!("decompose -q --format prism good/{model}"));
        let direct = direct.result();
        for file in ["a.tra", "b.umb", "c.tra.gz"] {
            let found = folder
                .run(&format!("decompose -q --format prism @{file}"))
                .result();
            assert_eq!(found, direct, "{file} of {model}");
        }
    }
}

/// The least that there is: one state, nothing to tell it by.
#[test]
fn a_model_may_have_no_variables() {
    let folder = Folder::new();
    let text = "dtmc\nmodule m\n  [tick] true -> true;\nendmodule\n";
    fs::write(folder.path("bare.prism"), text).unwrap();
    for out in ["a.tra", "b.umb"] {
        folder
            .run(&format!("build -q @bare.prism -o @{out}"))
            .result();
    }
    folder.run("convert -q @b.umb @b.tra").result();
    let expected = "# Transitions (DTMC)\n1 1\n0 0 1 tick\n";
    assert_eq!(
        (folder.text("a.tra"), folder.text("b.tra")),
        (expected.into(), expected.into())
    );
    assert!(!folder.path("a.sta").exists() && !folder.path("b.sta").exists());
    let options = "-q --format prism";
    let answers = ["bare.prism", "a.tra", "b.umb"]
        .map(|file| folder.run(&format!("decompose {options} @{file}")).result());
    assert_eq!(answers, ["Variables: (x)\n\nMEC 1/1:\n0:(0)\n"; 3]);
}

#[test]
fn built_models_can_be_read_by_other_commands() {
    let folder = Folder::new();
    let mut all = String::new();
    for args in [
        "build good/queue.prism -o @x.tra",
        "build good/queue.prism -o @y.tra --to storm",
        "build good/walk.prism --const N=2 -o @z.tra --deadlocks keep",
    ] {
        let run = folder.run(args);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        writeln!(all, "$ maxend {args}").unwrap();
        for line in run.stderr.lines() {
            let stable = line
                .rsplit_once(" in 0.")
                .map_or(line, |(counts, _)| counts);
            writeln!(all, "{}", stable.replace('@', "")).unwrap();
        }
        let name = args.split(['@', '.']).nth(2).unwrap();
        for ending in ["tra", "sta", "lab"] {
            if let Ok(text) = fs::read_to_string(folder.path(&format!("{name}.{ending}"))) {
                writeln!(all, "== {name}.{ending}\n{text}").unwrap();
            }
        }
    }
    insta::assert_snapshot!("what_is_built", all);
}

#[test]
fn components_are_annotations() {
    let folder = Folder::new();
    folder.run("convert -q good/rounds.tra @model.umb").result();
    for model in ["good/rounds.tra", "@model.umb"] {
        let args = format!("decompose -q {model} --format umb --choices --output @out.umb");
        folder.run(&args).result();
        let bytes = folder.bytes("out.umb");
        let umb = Umb::read(&bytes, &ReadOptions::default()).unwrap();
        let annotation = |group, name, of| umb.annotation(group, name, of).unwrap().unwrap();

        let Values::Uints(numbers) = annotation("components", "mec", Entity::States) else {
            panic!("numbers are numbers");
        };
        assert_eq!(numbers[..], [1, 2, 2, 3, 0]);
        let Values::Bools(in_mec) = annotation("aps", "in_mec", Entity::States) else {
            panic!("a proposition holds or not");
        };
        assert_eq!(in_mec.iter().collect::<Vec<_>>(), [0, 1, 2, 3]);
        let Values::Bools(retained) = annotation("components", "retained", Entity::Choices) else {
            panic!("a choice is retained or not");
        };
        let text = maxend("decompose -q good/rounds.tra --format prism --choices").result();
        let choices = text.lines().filter_map(|line| line.split_once(") ["));
        let choices = choices.map(|(_, list)| list.split(',').count() as u64);
        assert_eq!(retained.count(), choices.sum::<u64>());
        // All else is as it was.
        assert!(
            umb.annotation("aps", "init", Entity::States)
                .unwrap()
                .is_none()
        );
        assert_eq!(umb.initial_states().iter().collect::<Vec<_>>(), [0]);
        let values = umb.valuations(Entity::States).unwrap().unwrap();
        assert_eq!(values.variables(0).len(), 2);
    }
}

#[test]
fn archives_may_have_strongly_connected_components() {
    let folder = Folder::new();
    let args = "decompose -q good/rounds.tra --components scc --format umb --output @out.umb";
    folder.run(args).result();
    let bytes = folder.bytes("out.umb");
    let umb = Umb::read(&bytes, &ReadOptions::default()).unwrap();
    assert!(
        umb.annotation("components", "scc", Entity::States)
            .unwrap()
            .is_some()
    );
    assert!(
        umb.annotation("aps", "in_mec", Entity::States)
            .unwrap()
            .is_none()
    );
}

/// Storm takes no archive with deadlocks.
#[test]
fn deadlocks_that_were_given_self_loops_have_them_in_the_archive() {
    let folder = Folder::new();
    folder
        .run("convert -q good/deadlock.tra @model.umb")
        .result();
    for (policy, deadlocks) in [("self-loop", 0), ("keep", 2)] {
        let args =
            format!("decompose -q @model.umb --format umb --deadlocks {policy} --output @out.umb");
        folder.run(&args).result();
        let bytes = folder.bytes("out.umb");
        let umb = Umb::read(&bytes, &ReadOptions::default()).unwrap();
        let states = 0..umb.num_states();
        let found = states.filter(|&state| umb.choices_of(state).next().is_none());
        assert_eq!(found.count(), deadlocks, "{policy}");
    }
}

#[test]
fn an_archive_is_recognised_by_its_beginning() {
    let folder = Folder::new();
    folder
        .run("convert -q good/rounds.tra @model.umb.gz")
        .result();
    let mut command = common::command();
    command
        .args("decompose -q --format prism -".split(' '))
        .stdin(fs::File::open(folder.path("model.umb.gz")).unwrap());
    let expected = maxend("decompose -q --format prism good/rounds.tra").result();
    assert_eq!(common::outcome(&mut command).result(), expected);
}

#[test]
fn the_library_builds_as_the_program_does() {
    let folder = Folder::new();
    let model = tests().join("good/walk.prism");
    maxend::build(&model, &[("N", "3")], &folder.path("a.tra")).unwrap();
    folder
        .run("build -q good/walk.prism --const N=3 -o @b.tra")
        .result();
    for ending in ["tra", "sta", "lab"] {
        let [a, b] = ["a", "b"].map(|name| folder.text(&format!("{name}.{ending}")));
        assert_eq!(a, b);
    }
    let error = maxend::build(&model, &[], &folder.path("a.tra")).unwrap_err();
    assert!(error.contains("the constant `N` has no value\n"), "{error}");
}

/// Writes `to`, which is as long, over the first `from`.
fn replace(bytes: &mut [u8], from: &str, to: &str) {
    assert_eq!(from.len(), to.len());
    let place = bytes.windows(from.len()).position(|w| w == from.as_bytes());
    let place = place.unwrap();
    bytes[place..place + to.len()].copy_from_slice(to.as_bytes());
}

#[test]
fn bad_archives() {
    let folder = Folder::new();
    folder.run("convert -q good/rounds.tra @good.umb").result();
    let good = folder.bytes("good.umb");
    type Damage = fn(&mut Vec<u8>);
    let cases: [(&str, Damage); 12] = [
        ("text", |bytes| *bytes = b"2 1 1\n0 0 1 1\n".to_vec()),
        ("truncated", |bytes| bytes.truncate(3000)),
        ("no_end", |bytes| bytes.truncate(bytes.len() - 1024)),
        ("header", |bytes| bytes[100] = b'1'),
        ("cut_header", |bytes| bytes.truncate(300)),
        ("cut_index", |bytes| bytes.truncate(900)),
        ("version", |bytes| {
            replace(bytes, "\"format-version\": 1", "\"format-version\": 9");
        }),
        ("observed", |bytes| {
            replace(bytes, "\"#observations\": 0", "\"#observations\": 7");
        }),
        ("index", |bytes| {
            replace(bytes, "\"#states\": 5", "\"#states\": x");
        }),
        ("count", |bytes| {
            replace(bytes, "\"#states\": 5", "\"#states\": 6");
        }),
        ("target", |bytes| {
            patch(bytes, "branch-to-target.bin", 2, &[5]);
        }),
        ("sum", |bytes| {
            patch(bytes, "branch-to-probability.bin", 1, &[0.75_f64.to_bits()]);
        }),
    ];
    let mut all = String::new();
    for (name, damage) in cases {
        let mut bytes = good.clone();
        damage(&mut bytes);
        fs::write(folder.path(&format!("{name}.umb")), &bytes).unwrap();
        for command in [
            "info @X.umb",
            "decompose --format umb @X.umb",
            "convert @X.umb @out.umb",
        ] {
            let run = folder.run(&command.replace('X', name));
            assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{name}");
            if command.starts_with("info") {
                writeln!(all, "{}", run.stderr.replace('@', "")).unwrap();
            }
        }
    }
    assert!(!folder.path("out.umb").exists());
    insta::assert_snapshot!("bad_umb", all);
}

#[test]
fn log_lines_of_archives_name_the_entry() {
    let folder = Folder::new();
    folder.run("convert -q good/rounds.tra @bad.umb").result();
    let mut bytes = folder.bytes("bad.umb");
    patch(&mut bytes, "branch-to-target.bin", 2, &[7]);
    fs::write(folder.path("bad.umb"), &bytes).unwrap();
    let run = folder.run("--log-format json info @bad.umb");
    let line: serde_json::Value = serde_json::from_str(&run.stderr).unwrap();
    assert_eq!(line["entry"], "branch-to-target.bin");
    assert_eq!(line["element"], 2);
}

#[test]
fn losses_are_reported() {
    let folder = Folder::new();
    let mut all = String::new();
    let umb = |model: &str, to: &str| format!("convert {model} {to}");
    for args in [
        umb("good/storm.tra", "@storm.umb"),
        umb("good/rounds.tra", "@rounds.umb"),
        umb("@rounds.umb", "@x.tra --to storm"),
        umb("good/rounds.tra", "@y.tra"),
        umb("good/lts.tra", "@lts.umb"),
        umb("@lts.umb", "@lts.tra --to storm"),
        umb("good/deadlock.tra", "@deadlock.umb"),
        umb("@deadlock.umb", "@deadlock.tra --to storm"),
        umb("good/actions.tra", "@actions.umb"),
        "decompose -q good/rounds.tra --format umb --output @mec.umb".to_owned(),
        umb("@mec.umb", "@mec.tra"),
        umb("good/queue.prism", "@queue.umb"),
        umb("good/queue.prism", "@queue.tra --to storm"),
        umb("good/chain_actions.tra", "@chain.tra --to storm"),
    ] {
        let run = folder.run(&args);
        assert_eq!(run.code, Some(0), "{args}\n{}", run.stderr);
        writeln!(all, "$ maxend {args}\n{}", run.stderr.replace('@', "")).unwrap();
    }
    insta::assert_snapshot!("what_gets_lost", all);
    // Nor does a format that was asked for, whatever the name.
    folder
        .run("convert -q good/rounds.tra @rounds.txt --to storm")
        .result();
    assert!(folder.text("rounds.txt").starts_with("mdp\n"));
    folder.run("build -q good/queue.prism -o @queue").result();
    assert!(folder.text("queue").starts_with("# Transitions (CTMC)\n"));
    // A copy loses nothing.
    folder.run("convert -q @mec.umb @copy.umb.gz").result();
    folder.run("convert -q @copy.umb.gz @copy.umb").result();
    assert_eq!(folder.bytes("copy.umb"), folder.bytes("mec.umb"));
}

#[test]
fn wrong_usage() {
    let folder = Folder::new();
    fs::copy(tests().join("good/rounds.lab"), folder.path("x.lab")).unwrap();
    folder.run("convert -q good/rounds.tra @x.umb").result();
    let mut all = String::new();
    for (code, args) in [
        (2, "build good/rounds.tra -o @out.tra"),
        (2, "build good/walk.prism"),
        (1, "build good/walk.prism -o @no/folder.tra"),
        (
            1,
            "build good/walk.prism --const N=3 -o @out.umb --deadlocks error",
        ),
        (2, "convert @x.umb @x.tra --labels @x.lab"),
        (2, "convert @x.umb - --labels @x.lab"),
        (2, "convert @x.umb - --states good/rounds.sta"),
        (2, "convert @x.umb @y.tra --type mdp"),
        (2, "convert @x.umb @y.tra --const N=3"),
        (2, "convert good/rounds.tra @out.jani"),
        (2, "convert good/rounds.tra @out.json"),
        (2, "convert good/walk.prism --const N=3 @out.nm"),
        (2, "convert @x.umb @out.txt.gz"),
        (2, "build good/walk.prism --const N=3 -o @out.pexp"),
        (
            1,
            "convert good/walk.prism --const N=3 @y.tra --to storm --deadlocks keep",
        ),
    ] {
        let run = folder.run(args);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (Some(code), ""),
            "{args}\n{}",
            run.stderr
        );
        writeln!(all, "$ maxend {args}\n{}", run.stderr.replace('@', "")).unwrap();
    }
    insta::assert_snapshot!("wrong_usage_of_formats", all);
    assert!(!folder.path("out.umb").exists() && !folder.path("y.tra").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn archives_are_not_written_to_terminals() {
    let maxend = env!("CARGO_BIN_EXE_maxend");
    let model = tests().join("good/rounds.tra");
    for options in [
        "decompose --format umb MODEL",
        "convert --to umb MODEL -",
        "build --to umb MODEL -o -",
    ] {
        let line = format!(
            "{maxend} {}",
            options.replace("MODEL", model.to_str().unwrap())
        );
        let mut script = std::process::Command::new("script");
        script
            .args(["-qec", &line, "/dev/null"])
            .stdin(std::process::Stdio::null());
        let Ok(shown) = script.output() else {
            eprintln!("SKIPPED: no terminal to write to, as `script` is not installed");
            return;
        };
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert!(shown.contains("makes an archive, not text"), "{shown}");
    }
}
