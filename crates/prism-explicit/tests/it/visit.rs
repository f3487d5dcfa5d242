//! Tests of the streaming reader: what visitors receive, and what else a file says.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use prism_explicit::{
    Choice, Dialect, ErrorKind, ModelType, ReadOptions, TransitionsInfo, TypeSource, Visitor,
    WriteOptions, read_transitions, visit_in_order, visit_transitions,
};

#[derive(Debug, Default, PartialEq)]
struct Lines(Vec<String>);

impl Visitor for Lines {
    fn choice(&mut self, choice: Choice<'_>) {
        let Choice {
            state,
            index,
            action,
            targets,
            values,
            lower,
            branch_actions,
        } = choice;
        let action = action.unwrap_or("-");
        let mut line = format!("{state} {index} {action} {targets:?} {values:?}");
        if !lower.is_empty() {
            line.push_str(&format!(" from {lower:?}"));
        }
        if !branch_actions.is_empty() {
            line.push_str(&format!(" {branch_actions:?}"));
        }
        self.0.push(line);
    }
}

#[track_caller]
fn visit(input: &str) -> (TransitionsInfo, Vec<String>) {
    visit_with(input, ReadOptions::default())
}

/// Reads with the smallest chunks and in order. Both must give the same result.
#[track_caller]
fn visit_with(input: &str, options: ReadOptions<'_>) -> (TransitionsInfo, Vec<String>) {
    let options = ReadOptions {
        chunk_bytes: 1,
        ..options
    };
    let visited = visit_transitions(input.as_bytes(), &options, |_, _| Lines::default())
        .unwrap_or_else(|error| panic!("{error}"));
    let lines: Vec<_> = visited
        .chunks
        .into_iter()
        .flat_map(|lines| lines.0)
        .collect();
    let mut in_order = Lines::default();
    let info =
        visit_in_order(input.as_bytes(), &options, &mut in_order).expect("it was read in chunks");
    assert_eq!((&info, &in_order.0), (&visited.info, &lines));
    (info, lines)
}

#[test]
fn interval_models_are_read() {
    // The type is given by an option, by the comment, or by one of the first six lines.
    let lines = "3 3 5\n0 0 0 0.5 go\n0 0 2 [ 1/4 ,\t.75 ] go\n0 1 1 [1,1]\n2 0 1 [0,0]\n\
                 2 0 2 [0.2,3]\n";
    let named = format!("# Transitions (IMDP)\n{lines}");
    let asked = ReadOptions {
        model_type: Some(ModelType::Imdp),
        ..ReadOptions::default()
    };
    let (by_content, choices) = visit(lines);
    let found = (by_content.model_type, by_content.type_source);
    assert_eq!(found, (ModelType::Imdp, TypeSource::Content));
    assert_eq!(by_content.dropped_zero_branches, 1);
    let expected = [
        "0 0 go [0, 2] [0.5, 0.75] from [0.5, 0.25]",
        "0 1 - [1] [1.0] from [1.0]",
        "2 0 - [2] [3.0] from [0.2]",
    ];
    assert_eq!(choices, expected);
    let (by_comment, again) = visit(&named);
    assert_eq!(by_comment.type_source, TypeSource::Header);
    assert_eq!(again, expected);
    let (by_option, again) = visit_with(lines, asked);
    assert_eq!(by_option.type_source, TypeSource::Option);
    assert_eq!(again, expected);

    let chain = "# 2 states\n2 3\n0 0 [0.1,0.9] a\n0 1 [0.5,1] b\n1 1 1\n";
    let (info, choices) = visit(chain);
    assert_eq!(info.model_type, ModelType::Idtmc);
    assert_eq!(
        choices,
        [
            "0 0 - [0, 1] [0.9, 1.0] from [0.1, 0.5] [Some(\"a\"), Some(\"b\")]",
            "1 0 - [1] [1.0] from [1.0]",
        ]
    );
    // Numbers alone are intervals, too.
    let (info, choices) = visit_with("1 1 1\n0 0 0 1\n", asked);
    assert_eq!(info.model_type, ModelType::Imdp);
    assert_eq!(choices, ["0 0 - [0] [1.0] from [1.0]"]);
    let any_sum = ReadOptions {
        check_sums: false,
        ..ReadOptions::default()
    };
    let (_, choices) = visit_with("1 1 1\n0 0 0 [0.1,0.2]\n", any_sum);
    assert_eq!(choices, ["0 0 - [0] [0.2] from [0.1]"]);
}

#[test]
fn an_mdp_with_blanks_comments_and_zeros_is_read() {
    let text = "\u{feff}# Transitions (MDP)\n# made by hand\n\n3 3 5\n0 0 0 0.5 go\n\
                0 0 2 1/2 go\n# 1 2 3\n0 1 1 1\n\n  2\t0 0 +1e0 \r\n2 0 1 0";
    let (info, lines) = visit(text);
    assert_eq!(
        (info.dialect, info.model_type),
        (Dialect::Prism, ModelType::Mdp)
    );
    assert_eq!(info.type_source, TypeSource::Header);
    assert_eq!(
        (info.num_states, info.num_choices, info.num_transitions),
        (3, 3, 4)
    );
    assert_eq!(info.dropped_zero_branches, 1);
    assert_eq!(
        lines,
        [
            "0 0 go [0, 2] [0.5, 0.5]",
            "0 1 - [1] [1.0]",
            "2 0 - [0] [1.0]"
        ]
    );
}

/// As in PRISM's language, such a state has no choice.
#[test]
fn a_state_whose_rates_are_all_zero_is_absorbing() {
    for text in [
        "# Transitions (CTMC)\n2 2\n0 1 1.0\n1 1 0.0\n",
        "ctmc\n0 1 1.0\n1 1 0.0\n",
        "ctmc\n0 1 1.0\n1 0 0 a\n1 1 0.0 b\n",
        // By its content, the model cannot be a DTMC.
        "2 2\n0 1 1.0\n1 1 0.0\n",
    ] {
        let (info, lines) = visit(text);
        assert_eq!(
            (info.model_type, info.num_states, info.num_choices),
            (ModelType::Ctmc, 2, 1),
            "{text}"
        );
        let zeros = text.matches("\n1 ").count() as u64;
        assert_eq!(info.dropped_zero_branches, zeros, "{text}");
        assert_eq!(lines, ["0 0 - [1] [1.0]"], "{text}");
    }
    let (info, lines) = visit("ctmc\n0 0 0\n1 0 0\n");
    assert_eq!((info.num_states, info.num_choices, lines.len()), (2, 0, 0));
}

#[test]
fn types_are_recognised_by_content() {
    let type_of = |text| {
        let (info, _) = visit(text);
        assert_eq!(info.type_source, TypeSource::Content);
        info.model_type
    };
    assert_eq!(type_of("2 2\n0 1 1\n1 0 1\n"), ModelType::Dtmc);
    assert_eq!(type_of("2 2\n0 1 1\n1 0 0.5\n"), ModelType::Ctmc);
    assert_eq!(type_of("2 2 2\n0 0 1 1\n1 0 0 1\n"), ModelType::Mdp);
    assert_eq!(type_of("2 2 2\n0 0 1\n1 0 0\n"), ModelType::Lts);
    assert_eq!(type_of("2 2 2\n0 0 1 go\n1 0 0\n"), ModelType::Lts);
    assert_eq!(type_of("2 0 0\n"), ModelType::Mdp);
    assert_eq!(type_of("0 0 0\n"), ModelType::Mdp);
    assert_eq!(type_of("5 0"), ModelType::Dtmc);
}

#[test]
fn types_are_given_by_options_and_headings() {
    let options = ReadOptions {
        model_type: Some(ModelType::Ctmc),
        ..ReadOptions::default()
    };
    let (info, _) = visit_with("# Transitions (DTMC)\n1 1\n0 0 1\n", options);
    assert_eq!(
        (info.model_type, info.type_source),
        (ModelType::Ctmc, TypeSource::Option)
    );
    let (info, _) = visit("# Transitions (CTMC)\n1 1\n0 0 1\n");
    assert_eq!(
        (info.model_type, info.type_source),
        (ModelType::Ctmc, TypeSource::Header)
    );
}

#[test]
fn chains_name_actions_by_branch() {
    let (_, lines) = visit("# Transitions (CTMC)\n2 4\n0 1 2.5 a\n0 1 2 b\n0 0 3\n1 1 1\n");
    let first = "0 0 - [1, 1, 0] [2.5, 2.0, 3.0] [Some(\"a\"), Some(\"b\"), None]";
    assert_eq!(lines, [first, "1 0 - [1] [1.0]"]);
}

#[test]
fn initial_states_are_read_and_deadlocks_have_no_choice() {
    let (info, lines) = visit("5 1 1\n# who starts\n- - 3 -\n - -  0 - \n1 0 4 1\n");
    assert_eq!(info.initial_states, [3, 0]);
    assert_eq!((info.num_states, lines.len()), (5, 1));
}

#[test]
fn storm_counts_by_the_highest_index() {
    let (info, lines) = visit("MDP\n0 0 7 0.5 what ever\n0 0 3 .5 1\n2 0 1 1. go\n");
    assert_eq!(
        (info.dialect, info.model_type),
        (Dialect::Storm, ModelType::Mdp)
    );
    assert_eq!((info.num_states, info.num_choices), (8, 2));
    assert_eq!(lines, ["0 0 - [7, 3] [0.5, 0.5]", "2 0 go [1] [1.0]"]);
    let (info, _) = visit("dtmc\n");
    assert_eq!((info.num_states, info.model_type), (0, ModelType::Dtmc));
}

#[test]
fn sums_are_checked_only_if_asked() {
    let options = ReadOptions {
        check_sums: false,
        ..ReadOptions::default()
    };
    let (_, lines) = visit_with("1 1 1\n0 0 0 0.9\n", options);
    assert_eq!(lines, ["0 0 - [0] [0.9]"]);
    visit("1 1 1\n0 0 0 0.9999991\n"); // within the tolerance
}

#[test]
fn numbers_with_many_digits_are_read() {
    let text = "# Transitions (CTMC)\n1 1\n0 0 123456789012345678901234567890\n";
    let (_, lines) = visit(text);
    assert_eq!(lines, ["0 0 - [0] [1.2345678901234568e29]"]);
    let third = format!("1 1\n0 0 {}/{}\n", "3".repeat(400), "9".repeat(400));
    let (info, lines) = visit(&third);
    assert_eq!(info.model_type, ModelType::Ctmc);
    assert!(
        lines[0].starts_with("0 0 - [0] [0.333333333333333"),
        "{lines:?}"
    );
}

/// Only 0 is 0: what a double cannot distinguish from 0 is the least double above 0.
#[test]
fn branches_of_tiny_probability_are_not_dropped() {
    let zeros = "0".repeat(400);
    let tiny = [
        "1e-400",
        "+2E-400",
        &format!("1/1{zeros}"),
        &format!("0.{zeros}1"),
    ];
    for value in tiny {
        let (info, lines) = visit(&format!("2 2 3\n0 0 0 1\n0 0 1 {value}\n1 0 1 1\n"));
        assert_eq!(info.dropped_zero_branches, 0, "{value}");
        assert!(lines[0].ends_with("[0, 1] [1.0, 5e-324]"), "{lines:?}");
    }
    let (info, _) = visit("2 2 4\n0 0 0 1\n0 0 1 0e-400\n1 0 1 0/7\n1 0 0 1\n");
    assert_eq!(info.dropped_zero_branches, 2);
}

#[test]
fn readers_report_progress_and_can_be_interrupted() {
    let text = "2 2\n0 1 1\n1 0 1\n";
    let (read, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let options = ReadOptions {
        progress: Some(&read),
        interrupt: Some(&stop),
        ..ReadOptions::default()
    };
    visit_transitions(text.as_bytes(), &options, |_, _| ()).expect("a good file");
    assert_eq!(read.load(Ordering::Relaxed), text.len() as u64);
    stop.store(true, Ordering::Relaxed);
    let error = visit_transitions(text.as_bytes(), &options, |_, _| ()).expect_err("it is stopped");
    assert_eq!(
        (error.kind(), error.position()),
        (&ErrorKind::Interrupted, None)
    );
}

#[test]
fn a_choice_with_many_branches_is_read_and_its_duplicates_are_found() {
    const BRANCHES: u32 = 200_000;
    let mut text = format!("# Transitions (CTMC)\n{BRANCHES} {BRANCHES}\n");
    for target in (0..BRANCHES).rev() {
        text.push_str(&format!("0 {target} 1\n"));
    }
    let options = ReadOptions {
        chunk_bytes: 1,
        ..ReadOptions::default()
    };
    let visited = visit_transitions(text.as_bytes(), &options, |_, _| ()).expect("no duplicate");
    assert_eq!((visited.info.num_choices, visited.chunks.len()), (1, 1));
    text.push_str("0 7 1\n");
    let error =
        visit_transitions(text.as_bytes(), &options, |_, _| ()).expect_err("target 7 occurs twice");
    let twice = ErrorKind::DuplicateBranch {
        state: 0,
        choice: 0,
        target: 7,
    };
    assert_eq!(error.kind(), &twice);
    assert_eq!(
        error.position().map(|at| at.line),
        Some(u64::from(BRANCHES) + 3)
    );
}

/// A line with value 0 may be the only one that says which observation a state has.
#[test]
fn observations_that_no_line_can_express_are_not_lost() {
    let text = b"2 1 2 2\n- - 0 - 1\n0 0 0 1 1\n0 0 1 0 0\n";
    let model = read_transitions(text, &ReadOptions::default()).expect("a POMDP");
    let observations = model.info().observations.as_ref().expect("observations");
    assert_eq!(
        (observations.count, &*observations.of_states),
        (2, &[1, 0][..])
    );
    let error = model.write(Vec::new(), WriteOptions::new(Dialect::Prism));
    let message = "no line leads to state 1, and could say its observation";
    assert_eq!(error.expect_err("state 1 is lost").to_string(), message);
}
