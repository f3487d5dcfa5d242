//! Models with many commands, actions, modules or formulas.

use std::fmt::Write as _;
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

/// Commands are found by the value of a variable whose range says nothing about their number.
#[test]
fn the_range_of_a_variable_does_not_matter() {
    let model = |x: &str, low: i64, high: i64| {
        let mut text = format!("mdp module m x : [{low}..{high}]; y : [0..300];\n");
        for i in -9..200 {
            text += &match i % 5 {
                0 => format!("[] {x}={i} -> (x'={});\n", i + 1),
                1 => format!("[a{i}] {i}<{x} & {x}<={} & y>3 -> (x'=x-1);\n", i + 40),
                2 => format!("[a] {x}={i} & {x}<={i} -> (x'={low});\n"),
                3 => format!("[a] {x}!={i} & {x}>190 & {x}>={i} -> (x'={i});\n"),
                _ => format!("[] {i}<={x} & {i}>={x}-20 & y=mod({i}, 9) -> (y'=y+1)&(x'=x+1);\n"),
            };
        }
        text += &format!("[] {x}>=200 & x<300 -> (x'=x+1); endmodule ");
        space(&(text + "init x>=-20 & x<=310 & y<10 endinit"))
    };
    let (low, high) = (-4_000_000_000_000_000_000, 4_000_000_000_000_000_000);
    // The index of this guard would need two variables.
    let (bisected, tested) = (model("x", low, high), model("max(x,x-y)", low, high));
    assert_eq!(bisected.states.len(), 3320);
    assert_eq!(bisected.states, tested.states);
    assert_eq!(bisected.choices, tested.choices);
}

#[test]
fn a_state_is_expanded_in_little_time_whatever_the_range_of_a_variable() {
    let count = 20_000;
    let start = Instant::now();
    for intervals in [false, true] {
        let commands = (0..count).map(|i| match intervals {
            false => format!("[] x={i} -> (x'=x+1);\n"),
            true => format!("[] x>={} & x<{} -> (x'=x+1);\n", 4 * i, 4 * i + 4),
        });
        let text = format!(
            "mdp module m x : [0..2000000000]; {} endmodule",
            commands.collect::<String>()
        );
        let found = space(&text);
        let last = if intervals { 4 * count } else { count };
        assert_eq!(found.states.len(), last + 1);
    }
    // It takes a second. If each state tested all commands, it would take a minute.
    assert!(start.elapsed() < Duration::from_secs(20));
}

/// Actions are found by the value of a variable, as commands are.
#[test]
fn actions_for_many_values_are_found() {
    let model = |x: &str| {
        let mut text = "mdp module m x : [-5..600]; y : [0..1];\n".to_owned();
        let mut other = "module k z : [0..1];\n".to_owned();
        for i in 0..200 {
            text += &match i % 5 {
                0 => format!("[a{i}] {x}={i} -> (x'={});\n", i + 1),
                1 => format!("[a{i}] {i}<{x} & {x}<={} & y=0 -> (x'=x-1);\n", i + 3),
                2 => format!(
                    "[a{i}] {x}={i} -> (x'=0);\n [a{i}] {x}={} -> (x'=1);\n",
                    i + 9
                ),
                3 => format!("[a{i}] {x}>={i} & {x}<{i} -> (y'=0);\n"),
                _ => format!("[a{i}] {x}>590 -> (x'=x-1) & (y'=0);\n[a{i}] y=1 -> (y'=0);\n"),
            };
            other += &format!("[a{i}] z<{} -> (z'=1-z);\n", i % 3);
        }
        space(&format!(
            "{text} endmodule {other} endmodule init true endinit"
        ))
    };
    let (indexed, tested) = (model("x"), model("max(x,x-y)"));
    assert_eq!(indexed.states.len(), 4 * 606);
    assert_eq!(indexed.states, tested.states);
    assert_eq!(indexed.choices, tested.choices);
}

#[test]
fn a_state_is_expanded_in_little_time_whatever_the_number_of_actions_or_modules() {
    let count = 6000;
    let list = |part: &dyn Fn(usize) -> String| (0..count).map(part).collect::<String>();
    let actions = list(&|i| format!("[a{i}] x={i} -> (x'={});\n", i + 1));
    let others = list(&|i| format!("[a{i}] true -> true;\n"));
    let modules = list(&|i| {
        format!("module m{i} x{i} : bool; [] x={i} -> (x{i}'=true) & (x'=x+1); endmodule\n")
    });
    let start = Instant::now();
    for text in [
        format!("mdp module m x : [0..{count}]; {actions} endmodule module k {others} endmodule"),
        format!("mdp global x : [0..{count}]; {modules}"),
    ] {
        assert_eq!(space(&text).states.len(), count + 1);
    }
    // It takes a second or two. If all actions were tested, it would take much longer.
    assert!(start.elapsed() < Duration::from_secs(30));
}

/// A chain of formulas needs no more memory than its text, and formulas that stand for others are
/// found at once.
#[test]
fn formulas_may_form_long_chains() {
    let mut text = "mdp formula f0 = x; formula g0 = f0;".to_owned();
    for i in 1..20_000 {
        let _ = write!(
            text,
            "formula f{i} = f{0} + 1; formula g{i} = (g{0});",
            i - 1
        );
    }
    text += "module m x : [0..9]; [] f19999=20000 -> (x'=g19999+1);";
    text += &"[] g19999=8 -> true;".repeat(20_000);
    text += "endmodule module n = m [x=y] endmodule";
    let start = Instant::now();
    let model = parse(text.as_bytes()).expect("a model");
    let program = model.compile(&[]).expect("a model");
    assert_eq!(program.variables().len(), 2);
    assert!(start.elapsed() < Duration::from_secs(10));
    // All of them would have 4 * 10^8 operands.
    model.expanded().expect_err("too many operands");
}
