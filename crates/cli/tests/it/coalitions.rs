//! Stochastic games: players are checked and kept, and coalitions have end components of their own.

use crate::common;
use crate::common::{maxend, tests};

fn json(args: &str) -> serde_json::Value {
    serde_json::from_str(&maxend(&format!("decompose -q --format json {args}")).result()).unwrap()
}

/// The states of each component.
fn components(args: &str) -> Vec<Vec<u64>> {
    let json = json(args);
    let all = json["components"].as_array().unwrap().iter();
    let states = |one: &serde_json::Value| {
        let states = one["states"].as_array().unwrap().iter();
        states.map(|state| state.as_u64().unwrap()).collect()
    };
    all.map(states).collect()
}

/// All players together can stay in the first two rooms, and so can the guard alone, by sending the
/// walker back. The walker can only wait in the first one: the guard may let it out of the second.
#[test]
fn coalitions_have_separate_end_components() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("duel.umb").display().to_string();
    maxend(&format!("build -q good/duel.prism -o {archive}")).result();
    let source = tests().join("good/duel.prism").display().to_string();
    for model in [source, archive] {
        assert_eq!(components(&model), [vec![0, 1], vec![2]]);
        for (coalition, expected) in [
            ("walker", vec![vec![0], vec![2]]),
            ("guard", vec![vec![0, 1], vec![2]]),
            ("walker,guard", vec![vec![0, 1], vec![2]]),
        ] {
            let args = format!("{model} --certify --coalition {coalition}");
            assert_eq!(components(&args), expected, "{coalition}");
        }
        let json = json(&format!("{model} --coalition walker"));
        assert_eq!(json["model"]["type"], "smg");
        assert_eq!(
            json["model"]["players"],
            serde_json::json!(["walker", "guard"])
        );
        assert_eq!(
            json["decomposition"]["coalition"],
            serde_json::json!(["walker"])
        );
        let info = maxend(&format!("info {model}")).result();
        let row = info
            .lines()
            .find(|line| line.starts_with("players"))
            .unwrap();
        assert!(
            row.ends_with("walker (2 states), guard (1 state)"),
            "{info}"
        );
    }
}

#[test]
fn a_game_of_one_player_becomes_an_mdp() {
    let folder = tempfile::tempdir().unwrap();
    let umb = folder.path().join("alone.umb").display().to_string();
    let built = maxend(&format!("build types/smg/only_one.prism -o {umb}"));
    let warning = "warning: a game of one player is written as an MDP\n";
    assert!(built.stderr.contains(warning), "{}", built.stderr);
    let sizes = |model: &str| {
        let document = json(model);
        let components = document["components"].as_array().unwrap().iter();
        components
            .map(|one| one["size"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(sizes(&umb), sizes("types/smg/only_one.prism"));
    assert_eq!(json(&umb)["model"]["type"], "mdp");
}

/// An archive may count more players than it says anything about. Its memory is bounded, and the
/// user learns that the first player has all states.
#[test]
fn a_count_of_players_is_not_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let umb = folder.path().join("game.umb").display().to_string();
    maxend(&format!("convert -q good/two_states.tra {umb}")).result();
    let bytes = std::fs::read(&umb).unwrap();
    // The index stays as long as it was.
    let (one, thousand) = ("\"#players\": 1,\n   ", "\"#players\": 1000,\n");
    let begin = bytes.windows(one.len()).position(|w| w == one.as_bytes());
    let begin = begin.unwrap();
    let mut many = bytes.clone();
    many[begin..begin + one.len()].copy_from_slice(thousand.as_bytes());
    std::fs::write(&umb, &many).unwrap();
    let run = maxend(&format!("info {umb}"));
    insta::assert_snapshot!(run.stderr, @"warning: all states belong to the first of 1000 players: the archive has no state-to-player.bin");
    assert!(run.result().contains("SMG"));
    let digit = begin + thousand.find('1').unwrap();
    many[digit] = b'9';
    std::fs::write(&umb, &many).unwrap();
    let run = maxend(&format!("info {umb}"));
    assert_eq!(run.code, Some(1));
    insta::assert_snapshot!(run.stderr.replace(&umb, "game.umb"), @r"
    error: the index counts 9000 players, but names 0: expected a name for each, or at most 1024 players
     --> game.umb: index.json
    ");
}

#[test]
fn what_is_refused() {
    insta::assert_snapshot!(common::transcript(
        &[
            "decompose good/duel.prism --coalition walker,nobody",
            "decompose good/duel.prism --coalition walker,",
            "decompose good/two_states.tra --coalition walker",
            "build -q good/duel.prism -o -",
            "long-run good/duel.prism",
        ],
        1,
    ));
    insta::assert_snapshot!(common::transcript(
        &["decompose good/duel.prism --components scc --coalition walker"],
        2,
    ));
}
