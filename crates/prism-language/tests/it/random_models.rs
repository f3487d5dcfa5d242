//! Compiled models do what the interpreter does, on random models: modules that synchronise in
//! random ways, with random guards and updates.

use prism_language::parse;
use proptest::prelude::*;

use crate::expressions::{Kind, typed};
use crate::oracle::Interpreter;
use crate::support::{Choice, Space, choices_with, unpacked};

/// The variables that the random expressions of `expressions` use, owned by three modules.
const VARIABLES: [&str; 3] = [
    "x : [0..3] init 1; b : bool;",
    "y : [-1..6]; c : bool;",
    "z : [0..70]; w : [5..9] init 6;",
];

/// What each module may write, with the number of values, the least value, and a type.
const WRITABLE: [[(&str, i64, i64); 2]; 3] = [
    [("x", 4, 0), ("b", 0, 0)],
    [("y", 8, -1), ("c", 0, 0)],
    [("z", 71, 0), ("w", 5, 5)],
];

fn assignment(module: usize) -> BoxedStrategy<String> {
    prop::sample::select(&WRITABLE[module][..])
        .prop_flat_map(|(name, count, low)| match count {
            0 => typed(Kind::Bool, 1)
                .prop_map(move |value| format!("({name}'={value})"))
                .boxed(),
            // Mostly in range, now and then not.
            _ => (typed(Kind::Int, 1), 0..20)
                .prop_map(move |(value, chance)| match chance {
                    0 => format!("({name}'={value})"),
                    _ => format!("({name}'=mod({value}, {count}) + {low})"),
                })
                .boxed(),
        })
        .boxed()
}

fn updates(module: usize) -> BoxedStrategy<String> {
    let one = move || prop_oneof![3 => assignment(module), 1 => Just("true".to_owned())];
    prop_oneof![
        2 => one(),
        2 => (one(), one()).prop_map(|(a, b)| format!("0.25:{a} + 0.75:{b}")),
        1 => (one(), one()).prop_map(|(a, b)| format!("x/3:{a} + 1-x/3:{b}")),
        1 => (one(), one()).prop_map(|(a, b)| format!("(b?1:0):{a} + (b?0:1):{b}")),
    ]
    .boxed()
}

fn command(module: usize) -> BoxedStrategy<String> {
    let action = prop::sample::select(vec!["", "", "p", "q", "r"]);
    let guard = prop_oneof![
        typed(Kind::Bool, 1),
        (typed(Kind::Bool, 1), typed(Kind::Bool, 2)).prop_map(|(a, b)| format!("({a}) & ({b})")),
    ];
    (action, guard, updates(module))
        .prop_map(|(action, guard, updates)| format!("  [{action}] {guard} -> {updates};\n"))
        .boxed()
}

fn module(index: usize) -> BoxedStrategy<String> {
    prop::collection::vec(command(index), 1..5)
        .prop_map(move |commands| {
            let (name, variables) = (["l", "m", "n"][index], VARIABLES[index]);
            format!(
                "module {name}\n  {variables}\n{}endmodule\n",
                commands.concat()
            )
        })
        .boxed()
}

/// A composition of the three modules in some order, or none.
fn system() -> impl Strategy<Value = Option<String>> {
    let operator = || prop::sample::select(vec!["||", "|||", "|[p]|", "|[p,q]|", "|[q,r]|"]);
    let suffix = || {
        prop::sample::select(vec![
            "",
            "",
            " / {p}",
            " / {q,r}",
            " {p<-q}",
            " {q<-r, r<-q}",
        ])
    };
    let order = prop::sample::select(vec![["l", "m", "n"], ["n", "l", "m"], ["m", "n", "l"]]);
    let composed = (order, operator(), operator(), suffix(), suffix(), suffix())
        .prop_map(|([a, b, c], o, p, s, t, u)| format!("(({a}{s} {o} {b}){t} {p} {c}){u}"));
    prop::option::of(composed)
}

fn model() -> impl Strategy<Value = String> {
    let kind = prop::sample::select(vec!["mdp", "dtmc", "ctmc"]);
    (kind, module(0), module(1), module(2), system()).prop_map(|(kind, l, m, n, system)| {
        let system = system.map(|system| format!("system {system} endsystem\n"));
        let system = system.unwrap_or_default();
        format!("{kind}\nconst int k = 2; const double d = 0.5;\n{l}{m}{n}{system}")
    })
}

/// Commands are written with all actions of the renamings, so that those are known.
fn with_all_actions(text: &str) -> String {
    let known = "  [p] false -> true; [q] false -> true; [r] false -> true;\n";
    text.replacen("endmodule", &format!("{known}endmodule"), 1)
}

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
