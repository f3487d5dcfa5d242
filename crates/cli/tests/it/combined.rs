//! PRISM's combined files, and files that other programs have compressed or encoded.

use crate::common::{command, maxend, outcome, tests, transcript};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

#[test]
fn a_combined_file_has_the_data_of_separate_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    maxend(&format!(
        "convert -q good/rounds.pexp {} --to prism",
        at("one.tra")
    ))
    .result();
    maxend(&format!("convert -q good/rounds.tra {}", at("two.umb"))).result();
    maxend(&format!("convert -q {} {}", at("two.umb"), at("two.tra"))).result();
    for ending in ["tra", "sta", "lab"] {
        let [one, two] = ["one", "two"].map(|name| {
            fs::read_to_string(folder.path().join(format!("{name}.{ending}"))).unwrap()
        });
        assert_eq!(one, two, "{ending}");
    }
    let rewards = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let of_states =
        "# Reward structure \"time\"\n# State rewards\n5 2\n0 1\n3 0.3333333333333333\n";
    assert_eq!(rewards("one1.srew"), of_states);
    assert!(rewards("one1.trew").contains("\n2 1 3 2.5\n"));
    assert!(rewards("one2.srew").starts_with("# Reward structure \"never\"\n"));
    for options in ["decompose -q --format prism --valuations", "info"] {
        let [one, two] = ["pexp", "tra"].map(|ending| {
            let text = maxend(&format!("{options} good/rounds.{ending}")).result();
            let is_stable = |line: &&str| !line.contains("rounds") && !line.contains("seconds");
            // There are no rewards beside the transitions.
            text.lines()
                .take_while(|line| *line != "rewards")
                .filter(is_stable)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        });
        assert_eq!(one, two, "{options}");
    }
    let info = maxend("info good/rounds.pexp").result();
    let rewards = "rewards\n  time   2 states, 2 branches\n  never  nothing\n";
    assert!(info.ends_with(rewards), "{info}");
}

/// A combined file needs no name that says what it is, and its lines may be indented.
#[test]
fn combined_files_are_recognised() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(tests().join("good/rounds.pexp")).unwrap();
    let indented: Vec<String> = text.lines().map(|line| format!("  {line}\n")).collect();
    fs::write(folder.path().join("rounds"), &text).unwrap();
    fs::write(folder.path().join("indented.pexp"), indented.concat()).unwrap();
    let options = "decompose -q --format prism --valuations";
    let expected = maxend(&format!("{options} good/rounds.pexp")).result();
    for name in ["rounds", "indented.pexp"] {
        let path = folder.path().join(name).display().to_string();
        assert_eq!(
            maxend(&format!("{options} {path}")).result(),
            expected,
            "{name}"
        );
    }
    let mut run = command();
    run.args(options.split(' ')).arg("-");
    run.stdin(fs::File::open(tests().join("good/rounds.pexp")).unwrap());
    assert_eq!(outcome(&mut run).result(), expected);
}

/// PRISM writes the name of a structure above the rewards of states, and again above those of
/// transitions.
#[test]
fn names_of_rewards_are_repeated() {
    let info = maxend("info good/queue_by_prism.pexp").result();
    let (_, rewards) = info.split_once("\nrewards\n").unwrap();
    insta::assert_snapshot!(rewards, @r"
    waiting    2 states, 2 branches
    z          nothing
    (no name)  3 states
    ");
}

#[test]
fn wrong_files() {
    let entries = fs::read_dir(tests().join("bad")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.contains(".pexp")).collect();
    names.sort();
    let commands = names
        .iter()
        .map(|name| format!("convert bad/{name} - --to aut"));
    insta::assert_snapshot!(transcript(&commands.collect::<Vec<_>>(), 1));
}

#[test]
fn xz_and_zstd_are_like_gzip() {
    let labels = |file: &str| maxend(&format!("decompose -q --format labels {file}")).result();
    let expected = labels("good/two_states.tra");
    for ending in ["xz", "zst"] {
        assert_eq!(labels(&format!("good/two_states.tra.{ending}")), expected);
    }
    // Whatever it is called, and whatever stands beside it.
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::copy(tests().join("good/two_states.tra.xz"), at("model")).unwrap();
    assert_eq!(labels(&at("model").display().to_string()), expected);
    // The labels of a model are found beside it, compressed or not.
    fs::copy(tests().join("good/two_states.tra.zst"), at("x.tra.zst")).unwrap();
    fs::write(at("x.lab"), "0=\"start\"\n1: 0\n").unwrap();
    let info = maxend(&format!("info {}", at("x.tra.zst").display())).result();
    assert!(info.contains("start"), "{info}");
    // What is written is compressed by gzip alone.
    let refused = maxend(&format!(
        "decompose good/two_states.tra -o {}",
        at("x.json.xz").display()
    ));
    assert_eq!(refused.code, Some(2));
    let message = refused
        .stderr
        .replace(&folder.path().display().to_string(), "FOLDER");
    insta::assert_snapshot!(message);
}

/// Texts in UTF-16 are said to be such, whatever their format; a byte order mark of UTF-8 changes
/// nothing.
#[test]
fn encodings() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &str, file: &Path| {
        let mut command = command();
        command.current_dir(folder.path()).args(args.split(' '));
        outcome(command.arg(file))
    };
    let mut all = String::new();
    for (args, source) in [
        ("info", "two_states.tra"),
        ("info", "rounds.pexp"),
        ("info", "automaton.drn"),
        ("info", "queue.prism"),
        ("info", "paid_rates.jani"),
        ("info", "coin.aut"),
        ("info", "apart.exp"),
        ("info", "arcs.gr"),
        ("info plain/two_states.tra --labels", "two.lab"),
        (
            "decompose plain/two_states.tra -f prism --states",
            "two.sta",
        ),
    ] {
        let plain = folder.path().join("plain");
        fs::create_dir_all(&plain).unwrap();
        let name = Path::new(source);
        let text = match source {
            "arcs.gr" => "c a graph\np sp 2 1\na 1 2 3\n".to_owned(),
            "two.lab" => "0=\"init\" 1=\"goal\"\n0: 0\n1: 1\n".to_owned(),
            "two.sta" => "(x)\n0:(0)\n1:(1)\n".to_owned(),
            _ => fs::read_to_string(tests().join("good").join(source)).unwrap(),
        };
        fs::write(plain.join(name), &text).unwrap();
        let marked = format!("\u{feff}{text}");
        let wide: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
        fs::write(folder.path().join(name), wide).unwrap();
        let refused = run(args, name);
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
        writeln!(all, "{}", refused.stderr).unwrap();
        let expected = run(args, &Path::new("plain").join(name)).result();
        fs::write(plain.join(name), marked).unwrap();
        let marked = run(args, &Path::new("plain").join(name)).result();
        assert_eq!(marked, expected, "{source}");
    }
    insta::assert_snapshot!("encodings", all);
}
