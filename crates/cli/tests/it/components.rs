//! `maxend components`, as people see it.

use crate::common::{Folder, transcript};

#[test]
fn states_are_explained() {
    let file = "../../../fixtures/running_example.tra";
    let commands = [
        format!("components {file} --of 4"),
        format!("components {file} --of 1"),
        format!("components {file} --of goal"),
        format!("components {file} --of goal --limit 1 -f json"),
        format!("components {file} --of 0 --components scc -f json"),
        format!("components {file} --of deadlock"),
        "components ../../../fixtures/leaky_choices.tra --of 0".to_owned(),
        "components ../../../fixtures/die.tra --of 0".to_owned(),
        "components good/coin.aut --of 0 --components scc".to_owned(),
        "components good/deadlock.tra --of 1 --deadlocks keep".to_owned(),
        "components good/walk.prism -c N=3 --of 1".to_owned(),
        "components good/walk.prism -c N=3 --of 1 -f json".to_owned(),
        format!("components {file} --of 4 --limit 0"),
        format!("components {file} --of 4 --of goal --of 1 --limit 1"),
        format!("components {file} --of 4 --of 1 -f json"),
    ];
    insta::assert_snapshot!("states_are_explained", transcript(&commands, 0));
}

/// Of the states of a ring, ten have a cycle of their own, and the others refer to one of these.
#[test]
fn cycles_are_written_once() {
    let folder = Folder::new();
    let n = 400;
    let lines = (0..n).map(|state| format!("{state} 0 {} 1\n", (state + 1) % n));
    let transitions = format!("{n} {n} {n}\n{}", lines.collect::<String>());
    std::fs::write(folder.path("ring.tra"), transitions).unwrap();
    let lines = (0..n).map(|state| format!("{state}: 2\n"));
    let labels = format!(
        "0=\"init\" 1=\"deadlock\" 2=\"x\"\n{}",
        lines.collect::<String>()
    );
    std::fs::write(folder.path("ring.lab"), labels).unwrap();
    let run = |options: &str| folder.run(&format!("components @ring.tra --of x {options}"));
    let json = run("--limit 400 -f json").result();
    let json: serde_json::Value = serde_json::from_str(&json).expect("a document");
    let explained = json["explained"].as_array().expect("a list");
    for (state, why) in explained.iter().enumerate() {
        match state < 10 {
            true => assert_eq!(why["cycle"].as_array().map(Vec::len), Some(n)),
            false => assert_eq!(why["cycle"], serde_json::json!({"of": 0})),
        }
    }
    let text = run("--limit 11").result();
    let last = text.split("\n\n").nth(11).expect("eleven states");
    insta::assert_snapshot!(last);
}

#[test]
fn what_is_refused() {
    let commands = [
        "components ../../../fixtures/running_example.tra --of 8",
        "components ../../../fixtures/running_example.tra --of 99999999999",
        "components ../../../fixtures/running_example.tra --of gaol",
        "components ../../../fixtures/empty.tra --of 0",
    ];
    insta::assert_snapshot!("what_is_refused", transcript(&commands, 1));
}
