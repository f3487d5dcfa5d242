//! `maxend quotient`, as people see it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::transcript;

#[test]
fn quotients_and_condensations() {
    let all = transcript(
        &[
            "quotient ../../../fixtures/running_example.tra -o -",
            "quotient ../../../fixtures/running_example.tra -o - --stay",
            "quotient ../../../fixtures/running_example.tra -o - --keep goal --stay --to storm",
            "quotient ../../../fixtures/running_example.tra -o - --components scc",
            "quotient ../../../fixtures/running_example.tra -o - --components scc --to aut",
            "quotient ../../../fixtures/die.tra -o - --stay",
            "quotient good/walk.prism -c N=3 -o - --map /dev/stderr",
            "quotient good/coin.aut -o - --to aut",
            "quotient ../../../fixtures/dekker.exp -o -",
            "quotient ../../../fixtures/empty.tra -o - --stay",
        ],
        0,
    );
    insta::assert_snapshot!("quotients_and_condensations", all);
}

#[test]
fn what_is_refused() {
    let file = "../../../fixtures/running_example.tra";
    let mut all = transcript(&[format!("quotient {file} -o - --keep gaol")], 1);
    let usage = [
        format!("quotient {file} -o -  --components scc --stay"),
        format!("quotient {file} -o -  --components scc --to storm"),
        format!("quotient {file} -o {file}"),
        format!("quotient {file} -o out.tra --map out.lab"),
        format!("quotient {file} -o -  --keep sink --stay"),
        format!("quotient {file}"),
        format!("quotient {file} -o out.json"),
    ];
    all += &transcript(&usage, 2);
    insta::assert_snapshot!("what_is_refused", all);
}
