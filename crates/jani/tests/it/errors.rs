//! The text of every error.

use crate::support::explored;
use std::fmt::Write;

/// A model that is right.
const RIGHT: &str = r#"{
  "jani-version": 1, "name": "m", "type": "mdp",
  "actions": [ {"name": "go"} ],
  "constants": [ {"name": "N", "type": "int", "value": 3} ],
  "variables": [
    {"name": "x", "initial-value": 0,
      "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": "N"}},
    {"name": "t", "type": "bool", "transient": true, "initial-value": false} ],
  "functions": [
    {"name": "f", "type": "int", "parameters": [ {"name": "v", "type": "int"} ], "body": "v"} ],
  "automata": [ { "name": "a",
    "locations": [
      {"name": "l", "transient-values": [ {"ref": "t", "value": true} ]}, {"name": "m"} ],
    "initial-locations": ["l"],
    "edges": [ {"location": "l", "action": "go",
      "guard": {"exp": {"op": "<", "left": "x", "right": "N"}},
      "destinations": [ {"location": "m", "probability": {"exp": 1},
        "assignments": [ {"ref": "x", "value": {"op": "+", "left": "x", "right": 1}} ]} ]} ] } ],
  "system": { "elements": [ {"automaton": "a"} ],
    "syncs": [ {"synchronise": ["go"], "result": "go"} ] }
}"#;

/// The errors of the model with each piece of text replaced by another.
fn errors(changes: &[(&str, &str)]) -> String {
    let mut all = String::new();
    for &(old, new) in changes {
        assert!(RIGHT.contains(old), "{old} stands in the model");
        let text = RIGHT.replacen(old, new, 1);
        let error = match jani::parse(text.as_bytes()) {
            Err(error) => error.to_string() + &notes(&error),
            Ok(model) => match model.compile(&[]) {
                Err(error) => error.to_string() + &notes(&error),
                Ok(_) => explored(text.as_bytes(), &[]).err().unwrap_or_default(),
            },
        };
        assert!(!error.is_empty(), "{new} is wrong");
        let _ = writeln!(all, "{new}\n  {error}");
    }
    all
}

fn notes(error: &jani::Error) -> String {
    let notes = error
        .notes()
        .iter()
        .map(|note| format!("\n  note: {}", note.text));
    notes.collect()
}

#[test]
fn the_model_is_right() {
    let (program, space) = explored(RIGHT.as_bytes(), &[]).expect("right");
    assert_eq!(space.states.len(), 2);
    assert_eq!(program.labels()[0].name(), "t");
}

/// `/` makes real numbers, so that what it divides may be larger than integers are.
#[test]
fn powers_that_are_divided_do_not_overflow() {
    let increment = r#"{"op": "+", "left": "x", "right": 1}"#;
    let power = r#"{"op": "pow", "left": {"op": "+", "left": "x", "right": 2}, "right": 70}"#;
    let value = |exp: &str| {
        let text = RIGHT.replacen(increment, exp, 1);
        explored(text.as_bytes(), &[])
    };
    let whole = value(power)
        .err()
        .expect("2 to the power of 70 needs 71 bits");
    assert!(whole.contains("64-bit"), "{whole}");
    let of_powers = [
        format!(r#"{{"op": "/", "left": {power}, "right": {power}}}"#),
        // A sum and a power of powers.
        format!(
            r#"{{"op": "/", "left": {{"op": "+", "left": {power}, "right": 0}}, "right":
            {{"op": "pow", "left": {power}, "right": 1}}}}"#
        ),
        // The exponent is an integer as before, and so is a power that is not divided.
        format!(
            r#"{{"op": "-", "left": {{"op": "/", "left": {power}, "right": {power}}},
            "right": {{"op": "-", "left": {{"op": "pow", "left": 1, "right": 3}}, "right": 1}}}}"#
        ),
    ];
    for quotient in of_powers {
        let floor = format!(r#"{{"op": "floor", "exp": {quotient}}}"#);
        let (program, space) = value(&floor).expect("no integer overflows");
        let x = &program.variables()[0];
        let values: Vec<i64> = space.states.iter().map(|state| x.get(state)).collect();
        assert_eq!((x.name(), values), ("x", vec![0, 1]), "{quotient}");
    }
}

#[test]
fn json() {
    insta::assert_snapshot!(errors(&[
        ("\"jani-version\": 1,", "\"jani-version\": 1"),
        ("\"jani-version\": 1,", "\"jani-version\": 01,"),
        ("\"name\": \"m\"", "\"name\": \"m"),
        ("\"name\": \"m\"", "\"name\": \"\\q\""),
        ("\"name\": \"m\"", "\"name\": \"\\ud800\""),
        ("\"name\": \"m\"", "name: \"m\""),
        ("} ] }\n}", "} ] }\n} }"),
        ("} ] }\n}", "} ] }"),
        ("\"value\": 3", "\"value\": 99999999999999999999"),
        ("\"value\": 3", "\"value\": 1e999"),
    ]));
}

#[test]
fn members() {
    insta::assert_snapshot!(errors(&[
        ("\"guard\"", "\"gaurd\""),
        ("\"jani-version\": 1", "\"jani-version\": 2"),
        ("\"type\": \"mdp\",", ""),
        (
            "\"type\": \"mdp\",",
            "\"type\": \"mdp\", \"type\": \"mdp\","
        ),
        ("\"type\": \"mdp\"", "\"type\": \"sha\""),
        ("\"type\": \"mdp\"", "\"type\": \"pta\""),
        ("\"type\": \"mdp\"", "\"type\": \"markov\""),
        (
            "\"type\": \"mdp\"",
            "\"type\": \"mdp\", \"features\": [\"arrays\"]"
        ),
        ("[\"l\"]", "[]"),
        ("[\"l\"]", "\"l\""),
        ("[\"go\"]", "[\"go\", null]"),
        ("[\"go\"]", "[null]"),
        ("\"destinations\": [", "\"destinations\": [], \"x-was\": ["),
        (
            "\"action\": \"go\"",
            "\"action\": \"go\", \"rate\": {\"exp\": 1}"
        ),
        (
            "{\"name\": \"m\"}",
            "{\"name\": \"m\", \"time-progress\": {\"exp\": false}}"
        ),
    ]));
}

#[test]
fn names() {
    insta::assert_snapshot!(errors(&[
        ("\"location\": \"m\"", "\"location\": \"n\""),
        ("\"action\": \"go\"", "\"action\": \"goo\""),
        ("\"automaton\": \"a\"", "\"automaton\": \"b\""),
        ("\"left\": \"x\"", "\"left\": \"y\""),
        ("{\"name\": \"m\"}", "{\"name\": \"l\"}"),
        ("\"ref\": \"x\"", "\"ref\": \"N\""),
        ("\"ref\": \"x\"", "\"ref\": \"z\""),
        ("\"ref\": \"t\"", "\"ref\": \"x\""),
        ("\"name\": \"N\"", "\"name\": \"x\""),
        ("\"upper-bound\": \"N\"", "\"upper-bound\": \"x\""),
        ("\"upper-bound\": \"N\"", "\"upper-bound\": \"t\""),
        ("\"op\": \"<\"", "\"op\": \"=<\""),
        ("\"op\": \"<\"", "\"op\": \"<\\n\\u001b[2J\""),
        ("\"location\": \"m\"", "\"location\": \"m\\nn\""),
        ("\"guard\"", "\"gu\\nard\""),
    ]));
}

#[test]
fn expressions() {
    let call = |arguments: &str| {
        format!("\"value\": {{\"op\": \"call\", \"function\": \"f\", \"args\": [{arguments}]}}")
    };
    let two = call("1, 2");
    let value = "\"value\": {\"op\": \"+\", \"left\": \"x\", \"right\": 1}";
    insta::assert_snapshot!(errors(&[
        (value, &two),
        (
            value,
            "\"value\": {\"op\": \"aa\", \"exp\": \"x\", \"index\": 0}"
        ),
        (
            value,
            "\"value\": {\"distribution\": \"Normal\", \"args\": [0, 1]}"
        ),
        (value, "\"value\": {\"op\": \"+\", \"left\": \"x\"}"),
        (value, "\"value\": {\"op\": \"¬\", \"exp\": \"x\"}"),
        (value, "\"value\": {\"constant\": \"c\"}"),
        (value, "\"value\": null"),
        (value, "\"value\": 0.5"),
        (value, "\"value\": 7"),
        (value, "\"value\": 1}, {\"ref\": \"x\", \"value\": 2"),
        (
            "\"body\": \"v\"",
            "\"body\": {\"op\": \"call\", \"function\": \"f\", \"args\": [\"v\"]}"
        ),
        (
            "\"type\": \"bool\", \"transient\": true",
            "\"type\": \"real\", \"x-was\": false"
        ),
        ("\"type\": \"int\", \"value\": 3", "\"type\": \"int\""),
        ("\"exp\": 1}", "\"exp\": 0.5}"),
        ("\"initial-value\": 0", "\"initial-value\": 9"),
    ]));
}

#[test]
fn bytes_that_are_no_text() {
    let message = |bytes: &[u8]| jani::parse(bytes).expect_err("no text").to_string();
    let texts: [&[u8]; 6] = [
        b"{\"a\xFF\": 1}",
        b"\x1F\x8B\x08",
        b"\xFD7zXZ\0",
        b"{\0\n\0",
        b"",
        b"[]",
    ];
    insta::assert_snapshot!(texts.map(message).join("\n"));
}
