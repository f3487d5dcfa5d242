//! Modules with many commands, whose guards select values of one variable.

use std::time::{Duration, Instant};

use prism_language::parse;

use crate::support::Space;

fn space(text: &str) -> Space {
    let model = parse(text.as_bytes()).expect("a model");
    let program = model.compile(&[]).expect("a model");
    Space::explore(&program).expect("the model is right")
}

/// Commands are found by the value of a variable of any size if their guards are intervals.
#[test]
fn commands_for_many_values_are_found() {
    let model = |x: &str| {
        let mut text = "mdp module m x : [-5..900]; y : [0..1];\n".to_owned();
        for i in 0..300 {
            text += &match i % 6 {
                0 => format!("[] {x}={i} -> (x'={});\n", i + 1),
                1 => format!("[a{i}] {i}<{x} & {x}<={} & y=0 -> (x'=x-1);\n", i + 3),
                2 => format!("[a] {x}={i} & {x}<{i} -> (x'=0);\n"),
                3 => format!("[a] {x}!={i} & {x}>890 & {x}>={i} -> (x'={i});\n"),
                4 => format!("[] {x}={} -> (y'=1-y);\n", 3 * i),
                _ => format!("[] {i}={x} -> (x'={});\n", 3 * i),
            };
        }
        space(&format!(
            "{text} [] {x}>=300 & x<900 -> (x'=x+1); endmodule init true endinit"
        ))
    };
    // The index of this guard would need two variables.
    let (indexed, tested) = (model("x"), model("max(x,x-y)"));
    assert_eq!(indexed.states.len(), 2 * 906);
    assert_eq!(indexed.states, tested.states);
    assert_eq!(indexed.choices, tested.choices);
}

#[test]
fn a_state_is_expanded_in_little_time_whatever_the_number_of_commands() {
    let count = 20_000;
    let commands = (0..count).map(|i| format!("[] x={i} -> (x'={});\n", (i + 1) % count));
    let text = format!(
        "dtmc module m x : [0..{}]; {} endmodule",
        count - 1,
        commands.collect::<String>()
    );
    let start = Instant::now();
    let found = space(&text);
    assert_eq!((found.states.len(), found.num_choices()), (count, count));
    // It takes a second. If each state tested all commands, it would take a minute.
    assert!(start.elapsed() < Duration::from_secs(15));
}
