//! Files as other tools write them, and what is read of them.

use lts_formats::{
    Behaviour, Lts, Matching, ReadOptions, Synchronisation, TransitionRef, read_aut, read_exp,
};

fn aut(text: &str) -> Lts {
    read_aut(text.as_bytes(), &ReadOptions::default()).expect(text)
}

fn labels(lts: &Lts) -> Vec<&str> {
    lts.transitions().map(TransitionRef::label).collect()
}

#[test]
fn labels_hold_commas_parentheses_and_blanks() {
    let lts = aut("des (1, 7, 3)\r\n\
        (0, \"lock(p2, f2)\", 1)\r\n\
        (0,send(1,2),1)\r\n\
        \r\n\
        ( 1 , i , 2 )\r\n\
        (1,\"tau\",0)\n\
        (2,\"a \"quoted\" b\",0)\n\
        \t(2, \" x \", 0)\t\n\
        (2, PUT !1 !\"x\", 0)");
    let expected = [
        "lock(p2, f2)",
        "send(1,2)",
        "i",
        "tau",
        "a \"quoted\" b",
        " x ",
        "PUT !1 !\"x\"",
    ];
    assert_eq!(labels(&lts), expected);
    assert_eq!((lts.initial(), lts.num_internal()), (&[(1, 1.0)][..], 2));
    assert!(!lts.is_probabilistic());
}

#[test]
fn transitions_come_in_any_order_and_stay_in_order_within_a_state() {
    let lts = aut("des (0, 4, 3)\n(2, c, 0)\n(0, b, 1)\n(2, a, 0)\n(0, a, 1)\n");
    let order: Vec<_> = lts.transitions().map(|t| (t.source(), t.label())).collect();
    assert_eq!(order, [(0, "b"), (0, "a"), (2, "c"), (2, "a")]);
    assert_eq!(lts.transitions_of(1).len(), 0);
}

#[test]
fn the_probabilistic_form_has_distributions() {
    let lts = aut("des(0 1/3 1, 3, 2)\n(0,\"a\",0 1/2 1)\n(1,\"b\",1)\n(1,\"c\",0 1/4 1 1/4 0)\n");
    assert!(lts.is_probabilistic());
    assert_eq!(lts.initial(), [(0, 1.0 / 3.0), (1, 2.0 / 3.0)]);
    let branches: Vec<_> = lts
        .transitions()
        .map(|t| (t.targets().to_vec(), t.probabilities().to_vec()))
        .collect();
    let expected = [
        (vec![0, 1], vec![0.5, 0.5]),
        (vec![1], vec![1.0]),
        (vec![0, 1, 0], vec![0.25, 0.25, 0.5]),
    ];
    assert_eq!(branches, expected);
}

#[test]
fn chunks_change_nothing() {
    let text = "des (0, 4, 3)\n(0, a, 1)\n(1, b, 2)\n\n(1, a, 0 1/2 2)\n(0, a, 0)\n";
    for chunk_bytes in 1..text.len() {
        let options = ReadOptions {
            chunk_bytes,
            ..ReadOptions::default()
        };
        assert_eq!(read_aut(text.as_bytes(), &options), Ok(aut(text)));
    }
}

#[test]
fn behaviours_nest() {
    let text = r#"
        (* a comment, with (* in it *)
        total rename "SEND" -> i, "a\.b" -> "a b" in -- and another
          hide all but PUT, GET in
            par using "PUT" * _ * _ -> PUT, "a" * b * "_" -> "c !1"
            in "x.aut" || (par A in y.aut || z.aut end par)
               || des (0, 2, 2) (0, "a", 1)
                                (1, f(1,2), 0)
            end par
          end hide
        end rename
    "#;
    let behaviour = read_exp(text.as_bytes()).expect("a behaviour");
    let Behaviour::Rename(rename) = &behaviour else {
        panic!("{behaviour:?}")
    };
    assert_eq!(rename.rules[1], ("a.b".to_owned(), "a b".to_owned()));
    let Behaviour::Hide(hide) = &*rename.behaviour else {
        panic!("{behaviour:?}")
    };
    assert_eq!((hide.matching, hide.all_but), (Matching::Gate, true));
    let Behaviour::Parallel(outer) = &*hide.behaviour else {
        panic!("{behaviour:?}")
    };
    let Synchronisation::Vectors(vectors) = &outer.synchronisation else {
        panic!("{outer:?}")
    };
    let parts: Vec<_> = vectors[1].parts.iter().map(Option::as_deref).collect();
    assert_eq!(parts, [Some("a"), Some("b"), Some("_")]);
    assert_eq!(
        (vectors[1].position.line, vectors[1].position.column),
        (5, 45)
    );
    let Behaviour::Lts(lts) = &outer.branches[2] else {
        panic!("{outer:?}")
    };
    assert_eq!(labels(lts), ["a", "f(1,2)"]);
    let mut written = Vec::new();
    behaviour
        .write_exp(&mut written)
        .expect("written to memory");
    insta::assert_snapshot!(String::from_utf8(written).expect("text"));
}
