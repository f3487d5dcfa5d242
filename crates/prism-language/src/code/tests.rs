//! Which instructions expressions become. That they compute what they should, the tests from
//! outside say.

use super::{Compiler, Domain, Instruction};
use crate::ast::Type;
use crate::grammar::whole_expression;
use crate::ir::{Meaning, Scope, Wanted, typed};

const DOMAINS: [Domain; 4] = [
    Domain { low: 0, high: 15 },
    Domain { low: 0, high: 15 },
    Domain {
        low: -9,
        high: 5000,
    },
    Domain { low: 0, high: 1 },
];

/// The code of an expression over `p` and `q` (16 values each), `t` (5,010 values) and `b` (a
/// bool).
fn instructions(text: &str, of: Type) -> Vec<Instruction> {
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
    let expr = typed(&expr, &scope, "it", Wanted::Of(of)).expect("well typed");
    let mut compiler = Compiler::new(&DOMAINS);
    match of {
        Type::Bool => compiler.condition(&expr, &[expr.root()]),
        _ => compiler.value(&expr, expr.root()),
    }
    .expect("small enough");
    compiler.code.instructions
}

/// How many instructions a condition has, but for the two that answer.
fn tests(text: &str) -> usize {
    instructions(text, Type::Bool).len() - 2
}

#[test]
fn a_condition_on_one_small_variable_is_one_test() {
    assert_eq!(tests("p>=4&p<=5|p>=10&p<=15"), 1);
    assert_eq!(tests("!(mod(p, 3)=1 => p*p>50)"), 1);
    assert_eq!(tests("b"), 1);
    assert_eq!(tests("(p>3 | q>3) & b"), 3);
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
