//! Tests that compare fast routines with slow ones: the hand-written line reader with the grammar,
//! and the search for duplicates with a set.

use std::collections::HashSet;

use proptest::prelude::*;

use super::choice::{OpenChoice, key};
use super::chunk::plain;
use super::fast;
use crate::grammar::{self, Line, Shape};
use model_type::ModelType;

/// The bytes after the line under test, because the fast path may look ahead.
const MORE: &str = "\n0 0 1 0.5\n";

fn both_agree(line: &str) -> bool {
    let input = format!("{line}{MORE}");
    agree::<true, true>(&input) & agree::<true, false>(&input) & agree::<false, true>(&input)
}

/// Checks that the grammar reads what the fast path reads. Returns whether the fast path took the
/// line.
fn agree<const CHOICE: bool, const VALUE: bool>(input: &str) -> bool {
    let Some((fast, next)) = fast::data_line::<CHOICE, VALUE>(input.as_bytes(), 0) else {
        return false;
    };
    let line = Line::at(input.as_bytes(), 0);
    let shape = Shape {
        model_type: ModelType::Mdp,
        choice: CHOICE,
        value: VALUE,
        observation: false,
        loose_end: false,
    };
    let fields = grammar::parse_line(grammar::data_line(shape), line.text, 0);
    let fields =
        fields.unwrap_or_else(|fault| panic!("{input:?}: {}", fault.locate(input.as_bytes())));
    assert_eq!((plain(&fields), line.next), (fast, next), "{input:?}");
    true
}

/// As [`agree`], for lines with intervals.
fn agree_on_intervals<const CHOICE: bool>(line: &str) -> bool {
    let input = format!("{line}{MORE}");
    let Some((fast, next)) = fast::interval_line::<CHOICE>(input.as_bytes(), 0) else {
        return false;
    };
    let line = Line::at(input.as_bytes(), 0);
    let shape = Shape {
        model_type: ModelType::Imdp,
        choice: CHOICE,
        value: true,
        observation: false,
        loose_end: false,
    };
    let fields = grammar::parse_line(grammar::data_line(shape), line.text, 0);
    let fields =
        fields.unwrap_or_else(|fault| panic!("{input:?}: {}", fault.locate(input.as_bytes())));
    assert_eq!((plain(&fields), line.next), (fast, next), "{input:?}");
    true
}

/// Returns text that is nearly a field.
fn field() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[0-9]{1,11}",
        2 => "0\\.[0-9]{1,20}",
        2 => "[0-9]{1,9}\\.[0-9]{0,18}",
        2 => "[0-9]{1,3}(\\.[0-9]{1,3})?[eE][+-]?[0-9]{1,3}",
        2 => "[a-zA-Z_][a-zA-Z0-9_]{0,9}",
        1 => "[-+.,/0-9a-zA-Z\\[\\]\"#]{0,12}",
        1 => any::<f64>().prop_map(|value| value.to_string()),
        1 => (1e-9..10.0f64).prop_map(|value| value.to_string()),
    ]
}

fn separator() -> impl Strategy<Value = &'static str> {
    prop_oneof![20 => Just(" "), 1 => Just("  "), 1 => Just("\t"), 1 => Just(""), 1 => Just("\r")]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn both_paths_agree(
        fields in prop::collection::vec((field(), separator()), 0..7),
        end in prop_oneof![4 => Just(""), 1 => Just(" "), 1 => Just("\r"), 1 => Just(" \r")],
    ) {
        let line: String = fields.iter().flat_map(|(field, blank)| [field, *blank]).collect();
        both_agree(&line);
        both_agree(&format!("{}{end}", line.trim_end()));
    }

    #[test]
    fn both_paths_agree_on_values(value in field(), source in any::<u32>()) {
        both_agree(&format!("{source} 0 {source} {value}"));
        both_agree(&format!("{source} {source} {value} act"));
    }

    #[test]
    fn both_paths_agree_on_intervals(
        bounds in [field(), field()],
        opening in prop_oneof![8 => Just("["), 1 => Just("[ "), 1 => Just("")],
        comma in prop_oneof![8 => Just(","), 1 => Just(", "), 1 => Just(" ,"), 1 => Just(".")],
        closing in prop_oneof![8 => Just("]"), 1 => Just(" ]"), 1 => Just("] act"), 1 => Just("]7")],
    ) {
        let interval = format!("{opening}{}{comma}{}{closing}", bounds[0], bounds[1]);
        agree_on_intervals::<true>(&format!("3 0 5 {interval}"));
        agree_on_intervals::<false>(&format!("3 5 {interval}"));
    }

    #[test]
    fn duplicates_are_found(targets in prop::collection::vec(0..40u32, 1..40)) {
        let mut choice = OpenChoice::default();
        choice.begin(key(0, 0), 0, None);
        for &target in &targets {
            choice.push(target, 0.5);
        }
        let distinct: HashSet<_> = targets.iter().collect();
        prop_assert_eq!(choice.has_duplicate(), distinct.len() < targets.len());
    }

    #[test]
    fn duplicates_with_actions_are_found(
        branches in prop::collection::vec((0..5u32, prop::option::of("[ab]")), 1..12),
    ) {
        let mut choice = OpenChoice::default();
        choice.begin(key(0, 0), 0, None);
        for (target, action) in &branches {
            choice.push(*target, 0.5);
            choice.push_action(action.as_ref().map(String::as_bytes));
        }
        let distinct: HashSet<_> = branches.iter().collect();
        prop_assert_eq!(choice.has_duplicate(), distinct.len() < branches.len());
    }
}

#[test]
fn the_fast_path_takes_common_lines() {
    for line in [
        "0 0 0 1",
        "12345678 0 123456789 0.5",
        "7 3 12 0.3333333333333333 send",
        "7 3 12 0.30000000000000004 a_1",
        "7 3 12 1e-9",
        "7 3 12 1\r",
        "7 3 12 0.5 ",
    ] {
        assert!(agree::<true, true>(&format!("{line}{MORE}")), "{line:?}");
    }
    assert!(agree::<true, false>(&format!("0 0 1{MORE}")));
    assert!(agree::<true, false>(&format!("0 0 1 act{MORE}")));
    assert!(agree::<false, true>(&format!("0 1 2.5 reg14{MORE}")));
    for bounds in [
        "[0.25,0.5]",
        "[0,1]",
        "[0.3333333333333333,0.30000000000000004e1]",
        "[0,1] a",
    ] {
        assert!(
            agree_on_intervals::<true>(&format!("0 0 1 {bounds}")),
            "{bounds}"
        );
        assert!(
            agree_on_intervals::<false>(&format!("0 1 {bounds}")),
            "{bounds}"
        );
    }
}
