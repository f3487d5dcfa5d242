//! Storm's text format: read, written, converted, and refused.

use crate::common::{Folder, maxend, tests, transcript};
use prism_explicit::read_labels;
use std::collections::BTreeMap;
use std::fs;

/// The labels in a file of a folder, with their states.
fn labels(folder: &Folder, name: &str) -> BTreeMap<String, Vec<u32>> {
    let labels = read_labels(folder.text(name).as_bytes(), None, &Default::default()).unwrap();
    labels
        .iter()
        .map(|(name, states)| (name.to_owned(), states.to_vec()))
        .collect()
}

#[test]
fn what_is_in_a_file() {
    let commands = [
        "info good/relay.drn",
        "decompose -q good/relay.drn --format prism --valuations --choices",
        "convert good/relay.drn - --to drn",
        "convert good/relay.drn - --to prism",
        "cycle-mean -q good/relay.drn --rewards moves",
        "convert good/rates.tra - --to drn",
        "convert good/lts.tra - --to drn",
        "convert good/deadlock.tra - --to drn",
        "info good/automaton.drn",
        "decompose -q good/hybrid.drn --format prism --choices",
        "convert good/hybrid.drn - --to drn",
        "convert good/interval.drn - --to drn",
        "convert good/interval.drn - --to prism",
        "convert good/interval.tra - --to drn",
    ];
    insta::assert_snapshot!("good", transcript(&commands, 0));
}

#[test]
fn wrong_files() {
    let entries = fs::read_dir(tests().join("bad")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".drn")).collect();
    names.sort();
    let commands: Vec<String> = names
        .iter()
        .map(|name| format!("info bad/{name}"))
        .collect();
    insta::assert_snapshot!("bad", transcript(&commands, 1));
    let any_sum = maxend("info -q bad/bad_sum.drn --allow-any-sum");
    assert_eq!(any_sum.code, Some(0), "{}", any_sum.stderr);
}

#[test]
fn deadlocks_are_not_kept() {
    let run = maxend("convert good/deadlock.tra - --to drn --deadlocks keep");
    insta::assert_snapshot!(run.stderr);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
}

#[test]
fn explicit_files_survive_a_conversion_to_drn_and_back() {
    let folder = Folder::new();
    for model in ["rounds.tra", "rates.tra", "two_states.tra", "actions.tra"] {
        folder
            .run(&format!("convert -q good/{model} @original.umb"))
            .result();
        folder
            .run("convert -q @original.umb @original.tra")
            .result();
        folder
            .run("convert -q @original.umb @there.drn.gz")
            .result();
        folder.run("convert -q @there.drn.gz @back.tra").result();
        let [original, back] = ["original", "back"].map(|name| folder.text(&format!("{name}.tra")));
        assert_eq!(original, back, "{model}");
        assert_eq!(
            labels(&folder, "original.lab"),
            labels(&folder, "back.lab"),
            "{model}"
        );
        if model == "rounds.tra" {
            assert_eq!(folder.text("original.sta"), folder.text("back.sta"));
        }
    }
}

#[test]
fn a_built_model_survives_a_conversion_to_drn_and_back() {
    let folder = Folder::new();
    for model in ["walk.prism --const N=4", "queue.prism"] {
        for out in ["a.umb", "a.drn", "a.tra"] {
            folder
                .run(&format!("build -q good/{model} -o @{out}"))
                .result();
        }
        folder.run("convert -q @a.umb @b.drn").result();
        assert_eq!(folder.text("a.drn"), folder.text("b.drn"), "{model}");
        folder.run("convert -q @a.drn @b.tra").result();
        assert_eq!(
            labels(&folder, "a.lab"),
            labels(&folder, "b.lab"),
            "{model}"
        );
        for ending in ["tra", "sta"] {
            let [a, b] = ["a", "b"].map(|name| folder.text(&format!("{name}.{ending}")));
            assert_eq!(a, b, "{ending} of {model}");
        }
        let direct = folder
            .run(&format!("decompose -q --format prism good/{model}"))
            .result();
        let found = folder.run("decompose -q --format prism @a.drn").result();
        assert_eq!(found, direct, "{model}");
    }
}

#[test]
fn observations_are_kept() {
    let folder = Folder::new();
    let header = "@type: POMDP\n@value_type: double\n@parameters\n\n@reward_models\n\n";
    let states = "state 0 {3} init\n\taction look\n\t\t1 : 0.5\n\t\t2 : 0.5\n\
        state 1 {0}\n\taction go\n\t\t0 : 1\nstate 2 {0}\n\taction go\n\t\t2 : 1\n";
    let text = format!("{header}@nr_states\n3\n@nr_choices\n3\n@model\n{states}");
    fs::write(folder.path("a.drn"), &text).unwrap();
    folder.run("convert -q @a.drn @b.umb").result();
    folder.run("convert -q @b.umb @c.drn").result();
    folder.run("convert -q @a.drn @d.drn").result();
    assert_eq!(folder.text("c.drn"), text);
    assert_eq!(folder.text("d.drn"), text);
}

#[test]
fn rewards_are_kept() {
    let folder = Folder::new();
    folder.run("convert -q good/relay.drn @a.umb").result();
    folder.run("convert -q @a.umb @b.drn").result();
    folder.run("convert -q good/relay.drn @c.drn").result();
    let rewards = |name: &str| -> Vec<String> {
        let text = folder.text(name);
        let lines = text.lines().filter(|line| line.contains('['));
        lines
            .map(|line| line.replace("1/3", "0.3333333333333333"))
            .collect()
    };
    assert_eq!(rewards("b.drn"), rewards("c.drn"));
    // In explicit files too, each structure in files of its own.
    folder.run("convert -q good/relay.drn @d.tra").result();
    assert_eq!(folder.text("d1.srew").lines().count(), 4);
    assert_eq!(folder.text("d2.trew").lines().count(), 7);
}

/// A choice earns the average of its branches: if all of them earn the same, exactly that.
#[test]
fn equal_rewards_of_all_branches_become_the_reward_of_their_choice() {
    let folder = Folder::new();
    let write = |name: &str, text: &str| fs::write(folder.path(name), text).unwrap();
    write(
        "a.tra",
        "3 3 5\n0 0 0 1/3\n0 0 1 1/3\n0 0 2 1/3\n1 0 0 1\n2 0 0 1\n",
    );
    for (amount, written) in [("-7", "[-7]"), ("1/3", "[1/3]"), ("0.1", "[0.1]")] {
        let all = [0, 1, 2].map(|target| format!("0 0 {target} {amount}\n"));
        let rewards = format!("# Reward structure \"w\"\n3 3 3\n{}", all.concat());
        write("a.trew", &rewards);
        folder.run("convert -q @a.tra @a.drn").result();
        let text = folder.text("a.drn");
        assert!(text.contains(written), "{amount}: {text}");
        // An archive has doubles alone.
        let run = folder.run("convert @a.tra @a.umb");
        let says = run
            .stderr
            .contains("rewards that are fractions are rounded");
        assert_eq!(says, amount == "1/3", "{}", run.stderr);
    }
}

/// A name that a format cannot hold does not keep the model from being written.
#[test]
fn rewards_with_blanks_in_their_names_are_left_out() {
    let folder = Folder::new();
    let write = |name: &str, text: &str| fs::write(folder.path(name), text).unwrap();
    write("a.tra", "1 1 1\n0 0 0 1\n");
    for (number, name) in [(1, "Expected time"), (2, "time")] {
        let rewards = format!("# Reward structure \"{name}\"\n1 1\n0 {number}\n");
        write(&format!("a{number}.srew"), &rewards);
    }
    let run = folder.run("convert @a.tra @a.drn");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let warning = "left out: the rewards \"Expected time\", a name that the format cannot hold";
    assert!(run.stderr.contains(warning), "{}", run.stderr);
    let text = folder.text("a.drn");
    assert!(text.contains("@reward_models\ntime \n"), "{text}");
    assert!(text.contains("[2]") && !text.contains("[1"), "{text}");
}

#[test]
fn a_drn_file_is_recognised_by_its_beginning() {
    let folder = Folder::new();
    let text = fs::read(tests().join("good/relay.drn")).unwrap();
    fs::write(folder.path("model"), text).unwrap();
    let labels = folder.run("decompose -q --format labels @model").result();
    assert_eq!(
        labels,
        maxend("decompose -q --format labels good/relay.drn").result()
    );
}
