//! One small wrong input for every kind of error, and the line that is printed for it.

use lts_formats::{Error, ErrorKind, MAX_DEPTH, ReadOptions, read_aut, read_exp};
use std::sync::atomic::AtomicBool;
use test_models::{Wording, escaped};

/// The beginning of an input.
fn shown(input: &[u8]) -> String {
    escaped(input).chars().take(100).collect()
}

fn aut(wording: &mut Wording<Error>) {
    let digits = 11_000;
    let (nines, zeros) = ("9".repeat(digits), "0".repeat(digits));
    let long = format!("des (0, 1, 2)\n(0, a, 0 {nines}/1{zeros} 1)\n");
    let inputs: &[&[u8]] = &[
        b"",
        b"\n \n",
        b"\x1f\x8b\x08\0",
        b"BZh91AY&SY",
        b"\xff\xfed\0",
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
        long.as_bytes(),
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
        wording.add(&shown(input), &read(1));
    }
    let (input, stop) = (b"des (0, 1, 9)\n(0, a, 1)\n", AtomicBool::new(true));
    let options = ReadOptions {
        interrupt: Some(&stop),
        ..ReadOptions::default()
    };
    wording.add(
        &shown(input),
        &read_aut(input, &options).expect_err("stopped"),
    );
    let options = ReadOptions {
        max_states: 8,
        ..ReadOptions::default()
    };
    wording.add(
        &shown(input),
        &read_aut(input, &options).expect_err("too many"),
    );
    let kind = ErrorKind::OutOfMemory { bytes: 1 << 40 };
    wording.add("a very large file", &Error::placeless(kind));
}

fn exp(wording: &mut Wording<Error>) {
    let deep = format!(
        "{}x.aut{}",
        "(".repeat(MAX_DEPTH + 1),
        ")".repeat(MAX_DEPTH + 1)
    );
    let inputs: &[&[u8]] = &[
        b"",
        b"(* a comment\n",
        b"\x1f\x8b\x08\0",
        b"PK\x03\x04",
        b"\xff\xfed\0",
        b"a.aut b.aut",
        b" \"\0\0\0\0\"",
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
        b"label hide A in a.aut end hide",
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
        b"par in \"x.aut\" end par",
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
        b"hide \"A in a.aut\r\nend hide\"",
        b"\"a.aut",
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
        wording.add(&shown(input), &error);
    }
}

#[test]
fn every_kind_of_error_has_its_words() {
    let wording = Wording::collect(
        |error| format!("{:?}", error.kind()),
        &[(".aut", aut), (".exp", exp)],
    );
    insta::assert_snapshot!("wording", wording.text());
    insta::assert_snapshot!("kinds", wording.kinds());
}

#[test]
fn an_error_is_data() {
    let error = read_exp(b"hide A in\n  prio B in x end prio\nend hide").expect_err("no prio");
    let operator = "prio".to_owned();
    assert_eq!(error.kind(), &ErrorKind::UnsupportedOperator { operator });
    let position = error.position().expect("a place");
    assert_eq!((position.line, position.column, position.length), (2, 3, 4));
}
