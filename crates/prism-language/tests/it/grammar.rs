//! The grammar: the precedence of operators, the positions of each part, and printing as the
//! inverse of parsing.

use prism_language::{parse, parse_expression};

use crate::samples;

/// That two texts are the same expression.
#[track_caller]
fn same(text: &str, grouped: &str) {
    let read = |text: &str| {
        parse_expression(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    assert_eq!(read(text), read(grouped), "{text} is {}", read(text));
}

#[test]
fn operators_bind_as_in_prism() {
    same("a => b => c", "a => (b => c)");
    same("a => b => c => d", "a => (b => (c => d))");
    same("a <=> b <=> c", "(a <=> b) <=> c");
    same("a <=> b => c <=> d => e", "(a <=> b) => ((c <=> d) => e)");
    same("a => b ? c => d : e => f", "(a => b) ? (c => d) : (e => f)");
    same("a => b <=> c", "a => (b <=> c)");
    same("a <=> b | c", "a <=> (b | c)");
    same("a | b & c | d", "(a | (b & c)) | d");
    same("!a & b", "(!a) & b");
    same("!a = b", "!(a = b)");
    same("!!a", "!(!a)");
    same("a = b < c", "a = (b < c)");
    same("a = b != c", "(a = b) != c");
    same("a < b + c", "a < (b + c)");
    same("a - b - c + d", "((a - b) - c) + d");
    same("a + b * c / d", "a + ((b * c) / d)");
    same("-a * b", "(-a) * b");
    same("a * -b", "a * (-b)");
    same("--a", "-(-a)");
    same("a ^ b ^ c", "a ^ (b ^ c)");
    same("-a ^ b", "(-a) ^ b");
    same("a ^ -b", "a ^ (-b)");
    same("a ^ -b ^ c", "a ^ ((-b) ^ c)");
    same("a * b ^ c / d", "(a * (b ^ c)) / d");
    same("a ^ b * c ^ d", "(a ^ b) * (c ^ d)");
    same("a - b ^ c", "a - (b ^ c)");
    same("!a ^ b = c", "!((a ^ b) = c)");
    same("a ^ (b ? c : d)", "a ^ ((b ? c : d))");
    same("a ? b : c ? d : e", "a ? b : (c ? d : e)");
    same("a & b ? c + 1 : d | e", "(a & b) ? (c + 1) : (d | e)");
    same("a<-b", "a < (-b)");
    same("func(min, a, b)", "min(a, b)");
    same(
        "min(a ? b : c, max(d, e, f))",
        "min((a ? b : c), max(d, e, f))",
    );
    same("p1>9?1:0+p1>9?1:0", "p1>9 ? 1 : ((0+p1)>9 ? 1 : 0)");
}

#[test]
fn numbers_are_read() {
    for text in ["0.5", ".5", "5e-1", "0.05E+1"] {
        same(text, "0.5");
    }
    assert!(parse_expression(b"1.").is_err());
    assert!(parse_expression(b"9223372036854775807").is_ok());
    assert!(parse_expression(b"9223372036854775808").is_err());
    assert!(parse_expression(b"1e400").is_err());
}

#[test]
fn any_depth_of_nesting_is_read() {
    const DEPTH: usize = 100_000;
    for (open, close) in [
        ("(", ")"),
        ("!(", ")"),
        ("-", ""),
        ("min(1, ", ")"),
        ("a ? b : ", ""),
        ("a => ", ""),
        ("a ^ ", ""),
        ("a ^ -", ""),
        ("max(", ")"),
    ] {
        let text = format!("{}x{}", open.repeat(DEPTH), close.repeat(DEPTH));
        let expr = parse_expression(text.as_bytes()).unwrap_or_else(|e| panic!("{open}: {e}"));
        assert!(open == "(" || expr.nodes().len() > DEPTH, "{open}");
        assert_eq!(
            parse_expression(expr.to_string().as_bytes()),
            Ok(expr),
            "{open}"
        );
    }
    assert!(parse_expression("(".repeat(DEPTH).as_bytes()).is_err());
    let chain = vec!["x"; DEPTH].join(" + ");
    let expr = parse_expression(chain.as_bytes()).expect("a sum");
    assert_eq!(expr.to_string(), chain);
}

#[test]
fn deep_expressions_compile_and_run() {
    let sum = vec!["x"; 20_000].join("+");
    let nested = format!("{}x=1{}", "!(".repeat(20_000), ")".repeat(20_000));
    let text =
        format!("module m x : [0..1] init 1; y : [0..20000]; [] {nested} -> (y'={sum}); endmodule");
    let program = parse(text.as_bytes()).and_then(|model| model.compile(&[]));
    let program = program.expect("the model is right");
    let space = crate::support::Space::explore(&program).expect("the model is right");
    let targets: Vec<Vec<i64>> = space
        .states
        .iter()
        .map(|state| crate::support::unpacked(&program, state))
        .collect();
    assert_eq!(targets, [vec![1, 0], vec![1, 20_000]]);
}

#[test]
fn samples_print_as_text_that_parses_back() {
    for (text, _) in samples::ALL {
        let model = parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let printed = model.to_string();
        let again = parse(printed.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{printed}"));
        assert!(model == again, "{printed}");
    }
}

#[test]
fn a_model_is_printed_before_and_after_expansion() {
    let text = "ctmc const double r=1/3; formula f=x>0|y; label \"l\"=!f;\
        module m x:[0..1+1]init 0;y:bool;[a]f&!(x=2)->r:(x'=x+1)&(y'=true)+1:true;[]f->true;endmodule \
        module n=m[x=z,y=w,a=b]endmodule \
        system m|[a,b]|n/{a}{b<-a} endsystem rewards\"q\"[a]true:2;true:1;endrewards";
    let model = parse(text.as_bytes()).expect("the model is right");
    insta::assert_snapshot!(model, @r#"
    ctmc

    const double r = 1 / 3;
    formula f = x > 0 | y;

    module m
      x : [0..1 + 1] init 0;
      y : bool;
      [a] f & !x = 2 -> r : (x'=x + 1) & (y'=true) + 1 : true;
      [] f -> true;
    endmodule

    module n = m [x=z, y=w, a=b] endmodule

    system (m |[a, b]| n / {a} {b<-a}) endsystem
    label "l" = !f;
    rewards "q"
      [a] true : 2;
      true : 1;
    endrewards
    "#);
    // What is expanded is printed in another way.
    let printed = model.to_string();
    let expanded = model.expanded().expect("the model is right").to_string();
    let known: Vec<&str> = printed.lines().collect();
    let lines = expanded.lines();
    let others: Vec<&str> = lines.filter(|line| !known.contains(line)).collect();
    insta::assert_snapshot!(others.join("\n"), @r#"
      [a] (x > 0 | y) & !x = 2 -> r : (x'=x + 1) & (y'=true) + 1 : true;
      [] x > 0 | y -> true;
    module n
      z : [0..1 + 1] init 0;
      w : bool;
      [b] (z > 0 | w) & !z = 2 -> r : (z'=z + 1) & (w'=true) + 1 : true;
      [] z > 0 | w -> true;
    label "l" = !(x > 0 | y);
    "#);
}
