//! Bytecode computes what the interpreter computes, on random expressions.

use prism_language::{Program, Value, parse, parse_expression};
use proptest::prelude::*;

use crate::oracle::{Interpreter, NoValue};
use crate::random_text::{Kind, typed};
use crate::support::choices;

/// Text of an expression of some type, as random as can be: parentheses stand where chance puts
/// them.
fn text(kind: Kind) -> BoxedStrategy<String> {
    typed(kind, 4)
}

/// A model that uses an expression of each type, in one state.
fn model([truth, whole, real]: &[String; 3], state: &[i64; 6]) -> String {
    let [x, y, z, w, b, c] = state;
    let (b, c) = (b != &0, c != &0);
    format!(
        "ctmc const int k = 7; const double d = 0.125;
        module m
          x : [0..3]; y : [-10..80]; z : [500..2500]; w : [5..5]; b : bool; c : bool;
          [] {truth} -> true;
        endmodule
        module n
          i : [-9223372036854775807..9223372036854775807];
          j : bool;
          [] true -> (i'={whole});
          [] ({real})>0 & ({real})<1e9 -> {real} : (j'=true);
        endmodule
        init x={x} & y={y} & z={z} & w={w} & b={b} & c={c} & i=0 & !j endinit
        label \"truth\" = {truth}; label \"real\" = ({real})>1;"
    )
}

fn compiled(text: &str) -> (Program, Vec<u64>) {
    let model = parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let program = model
        .compile(&[])
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut initial = Vec::new();
    let found = program.initial_states(|state| {
        initial = state.to_vec();
        std::ops::ControlFlow::Continue(())
    });
    assert_eq!(found.ok(), Some(1), "{text}");
    (program, initial)
}

fn state() -> impl Strategy<Value = [i64; 6]> {
    (
        0_i64..=3,
        -10_i64..=80,
        500_i64..=2500,
        0_i64..=1,
        0_i64..=1,
    )
        .prop_map(|(x, y, z, b, c)| [x, y, z, 5, b, c])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn bytecode_is_the_interpreter(
        truth in text(Kind::Bool),
        whole in text(Kind::Int),
        real in text(Kind::Double),
        state in state(),
    ) {
        let texts = [truth, whole, real];
        let text = model(&texts, &state);
        let (program, packed) = compiled(&text);
        let interpreter = Interpreter::new(&parse(text.as_bytes()).expect("read before"), &[]);
        let mut values = state.to_vec();
        values.extend([0, 0]);
        let expected = |text: &str| {
            let expr = parse_expression(text.as_bytes()).expect("read before");
            interpreter.evaluate(&expr, &values)
        };
        let mut scratch = program.scratch();
        for (label, text) in program.labels().iter().zip([texts[0].clone(), format!("({})>1", texts[2])]) {
            let found = program.has_label(label, &mut scratch, &packed);
            let found = found.map(Value::Bool).map_err(|error| error.to_string());
            agree(&found, &expected(&text), &text);
        }
        let naive = interpreter.choices(&values);
        let found = choices(&program, &packed);
        prop_assert_eq!(found.clone().ok(), naive.clone().ok(), "{:?} {:?}\n{}", found, naive, text);
    }

    #[test]
    fn expressions_print_as_text_that_parses_back(
        text in prop_oneof![text(Kind::Bool), text(Kind::Int), text(Kind::Double)],
    ) {
        let expr = parse_expression(text.as_bytes()).expect("the text is right");
        let printed = expr.to_string();
        let again = parse_expression(printed.as_bytes());
        prop_assert_eq!(again.ok(), Some(expr), "{}\n{}", text, printed);
    }
}

#[track_caller]
fn agree(found: &Result<Value, String>, expected: &Result<Value, NoValue>, text: &str) {
    match (found, expected) {
        (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text}"),
        (Err(_), Err(_)) => {}
        _ => panic!("{found:?} is not {expected:?}: {text}"),
    }
}
