//! Compiled models do what the interpreter does, on random models: modules that synchronise in
//! random ways, with random guards and updates.

use prism_language::parse;
use proptest::prelude::*;

use crate::oracle::Interpreter;
use crate::random_text::{model, with_all_actions};
use crate::support::{Choice, Space, choices_with, unpacked};

/// Whether two lists of choices are the same but for their order and for rounding.
fn same(mut left: Vec<Choice>, mut right: Vec<Choice>) -> bool {
    let order = |a: &Choice, b: &Choice| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal);
    left.sort_by(order);
    right.sort_by(order);
    let close = |(a, b): (&Choice, &Choice)| {
        a.0 == b.0
            && a.1.len() == b.1.len()
            && a.1
                .iter()
                .zip(&b.1)
                .all(|((s, p), (t, q))| s == t && (p - q).abs() < 1e-9)
    };
    left.len() == right.len() && left.iter().zip(&right).all(close)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(384))]

    #[test]
    fn compiled_models_are_interpreted_models(text in model()) {
        let text = with_all_actions(&text);
        let model = parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let program = model.compile(&[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let interpreter = Interpreter::new(&model, &[]);
        let mut space = Space::initial(&program).expect("one state");
        let mut scratch = program.scratch();
        let mut next = 0;
        while let Some(state) = space.states.get(next).cloned().filter(|_| next < 40) {
            next += 1;
            let compiled = choices_with(&program, &mut scratch, &state);
            let naive = interpreter.choices(&unpacked(&program, &state));
            match (compiled, naive) {
                (Ok(compiled), Ok(naive)) => {
                    let equal = same(compiled.clone(), naive.clone());
                    prop_assert!(equal, "{compiled:?}\n{naive:?}\n{}\n{text}", program.show(&state));
                }
                // The interpreter also computes what a step needs that some module then prevents.
                (_, Err(_)) => continue,
                (Err(error), Ok(_)) => panic!("{error}\n{}\n{text}", program.show(&state)),
            }
            program.successors(&mut scratch, &state, &mut space).expect("they were computed before");
            space.forget_choices();
        }
    }
}
