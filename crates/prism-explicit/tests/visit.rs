//! The streaming reader: what a visitor is given, and that chunks do not matter.

use prism_explicit::{Choice, ModelType, ReadOptions, TypeSource, Visitor, visit_transitions};

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
            ..
        } = choice;
        self.0
            .push(format!("{state} {index} {action:?} {targets:?} {values:?}"));
    }
}

fn visit(input: &str) -> (prism_explicit::TransitionsInfo, Vec<String>) {
    let options = ReadOptions {
        chunk_bytes: 1,
        ..ReadOptions::default()
    };
    let visited = visit_transitions(input.as_bytes(), &options, |_, _| Lines::default()).unwrap();
    let lines = visited
        .chunks
        .into_iter()
        .flat_map(|lines| lines.0)
        .collect();
    (visited.info, lines)
}

#[test]
fn an_mdp() {
    let text = "# Transitions (MDP)\n3 3 5\n0 0 0 0.5 go\n0 0 2 1/2 go\n# 1 2 3\n0 1 1 1\n\n  2\t0 0 1e0 \r\n2 0 1 0";
    let (info, lines) = visit(text);
    assert_eq!(info.model_type, ModelType::Mdp);
    assert_eq!(info.type_source, TypeSource::Header);
    assert_eq!(
        (info.num_states, info.num_choices, info.num_transitions),
        (3, 3, 4)
    );
    assert_eq!(info.dropped_zero_branches, 1);
    let expected = [
        "0 0 Some(\"go\") [0, 2] [0.5, 0.5]",
        "0 1 None [1] [1.0]",
        "2 0 None [0] [1.0]",
    ];
    assert_eq!(lines, expected);
}
