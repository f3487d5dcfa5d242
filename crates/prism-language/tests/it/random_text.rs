//! Random texts in PRISM's language: expressions, and models of three modules.

use proptest::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Int,
    Double,
    Bool,
}

fn leaf(kind: Kind) -> BoxedStrategy<String> {
    let options: &'static [&'static str] = match kind {
        Kind::Int => &[
            "x", "y", "z", "w", "0", "1", "2", "3", "64", "1500", "k", "-1", "x+1", "y-3",
        ],
        Kind::Double => &["0.5", "1.5", "d", "2e3", "x/2", "y/4"],
        Kind::Bool => &[
            "b", "c", "true", "false", "x=1", "y<30", "z>=700", "x<y", "w!=5",
        ],
    };
    prop::sample::select(options)
        .prop_map(str::to_owned)
        .boxed()
}

/// Expressions of a type, nested at most `depth` deep.
pub(crate) fn typed(kind: Kind, depth: u32) -> BoxedStrategy<String> {
    if depth == 0 {
        return leaf(kind);
    }
    let sub = move |kind| typed(kind, depth - 1);
    let number = prop_oneof![Just(Kind::Int), Just(Kind::Double)];
    let group = |text: String| format!("({text})");
    match kind {
        Kind::Int => prop_oneof![
            2 => leaf(kind),
            3 => (sub(kind), op(&["+", "-", "*"]), sub(kind)).prop_map(|(a, o, b)| format!("{a}{o}{b}")),
            1 => sub(kind).prop_map(|a| format!("-({a})")),
            2 => sub(kind).prop_map(group),
            1 => (sub(kind), sub(kind)).prop_map(|(a, b)| format!("min({a}, {b})")),
            1 => (sub(kind), sub(kind), sub(kind)).prop_map(|(a, b, c)| format!("max({a},{b},{c})")),
            1 => (sub(kind), sub(kind)).prop_map(|(a, b)| format!("mod({a}, {b})")),
            1 => (sub(kind), sub(kind)).prop_map(|(a, b)| format!("pow({a}, {b})")),
            1 => (sub(kind), sub(kind)).prop_map(|(a, b)| format!("{a}^{b}")),
            1 => (sub(kind), sub(kind)).prop_map(|(a, b)| format!("({a})^mod({b}, 5)")),
            1 => (op(&["min", "max"]), sub(kind)).prop_map(|(f, a)| format!("{f}({a})")),
            1 => (op(&["floor", "ceil", "round"]), number.clone().prop_flat_map(sub)).prop_map(|(f, a)| format!("{f}({a})")),
            1 => (sub(Kind::Bool), sub(kind), sub(kind)).prop_map(|(c, a, b)| format!("({c} ? {a} : {b})")),
        ]
        .boxed(),
        Kind::Double => prop_oneof![
            2 => leaf(kind),
            2 => (sub(kind), op(&["+", "-", "*", "/"]), number.clone().prop_flat_map(sub)).prop_map(|(a, o, b)| format!("({a}){o}({b})")),
            2 => (sub(Kind::Int), op(&["/"]), sub(Kind::Int)).prop_map(|(a, o, b)| format!("({a}){o}({b})")),
            1 => (sub(Kind::Int), sub(kind)).prop_map(|(a, b)| format!("max({a}, {b})")),
            1 => (sub(kind), sub(Kind::Int)).prop_map(|(a, b)| format!("pow({a}, {b})")),
            1 => (sub(kind), sub(Kind::Int)).prop_map(|(a, b)| format!("log({a}, {b})")),
            1 => (sub(kind), number.clone().prop_flat_map(sub)).prop_map(|(a, b)| format!("({a})^{b}")),
            1 => (sub(Kind::Int), sub(kind)).prop_map(|(a, b)| format!("{a}^({b})")),
            1 => (op(&["min", "max"]), sub(kind)).prop_map(|(f, a)| format!("{f}({a})")),
            1 => (sub(Kind::Bool), sub(kind), sub(Kind::Int)).prop_map(|(c, a, b)| format!("({c} ? {a} : {b})")),
        ]
        .boxed(),
        Kind::Bool => prop_oneof![
            2 => leaf(kind),
            4 => (sub(kind), op(&["&", "|", "=>", "<=>", "=", "!="]), sub(kind)).prop_map(|(a, o, b)| format!("({a}){o}({b})")),
            2 => (sub(kind), op(&["&", "|"]), sub(kind)).prop_map(|(a, o, b)| format!("{a} {o} {b}")),
            2 => (sub(kind), sub(kind), sub(kind)).prop_map(|(a, b, c)| format!("{a} => {b} => {c}")),
            1 => (sub(kind), op(&["=>", "<=>"]), sub(kind)).prop_map(|(a, o, b)| format!("{a} {o} {b}")),
            1 => sub(kind).prop_map(|a| format!("!({a})")),
            3 => (sub(Kind::Int), op(&["=", "!=", "<", "<=", ">", ">="]), sub(Kind::Int)).prop_map(|(a, o, b)| format!("{a}{o} {b}")),
            1 => (sub(Kind::Double), op(&["=", "<", ">="]), number.prop_flat_map(sub)).prop_map(|(a, o, b)| format!("{a}{o} {b}")),
            1 => (sub(kind), sub(kind), sub(kind)).prop_map(|(c, a, b)| format!("({c} ? {a} : {b})")),
        ]
        .boxed(),
    }
}

fn op(of: &'static [&'static str]) -> BoxedStrategy<&'static str> {
    prop::sample::select(of).boxed()
}

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

/// A model of three modules, composed in some way.
pub(crate) fn model() -> impl Strategy<Value = String> {
    let kind = prop::sample::select(vec!["mdp", "dtmc", "ctmc"]);
    (kind, module(0), module(1), module(2), system()).prop_map(|(kind, l, m, n, system)| {
        let system = system.map(|system| format!("system {system} endsystem\n"));
        let system = system.unwrap_or_default();
        format!("{kind}\nconst int k = 2; const double d = 0.5;\n{l}{m}{n}{system}")
    })
}

/// Commands are written with all actions of the renamings, so that those are known.
pub(crate) fn with_all_actions(text: &str) -> String {
    let known = "  [p] false -> true; [q] false -> true; [r] false -> true;\n";
    text.replacen("endmodule", &format!("{known}endmodule"), 1)
}
