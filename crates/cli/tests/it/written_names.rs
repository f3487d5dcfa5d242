//! Names and numbers of archives that other formats cannot hold, and names of files.

use crate::common::maxend;
use prism_explicit::ModelType;
use std::fs;
use std::path::Path;
use umb::{Compression, Domain, Entity, Indices, Model, Numbers, UmbWriter, Values};

/// The archive of a chain of one state, written to `path` after `add` has added to it.
fn archive(path: &Path, add: impl FnOnce(&mut UmbWriter<'_>)) {
    let mut writer = UmbWriter::new(&Model {
        initial_states: &[0],
        choice_offsets: Indices::U32(&[0, 1]),
        branch_offsets: Indices::U32(&[0, 1]),
        targets: Indices::U32(&[0]),
        probabilities: Some(&[1.0]),
        ..Model::new(ModelType::Mdp)
    })
    .unwrap();
    add(&mut writer);
    let file = fs::File::create(path).unwrap();
    writer.write(file, Compression::None).unwrap();
}

/// What is written can be read again.
#[test]
fn variables_whose_names_do_not_fit_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    archive(&folder.path().join("m.umb"), |writer| {
        let names = ["x", "", "a,b", "c\nd", "x", "p&q", "!r", "=", "last"];
        let domain = Domain::Int { lower: 0, upper: 9 };
        let variables = names.map(|name| (name, domain));
        let numbers = |_, variable: usize| variable as i64;
        writer.state_valuations(&variables, false, numbers).unwrap();
    });
    let said = ["out.tra", "out.drn"].map(|out| {
        let run = maxend(&format!("convert {} {}", file("m.umb"), file(out)));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(maxend(&format!("info {}", file(out))).code, Some(0));
        run.stderr
            .lines()
            .filter(|line| line.contains("left out"))
            .collect::<Vec<_>>()
            .join("\n")
    });
    insta::assert_snapshot!(said.join("\n\n"));
    let states = fs::read_to_string(file("out.sta")).unwrap();
    assert_eq!(states, "# States\n(x,p&q,!r,=,last)\n0:(0,5,6,7,8)\n");
    let drn = fs::read_to_string(file("out.drn")).unwrap();
    assert!(drn.contains("//[x=0\t& a,b=2\t& last=8]"), "{drn}");
}

/// Other formats have no variables with fractions as values, but a copy of the archive has.
#[test]
fn a_copy_of_an_archive_leaves_out_no_variables() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    archive(&folder.path().join("m.umb"), |writer| {
        let domain = Domain::Int {
            lower: -i64::MAX,
            upper: i64::MAX,
        };
        let value = |_, _| 0.5f64.to_bits() as i64;
        writer
            .state_valuations(&[("x", domain)], false, value)
            .unwrap();
    });
    // The index has the same length: a longer type, and fewer blanks.
    let mut bytes = fs::read(file("m.umb")).unwrap();
    let int = format!("\"type\": \"int\",\n{}\"size\": 64", " ".repeat(16));
    let double = format!("\"type\": \"double\",\n{}\"size\": 64", " ".repeat(13));
    let mut places = bytes.windows(int.len());
    let place = places.position(|w| w == int.as_bytes()).unwrap();
    bytes[place..place + int.len()].copy_from_slice(double.as_bytes());
    fs::write(file("m.umb"), bytes).unwrap();

    let said = ["copy.umb", "out.tra", "out.drn"].map(|out| {
        let run = maxend(&format!("convert {} {}", file("m.umb"), file(out)));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let lines = run.stderr.lines();
        lines
            .filter(|line| line.contains("left out"))
            .collect::<Vec<_>>()
            .join("\n")
    });
    let left_out =
        "warning: left out: variable x: not all of its values are integers or truth values";
    assert_eq!(said, ["", left_out, left_out]);
}

#[test]
fn rewards_that_are_no_finite_numbers_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.umb");
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        archive(&path, |writer| {
            let values = Values::Numbers(Numbers::Doubles(vec![value].into()));
            writer
                .annotate("rewards", "load", Entity::Choices, values)
                .unwrap();
        });
        for command in ["info", "cycle-mean"] {
            let run = maxend(&format!("{command} {}", path.display()));
            assert_eq!(run.code, Some(1), "{command} {value}");
            let message = "the rewards `load`: that of choice 0 is infinite or no number";
            assert!(run.stderr.contains(message), "{}", run.stderr);
        }
    }
}

/// PRISM puts the number of a reward structure before the last dot.
#[test]
fn numbered_rewards_of_a_name_with_dots() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let rewards = "rewards \"a\" true : 1; endrewards\nrewards \"b\" true : 2; endrewards\n";
    let program = format!("dtmc\nmodule m x : bool; [] true -> true; endmodule\n{rewards}");
    fs::write(file("two.prism"), program).unwrap();
    let run = maxend(&format!(
        "convert {} {}",
        file("two.prism"),
        file("m.v2.tra")
    ));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for written in ["m.v21.srew", "m.v22.srew"] {
        assert!(Path::new(&file(written)).is_file(), "{written}");
    }
    let info = maxend(&format!("info {}", file("m.v2.tra"))).result();
    let listed = info.lines().skip_while(|line| *line != "rewards");
    let listed: Vec<&str> = listed.skip(1).map(str::trim_start).collect();
    assert!(
        listed[0].starts_with("a ") && listed[1].starts_with("b "),
        "{info}"
    );
}

/// X1.srew beside X.tra and X1.tra belongs to X1.tra.
#[test]
fn rewards_beside_another_model_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    for model in ["coin.tra", "coin1.tra"] {
        fs::write(file(model), "1 1\n0 0 1\n").unwrap();
    }
    fs::write(file("coin1.srew"), "1 1\n0 2\n").unwrap();
    let has_rewards = |model: &str| {
        let info = maxend(&format!("info {}", file(model))).result();
        info.lines().any(|line| line == "rewards")
    };
    assert!(has_rewards("coin1.tra") && !has_rewards("coin.tra"));
    fs::remove_file(file("coin1.tra")).unwrap();
    assert!(has_rewards("coin.tra"));
}

/// The label that an archive has for its initial states may have none: then state 0 is taken.
#[test]
fn an_archive_without_initial_states() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.umb");
    let mut writer = UmbWriter::new(&Model {
        initial_states: &[],
        choice_offsets: Indices::U32(&[0, 1]),
        branch_offsets: Indices::U32(&[0, 1]),
        targets: Indices::U32(&[0]),
        probabilities: Some(&[1.0]),
        ..Model::new(ModelType::Mdp)
    })
    .unwrap();
    writer.tool("test", "1");
    writer
        .write(fs::File::create(&path).unwrap(), Compression::None)
        .unwrap();
    let run = maxend(&format!("decompose --format json {}", path.display()));
    let document: serde_json::Value = serde_json::from_str(&run.result()).unwrap();
    assert_eq!(document["model"]["initial_from"], "assumed");
    assert_eq!(document["model"]["initial_states"], 1);
}
