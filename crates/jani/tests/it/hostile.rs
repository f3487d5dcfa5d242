//! Hostile texts: nothing panics, and nothing takes memory or time out of proportion.

use crate::support::models;
use proptest::prelude::*;

/// Reads and compiles a text, and ignores the result.
fn try_all(text: &[u8]) {
    match jani::parse(text) {
        Ok(model) => drop(model.compile(&[("N", "2")])),
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
    }
}

#[test]
fn nesting_has_no_limit() {
    let deep = |open: &str, inner: &str, close: &str| {
        open.repeat(100_000) + inner + &close.repeat(100_000)
    };
    try_all(deep("[", "", "]").as_bytes());
    let guard = deep("{\"op\":\"¬\",\"exp\":", "true", "}");
    let text = format!(
        r#"{{"jani-version":1,"name":"m","type":"mdp","automata":[{{"name":"a",
        "locations":[{{"name":"l"}}],"initial-locations":["l"],"edges":[{{"location":"l",
        "guard":{{"exp":{guard}}},"destinations":[{{"location":"l"}}]}}]}}],
        "system":{{"elements":[{{"automaton":"a"}}]}}}}"#
    );
    let model = jani::parse(text.as_bytes()).expect("a model");
    model.compile(&[]).expect("a program");
}

#[test]
fn functions_that_double_the_text_are_limited() {
    let function = |number: usize| {
        let inner = match number {
            0 => "\"v\"".to_owned(),
            _ => format!(
                r#"{{"op":"call","function":"f{}","args":["v"]}}"#,
                number - 1
            ),
        };
        format!(
            r#"{{"name":"f{number}","type":"int","parameters":[{{"name":"v","type":"int"}}],
            "body":{{"op":"+","left":{inner},"right":{inner}}}}}"#
        )
    };
    let functions: Vec<String> = (0..60).map(function).collect();
    let text = format!(
        r#"{{"jani-version":1,"name":"m","type":"mdp","functions":[{}],"automata":[],
        "system":{{"elements":[]}}}}"#,
        functions.join(",")
    );
    let text = text.replace(
        r#""automata":[],"#,
        r#""automata":[{"name":"a","locations":[{"name":"l"}],
        "initial-locations":["l"],"edges":[]}],"#,
    );
    let text = text.replace(r#""elements":[]"#, r#""elements":[{"automaton":"a"}]"#);
    let message = jani::parse(text.as_bytes())
        .expect_err("too large")
        .to_string();
    assert!(message.contains("too many operands"), "{message}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Models with some bytes changed, taken away or repeated.
    #[test]
    fn changed_models(
        model in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 1..4),
    ) {
        let models = models();
        let mut text = std::fs::read(&models[model.index(models.len())]).expect("a model");
        for (at, byte, how) in changes {
            let at = at.index(text.len());
            match how {
                0 => text[at] = byte,
                1 => drop(text.remove(at)),
                _ => text.insert(at, text[at]),
            }
        }
        try_all(&text);
    }
}
