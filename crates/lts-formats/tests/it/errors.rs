//! One small wrong input for every kind of error, and the line that is printed for it.

use lts_formats::{Error, ErrorKind, MAX_DEPTH, ReadOptions, read_aut, read_exp};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// The lines of a snapshot, and the kinds of error seen so far.
#[derive(Default)]
struct Report {
    text: String,
    kinds: BTreeSet<String>,
}

impl Report {
    fn add(&mut self, input: &[u8], error: &Error) {
        let shown = input.escape_ascii().to_string();
        let shown = shown.replace("\\n", "⏎").replace("\\\"", "\"");
        let shown: String = shown.chars().take(100).collect();
        self.text.push_str(&format!("{shown}\n    {error}\n"));
        let debug = format!("{:?}", error.kind());
        let name = debug.split(|c: char| !c.is_alphanumeric()).next();
        self.kinds.extend(name.map(str::to_owned));
    }
}

fn aut(report: &mut Report) {
    let inputs: &[&[u8]] = &[
        b"",
        b"\n \n",
        b"\x1f\x8b\x08\0",
        b"mdp\n",
        b"des 0, 1, 1",
        b"des (x, 1, 1)\n",
        b"des (0 1, 1)\n",
        b"des (0, 1)\n",
        b"des (0, 1, 1\n",
        b"des (0, 1, 1) (0, a, 0)\n",
        b"des (1, 0, 1)\n",
        b"des (0, 0, 0)\n",
        b"des (0, 99999999999999999999, 1)\n",
        b"des (0, 1, 4294967296)\n",
        b"des (0, 1, 4000000000)\n(0, a, 1)\n",
        b"des (0, 2, 1)\n(0, a, 0)\n",
        b"des (0, 0, 1)\n(0, a, 0)\n",
        b"des (0, 1, 1)\n0, a, 0)\n",
        b"des (0, 1, 1)\n(a, 0, 0)\n",
        b"des (0, 1, 1)\n(0 a, 0)\n",
        b"des (0, 1, 1)\n(0, a 0)\n",
        b"des (0, 1, 1)\n(0, a, b)\n",
        b"des (0, 1, 1)\n(0, a, 0\n",
        b"des (0, 1, 1)\n(0, a, 0) b\n",
        b"des (0, 1, 1)\n(0, , 0)\n",
        b"des (0, 1, 1)\n(0, \"\", 0)\n",
        b"des (0, 1, 1)\n(0, \"a, 0)\n",
        b"des (0, 1, 1)\n(0, \xff, 0)\n",
        b"des (0, 1, 1)\n(7, a, 0)\n",
        b"des (0, 1, 1)\n(0, a, 7)\n",
        b"des (0, 1, 2)\n(0, a, 0 1/2)\n",
        b"des (0, 1, 2)\n(0, a, 0 1 1)\n",
        b"des (0, 1, 2)\n(0, a, 0 1/0 1)\n",
        b"des (0, 1, 2)\n(0, a, 0 0/3 1)\n",
        b"des (0, 1, 2)\n(0, a, 0 1/2 1 1/2 0)\n",
        b"des (0, 1, 2)\n(0, a, 0 1/2 5)\n",
        b"des (0 3/2 1, 0, 2)\n",
        "\u{feff}des (0, \u{e4}, 2)\n".as_bytes(),
    ];
    for input in inputs {
        let read = |chunk_bytes| {
            let options = ReadOptions {
                chunk_bytes,
                ..ReadOptions::default()
            };
            read_aut(input, &options).expect_err(&input.escape_ascii().to_string())
        };
        assert_eq!(read(1), read(1000));
        report.add(input, &read(1));
    }
    let (input, stop) = (b"des (0, 1, 9)\n(0, a, 1)\n", AtomicBool::new(true));
    let options = ReadOptions {
        interrupt: Some(&stop),
        ..ReadOptions::default()
    };
    report.add(input, &read_aut(input, &options).expect_err("stopped"));
    let options = ReadOptions {
        max_states: 8,
        ..ReadOptions::default()
    };
    report.add(input, &read_aut(input, &options).expect_err("too many"));
}

fn exp(report: &mut Report) {
    let deep = format!(
        "{}x.aut{}",
        "(".repeat(MAX_DEPTH + 1),
        ")".repeat(MAX_DEPTH + 1)
    );
    let inputs: &[&[u8]] = &[
        b"",
        b"(* a comment\n",
        b"\x1f\x8b\x08\0",
        b"a.aut b.aut",
        b"a.aut || b.aut",
        b"a.aut ||| b.aut",
        b"a.aut |[ G ]| b.aut",
        b"a.aut [| G |] b.aut",
        b"seq a.aut end seq",
        b"stop",
        b"cut A in a.aut end cut",
        b"prio A > B in a.aut end prio",
        b"gate cut A in a.aut end cut",
        b"rename A -> B in a.aut end rename",
        b"multiple total rename A -> B in a.aut end rename",
        b"partial hide A in a.aut end hide",
        b"total par a.aut end par",
        b"total a.aut",
        b"in a.aut",
        b"end",
        b"par a.aut || b.aut",
        b"par A in a.aut b.aut end par",
        b"par A, B a.aut end par",
        b"par A#2 in a.aut || b.aut end par",
        b"par A -> a.aut || B -> b.aut end par",
        b"par A in B -> a.aut || b.aut end par",
        b"par using A in a.aut end par",
        b"par using in a.aut end par",
        b"par using A * B in a.aut || b.aut end par",
        b"par using A * B -> in a.aut || b.aut end par",
        b"par A, A * B -> C in a.aut || b.aut end par",
        b"par A * B -> C, A in a.aut || b.aut end par",
        b"par _ in a.aut end par",
        b"par using A * B -> C in\n  a.aut\nend par",
        b"par using _ * _ -> C in a.aut || b.aut end par",
        b"par using i * i -> i in a.aut || b.aut end par",
        b"par tau in a.aut || b.aut end par",
        b"par using i * _ -> C in a.aut || b.aut end par",
        b"total rename i -> A in a.aut end rename",
        b"total rename \"A.*\" -> B in a.aut end rename",
        b"total rename A -> \"\\1\" in a.aut end rename",
        b"hide \"A[0-9]\" in a.aut end hide",
        b"hide A, in a.aut end hide",
        b"hide all A in a.aut end hide",
        b"hide A a.aut end hide",
        b"hide A in a.aut end par",
        b"hide \"A in a.aut\nend hide\"",
        b"hide \"\" in a.aut end hide",
        b"\"\xff\"",
        b"(a.aut",
        b"+",
        b"des (0, 1, 2)",
        b"des (0, 1, 4000000000) (0, a, 1)",
        b"des (0, 1, 2) (0, a, 2)",
        b"des (0, 1, 2) (0, , 1)",
        b"des (0, 1, 2) (0, ",
        b"des (0, 1, 2) (0",
        b"des (0, 1, 2) (0, a, 0 1/2 1)",
        b"des (0 1/2 1, 0, 2)",
        deep.as_bytes(),
    ];
    for input in inputs {
        let error = read_exp(input).expect_err(&input.escape_ascii().to_string());
        report.add(input, &error);
    }
}

#[test]
fn every_kind_of_error_has_its_words() {
    let mut report = Report::default();
    report.text.push_str("== .aut\n");
    aut(&mut report);
    report.text.push_str("\n== .exp\n");
    exp(&mut report);
    insta::assert_snapshot!("wording", report.text);
    let kinds: Vec<_> = report.kinds.into_iter().collect();
    insta::assert_snapshot!("kinds", kinds.join(" "));
}

#[test]
fn an_error_is_data() {
    let error = read_exp(b"hide A in\n  prio B in x end prio\nend hide").expect_err("no prio");
    let operator = "prio".to_owned();
    assert_eq!(error.kind(), &ErrorKind::UnsupportedOperator { operator });
    let position = error.position().expect("a place");
    assert_eq!((position.line, position.column, position.length), (2, 3, 4));
}
