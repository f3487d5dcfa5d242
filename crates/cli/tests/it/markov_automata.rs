//! Markov automata: explored with maximal progress, kept in archives, and decomposed.

use crate::common::{maxend, tests, transcript};
use std::path::Path;
use umb::{ReadOptions, Umb};

fn json(model: &str) -> serde_json::Value {
    let run = maxend(&format!(
        "decompose -q --format json --certify --choices {model}"
    ));
    serde_json::from_str(&run.result()).unwrap()
}

#[test]
fn an_archive_keeps_rates_and_the_states_that_have_some() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (first, second) = (path("repair.umb"), path("again.umb"));
    let names = (first.display().to_string(), second.display().to_string());
    maxend(&format!("build -q good/repair.prism -o {}", names.0)).result();
    // Written anew from what was read, not copied.
    maxend(&format!(
        "convert -q {} {} --deadlocks keep",
        names.0, names.1
    ))
    .result();
    for path in [first, second] {
        let bytes = std::fs::read(path).unwrap();
        let umb = Umb::read(&bytes, &ReadOptions::default()).unwrap();
        let timed: Vec<u64> = umb.markovian_states().unwrap().unwrap().iter().collect();
        let rates = umb.exit_rates().unwrap().unwrap();
        let rates: Vec<f64> = (0..rates.len()).map(|state| rates.get(state)).collect();
        // Initially up without orders; then down, or up with one; and so on.
        assert_eq!(timed, [0, 1, 2, 3, 5]);
        assert_eq!(rates, [3.5, 5.0, 3.5, 5.0, 0.0, 2.0]);
        assert_eq!(umb.num_choices(), 7);
    }
    let source = tests().join("good/repair.prism").display().to_string();
    let (of_source, of_archive) = (json(&source), json(&names.0));
    assert_eq!(of_source["components"], of_archive["components"]);
    assert_eq!(of_source["model"]["type"], "ma");
    assert_eq!(of_archive["components"][0]["size"], 6);
}

#[test]
fn what_edges_with_rates_earn_is_kept() {
    let commands = ["convert good/paid_rates.jani - --to drn"];
    insta::assert_snapshot!(transcript(&commands, 0));
}

/// What the choices of a model earn, in the order of the states. Its text stands in `name`.
fn earned(folder: &Path, name: &str, text: &str) -> Vec<String> {
    let source = folder.join(name);
    std::fs::write(&source, text).unwrap();
    let drn = maxend(&format!("convert -q {} - --to drn", source.display())).result();
    let actions = drn
        .lines()
        .filter_map(|line| line.trim().strip_prefix("action"));
    let amounts = actions.map(|action| action.split_once('[').unwrap().1.to_owned());
    amounts.collect()
}

/// A jump earns what one of the edges earns that race for it. So an automaton in which time passes
/// everywhere earns what the chain does, and nothing changes if an edge is cut in two.
#[test]
fn the_reward_of_a_race_is_that_of_the_winner() {
    let folder = tempfile::tempdir().unwrap();
    let earned = |name: &str, text: &str| earned(folder.path(), name, text);
    let races = [
        "[] x=0 -> 2 : (x'=1); [] x>0 -> 3 : (x'=0);",
        "[] x=0 -> 1 : (x'=1); [] x=0 -> 1 : (x'=1); [] x>0 -> 1.5 : (x'=0); [] x>0 -> 1.5 : (x'=0);",
        "[] x=0 -> 1 : (x'=1) + 1 : (x'=1); [] x>0 -> 1 : (x'=0); [] x>0 -> 2 : (x'=0);",
    ];
    let rewards = "rewards \"r\" [] x=0 : 1; [] x=1 : 5; endrewards";
    for race in races {
        let body = format!("module m x : [0..1]; {race} endmodule {rewards}");
        let chain = earned("chain.prism", &format!("ctmc {body}"));
        let commands = race.replace("[]", "<>");
        let body = format!("module m x : [0..1]; {commands} endmodule {rewards}");
        let automaton = earned("race.prism", &format!("ma {body}"));
        assert_eq!(chain, ["1]", "5]"], "{race}");
        assert_eq!(automaton, chain, "{race}");
    }
    let jani = std::fs::read_to_string(tests().join("good/paid_rates.jani")).unwrap();
    let edge = |rate: u32, cost: u32| {
        format!(
            r#"{{"location": "waiting", "rate": {{"exp": {rate}}}, "destinations": [
                {{"location": "done", "assignments": [ {{"ref": "cost", "value": {cost}}} ]}} ]}},"#
        )
    };
    let start = jani.find(r#"{"location": "waiting", "rate""#).unwrap();
    let end = jani.find(r#"{"location": "done", "action""#).unwrap();
    let with = |edges: &str| format!("{}{edges}{}", &jani[..start], &jani[end..]);
    let whole = earned("whole.jani", &with(&edge(2, 5)));
    let halves = earned("halves.jani", &with(&[edge(1, 5), edge(1, 5)].concat()));
    assert_eq!(whole, halves);
    // Three times of four the second edge wins.
    let unlike = earned("unlike.jani", &with(&[edge(1, 8), edge(3, 4)].concat()));
    assert_eq!(unlike, ["5]", "3]"]);
}

#[test]
fn what_is_refused() {
    let commands = [
        "build -q good/repair.prism -o -",
        "build -q good/repair.prism -o - --to aut",
        "quotient -q good/repair.prism -o -",
        "long-run good/repair.prism",
    ];
    insta::assert_snapshot!(transcript(&commands, 1));
}
