//! Reads arbitrary bytes as a model, as an expression of a model, and as members of a model. Checks
//! that the reader does not panic, and that errors have one line.

#![no_main]

use libfuzzer_sys::fuzz_target;

const BEFORE: &[u8] = br#"{"jani-version":1,"name":"m","type":"mdp","variables":[{"name":"x","type":
"int","initial-value":0}],"automata":[{"name":"a","locations":[{"name":"l"}],"initial-locations":
["l"],"edges":[{"location":"l","guard":{"exp":"#;
const AFTER: &[u8] = br#"},"destinations":[{"location":"l"}]}]}],"system":{"elements":
[{"automaton":"a"}]}}"#;
const REST: &[u8] = br#"true},"destinations":[{"location":"l"}]}]}],"system":{"elements":
[{"automaton":"a"}]},"#;

fuzz_target!(|input: &[u8]| {
    let expression = [BEFORE, input, AFTER].concat();
    let members = [BEFORE, REST, input].concat();
    for text in [input, &expression, &members] {
        match jani::parse(text) {
            Err(error) => assert!(!error.to_string().contains('\n')),
            Ok(model) => {
                if let Err(error) = model.compile(&[]) {
                    assert!(!error.to_string().contains('\n'));
                }
            }
        }
    }
});
