//! `maxend cycle-mean`, and rewards in every format, as people see them.

use crate::common;
use crate::common::{maxend, tests, transcript};
use umb::{Compression, Entity, Indices, Numbers, UmbWriter, Values};

#[test]
fn values_cycles_and_formats() {
    let all = transcript(
        &[
            "cycle-mean rewards/ring.gr --certify",
            "cycle-mean rewards/ring.gr --max --format json",
            "cycle-mean rewards/ring.gr --format dot",
            "cycle-mean rewards/acyclic.gr",
            "cycle-mean rewards/acyclic.gr --each --format json",
            "cycle-mean rewards/costs.tra --each --certify",
            "cycle-mean rewards/weights.aut --max --certify",
            "cycle-mean rewards/costs.tra --max --each --format json --certify",
            "cycle-mean rewards/costs.tra --deadlocks self-loop --search yto",
            "cycle-mean rewards/machine.prism -c HEAT=2 --rewards made --max --certify",
            "cycle-mean rewards/machine.prism -c HEAT=2 --rewards 2 --max --search lawler",
            "cycle-mean rewards/machine.prism -c HEAT=2 --rewards third",
            "cycle-mean rewards/machine.prism -c HEAT=9 --rewards made --ratio --max --certify -f dot",
            "cycle-mean rewards/machine.prism -c HEAT=40 --rewards made --max",
            "cycle-mean rewards/machine.prism -c HEAT=min(40,9) --rewards made --max",
        ],
        0,
    );
    insta::assert_snapshot!("values_cycles_and_formats", all);
}

#[test]
fn info_shows_rewards_and_checks_them() {
    let right = [
        "costs.tra",
        "machine.prism -c HEAT=2",
        "ring.gr",
        "weights.aut",
        "impossible.tra",
        "chain.prism",
        "left_out.prism",
    ];
    let wrong = [
        "faulty.prism",
        "impossible_twice.tra",
        "other_choices.tra",
        "other_states.tra",
        "twice.tra",
        "unknown.tra",
        "text.tra",
        "undefined.prism",
    ];
    let shown = |names: &[&str], code| {
        let commands = names.iter().map(|name| format!("info rewards/{name}"));
        transcript(&commands.collect::<Vec<_>>(), code)
    };
    insta::assert_snapshot!(shown(&right, 0) + &shown(&wrong, 1));
}

/// The header of a rewards file may count the self-loops that deadlocks are given, or not.
#[test]
fn added_loops_may_be_counted_as_choices() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("x.tra");
    std::fs::write(&model, "3 2 2\n0 0 1 1\n0 1 2 1\n").unwrap();
    for (choices, deadlocks, code) in [
        (1, "self-loop", 1),
        (2, "self-loop", 0),
        (4, "self-loop", 0),
        (5, "self-loop", 1),
        (2, "keep", 0),
        (4, "keep", 1),
    ] {
        let text = format!("3 {choices} 1\n0 1 2 7\n");
        std::fs::write(folder.path().join("x.trew"), text).unwrap();
        let (model, out) = (model.display(), folder.path().join("y.umb"));
        let run = maxend(&format!(
            "convert -q --deadlocks {deadlocks} {model} {}",
            out.display()
        ));
        assert_eq!(
            run.code,
            Some(code),
            "{choices} {deadlocks}\n{}",
            run.stderr
        );
    }
}

/// PRISM's explicit files hold rewards, so that nothing of them is lost between two of them.
#[test]
fn rewards_stay_with_their_transitions() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let convert = |model: &str, out: &str| {
        let out = maxend(&format!("convert -q {model} {} --to prism", path(out)));
        assert_eq!(out.code, Some(0), "{model}");
    };
    convert("rewards/costs.tra", "costs.tra");
    for ending in ["srew", "trew"] {
        let source = std::fs::read_to_string(tests().join(format!("rewards/costs.{ending}")));
        let rounded = source.unwrap().replace("1/3", "0.3333333333333333");
        assert_eq!(text(&format!("costs.{ending}")), rounded);
    }
    // Nothing is earned where nothing can be taken.
    convert("rewards/impossible.tra", "impossible.tra");
    assert_eq!(text("impossible.trew").lines().last(), Some("1 0 2 2"));
    convert("good/initial_rewards.tra", "initial.tra");
    assert!(text("initial.tra").contains("\n2 2 2\n- - 1 -\n"));
    assert!(text("initial.srew").ends_with("2 1\n1 2.5\n"));
    let storm = maxend(&format!(
        "convert rewards/costs.tra {} --to storm",
        path("s.tra")
    ));
    assert!(
        storm
            .stderr
            .contains("left out: rewards, which are kept with --to prism")
    );
}

/// What needs an option to be read needs it again.
#[test]
fn distributions_that_do_not_sum_to_1_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let model = common::file(&folder, "m.tra", b"2 2 2\n0 0 1 0.5\n1 0 0 1\n");
    for name in ["m.drn", "again.tra"] {
        let out = folder.path().join(name);
        let (model, out) = (model.display(), out.display());
        let outcome = maxend(&format!("convert {model} {out} --allow-any-sum"));
        let said = "the probabilities of 1 choice do not sum to 1: the result can be read with \
                    --allow-any-sum only";
        assert!(outcome.stderr.contains(said), "{name}: {}", outcome.stderr);
        assert_eq!(maxend(&format!("info -q {out}")).code, Some(1), "{name}");
        assert_eq!(
            maxend(&format!("info -q {out} --allow-any-sum")).code,
            Some(0),
            "{name}"
        );
    }
}

#[test]
fn what_is_refused() {
    let all = transcript(
        &[
            "cycle-mean good/rounds.tra",
            "cycle-mean rewards/names.aut",
            "cycle-mean rewards/costs.tra --rewards costs",
            "cycle-mean rewards/machine.prism -c HEAT=2",
            "cycle-mean rewards/machine.prism -c HEAT=2 --rewards nothing",
            "cycle-mean rewards/machine.prism -c HEAT=2 --rewards made --ratio --time never",
            "cycle-mean rewards/machine.prism -c HEAT=2 --rewards made --ratio --time negative",
            "cycle-mean rewards/machine.prism -c HEAT=2 --rewards made --ratio --time 9",
            "cycle-mean rewards/undefined.prism",
            "cycle-mean rewards/other_states.tra",
            "cycle-mean rewards/twice.tra",
            "cycle-mean rewards/unknown.tra",
            "cycle-mean rewards/text.tra",
            "cycle-mean rewards/huge.gr",
            "cycle-mean rewards/vertex.gr",
        ],
        1,
    );
    let usage = transcript(
        &[
            "cycle-mean rewards/ring.gr --min --max",
            "cycle-mean rewards/ring.gr --time weight",
            "cycle-mean rewards/ring.gr --each --format dot",
            "cycle-mean rewards/ring.gr --const N=1",
        ],
        2,
    );
    insta::assert_snapshot!("what_is_refused", all + &usage);
}

/// The value that is printed for a model.
fn value(model: &str, options: &str) -> serde_json::Value {
    let text = maxend(&format!("cycle-mean -q {model} {options} --format json")).result();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    json["optimum"]["fraction"].clone()
}

#[test]
fn rewards_are_the_same_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let source = tests().join("rewards/machine.prism");
    let built = format!("build -q {} -c HEAT=3 -o", source.display());
    for out in [
        path("machine.umb"),
        path("machine.tra"),
        path("packed.tra.gz"),
    ] {
        maxend(&format!("{built} {out}")).result();
        for (number, name) in ["made", "energy", "time", "never", "negative", "third"]
            .iter()
            .enumerate()
        {
            if number == 5 && !out.ends_with("umb") {
                // Printed as the double that it was.
                continue;
            }
            for (objective, same) in [("", "--min"), ("--max", "--max")] {
                let expected = value(
                    "rewards/machine.prism",
                    &format!("-c HEAT=3 --rewards {name} {objective}"),
                );
                let found = value(&out, &format!("--rewards {name} {same} --certify"));
                assert_eq!(found, expected, "{out} {name} {same}");
            }
        }
    }
    // From one to the other.
    let (there, back) = (path("there.umb"), path("back.tra"));
    maxend(&format!("convert -q {} {there}", path("machine.tra"))).result();
    maxend(&format!("convert -q {there} {back}")).result();
    let texts = |stem: &str| -> Vec<String> {
        let endings = ["srew", "trew"];
        let names = (1..=6).flat_map(|n| endings.map(|ending| format!("{stem}{n}.{ending}")));
        names
            .filter_map(|name| std::fs::read_to_string(path(&name)).ok())
            .collect()
    };
    assert_eq!(texts("machine").len(), 9);
    assert_eq!(texts("back"), texts("machine"));
}

/// Fractions of probabilities and rewards stay fractions, which doubles for 1/6 and 5/6 are not.
#[test]
fn exact_averages_of_fractions() {
    let dir = tempfile::tempdir().expect("a directory");
    let model = dir.path().join("thirds.tra");
    let text = "3 3 5\n0 0 0 1/3\n0 0 1 2/3\n1 0 2 1\n2 0 0 1/6\n2 0 1 5/6\n";
    std::fs::write(&model, text).expect("a file");
    let rewards = |text| std::fs::write(dir.path().join("thirds.srew"), text).expect("a file");
    let average = || {
        let text = maxend(&format!("long-run {} --exact", model.display())).result();
        let line = text.lines().last().unwrap_or_default();
        line.to_owned()
    };
    rewards("3 1\n0 1\n");
    assert_eq!(
        average(),
        "greatest average  1/9, about 0.1111111111111111 from state 0"
    );
    rewards("3 1\n0 1/7\n");
    let seventh = "greatest average  1/63, about 0.015873015873015872 from state 0";
    assert_eq!(average(), seventh);
}

#[test]
fn long_run_averages() {
    let all = transcript(
        &[
            "long-run rewards/coin.prism --each",
            "long-run rewards/coin.prism --min --epsilon 0.5 --format json",
            "long-run rewards/costs.tra --each",
            "long-run rewards/machine.prism -c HEAT=2 --rewards made --min",
            "long-run rewards/coin.prism --exact --each",
            "long-run rewards/coin.prism --exact --min --format json",
            "long-run rewards/machine.prism -c HEAT=2 --rewards energy --exact",
            "long-run ../../../fixtures/running_example.tra --label goal",
            "long-run ../../../fixtures/running_example.tra --label goal --min --exact -f json",
            "long-run rewards/coin.prism --relative --epsilon 1e-9 --each",
            "long-run rewards/coin.prism --relative --min -f json",
            "long-run rewards/machine.prism -c HEAT=2 --rewards negative --relative",
            "long-run rewards/fair.prism --relative",
            "long-run rewards/rare.prism --each",
            "long-run rewards/rare.prism -f json",
        ],
        0,
    );
    insta::assert_snapshot!("long_run_averages", all);
    let refused = transcript(
        &[
            "long-run good/rounds.tra",
            "long-run rewards/machine.prism -c HEAT=2 --rewards nothing",
            "long-run good/queue.prism",
            "long-run ../../../fixtures/running_example.tra --label gaol",
            "long-run rewards/coin.prism --max-iterations 2",
            "long-run rewards/fair.prism --relative --max-iterations 500",
            "long-run rewards/rare.prism --max-iterations 1000",
            "long-run rewards/rare.prism --relative --epsilon 1e-17",
            "long-run rewards/empty.tra",
            "long-run rewards/machine.prism -c HEAT=4096 --rewards made --exact",
        ],
        1,
    );
    let usage = transcript(
        &[
            "long-run rewards/coin.prism --min --max",
            "long-run rewards/coin.prism --epsilon 0",
            "long-run rewards/coin.prism --exact --epsilon 0.1",
            "long-run rewards/coin.prism --exact --relative",
        ],
        2,
    );
    insta::assert_snapshot!("long_run_refused", refused + &usage);
}

/// A fault in a reward structure is an error only if that structure is asked for.
#[test]
fn other_reward_structures_may_have_faults() {
    let model = "rewards/faulty.prism --rewards";
    let computed = transcript(
        &[
            &format!("long-run {model} power"),
            &format!("long-run {model} 1 --min"),
            &format!("cycle-mean {model} power --max"),
        ],
        0,
    );
    let refused = transcript(
        &[
            &format!("long-run {model} share"),
            &format!("cycle-mean {model} 2"),
            &format!("cycle-mean {model} power --ratio --time share"),
            "cycle-mean rewards/faulty.prism",
        ],
        1,
    );
    insta::assert_snapshot!("other_reward_structures", computed + &refused);
}

/// The choice of a chain earns the average of its commands: of equal rewards exactly that, and of
/// decimals the nearest double.
#[test]
fn averages_of_commands_are_rounded_once() {
    let folder = tempfile::tempdir().unwrap();
    for (rewards, average) in [(["7", "7", "7"], "7"), (["0.1", "0.2", "0.15"], "3/20")] {
        let [a, b, c] = rewards;
        let text = format!(
            "dtmc module m x : [0..1]; \
             [a] true -> 1/3:(x'=0)+2/3:(x'=1); \
             [b] true -> 1/3:(x'=0)+2/3:(x'=1); \
             [c] true -> 1/3:(x'=0)+2/3:(x'=1); endmodule \
             rewards \"w\" [a] true : {a}; [b] true : {b}; [c] true : {c}; endrewards"
        );
        let model = common::file(&folder, "chain.prism", text.as_bytes());
        for command in ["long-run --exact", "cycle-mean"] {
            let found = maxend(&format!("{command} {} --format json", model.display())).result();
            assert!(
                found.contains(&format!("\"{average}\"")),
                "{command}: {found}"
            );
        }
    }
}

/// Where each choice leads to one state, the greatest average is the greatest mean of a cycle.
#[test]
fn long_run_averages_of_deterministic_models_are_cycle_means() {
    for (model, load) in [("clients", 27.0 / 4.0), ("server", 27.0 / 4.0)] {
        let options = "-c EDITORS=1,READERS=1 --format json";
        let args = format!("long-run -q ../../../fixtures/{model}.prism {options}");
        let json: serde_json::Value = serde_json::from_str(&maxend(&args).result()).unwrap();
        let bound = |name: &str| json["initial"][0][name].as_f64().unwrap();
        assert!(bound("lower") <= load && load <= bound("upper"), "{json}");
        assert!(bound("upper") - bound("lower") <= 1e-6, "{json}");
    }
}

#[test]
fn the_average_load_of_the_clients_is_the_one_computed_by_hand() {
    // By an independent program, with Karp's algorithm.
    for (model, editors, readers, load) in [
        ("clients", 1, 0, "9/2"),
        ("clients", 0, 1, "9/4"),
        ("clients", 1, 1, "27/4"),
        ("clients", 2, 1, "45/4"),
        ("server", 1, 0, "9/2"),
        ("server", 0, 1, "9/4"),
        ("server", 2, 0, "9"),
        ("server", 2, 1, "21/2"),
    ] {
        let model = format!("../../../fixtures/{model}.prism");
        let options = format!("-c EDITORS={editors},READERS={readers} --max --certify");
        assert_eq!(value(&model, &options), load, "{model} {options}");
    }
}

/// State 0 leads to 1, state 1 to 0, and state 2 nowhere. A branch of probability 0 is dropped, and
/// a self-loop may be added, so that the branches are as many as before, but other ones.
#[test]
fn rewards_stay_with_their_branches() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.umb");
    let write = |targets: &[u32], probabilities: &[f64], amounts: &[f64]| {
        let mut writer = UmbWriter::new(&umb::Model {
            initial_states: &[0],
            choice_offsets: Indices::U32(&[0, 1, 2, 2]),
            branch_offsets: Indices::U32(&[0, 2, 3]),
            targets: Indices::U32(targets),
            probabilities: Some(probabilities),
            ..umb::Model::new(prism_explicit::ModelType::Mdp)
        })
        .unwrap();
        let values = Values::Numbers(Numbers::Doubles(amounts.to_vec().into()));
        writer
            .annotate("rewards", "load", Entity::Branches, values)
            .unwrap();
        let file = std::fs::File::create(&path).unwrap();
        writer.write(file, Compression::None).unwrap();
    };
    let run = |options: &str| maxend(&format!("cycle-mean -q {} {options}", path.display()));

    write(&[2, 1, 0], &[0.0, 1.0, 1.0], &[7.0, 2.0, 3.0]);
    for deadlocks in ["self-loop", "keep"] {
        let text = run(&format!("--max --certify --deadlocks {deadlocks}")).result();
        assert!(text.contains("5/2 = 2.5"), "{deadlocks}: {text}");
    }
    assert!(
        run("--deadlocks self-loop")
            .result()
            .contains("minimum mean    0\n")
    );

    // What is earned on one of two branches to a state cannot be told from the other.
    write(&[1, 1, 0], &[0.5, 0.5, 1.0], &[7.0, 2.0, 3.0]);
    for deadlocks in ["self-loop", "keep"] {
        let run = run(&format!("--deadlocks {deadlocks}"));
        assert_eq!(run.code, Some(1));
        let message = run.stderr.replace(&path.display().to_string(), "model.umb");
        insta::allow_duplicates! {
            insta::assert_snapshot!(message);
        }
    }
}
