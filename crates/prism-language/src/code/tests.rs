//! Which instructions expressions become. That they compute what they should, the tests from
//! outside say.

use super::compile::Draft;
use super::{Compiler, Domain, Instruction};
use crate::ast::Type;
use crate::grammar::whole_expression;
use crate::ir::{Expr, Meaning, Scope, Wanted, typed};
use proptest::prelude::*;

const DOMAINS: [Domain; 4] = [
    Domain { low: 0, high: 15 },
    Domain { low: 0, high: 15 },
    Domain {
        low: -9,
        high: 5000,
    },
    Domain { low: 0, high: 1 },
];

/// Returns an expression over `p` and `q` (16 values each), `t` (5,010 values) and `b` (a
/// bool).
fn expression(text: &str, of: Type) -> Expr {
    let mut scope = Scope::default();
    let variables = [
        ("p", Type::Int),
        ("q", Type::Int),
        ("t", Type::Int),
        ("b", Type::Bool),
    ];
    for (slot, (name, of)) in variables.into_iter().enumerate() {
        let Domain { low, high } = DOMAINS[slot];
        let meaning = Meaning::Variable(slot as u16, of, (low, high));
        scope.names.insert(name, meaning);
    }
    let expr = whole_expression(text.as_bytes()).expect("an expression");
    typed(&expr, &scope, "it", Wanted::Of(of)).expect("well typed")
}

/// Its code.
fn instructions(text: &str, of: Type) -> Vec<Instruction> {
    let expr = expression(text, of);
    let mut compiler = Compiler::new(&DOMAINS);
    match of {
        Type::Bool => compiler.condition(&expr, &[expr.root()]),
        _ => compiler.value(&expr, expr.root()),
    }
    .expect("small enough");
    compiler.code.instructions
}

/// Returns the number of instructions that a condition has, but for the two that answer.
fn tests(text: &str) -> usize {
    instructions(text, Type::Bool).len() - 2
}

/// Returns the number of tests that are those of sets.
fn sets(code: &[Instruction]) -> usize {
    let is_set = |one: &&Instruction| matches!(one, Instruction::InSet { .. });
    code.iter().filter(is_set).count()
}

#[test]
fn a_condition_on_one_small_variable_is_one_test() {
    assert_eq!(tests("p>=4&p<=5|p>=10&p<=15"), 1);
    assert_eq!(tests("!(mod(p, 3)=1 => p*p>50)"), 1);
    assert_eq!(tests("b"), 1);
    assert_eq!(tests("(p>3 | q>3) & b"), 3);
}

#[test]
fn tests_of_one_variable_become_one() {
    for (text, number) in [
        ("p=1 | q=2 | p=3", 2),
        ("p=1 | q=2 | p=3 | q=4 | b", 3),
        ("p>1 & q>2 & p<9 & q<9", 2),
        ("!(p=1 | q=2 | p=3)", 2),
        ("q=0 | (p=1 | q=2 | p=3) & b", 4),
    ] {
        assert_eq!(tests(text), number, "{text}");
    }
    // What may fail stands between them.
    let code = instructions("p=1 | 6/q>2 | p=3", Type::Bool);
    assert_eq!(sets(&code), 2, "{code:?}");
}

/// Returns a condition over `p`, `q` and `b`.
fn condition() -> impl Strategy<Value = String> {
    let test = prop_oneof![
        Just("b".to_owned()),
        ("[pq]", "=|!=|<|>=", 0..16).prop_map(|(name, op, number)| format!("{name}{op}{number}")),
        Just("p>q".to_owned()),
    ];
    test.prop_recursive(6, 40, 5, |inner| {
        let chain = |op: &'static str| {
            let inner = prop::collection::vec(inner.clone(), 2..6);
            inner.prop_map(move |parts| format!("({})", parts.join(op)))
        };
        prop_oneof![
            4 => chain(" | "),
            4 => chain(" & "),
            1 => inner.clone().prop_map(|part| format!("!{part}")),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
        ]
    })
}

proptest! {
    /// As code without sets, in which no tests are merged.
    #[test]
    fn conditions_with_sets_hold_where_they_should(text in condition()) {
        let expr = expression(&text, Type::Bool);
        let [merged, plain] = [true, false].map(|tabulate| {
            let mut compiler = Compiler::new(&DOMAINS);
            let begin = |draft: &mut Draft<'_>| draft.conjunction(&[expr.root()]);
            compiler.append(&expr, tabulate, begin).expect("small enough");
            compiler.code
        });
        for state in 0..512 {
            let state = [state & 15, state >> 4 & 15, 0, state >> 8];
            let answers = [&merged, &plain].map(|code| code.run(0, &state, &mut code.stack()));
            prop_assert_eq!(answers[0], answers[1], "{:?}", state);
        }
        prop_assert_eq!(sets(&plain.instructions), 0);
    }
}

#[test]
fn comparisons_are_one_test() {
    for text in ["t=1", "4000>t", "t<p", "p!=q", "!(t>=q)"] {
        assert_eq!(tests(text), 1, "{text}");
    }
    assert_eq!(tests("t>=10 & t<=20"), 2);
    assert_eq!(tests("p+q>t"), 5);
}

#[test]
fn constants_are_folded() {
    assert_eq!(tests("2*3=6 & p=1"), 1);
    assert_eq!(tests("true | 1/t>2"), 0);
    // What fails is left to fail when it is asked.
    assert!(tests("1/0>2 & p=1") > 1);
}

#[test]
fn numbers_that_depend_on_one_small_variable_are_looked_up() {
    let code = instructions("min(p*p+1, 99)", Type::Int);
    assert!(
        matches!(code[..], [Instruction::LookUp { .. }, Instruction::Return]),
        "{code:?}"
    );
    let code = instructions("min(t+1, 99)", Type::Int);
    assert_eq!(code.len(), 6, "{code:?}");
}

#[test]
fn instructions_stay_small() {
    assert_eq!(size_of::<Instruction>(), 24);
}
