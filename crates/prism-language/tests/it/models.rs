//! The models of PRISM's benchmark suite: they parse, print, compile, and have the states, choices and
//! branches that Storm counts, in Storm's order.

use std::fmt::Write as _;
use std::path::Path;

use prism_language::{Model, Program, parse};

use crate::oracle::Interpreter;
use crate::support::{Space, choices, models, sources, unpacked};

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

/// A line of `counts.csv`.
struct Counted {
    size: String,
    family: String,
    instance: String,
    source: String,
    constants: Vec<(String, String)>,
    /// States, choices and branches.
    counts: [usize; 3],
}

fn counted(models: &Path) -> Vec<Counted> {
    let text = std::fs::read_to_string(models.join("counts.csv")).expect("counts.csv is there");
    let line = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let constants = fields[4]
            .split(';')
            .filter_map(|constant| constant.split_once('='));
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Counted {
            size: fields[0].to_owned(),
            family: fields[1].to_owned(),
            instance: fields[2].to_owned(),
            source: fields[3].to_owned(),
            constants: constants.map(owned).collect(),
            counts: [5, 6, 7].map(|field| fields[field].parse().expect("a count")),
        }
    };
    text.lines()
        .skip(1)
        .map(line)
        .filter(|line| !line.source.is_empty())
        .collect()
}

/// The instances that are small enough for a sequential search, with their programs.
fn instances() -> Vec<(Counted, Program)> {
    let Some(models) = models() else {
        return Vec::new();
    };
    let small = counted(&models)
        .into_iter()
        .filter(|line| line.size == "tiny" || line.size == "small");
    let compiled = small.filter_map(|line| {
        let file = models.join("../prism-models").join(&line.source);
        let text = std::fs::read(file).ok()?;
        let constants = line
            .constants
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        let program = parsed(&line.instance, &text).compile(&constants.collect::<Vec<_>>());
        let program = program.unwrap_or_else(|error| panic!("{}: {error}", line.instance));
        Some((line, program))
    });
    let instances: Vec<_> = compiled.collect();
    assert!(
        instances.len() > 20,
        "only {} instances were found",
        instances.len()
    );
    instances
}

#[test]
fn counts_are_storms() {
    for (line, program) in instances() {
        let space = Space::explore(&program).expect("the model is right");
        let counts = [
            space.states.len(),
            space.num_choices(),
            space.num_branches(),
        ];
        assert_eq!(counts, line.counts, "{}", line.instance);
    }
}

/// Storm wrote the transitions files; it sorts the targets of a choice by number.
#[test]
fn states_and_choices_are_numbered_as_by_storm() {
    let mut compared = 0;
    for (line, program) in instances() {
        let file = models()
            .unwrap_or_default()
            .join(&line.family)
            .join(line.instance + ".tra");
        let Ok(expected) = std::fs::read_to_string(&file) else {
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
                    assert_eq!(fields[..3].join(" "), numbers, "{}", file.display());
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
    if models().is_some() {
        assert!(compared >= 9, "only {compared} files were compared");
    }
}

#[test]
fn successors_are_those_of_the_interpreter() {
    for (line, program) in instances()
        .into_iter()
        .filter(|(line, _)| line.size == "tiny")
    {
        let text = std::fs::read(
            models()
                .unwrap_or_default()
                .join("../prism-models")
                .join(&line.source),
        );
        let model = parsed(&line.instance, &text.expect("it was read before"));
        let constants = line
            .constants
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        let interpreter = Interpreter::new(&model, &constants.collect::<Vec<_>>());
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
                line.instance,
                program.show(state)
            );
        }
    }
}
