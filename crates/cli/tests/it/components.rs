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

/// In a nest, each state leads on and to state 0, so that all cycles together are long. The output
/// is linear in the number of states.
#[test]
fn long_cycles_are_written_in_parts() {
    let folder = Folder::new();
    let sizes = [500, 1000].map(|n: usize| {
        let lines = (0..n).map(|s| format!("{s} 0 {} 1\n{s} 1 0 1\n", (s + 1) % n));
        let lines = lines.collect::<String>();
        std::fs::write(
            folder.path("nest.tra"),
            format!("{n} {0} {0}\n{lines}", 2 * n),
        )
        .unwrap();
        let lines = (0..n).step_by(3).map(|state| format!("{state}: 2\n"));
        let labels = "0=\"init\" 1=\"deadlock\" 2=\"x\"\n";
        let labels = format!("{labels}{}", lines.collect::<String>());
        std::fs::write(folder.path("nest.lab"), labels).unwrap();
        let run = "components @nest.tra --of x --limit 1000 -f json";
        folder.run(run).result().len()
    });
    assert!(sizes[1] < 3 * sizes[0], "{sizes:?}");
    let run = |options: &str| folder.run(&format!("components @nest.tra --of x {options}"));
    let text = run("--limit 12").result();
    let states: Vec<&str> = text.split("\n\n").skip(11).take(2).collect();
    insta::assert_snapshot!("a_path_as_text", states.join("\n\n"));
    let json = run("--limit 12 -f json").result();
    let json: serde_json::Value = serde_json::from_str(&json).expect("a document");
    insta::assert_snapshot!("a_path_as_json", json["explained"][11]["cycle"].to_string());
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
