//! `maxend cluster` writes archives, in parts or as one file: those of one machine, byte for byte.

use crate::common::{self, Folder, command, maxend, outcome, tests};
use std::fs;
use std::path::Path;

/// Models of all kinds of files and with all that an archive may have, each with its options.
const MODELS: [&str; 16] = [
    "good/walk.prism -c N=30",
    "good/walk.prism -c N=30 --deadlocks keep",
    "good/counter.prism -c UP=7",
    "good/duel.prism",
    "good/maze.prism",
    "good/queue.prism",
    "good/repair.prism",
    "good/rounds.tra",
    "good/stuck.tra",
    "good/interval.tra",
    "good/relay.drn",
    "good/coin.aut",
    "rewards/chain.prism",
    "rewards/coin.prism",
    "rewards/machine.prism -c HEAT=3",
    "../../../fixtures/leaky_choices.tra",
];

/// Decomposes a model on one machine and on several processes, with `--gather` and in parts that
/// are put together then. All have to write the same bytes.
fn check(model: &str, kind: &str, options: &str) {
    let folder = Folder::new();
    let decompose = format!("decompose {model} --components {kind} -f umb");
    folder
        .run(&format!("{decompose} -o @expected.umb"))
        .result();
    let expected = folder.bytes("expected.umb");
    let cluster = format!("cluster {options}");
    let on = |line: String| folder.run(&line).result();
    on(format!(
        "{cluster} --gather -- {decompose} --threads 2 -o @whole.umb"
    ));
    assert!(
        folder.bytes("whole.umb") == expected,
        "{options}: {decompose}"
    );
    on(format!(
        "{cluster} -- {decompose} --threads 1 -o @index.umb"
    ));
    on("convert @index.umb @together.umb --deadlocks keep".to_owned());
    assert!(
        folder.bytes("together.umb") == expected,
        "{options}: {decompose}, in parts"
    );
}

#[test]
fn archives_agree_with_those_of_one_machine() {
    for (i, model) in MODELS.into_iter().enumerate() {
        let kind = ["mec", "scc"][i % 2];
        check(model, kind, &format!("--local-processes {}", 1 + i % 3));
    }
}

#[test]
fn archives_of_all_types_agree_with_those_of_one_machine() {
    for (folder, options) in [("ma", ""), ("smg", ""), ("interval", ""), ("pomdp", "")] {
        let all = fs::read_dir(tests().join("types").join(folder)).unwrap();
        let mut names: Vec<String> = all
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        for (i, name) in names.iter().enumerate().filter(|(i, _)| i % 8 == 0) {
            let processes = 2 + i / 8 % 2;
            let model = format!("types/{folder}/{name}{options}");
            check(&model, "mec", &format!("--local-processes {processes}"));
        }
    }
}

#[test]
fn archives_of_archives_keep_what_is_in_them() {
    let folder = Folder::new();
    for (i, model) in MODELS.into_iter().enumerate() {
        let archive = folder.path(&format!("{i}.umb"));
        let (model, _) = model.split_once(" --").unwrap_or((model, ""));
        let line = format!(
            "decompose {model} -f umb --deadlocks keep -o {}",
            archive.display()
        );
        maxend(&line).result();
        let policy = ["keep", "self-loop"][i % 2];
        let model = format!("{} --deadlocks {policy}", archive.display());
        check(&model, "mec", &format!("--local-processes {}", 1 + i % 3));
    }
}

#[test]
fn numbers_of_any_order_give_the_same_components() {
    let folder = Folder::new();
    let decompose = "decompose good/walk.prism -c N=30 --threads 2";
    let cluster = "cluster --local-processes 2 --unordered";
    folder
        .run(&format!(
            "{cluster} -- {decompose} -f umb -o @walk.umb --certify"
        ))
        .result();
    let labels = folder
        .run(&format!("{cluster} -- {decompose} -f labels"))
        .result();
    assert_eq!(folder.run("decompose @walk.umb -f labels").result(), labels);
    let (found, expected) = (
        folder.run("decompose @walk.umb -f json").result(),
        maxend("decompose good/walk.prism -c N=30 -f json").result(),
    );
    let sizes = |text: &str| {
        let document: serde_json::Value = serde_json::from_str(text).unwrap();
        let all = document["components"].as_array().unwrap().iter();
        let mut sizes: Vec<u64> = all.map(|one| one["size"].as_u64().unwrap()).collect();
        sizes.sort_unstable();
        sizes
    };
    assert_eq!(sizes(&found), sizes(&expected));
}

#[test]
fn an_index_is_read_in_place_of_its_parts() {
    let folder = Folder::new();
    let decompose = "decompose good/walk.prism -c N=30";
    let expected = maxend(&format!("{decompose} -f labels")).result();
    let cluster = "cluster --local-processes 3 -- ";
    for name in ["walk.umb", "walk.umb.gz", "walk"] {
        folder
            .run(&format!(
                "{cluster} {decompose} --threads 1 -f umb -o @{name}"
            ))
            .result();
        let labels = folder.run(&format!("decompose @{name} -f labels")).result();
        assert_eq!(labels, expected, "{name}");
        // Several processes read it, too.
        let line = format!("{cluster} decompose @{name} --threads 1 -f labels");
        assert_eq!(folder.run(&line).result(), expected, "{name}");
    }
    let names = folder.names();
    for name in ["walk.umb.part-2", "walk.umb.part-2.gz", "walk.part-0"] {
        assert!(
            names.iter().any(|other| other == name),
            "{name} is not in {names:?}"
        );
    }
    let index: serde_json::Value = serde_json::from_slice(&folder.bytes("walk.umb")).unwrap();
    assert_eq!(index["schema"], "maxend-umb-parts");
    assert_eq!(index["states"], expected.lines().count());
    let part = &index["parts"][1];
    assert_eq!(part["file"], "walk.umb.part-1");
    let first = index["parts"][0]["states"].as_u64().unwrap();
    assert_eq!(part["first_state"], first);
    assert_eq!(part["bytes"], folder.bytes("walk.umb.part-1").len());
}

#[test]
fn what_is_wrong_with_parts() {
    let folder = Folder::new();
    let run = |model: &str, name: &str| {
        let line = format!("cluster --local-processes 2 -- decompose {model} --threads 1");
        folder.run(&format!("{line} -f umb -o @{name}")).result();
    };
    run("good/walk.prism -c N=30", "walk.umb");
    run("good/walk.prism -c N=31", "other.umb");
    run("good/counter.prism -c UP=7", "counter.umb");
    let copy = |from: &str, to: &str| {
        fs::copy(folder.path(from), folder.path(to)).unwrap();
    };
    let index = String::from_utf8(folder.bytes("walk.umb")).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path(name), text).unwrap();
    let mut said = Vec::new();
    let mut info = |what: &str, name: &str| {
        let told = folder.run(&format!("info @{name}"));
        assert_eq!((told.code, &*told.stdout), (Some(1), ""), "{what}");
        // Ports and sums differ from run to run, or from version to version.
        let mut text = told.stderr;
        for (before, after) in [
            (" at 127.0.0.1:", " "),
            ("its CRC-32 is ", ","),
            ("its CRC-32 is N, not ", "\n"),
        ] {
            if let Some(at) = text.find(before).map(|at| at + before.len()) {
                let end = at + text[at..].find(after).unwrap();
                text.replace_range(at..end, "N");
            }
        }
        said.push(format!("# {what}\n{text}"));
    };
    copy("other.umb.part-1", "walk.umb.part-1");
    info("a part of another run", "walk.umb");
    fs::remove_file(folder.path("walk.umb.part-1")).unwrap();
    info("a part that is missing", "walk.umb");
    write("cut.umb", &index[..index.find("\"host\"").unwrap()]);
    info("an index that is cut", "cut.umb");
    write(
        "new.umb",
        &index.replacen("\"schema_version\": 1", "\"schema_version\": 7", 1),
    );
    info("an index of another version", "new.umb");
    write(
        "away.umb",
        &index.replacen("walk.umb.part-0", "../walk.umb.part-0", 1),
    );
    info("a part elsewhere", "away.umb");
    // The first part of one archive, and the second of another, with the right sums.
    let mut mixed: serde_json::Value = serde_json::from_slice(&folder.bytes("other.umb")).unwrap();
    let counter: serde_json::Value = serde_json::from_slice(&folder.bytes("counter.umb")).unwrap();
    mixed["parts"][1] = counter["parts"][1].clone();
    let mixed = serde_json::json!({
        "schema": mixed["schema"], "schema_version": 1, "parts": mixed["parts"],
    });
    // The schema comes first.
    let text = mixed
        .to_string()
        .replacen('{', "{\"schema\":\"maxend-umb-parts\",", 1);
    write(
        "mixed.umb",
        &text.replacen(",\"schema\":\"maxend-umb-parts\"", "", 1),
    );
    info("parts of two archives", "mixed.umb");
    let line = "cluster --local-processes 2 -- decompose good/walk.prism -c N=3 --threads 1";
    folder.run(&format!("{line} -f labels -o @labels")).result();
    info("an index of labels", "labels");
    insta::assert_snapshot!("what_is_wrong_with_parts", said.join("\n"));
}

/// One process says for all of them what was dropped, for each kind of file, as one machine does.
#[test]
fn dropped_branches_are_counted_once() {
    let folder = Folder::new();
    // Conversions leave out branches of probability 0, so the archive gets one here.
    folder.run("convert -q good/rounds.tra @zeros.umb").result();
    let mut bytes = folder.bytes("zeros.umb");
    let zero = [0.0, 1.0].map(f64::to_bits);
    common::patch(&mut bytes, "branch-to-probability.bin", 1, &zero);
    fs::write(folder.path("zeros.umb"), &bytes).expect("room for the archive");
    for (model, count) in [
        ("../../../fixtures/zeros.tra", "2 branches"),
        ("@zeros.umb", "1 branch"),
    ] {
        for format in ["labels", "umb"] {
            let decompose = format!("decompose {model} -f {format} -o @out");
            let warning = format!("warning: {count} of probability 0 dropped\n");
            let alone = folder.run(&decompose);
            assert_eq!(alone.stderr.matches(&warning).count(), 1, "{decompose}");
            let line = format!("cluster --local-processes 3 -- {decompose} --threads 1");
            let ended = folder.run(&line);
            assert_eq!(ended.code, Some(0), "{line}: {}", ended.stderr);
            let warnings = ended.stderr.matches("probability 0 dropped").count();
            assert_eq!(warnings, 1, "{line}: {}", ended.stderr);
            assert!(ended.stderr.contains(&warning), "{line}: {}", ended.stderr);
        }
    }
}

#[test]
fn a_full_disk_leaves_nothing() {
    if !Path::new("/dev/full").exists() {
        eprintln!("SKIPPED: this system has no /dev/full");
        return;
    }
    let folder = Folder::new();
    for model in [
        "good/walk.prism -c N=300",
        "../../../fixtures/leaky_choices.tra",
    ] {
        let line = format!("--local-processes 2 -- decompose {model} --threads 2 -f umb");
        let ended = folder.run(&format!("cluster --gather {line} -o /dev/full"));
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        assert!(
            ended
                .stderr
                .contains("cannot write /dev/full: No space left"),
            "{}",
            ended.stderr
        );
    }
    #[cfg(unix)]
    {
        let decompose = "decompose good/walk.prism -c N=30 --threads 2 -f umb -o @walk.umb";
        std::os::unix::fs::symlink("/dev/full", folder.path("walk.umb.part-1")).unwrap();
        let ended = folder.run(&format!("cluster --local-processes 2 -- {decompose}"));
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        assert!(ended.stderr.contains("walk.umb.part-1"), "{}", ended.stderr);
        assert_eq!(folder.names(), ["walk.umb.part-1"]);
    }
}

#[test]
fn an_error_in_the_output_of_a_worker_ends_all_workers() {
    let folder = Folder::new();
    let model = "rewards/undefined.prism";
    let alone = folder.run(&format!("decompose {model} -f umb -o @alone.umb"));
    assert_ne!(alone.code, Some(0));
    for options in ["", "--gather "] {
        let line = format!("cluster --local-processes 2 {options}-- decompose {model}");
        let ended = folder.run(&format!("{line} --threads 1 -f umb -o @found.umb"));
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        assert_eq!(folder.names(), [""; 0], "{}", ended.stderr);
    }
}

#[test]
fn archives_can_be_written_to_standard_output() {
    let folder = Folder::new();
    let decompose = "decompose good/walk.prism -c N=30 -f umb";
    maxend(&format!(
        "{decompose} -o {}",
        folder.path("expected.umb").display()
    ))
    .result();
    let words = format!("cluster --local-processes 2 -- {decompose} --threads 1");
    let found = command().args(words.split(' ')).output().unwrap();
    assert!(found.status.success());
    assert!(found.stdout == folder.bytes("expected.umb"));
    let closed =
        outcome(command().args("cluster --gather --local-processes 2 -- info x".split(' ')));
    assert_eq!(closed.code, Some(2));
}
