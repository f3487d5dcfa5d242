//! Markov automata: explored with maximal progress, kept in archives, and decomposed.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{maxend, tests, transcript};
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
