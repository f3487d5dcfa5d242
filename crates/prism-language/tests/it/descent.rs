//! The grammar of expressions read a second time, by recursive descent along the productions of
//! PRISM's own grammar, and compared with the parser on random sequences of operands and operators.

use prism_language::parse_expression;
use proptest::prelude::*;

/// Reads tokens, and writes the expression with parentheses around each operation.
struct Descent<'t> {
    tokens: &'t [String],
    at: usize,
}

impl Descent<'_> {
    fn next_is(&self, tokens: &[&str]) -> bool {
        let next = self.tokens.get(self.at).map(String::as_str);
        next.is_some_and(|next| tokens.contains(&next))
    }

    fn take(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }

    /// `implies [ ? implies : if-then-else ]`
    fn if_then_else(&mut self) -> String {
        let condition = self.implies();
        if !self.next_is(&["?"]) {
            return condition;
        }
        self.take();
        let yes = self.implies();
        assert_eq!(self.take(), ":");
        let no = self.if_then_else();
        format!("({condition} ? {yes} : {no})")
    }

    /// `iff [ => implies ]`
    fn implies(&mut self) -> String {
        let left = self.left_of(0);
        if !self.next_is(&["=>"]) {
            return left;
        }
        self.take();
        format!("({left} => {})", self.implies())
    }

    /// The levels whose operators group to the left, loosest first.
    fn left_of(&mut self, level: usize) -> String {
        const LEVELS: [&[&str]; 7] = [
            &["<=>"],
            &["|"],
            &["&"],
            &["=", "!="],
            &["<", "<=", ">", ">="],
            &["+", "-"],
            &["*", "/"],
        ];
        const NOT: usize = 3;
        let Some(operators) = LEVELS.get(level) else {
            return self.power();
        };
        if level == NOT && self.next_is(&["!"]) {
            self.take();
            return format!("(!{})", self.left_of(level));
        }
        let mut left = self.left_of(level + 1);
        while self.next_is(operators) {
            let operator = self.take();
            left = format!("({left} {operator} {})", self.left_of(level + 1));
        }
        left
    }

    /// `minus [ ^ power ]`
    fn power(&mut self) -> String {
        let base = self.minus();
        if !self.next_is(&["^"]) {
            return base;
        }
        self.take();
        format!("({base} ^ {})", self.power())
    }

    fn minus(&mut self) -> String {
        if self.next_is(&["-"]) {
            self.take();
            return format!("(-{})", self.minus());
        }
        self.basic()
    }

    /// A name, a number, or what stands in parentheses, those of a function included.
    fn basic(&mut self) -> String {
        let mut text = self.take();
        if text.contains('(') {
            text += &self.if_then_else();
            while self.next_is(&[","]) {
                text += &self.take();
                text += &self.if_then_else();
            }
            text += &self.take();
        }
        text
    }
}

/// Tokens of an expression; `!` stands only where PRISM reads it.
fn tokens(depth: u32) -> BoxedStrategy<Vec<String>> {
    let one = |of: &'static [&'static str]| prop::sample::select(of).prop_map(str::to_owned);
    let name = one(&["a", "b", "x", "3", "0.5", "true"]).prop_map(|name| vec![name]);
    let operand = if depth == 0 {
        name.boxed()
    } else {
        let opening = one(&["(", "min(", "func(max, ", "floor("]);
        let inner = prop::collection::vec(tokens(depth - 1), 1..3);
        let group = (opening, inner).prop_map(|(opening, inner)| {
            let inner = if opening == "(" { &inner[..1] } else { &inner };
            let inner = inner.join(&",".to_owned());
            [vec![opening], inner, vec![")".to_owned()]].concat()
        });
        prop_oneof![4 => name, 1 => group].boxed()
    };
    let signed = (prop::collection::vec(Just("-".to_owned()), 0..3), operand)
        .prop_map(|(signs, operand)| [signs, operand].concat());
    let tight = one(&[
        "+", "-", "*", "/", "^", "^", "=", "!=", "<", "<=", ">", ">=",
    ]);
    let arithmetic = chain(signed.boxed(), tight.boxed(), 5);
    let negated = (
        prop::collection::vec(Just("!".to_owned()), 0..2),
        arithmetic,
    )
        .prop_map(|(nots, operand)| [nots, operand].concat());
    let logical = chain(
        negated.boxed(),
        one(&["&", "|", "<=>", "=>", "=>"]).boxed(),
        4,
    );
    let chosen = (logical.clone(), logical.clone(), logical.clone())
        .prop_map(|(c, a, b)| [c, vec!["?".to_owned()], a, vec![":".to_owned()], b].concat());
    prop_oneof![4 => logical, 1 => chosen].boxed()
}

/// Operands with operators between them.
fn chain(
    operand: BoxedStrategy<Vec<String>>,
    operator: BoxedStrategy<String>,
    most: usize,
) -> BoxedStrategy<Vec<String>> {
    let further = (operator, operand.clone()).prop_map(|(o, a)| [vec![o], a].concat());
    (operand, prop::collection::vec(further, 0..most))
        .prop_map(|(first, others)| [first, others.concat()].concat())
        .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn operators_are_grouped_as_in_prisms_grammar(tokens in tokens(2)) {
        let text = tokens.join(" ");
        let mut descent = Descent { tokens: &tokens, at: 0 };
        let grouped = descent.if_then_else();
        prop_assert_eq!(descent.at, tokens.len(), "{}", text);
        let read = |text: &str| {
            let failed = |error| TestCaseError::fail(format!("{error}: {text}"));
            parse_expression(text.as_bytes()).map_err(failed)
        };
        prop_assert_eq!(read(&text)?, read(&grouped)?, "{}\n{}", text, grouped);
    }
}
