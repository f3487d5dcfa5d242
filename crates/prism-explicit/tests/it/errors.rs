//! Tests the message of every kind of error, each with one small wrong input.
//!
//! The inputs are shown escaped. Each is read in the smallest chunks and in one piece, and both
//! must give the same error.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use prism_explicit::{
    Error, ModelType, ReadOptions, Refused, RewardedTransition, read_labels, read_state_rewards,
    read_states, read_transition_rewards, visit_in_order, visit_transitions,
};
use test_models::{Wording, escaped};

/// The first bytes of archives, a text in UTF-16, and one whose lines end in carriage returns.
const NO_TEXT: [&[u8]; 4] = [
    b"\x1f\x8b\x08\0",
    b"\xfd7zXZ\0",
    b"\xff\xfe1\0",
    b"# a\r1 1\r0 0 1\r",
];

fn transitions_error(input: &[u8], options: ReadOptions<'_>) -> Error {
    let tiny = ReadOptions {
        chunk_bytes: 1,
        ..options
    };
    let in_chunks = visit_transitions(input, &tiny, |_, _| ());
    let in_order = visit_in_order(input, &options, &mut ());
    let shown = input.escape_ascii();
    let error = in_order
        .err()
        .unwrap_or_else(|| panic!("no error in {shown}"));
    assert_eq!(in_chunks.err().as_ref(), Some(&error), "{shown}");
    error
}

fn transitions(wording: &mut Wording<Error>) {
    let inputs: &[&str] = &[
        // These errors are in the first lines.
        "",
        "# nothing but a comment\n",
        "# States\n(x)\n0:(1)\n",
        "# Labels\n0=\"init\"\n0: 0\n",
        "# Reward structure \"steps\"\n# State rewards\n1 1\n0 1\n",
        "# Transition rewards\n1 1 1\n0 0 0 1\n",
        "# Observations\n(x)\n0:(1)\n",
        "(x)\n0:(1)\n",
        "0=\"init\" 1=\"deadlock\"\n0: 0\n",
        "@type: MDP\n",
        "# Transitions (POMDP)\n1 1 1 1\n",
        "# Transitions (IPOMDP)\n1 1 1 1\n0 0 0 [1,1] 0\n",
        "# Transitions (MA)\n1 1 1\n0 0 0 1\n",
        "# Transitions (DTMC)\n2 2\n0 1 1\n1 1 1\n\n# States\n(x)\n0:(0)\n1:(1)\n",
        "2 2 2\n0 0 1 1\n1 0 1 1\n\n# Labels\n0=\"init\"\n0: 0\n",
        "1 1\n# Reward structure \"r\"\n",
        "MA\n0 !\n* 0 1\n",
        "# Transitions (DTMC)\n1 1 1\n0 0 0 1\n",
        "# Transitions (MDP)\n1 1\n0 0 1\n",
        "3\n0 0 1\n",
        "graph {\n",
        "Variables: (x)\n",
        "mdp 3\n",
        "# Transitions (MDP)\n1 1 1 1\n0 0 0 1 0\n",
        "# Transitions (POMDP)\n1 1 1\n0 0 0 1\n",
        "1 1 1 99999999999\n0 0 0 1 0\n",
        "1 1 1 1\n0 0 0 1\n",
        "1 1 1 1\n0 0 0 1 go\n",
        "1 1 1 1\n0 0 0 1 1\n",
        "1 1 1 1\n- - 0 -\n0 0 0 1 0\n",
        "1 1 1 1\n- - 0 - 3\n0 0 0 1 0\n",
        "2 2 2 2\n- - 1 - 1\n0 0 1 1 0\n1 0 1 1 1\n",
        "2 1 1 1\n0 0 0 1 0\n",
        "1 2 3 4 5\n",
        "2 x 1\n",
        "-1 1 1\n",
        "1 1 1 ; counts\n",
        "ma\n0 !\n* 0 1\n",
        "lts\n0 0 0\n",
        "hello\n",
        "mdp dtmc\n",
        "1000000000 1 1\n0 0 0 1\n",
        "99999999999 1 1\n0 0 0 1\n",
        "1 1 99999999999999999999\n",
        "2 1 1\n- - 2 -\n0 0 0 1\n",
        "2 1 1\n- - 1\n0 0 0 1\n",
        // These errors are in the fields of a line.
        "1 1 1\n0 0 0\n0 0\n",
        "2 1 1\n0 0 x 1\n",
        "2 1 1\n0 0 1.5 1\n",
        "2 1 1\n0 4294967296 1 1\n",
        "2 1 1\n0 0",
        "2 1 1\n0 0 1 0.5 a b\n",
        "2 1 1\n0 0 1 1 two-words\n",
        "2 1 1\n0 0 1 1 \u{e4}\u{f6}\n",
        "# Transitions (MDP)\n2 1 1\n0 0 1 half\n",
        "2 1 1\n0 0 1 1/x\n",
        "2 1 1\n0 0 1 1e\n",
        "2 2 2\n0 0 1 go\n1 0 0 0.5\n",
        "2 1 1\n0 0 1 NaN\n",
        "2 1 1\n0 0 1 0/0\n",
        "2 1 1\n0 0 1 -0.5\n",
        "2 1 1\n0 0 1 -1/2\n",
        "2 1 1\n0 0 1 inf\n",
        "2 1 1\n0 0 1 1e999\n",
        "2 1 1\n0 0 1 1/0\n",
        // These errors are in intervals.
        "# Transitions (MDP)\n2 1 1\n0 0 1 [0.5,1]\n",
        "1 1 1 1\n- - 0 - 0\n0 0 0 [0.5,1] 0\n",
        "mdp\n0 0 1 [0.5,1]\n",
        "2 7 7\n0 0 1 1\n0 1 1 1\n0 2 1 1\n0 3 1 1\n0 4 1 1\n0 5 1 1\n1 0 1 [0.5,1]\n",
        "2 1 1\n0 0 1 [0.5,1\n",
        "2 1 1\n0 0 1 [0.5,1] a b\n",
        "2 1 1\n0 0 1 [0.5, 1]x\n",
        "2 1 1\n0 0 1 [0.5;1]\n",
        "2 1 1\n0 0 1 []\n",
        "2 1 1\n0 0 1 [,1]\n",
        "2 1 1\n0 0 1 [0.5,0.6,1]\n",
        "2 1 1\n0 0 1 [-0.5,1]\n",
        "2 1 1\n0 0 1 [0.5,NaN]\n",
        "2 1 1\n0 0 1 [0,inf]\n",
        "2 1 1\n0 0 1 [0.9,\t0.5] go\n",
        "2 1\n0 1 [0.9,0.5]\n",
        "2 1 2\n0 0 0 [0.6,0.7]\n0 0 1 [0.6,0.7]\n",
        "2 1 2\n0 0 0 [0,0.4]\n0 0 1 [0.1,0.5]\n",
        "2 1 2\n0 0 0 [0,0]\n0 0 1 [0,0]\n",
        "2 1 2\n0 0 1 [0,1]\n0 0 1 [0,1]\n",
        "idtmc\n0 0 1\n",
        "# Transitions (LTS)\n2 1 1\n0 0 1 0.5\n",
        "# Transitions (DTMC)\n2 1\n0 1 1 0.5\n",
        "2 1 1\n0 0 1 a_word_that_is_much_longer_than_what_is_quoted_in_an_error_message!\n",
        // Here, lines contradict each other or the header.
        "2 1 1\n2 0 0 1\n",
        "2 1 1\n0 0 2 1\n",
        "0 0 0\n0 0 0 1\n",
        "2 2 2\n1 0 0 1\n0 0 0 1\n",
        "2 2 2\n0 1 0 1\n0 0 0 1\n",
        "2 2 2\n0 0 0 1\n0 2 0 1\n",
        "2 3 3\n0 0 0 1\n0 1 0 1\n0 0 1 1\n",
        "2 2 2\n0 0 0 1\n1 1 0 1\n",
        "2 1 2\n0 0 1 0.5\n0 0 1 0.5\n",
        "2 1 2\n0 0 1 0.5\n# again:\n0 0 1 0\n",
        "2 2\n0 1 0.5\n0 1 0.5\n",
        "# Transitions (CTMC)\n2 2\n0 1 0.5 a\n0 1 0.5 a\n",
        "2 1 2\n0 0 0\n0 0 1\n",
        "2 1 2\n0 0 0 0.5 left\n0 0 1 0.5 right\n",
        "2 1 2\n0 0 0 0.5 left\n0 0 1 0.5\n",
        "2 1 2\n0 0 0 0.5\n0 0 1 0.5 right\n",
        "2 1 2\n0 0 0 0.5\n  0 0 1 0.4\n",
        "# Transitions (DTMC)\n2 2\n0 0 0.5\n1 0 1\n",
        "2 1 1\n0 0 0 0\n",
        "# Transitions (DTMC)\n1 1\n0 0 0\n",
        "dtmc\n0 0 0\n",
        "2 2 1\n0 0 0 1\n",
        "2 1 2\n0 0 0 1\n",
        "2 2\n0 0 1\n",
        "2 1\n0 0 1\n1 0 1\n",
        // The earliest error in the file is reported, whichever is noticed first.
        "2 2 2\n0 0 0 0.9\n1 x 0 1\n",
        "2 2 2\n0 0 0 0.9\n0 x 0 1\n",
        "2 1 3\n0 0 0 0.5\n0 0 0 0.5\n0 0 x 1\n",
        "2 1 1\n0 0 0 0.9\n# States\n",
        // These errors are in Storm's dialect.
        "mdp\n0 0 x 0.5\n",
        "mdp\n0 0 4000000000 1\n",
        "mdp\n1 0 0 1\n0 0 0 1\n",
        "dtmc\n0 0 0.5\n",
    ];
    for input in inputs.iter().map(|input| input.as_bytes()).chain(NO_TEXT) {
        wording.add(
            &escaped(input),
            &transitions_error(input, ReadOptions::default()),
        );
    }
}

fn options(wording: &mut Wording<Error>) {
    let asked = |model_type| ReadOptions {
        model_type: Some(model_type),
        ..ReadOptions::default()
    };
    let stop = AtomicBool::new(true);
    let cases: [(&[u8], ReadOptions<'_>); 10] = [
        (b"2 1\n0 0 1\n", asked(ModelType::Mdp)),
        (b"2 1 1\n0 0 0 1\n", asked(ModelType::Ctmc)),
        (b"mdp\n0 0 0 1\n", asked(ModelType::Dtmc)),
        (b"dtmc\n0 0 1\n", asked(ModelType::Lts)),
        (b"2 1\n0 0 1\n", asked(ModelType::Imdp)),
        (b"2 1 1\n0 0 1 [0,1]\n", asked(ModelType::Mdp)),
        (b"mdp\n0 0 0 1\n", asked(ModelType::Imdp)),
        (b"2 1 1\n0 0 1 0.9\n", asked(ModelType::Imdp)),
        (
            b"11 1 1\n0 0 0 1\n",
            ReadOptions {
                max_states: 10,
                ..ReadOptions::default()
            },
        ),
        (
            b"1 1\n0 0 1\n",
            ReadOptions {
                interrupt: Some(&stop),
                ..ReadOptions::default()
            },
        ),
    ];
    for (input, options) in cases {
        wording.add(&escaped(input), &transitions_error(input, options));
    }
    let kind = prism_explicit::ErrorKind::OutOfMemory { bytes: 1 << 40 };
    wording.add("a very large file", &Error::placeless(kind));
}

fn states(wording: &mut Wording<Error>) {
    let inputs = [
        "",
        "# Transitions (MDP)\n1 1 1\n",
        "0=\"init\"\n0: 0\n",
        "x,y\n",
        "(x,)\n",
        "(x,x)\n",
        "(x\n",
        "(x)\n0:(1\n",
        "(x)\n0 (1)\n1:(1)\n",
        "(x)\n0:(1.5)\n1:(1)\n",
        "(x)\n0:(1) 2\n1:(1)\n",
        "(x)\n0:(99999999999999999999)\n1:(1)\n",
        "(x)\n0:(1)\n1:(true)\n",
        "(x,y)\n0:(1)\n1:(1,1)\n",
        "(x)\n0:(1)\n0:(1)\n",
        "(x)\n0:(1)\n",
        "(x)\n0:(1)\n1:(1)\n2:(1)\n",
    ];
    for input in inputs.iter().map(|input| input.as_bytes()).chain(NO_TEXT) {
        let error = read_states(input, Some(2), &ReadOptions::default());
        wording.add(&escaped(input), &error.expect_err("the file is wrong"));
    }
}

fn labels(wording: &mut Wording<Error>) {
    let inputs = [
        "",
        "# States\n(x)\n",
        "(x)\n0:(1)\n",
        "init deadlock\n0: 0\n",
        "0=\"init\n0: 0\n",
        "0=\"init\" 2=\"goal\"\n0: 0\n",
        "0=\"init\" 1=\"init\"\n0: 0\n",
        "0=\"init\"\n0 0\n",
        "0=\"init\"\n0: 1\n",
        "0=\"init\"\n0: 0 0\n",
        "0=\"init\"\n0: x\n",
        "0=\"init\"\n2: 0\n",
        "0=\"init\"\n1: 0\n0: 0\n",
        "#DECLARATION\ninit\n0 init\n",
        "#DECLARATION\ninit goal\n0 init\n#END\n",
        "#DECLARATION\ninit init\n#END\n",
        "#DECLARATION\ninit\n#END\n0 goal\n",
        "#DECLARATION\ninit\n#END\n0: init\n",
    ];
    for input in inputs.iter().map(|input| input.as_bytes()).chain(NO_TEXT) {
        let error = read_labels(input, Some(2), &ReadOptions::default());
        wording.add(&escaped(input), &error.expect_err("the file is wrong"));
    }
}

fn state_rewards(wording: &mut Wording<Error>) {
    let inputs = [
        "",
        "# States\n(x)\n",
        "# Transition rewards\n2 1\n0 1\n",
        "2\n0 1\n",
        "3 1\n0 1\n",
        "1 1\n0 1\n",
        "2 1\n0 1\n1 1\n",
        "2 2\n0 1\n",
        "0 1\n1 2\n",
        "1 2.5\n",
        "2 1\n2 1\n",
        "2 2\n1 1\n0 1\n",
        "2 2\n1 1\n1 1\n",
        "2 1\n0\n",
        "2 1\n0 x\n",
        "2 1\n0 NaN\n",
        "2 1\n0 -1e999\n",
        "2 1\n0 1/0\n",
        "2 1\n0 1/99999999999999999999\n",
        "2 1\n0 1 2\n",
    ];
    for input in inputs.iter().map(|input| input.as_bytes()).chain(NO_TEXT) {
        let error = read_state_rewards(input, 2, &ReadOptions::default(), |_, _| ());
        wording.add(&escaped(input), &error.expect_err("the file is wrong"));
    }
}

fn transition_rewards(wording: &mut Wording<Error>) {
    let inputs = [
        "# State rewards\n2 1\n0 1\n",
        "2 1\n0 0 1 1\n",
        "0 0 1 1\n1 0 1 2\n",
        "2 2 1\n0 1 1\n",
        "2 2 1\n0 0 2 1\n",
        "2 2 1\n0 1 1 5\n",
        "2 2 2\n0 0 1 5\n0 0 1 5\n",
        "2 1 1\n0 0 1 5\n",
        "2 4000000000 1\n0 0 1 5\n",
    ];
    for input in inputs.iter().map(|input| input.as_bytes()) {
        let mut seen = BTreeSet::new();
        let each = |of: RewardedTransition, _| match (of.choice, seen.insert(of.target)) {
            (0, true) => Ok(()),
            (0, false) => Err(Refused::Twice),
            _ => Err(Refused::Unknown),
        };
        let error = read_transition_rewards(input, 2, Some(2..=3), &ReadOptions::default(), each);
        wording.add(&escaped(input), &error.expect_err("the file is wrong"));
    }
}

/// The message would otherwise be about a header, which Storm's files do not have.
#[test]
fn rewards_files_of_storm_are_recognised() {
    let options = ReadOptions::default();
    let of_states = |text: &str| read_state_rewards(text.as_bytes(), 2, &options, |_, _| ()).err();
    let of_transitions = |text: &str, choices| {
        let each = |_, _| Ok(());
        read_transition_rewards(text.as_bytes(), 2, choices, &options, each).err()
    };
    let cases = [
        (of_states("0 1\n1 2\n"), true),
        (of_states("1 2.5\n"), true),
        (of_states("3 1\n0 1\n"), false),
        (of_states("x 1\n"), false),
        (of_transitions("0 1 2.5\n", None), true),
        (of_transitions("0 0 1 2.5\n", Some(2..=2)), true),
        (of_transitions("2 2 1\n", None), true),
        (of_transitions("2 1\n0 0 1 1\n", Some(2..=2)), false),
    ];
    for (number, (error, is_of_storm)) in cases.into_iter().enumerate() {
        let error = error.expect("the file is wrong");
        let is_noted = error.notes().iter().any(|note| note.text.contains("Storm"));
        assert_eq!(is_noted, is_of_storm, "{number}: {error}");
    }
}

/// The lines are from PRISM's export of a chain, of an MDP, and of rewards.
#[test]
fn rows_of_several_branches_are_recognised() {
    let of_model = |text: &str| transitions_error(text.as_bytes(), ReadOptions::default());
    let of_rewards = |text: &str| {
        let each = |_, _| Ok(());
        let options = ReadOptions::default();
        let read = read_transition_rewards(text.as_bytes(), 2, None, &options, each);
        read.expect_err("the file is wrong")
    };
    let cases = [
        (of_model("2 3\n0 0.5:0 0.5:1\n1 1:1\n"), true),
        (of_model("2 3\n0 10:0 2.5e-05:1\n"), true),
        (of_model("2 2 3\n0 0.5:0 0.5:1 go\n"), true),
        (of_model("2 2 3\n1 1:1\n"), true),
        (of_rewards("2 2\n0 1:0 1:1\n"), true),
        (of_model("2 3\n0: 0.5:0\n"), false),
        (of_model("2 3\n0 :1\n"), false),
        (of_model("2 3\n0 x:1\n"), false),
        (of_model("2 3\n0 1:\n"), false),
        (of_model("2 3\n0 1:(1)\n"), false),
        (of_model("2 3\n0 1\n"), false),
    ];
    for (number, (error, is_row)) in cases.into_iter().enumerate() {
        let notes: Vec<&str> = error.notes().iter().map(|note| &*note.text).collect();
        let is_noted = notes.iter().any(|note| note.contains("`-exportrows`"));
        assert_eq!(is_noted, is_row, "{number}: {error}");
    }
}

#[test]
fn every_error_is_worded() {
    let wording = Wording::collect(
        |error| format!("{:?}", error.kind()),
        &[
            (".tra", transitions),
            (".tra, with options", options),
            (".sta, of two states", states),
            (".lab, of two states", labels),
            (".srew, of two states", state_rewards),
            (
                ".trew, of two states with one choice each",
                transition_rewards,
            ),
        ],
    );
    insta::assert_snapshot!("wording", wording.text());
    insta::assert_snapshot!("kinds", wording.kinds());
}
