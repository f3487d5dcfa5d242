//! One small wrong input for every kind of error, and the line that is printed for it.

use drn::{Error, ErrorKind, ReadOptions, read};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// The lines of a snapshot, and the kinds of error seen so far.
#[derive(Default)]
struct Report {
    text: String,
    kinds: BTreeSet<String>,
}

impl Report {
    /// Adds the error of a text, of which only the lines from `from` on are shown.
    fn add(&mut self, input: &[u8], from: usize, error: &Error) {
        let shown = input[from..].escape_ascii().to_string();
        let shown = shown
            .replace("\\n", "⏎")
            .replace("\\t", "→")
            .replace("\\\"", "\"");
        let shown: String = shown.chars().take(100).collect();
        self.text.push_str(&format!("{shown}\n    {error}\n"));
        for note in error.notes() {
            self.text.push_str(&format!("    note: {}\n", note.text));
        }
        let debug = format!("{:?}", error.kind());
        let name = debug.split(|c: char| !c.is_alphanumeric()).next();
        self.kinds.extend(name.map(str::to_owned));
    }
}

/// Reads what is wrong, in chunks of any size.
fn wrong(input: &[u8]) -> Error {
    let read = |chunk_bytes| {
        let options = ReadOptions {
            chunk_bytes,
            ..ReadOptions::default()
        };
        read(input, &options).expect_err(&input.escape_ascii().to_string())
    };
    assert_eq!(read(1), read(1000));
    read(1)
}

const HEADERS: &[&[u8]] = &[
    b"",
    b"// nothing\n",
    b"\x1f\x8b\x08\0",
    b"\x28\xb5\x2f\xfd",
    b"\xff\xfe/\0",
    b"\0/\0/",
    b"mdp\n0 0 0 1\n",
    b"@typ: MDP\n",
    b"// a model\r@type: MDP\r",
    b"@type MDP\n",
    b"@type: mdp\n",
    b"@type: LTS\n",
    b"@type: SMG\n",
    b"@type: MDP\n@type: MDP\n",
    b"@value_type: parametric\n",
    b"@value_type: double-interval\n@type: CTMC\n@nr_states\n1\n@model\nstate 0 !0\n",
    b"@type: POMDP\n@value_type: rational-interval\n@nr_states\n1\n@model\nstate 0 {0}\n",
    b"@value_type: integer\n",
    b"@parameters\np q\n",
    b"@parameters: p\n",
    b"@placeholders\n$p 0.5\n",
    b"@placeholders\n$p : x*y\n",
    b"@placeholders\n$p : [0, 1\n",
    b"@placeholders\n$p : [1, 0]\n",
    b"@placeholders\n$p : 1\n$p : 2\n",
    b"@reward_models\n\xff\n",
    b"@nr_states\n",
    b"@type: MDP\n@nr_states\n1\n@model",
    b"@type: MDP\n@nr_states\n2\n@model\n",
    b"@type: MDP\n@nr_states\n1\n@nr_choices\n1\n@model\nstate 0\n\taction 0\n\t\t0 : 1\n\taction 1\n\t\t0 : 1\n",
    b"@nr_states\nmany\n",
    b"@nr_states\n99999999999999999999\n",
    b"@nr_states\n1 2\n",
    b"@model\n",
    b"@type: MDP\n@model\n",
    b"@type: MDP\n@nr_states\n3\n@model\nstate 0\nstate 1\n",
    b"@type: MDP\n@nr_states\n5000000000\n@model\nstate 0\n",
];

const MODELS: &[(&str, &[u8])] = &[
    ("MDP", b"what 0\nstate 1\n"),
    ("MDP", b"\taction 0\nstate 0\n"),
    ("MDP", b"0 : 1\nstate 0\n"),
    ("MDP", b"state\nstate 1\n"),
    ("MDP", b"state x\nstate 1\n"),
    ("MDP", b"state 1\nstate 2\n"),
    ("MDP", b"state 0\nstate 2\n"),
    ("MDP", b"state 0\nstate 0\n"),
    ("MDP", b"state 0\nstate 1\nstate 2\n"),
    ("MDP", b"state 0\nword\nstate 1\n"),
    ("MDP", b"state 0 [1]\nstate 1\n"),
    ("MDP", b"state 0 [1, 2, 3]\nstate 1\n"),
    ("MDP", b"state 0 [1, two]\nstate 1\n"),
    ("MDP", b"state 0 [1, 1/0]\nstate 1\n"),
    ("MDP", b"state 0 [1, 2\nstate 1\n"),
    ("MDP", b"state 0 init [1, 2]\nstate 1\n"),
    ("MDP", b"state 0 \"a\nstate 1\n"),
    ("MDP", b"state 0 \"\"\nstate 1\n"),
    ("MDP", b"state 0 \xff\nstate 1\n"),
    ("MDP", b"state 0\n\taction\nstate 1\n"),
    ("MDP", b"state 0\n\taction a b\nstate 1\n"),
    ("MDP", b"state 0\n\taction a\nstate 1\n"),
    ("MDP", b"state 0\n\taction a\n\t\t0 : 0\nstate 1\n"),
    (
        "MDP",
        b"state 0\n\taction a\n\t\t0 : 0.4\n\t\t1 : 0.5\nstate 1\n",
    ),
    ("MDP", b"state 0\n\taction a\n\t\t2 : 1\nstate 1\n"),
    (
        "MDP",
        b"state 0\n\taction a\n\t\t99999999999 : 1\nstate 1\n",
    ),
    ("MDP", b"state 0\n\taction a\n\t\t0 0.5\nstate 1\n"),
    ("MDP", b"state 0\n\taction a\n\t\t0 :\nstate 1\n"),
    ("MDP", b"state 0\n\taction a\n\t\t0 : 1 2\nstate 1\n"),
    ("MDP", b"state 0\n\taction a\n\t\t0 : [0.5, 1]\nstate 1\n"),
    ("MDP", b"state 0\n\taction a\n\t\t0 : -1\nstate 1\n"),
    ("MDP", b"state 0\n\taction a\n\t\t0 : inf\nstate 1\n"),
    ("MDP", b"state 0\n\taction a\n\t\t0 : nan\nstate 1\n"),
    ("MDP", b"state 0\n\taction a\n\t\t0 : $p\nstate 1\n"),
    ("MDP", b"state 0\n\taction a\n\t\t0 : p+q\nstate 1\n"),
    (
        "DTMC",
        b"state 0\n\taction a\n\t\t0 : 1\n\taction b\n\t\t0 : 1\nstate 1\n",
    ),
    ("CTMC", b"state 0\nstate 1\n"),
    ("CTMC", b"state 0 !2\n\taction 0\n\t\t0 : 3\nstate 1 !0\n"),
    ("CTMC", b"state 0 !-2\nstate 1 !0\n"),
    ("Markov Automaton", b"state 0 init\nstate 1\n"),
    ("POMDP", b"state 0\nstate 1\n"),
    ("POMDP", b"state 0 {x}\nstate 1\n"),
    ("POMDP", b"state 0 {1\nstate 1\n"),
    ("POMDP", b"state 0 {5000000000}\nstate 1\n"),
];

const INTERVALS: &[&[u8]] = &[
    b"0 : [0.5, 1\n",
    b"0 : [0.5; 1]\n",
    b"0 : [0.5, 1] 2\n",
    b"0 : (0, 1]\n",
    b"0 : [0.5, 0.25]\n",
    b"0 : [-1, 1]\n",
    b"0 : $r\n",
    b"0 : [0, 0]\n",
    b"0 : [0.6, 1]\n\t\t1 : 0.5\n",
    b"0 : [0, 0.5]\n\t\t1 : [0.25, 0.25]\n",
];

#[test]
fn every_kind_of_error_has_its_words() {
    let mut report = Report::default();
    for input in HEADERS {
        report.add(input, 0, &wrong(input));
    }
    report
        .text
        .push_str("\n== below a header for two states and two reward models\n");
    for (model_type, model) in MODELS {
        let header = format!("@type: {model_type}\n@reward_models\na b \n@nr_states\n2\n@model\n");
        let input = [header.as_bytes(), model].concat();
        report.text.push_str(&format!("{model_type}: "));
        report.add(&input, header.len(), &wrong(&input));
    }
    report
        .text
        .push_str("\n== branches of an interval model of two states\n");
    for branches in INTERVALS {
        let header = "@type: MDP\n@value_type: double-interval\n@placeholders\n$p : [0, 1]\n\
                      @reward_models\na \n@nr_states\n2\n@model\nstate 0\n\taction a\n\t\t";
        let input = [header.as_bytes(), branches, b"state 1\n"].concat();
        report.add(&input, header.len(), &wrong(&input));
    }
    let reward = b"@type: MDP\n@placeholders\n$p : [0, 1]\n@reward_models\na \n@nr_states\n1\n\
                   @model\nstate 0 [$p]\n";
    report.add(reward, 0, &wrong(reward));
    let few =
        b"@type: DTMC\n@nr_states\n1\n@nr_choices\n3\n@model\nstate 0\n\taction 0\n\t\t0 : 1\n";
    report.add(few, 23, &wrong(few));
    let stop = AtomicBool::new(true);
    let stopped = ReadOptions {
        interrupt: Some(&stop),
        ..ReadOptions::default()
    };
    report.add(few, 0, &read(few, &stopped).expect_err("stopped"));
    let none = ReadOptions {
        max_states: 0,
        ..ReadOptions::default()
    };
    report.add(few, 0, &read(few, &none).expect_err("too many"));
    let kind = ErrorKind::OutOfMemory { bytes: 1 << 40 };
    report.add(b"", 0, &Error::placeless(kind));
    insta::assert_snapshot!("wording", report.text);
    let kinds: Vec<_> = report.kinds.into_iter().collect();
    insta::assert_snapshot!("kinds", kinds.join(" "));
}

#[test]
fn an_error_is_data() {
    let error = wrong(b"@type: POMDP\n@nr_states\n1\n@model\nstate 0 x\n");
    assert_eq!(error.kind(), &ErrorKind::Syntax);
    let position = error.position().expect("a place");
    assert_eq!((position.line, position.column, position.length), (5, 9, 1));
}
