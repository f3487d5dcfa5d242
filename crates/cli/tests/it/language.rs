//! Models in PRISM's language that need an option, and what is said without it.

use crate::common::{self, maxend};

/// Probabilities such as 0.333333 do not sum to 1 up to the tolerance.
#[test]
fn any_sum_is_allowed_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let text = b"mdp module m x:[0..2]; [] x=0 -> 0.33333:(x'=1) + 0.66666:(x'=2); endmodule";
    let model = common::file(&folder, "m.prism", text);
    let (model, out) = (model.display(), folder.path().join("m.tra"));
    let refused = maxend(&format!("decompose {model}"));
    assert_eq!(refused.code, Some(1));
    let hint = "= `--allow-any-sum` accepts any sum";
    assert!(refused.stderr.contains(hint), "{}", refused.stderr);
    for command in ["decompose", "info", "explore", "bfs", "decompose --certify"] {
        let outcome = maxend(&format!("{command} {model} --allow-any-sum"));
        assert_eq!(outcome.code, Some(0), "{command}: {}", outcome.stderr);
    }
    let built = maxend(&format!(
        "build {model} -o {} --allow-any-sum",
        out.display()
    ));
    let warning = "the probabilities of 1 choice do not sum to 1";
    assert!(built.stderr.contains(warning), "{}", built.stderr);
}

#[test]
fn too_many_initial_states_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let text = b"mdp module m x:[0..99]; [] x=0 -> true; endmodule init true endinit";
    let model = common::file(&folder, "m.prism", text);
    let outcome = maxend(&format!("info {} --max-states 10", model.display()));
    let message = "there are more than 10 initial states\n";
    assert!(outcome.stderr.contains(message), "{}", outcome.stderr);
}

/// Structures without a name are chosen by their position.
#[test]
fn rewards_without_names_are_chosen_by_position() {
    let folder = tempfile::tempdir().unwrap();
    let text = b"mdp module m x:[0..1]; [] true -> (x'=1-x); endmodule
        rewards x=0:1; endrewards rewards x=0:3; endrewards";
    let model = common::file(&folder, "m.prism", text);
    let model = model.display();
    let outcome = maxend(&format!("long-run {model}"));
    let note = "`--rewards 1` chooses the first of them";
    assert!(outcome.stderr.contains(note), "{}", outcome.stderr);
    let second = maxend(&format!("long-run {model} --rewards 2"));
    assert!(second.stdout.contains("1.5"), "{}", second.stdout);
}

/// In an archive, the name is an empty text.
#[test]
fn rewards_without_a_name_have_one_in_answers() {
    let folder = tempfile::tempdir().unwrap();
    let text = b"mdp module m x:[0..1]; [] true -> (x'=1-x); endmodule rewards x=0:1; endrewards";
    let model = common::file(&folder, "m.prism", text);
    let archive = folder.path().join("m.umb");
    maxend(&format!(
        "build {} -o {}",
        model.display(),
        archive.display()
    ))
    .result();
    for file in [model, archive] {
        let answer = maxend(&format!("long-run {}", file.display())).result();
        let line = answer.lines().find(|line| line.starts_with("rewards"));
        assert_eq!(line.unwrap().split_whitespace().nth(1), Some("rewards"));
    }
}
