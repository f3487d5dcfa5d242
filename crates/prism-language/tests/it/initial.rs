//! Compares the states that satisfy `init ... endinit` with all states that have an equal label.

use std::ops::ControlFlow;

use prism_language::{Error, ErrorKind, parse};
use proptest::prelude::*;

/// An error, its line and its column.
type Failure = (ErrorKind, Option<(u64, u64)>);

/// The states that were found and, if the search failed, what was wrong and where.
type Found = (Vec<Vec<u64>>, Option<Failure>);

fn failure(error: &Error) -> Failure {
    let place = error.position().map(|at| (at.line, at.column));
    (error.kind().clone(), place)
}

const VARIABLES: &str =
    "mdp module m\n a:[0..2]; b:[-2..1]; c:bool; d:[0..3]; e:[-1..1];\nendmodule";

fn satisfying(condition: &str) -> Found {
    // The condition is at the same place as in `labelled`.
    let model =
        parse(format!("{VARIABLES}\ninit\n{condition}\nendinit").as_bytes()).expect("parses");
    let program = model.compile(&[]).expect("compiles");
    let mut states = Vec::new();
    let result = program.initial_states(|state| {
        states.push(state.to_vec());
        ControlFlow::Continue(())
    });
    let error = result
        .err()
        .filter(|e| *e.kind() != ErrorKind::NoInitialState);
    (states, error.as_ref().map(failure))
}

fn labelled(condition: &str) -> Found {
    let text = format!("{VARIABLES}\nlabel \"l\" =\n{condition}\n; init true endinit");
    let program = parse(text.as_bytes())
        .expect("parses")
        .compile(&[])
        .expect("compiles");
    let label = &program.labels()[0];
    let mut scratch = program.scratch();
    let (mut states, mut failed) = (Vec::new(), None);
    let all = program.initial_states(
        |state| match program.has_label(label, &mut scratch, state) {
            Ok(holds) => {
                states.extend(holds.then(|| state.to_vec()));
                ControlFlow::Continue(())
            }
            Err(error) => {
                failed = Some(failure(&error));
                ControlFlow::Break(())
            }
        },
    );
    all.expect("there are states");
    (states, failed)
}

fn number() -> impl Strategy<Value = String> {
    let variables = ["a", "b", "d", "e", "(c?1:0)"].map(String::from);
    let constants = ["0", "1", "2", "-3", "0.5", "3000000000000000000"].map(String::from);
    let leaf = prop_oneof![
        4 => prop::sample::select(variables.to_vec()),
        1 => prop::sample::select(constants.to_vec()),
    ];
    leaf.prop_recursive(4, 12, 2, |inner| {
        let whole = inner.clone().prop_map(|x| format!("floor({x})"));
        let operators = prop::sample::select(vec!["+", "+", "+", "-", "*", "/"]);
        let functions = prop::sample::select(vec!["min", "max", "pow", "log"]);
        prop_oneof![
            6 => (inner.clone(), operators, inner.clone())
                .prop_map(|(x, op, y)| format!("({x}{op}{y})")),
            2 => (functions, inner.clone(), inner.clone())
                .prop_map(|(f, x, y)| format!("{f}({x},{y})")),
            1 => (whole.clone(), whole).prop_map(|(x, y)| format!("mod({x},{y})")),
            1 => inner.clone().prop_map(|x| format!("(-{x})")),
            1 => inner.clone().prop_map(|x| format!("ceil({x})")),
            1 => inner.clone().prop_map(|x| format!("round({x})")),
            1 => (inner.clone(), inner).prop_map(|(x, y)| format!("({x}<{y}?{y}:{x})")),
        ]
    })
}

fn condition() -> impl Strategy<Value = String> {
    let comparisons = prop::sample::select(vec!["=", "!=", "<", "<=", ">", ">="]);
    let leaf = prop_oneof![
        6 => (number(), comparisons, number()).prop_map(|(x, op, y)| format!("({x}{op}{y})")),
        1 => Just("c".to_owned()),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        let operators = prop::sample::select(vec!["&", "&", "&", "|", "=>", "<=>"]);
        prop_oneof![
            6 => (inner.clone(), operators, inner.clone())
                .prop_map(|(x, op, y)| format!("({x}{op}{y})")),
            1 => inner.prop_map(|x| format!("(!{x})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    #[test]
    fn pruning_loses_no_initial_state(condition in condition()) {
        prop_assert_eq!(satisfying(&condition), labelled(&condition));
    }
}

/// Enumerating all valuations would take years.
#[test]
fn initial_states_of_sums_over_many_variables_are_pruned() {
    let names: Vec<String> = (0..60).map(|i| format!("x{i}")).collect();
    let declared: Vec<String> = names.iter().map(|name| format!("{name}:[0..1];")).collect();
    let count = |condition: &str| {
        let (declared, sum) = (declared.join(" "), names.join("+"));
        let text =
            format!("mdp formula n={sum}; module m {declared} endmodule init {condition} endinit");
        let program = parse(text.as_bytes())
            .expect("parses")
            .compile(&[])
            .expect("compiles");
        program
            .initial_states(|_| ControlFlow::Continue(()))
            .expect("there are states")
    };
    assert_eq!(count("n=1"), 60);
    assert_eq!(count("n<=2"), 1 + 60 + 60 * 59 / 2);
    assert_eq!(count("n=60"), 1);
    assert_eq!(count("n/2>=29.5 & x3=1"), 60);
    assert_eq!(count("floor(n/2)=0"), 61);
    assert_eq!(count("!(n!=1) | pow(n,2)=0"), 61);
    assert_eq!(count("mod(n,61)=60 & max(n,3)>1"), 1);
}
