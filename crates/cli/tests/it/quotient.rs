//! `maxend quotient`, as people see it.

use crate::common;
use crate::common::transcript;

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

/// A label that only state 4 of the end component {4, 5, 6} has keeps it apart.
#[test]
fn labels_and_the_map_go_to_files() {
    let folder = tempfile::tempdir().unwrap();
    let labels = common::file(&folder, "some.lab", b"0=\"init\" 1=\"four\"\n0: 0\n4: 1\n");
    let (out, map) = (folder.path().join("y.tra"), folder.path().join("map"));
    let model = common::tests().join("../../../fixtures/running_example.tra");
    let run = |keep: &[&str]| {
        let mut command = common::command();
        command.arg("quotient").arg(&model).args(keep).arg("--stay");
        command.arg("-o").arg(&out).arg("--map").arg(&map);
        command.arg("--labels").arg(&labels);
        common::outcome(&mut command).result();
        let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        let map: Vec<u32> = text("map")
            .lines()
            .map(|line| line.parse().unwrap())
            .collect();
        (text("y.tra"), text("y.lab"), map)
    };
    let (tra, lab, map) = run(&[]);
    assert_eq!(map, [0, 1, 2, 3, 4, 4, 4, 5]);
    assert_eq!(lab, "# Labels\n0=\"init\" 1=\"sink\"\n0: 0\n6: 1\n");
    assert!(tra.contains("\n7 11 16\n"), "{tra}");
    let (tra, lab, map) = run(&["--keep", "four"]);
    // State 5 has no choice that stays among the states without the label, so that no part of the
    // end component is one.
    assert_eq!(map, [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(
        lab,
        "# Labels\n0=\"init\" 1=\"four\" 2=\"sink\"\n0: 0\n4: 1\n8: 2\n"
    );
    insta::assert_snapshot!("labels_and_the_map_go_to_files", tra);
    // A label that is named twice is one label.
    let twice = run(&["--keep", "four", "--keep", "init", "--keep", "four"]);
    assert_eq!(twice, (tra, lab, map));
}

/// A `.umb` has an initial state, so that there is none of a model without states.
#[test]
fn a_quotient_that_cannot_be_written_has_no_map() {
    let folder = tempfile::tempdir().unwrap();
    let model = common::tests().join("../../../fixtures/empty.tra");
    let (out, map) = (folder.path().join("y.umb"), folder.path().join("map"));
    let mut command = common::command();
    command.arg("quotient").arg(&model);
    command.arg("-o").arg(&out).arg("--map").arg(&map);
    assert!(!command.output().unwrap().status.success());
    assert!(!out.exists() && !map.exists());
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
