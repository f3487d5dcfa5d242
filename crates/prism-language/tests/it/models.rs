//! The models of PRISM's benchmark suite: they parse, print, compile, and have the states, choices
//! and branches that Storm counts, in Storm's order.

use std::fmt::Write as _;

use prism_language::{Model, Program, parse};
use test_models::{Instance, small_instances, sources};

use crate::oracle::Interpreter;
use crate::support::{Space, choices, unpacked};

fn parsed(name: &str, text: &[u8]) -> Model {
    parse(text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn models_print_as_text_that_parses_back() {
    for (name, text) in sources().unwrap_or_default() {
        let model = parsed(&name, &text);
        let again = parsed(&name, model.to_string().as_bytes());
        assert!(model == again, "{name} changed by being printed:\n{model}");
        let expanded = model
            .expanded()
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let again = parsed(&name, expanded.to_string().as_bytes());
        assert!(
            expanded == again,
            "{name} changed by being printed:\n{expanded}"
        );
    }
}

#[test]
fn models_compile_with_any_value_for_open_constants() {
    for (name, text) in sources().unwrap_or_default() {
        let model = parsed(&name, &text);
        let open = model
            .constants
            .iter()
            .filter(|constant| constant.value.is_none());
        let value = |of| match of {
            prism_language::ast::Type::Int => "3",
            prism_language::ast::Type::Double => "0.5",
            prism_language::ast::Type::Bool => "true",
        };
        let given: Vec<_> = open.map(|c| (c.name.value.as_str(), value(c.of))).collect();
        let program = model
            .compile(&given)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(program.variables().len() > 1, "{name}");
    }
}

/// The instances that are small enough for a sequential search, with their programs.
fn instances() -> Vec<(Instance, Program)> {
    let instances = small_instances().unwrap_or_default().into_iter();
    let compiled = instances.map(|instance| {
        let model = parsed(&instance.name, &instance.text());
        let program = model.compile(&instance.constants());
        let program = program.unwrap_or_else(|error| panic!("{}: {error}", instance.name));
        (instance, program)
    });
    compiled.collect()
}

#[test]
fn benchmarks_have_the_counts_of_storm() {
    for (instance, program) in instances() {
        let space = Space::explore(&program).expect("the model is right");
        let counts = [
            space.states.len(),
            space.num_choices(),
            space.num_branches(),
        ];
        assert_eq!(counts, instance.counts, "{}", instance.name);
    }
}

/// Storm wrote the transitions files; it sorts the targets of a choice by number.
#[test]
fn states_and_choices_are_numbered_as_by_storm() {
    let (mut compared, instances) = (0, instances());
    let are_there = !instances.is_empty();
    for (instance, program) in instances {
        let Some(expected) = instance.explicit.text("tra") else {
            continue;
        };
        let space = Space::explore(&program).expect("the model is right");
        if space.num_initial > 1 {
            // Storm asks an SMT solver for several initial states, whose order is its own.
            continue;
        }
        let mut expected = expected.lines();
        expected.next();
        for (state, choices) in space.choices.iter().enumerate() {
            for (index, (action, branches)) in choices.iter().enumerate() {
                for (target, probability) in branches {
                    let line = expected.next().unwrap_or_default();
                    let fields: Vec<&str> = line.split(' ').collect();
                    let mut numbers = String::new();
                    let _ = write!(numbers, "{state} {index} {target}");
                    assert_eq!(fields[..3].join(" "), numbers, "{}", instance.name);
                    let expected: f64 = fields[3].parse().expect("a probability");
                    assert!((probability - expected).abs() < 1e-12, "{line}");
                    let name = action.map(|action| program.actions()[action.0 as usize].as_str());
                    assert_eq!(fields.get(4).copied(), name, "{line}");
                }
            }
        }
        assert_eq!(expected.next(), None);
        compared += 1;
    }
    assert!(
        compared >= 9 || !are_there,
        "only {compared} files were compared"
    );
}

#[test]
fn successors_are_those_of_the_interpreter() {
    let instances = instances().into_iter();
    for (instance, program) in instances.filter(|(instance, _)| instance.is_tiny) {
        let model = parsed(&instance.name, &instance.text());
        let interpreter = Interpreter::new(&model, &instance.constants());
        let space = Space::explore(&program).expect("the model is right");
        for state in space.states.iter().step_by(3) {
            let mut compiled = choices(&program, state).expect("the model is right");
            let mut naive = interpreter
                .choices(&unpacked(&program, state))
                .expect("a right model");
            compiled.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
            naive.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
            assert_eq!(
                compiled,
                naive,
                "{} in {}",
                instance.name,
                program.show(state)
            );
        }
    }
}
