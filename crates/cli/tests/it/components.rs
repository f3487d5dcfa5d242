//! `maxend components`, as people see it.

use crate::common::transcript;

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
    ];
    insta::assert_snapshot!("states_are_explained", transcript(&commands, 0));
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
