//! The texts of errors. The tests render them in a form of their own, which shows all parts of an
//! error.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use prism_language::{Error, Position, Program, parse};

use crate::support::Space;

fn render(text: &str, error: &Error) -> String {
    let mut rendered = format!("error: {}\n", error.kind());
    if let Some(position) = error.position() {
        let expectation = error.expected().zip(error.found());
        let note =
            expectation.map(|(expected, found)| format!("expected {expected}, found {found}"));
        place(&mut rendered, text, position, &note.unwrap_or_default());
    }
    for note in error.notes() {
        match note.position {
            Some(position) => place(&mut rendered, text, position, &note.text),
            None => {
                let _ = writeln!(rendered, "   = {}", note.text);
            }
        }
    }
    rendered
}

fn place(rendered: &mut String, text: &str, position: Position, note: &str) {
    let line = text
        .lines()
        .nth(position.line as usize - 1)
        .unwrap_or_default();
    let column = position.column as usize - 1;
    let width = position
        .length
        .clamp(1, line.len().saturating_sub(column).max(1));
    let carets = format!("{}{} {note}", " ".repeat(column), "^".repeat(width));
    let _ = writeln!(
        rendered,
        "{:2} | {line}\n   | {}",
        position.line,
        carets.trim_end()
    );
}

/// Returns the first error in `text`, including errors in its state space.
fn first_error(text: &str, constants: &[(&str, &str)]) -> Result<(), Error> {
    let program: Program = parse(text.as_bytes())?.compile(constants)?;
    program.initial_states(|_| ControlFlow::Continue(()))?;
    let space = Space::explore(&program)?;
    let (mut scratch, mut seen) = (program.scratch(), Vec::new());
    for state in &space.states {
        program.observe(&mut scratch, state, &mut seen)?;
        if !program.players().is_empty() {
            program.owner(&mut scratch, state)?;
        }
    }
    Ok(())
}

#[track_caller]
fn error(text: &str, constants: &[(&str, &str)]) -> String {
    let error = first_error(text, constants).expect_err(text);
    render(text, &error)
}

/// Texts are long and stand in the snapshots anyway.
macro_rules! snapshot {
    ($rendered:expr) => {
        insta::with_settings!({ omit_expression => true }, {
            insta::assert_snapshot!($rendered);
        })
    };
}

fn errors(texts: &[&str]) -> String {
    let rendered: Vec<String> = texts.iter().map(|text| error(text, &[])).collect();
    rendered.join("\n")
}

/// Habits from other languages.
#[test]
fn habits_from_other_languages_are_explained() {
    insta::assert_snapshot!(errors(&[
        "module m x : [0..1]; [] x==0 -> (x'=1); endmodule",
        "module m x : [0..1]; [] x=0 && x=1 -> (x'=1); endmodule",
        "module m x : [0..1]; [] x=0 || x=1 -> (x'=1); endmodule",
        "module m x : [0..1]; [] x%2=0 -> (x'=1); endmodule",
        "module m x : [0..1]; [] x=0 -> (x'==1); endmodule",
        "module m x : [0..1]; y : bool; [] x=0 -> (x'=1) && (y'=true); endmodule",
        "module m x : [0..1]; y : bool; [] x=0 -> (x'=1) & y'=true; endmodule",
        "module m x : [0..1]; [] x=0 -> x'=1; endmodule",
        "module m x : [0..1]; [] x=0 -> (x'=0) + (x'=1); endmodule",
        "module m x : [0..1]; [] x=0 -> 0.5 : (x'=0) + (x'=1); endmodule",
        "module m x : [0..1]; [] x=0 -> true + true; endmodule",
        "module m x : [0..1]; [] x=0 -> (x'=x/2); endmodule",
        "module m x : bool; [] x -> (x'=1); endmodule",
        "module m x : [0..1] init 1/2; endmodule",
        "const int N = 3/2; module m endmodule",
        "const int N = true ? true : 1; module m endmodule",
    ]));
}

/// PRISM reads properties from other files than models.
#[test]
fn properties_are_recognised() {
    insta::assert_snapshot!(errors(&[
        "P=? [ F x=1 ]",
        "const double T;\nlabel \"full\" = x=2;\nRmax=? [ F \"full\" ];",
        "\"safe\": Pminmax=? [ G x<2 ]",
        "// always\nfilter(forall, x=1)",
        "(P>0.5 [ X x=1 ])",
        "dtmc Pmodule",
        "E : [0..1];",
        "S = 3;",
        "\"full\" = x=2;",
    ]));
}

#[test]
fn values_of_constants_say_what_is_wrong() {
    let text = "const int N; module m endmodule";
    let given = ["1/0", "1/2", "mod(1,0)", "true", "n", "1+", "1 2"];
    let errors = given.map(|value| error(text, &[("N", value)]));
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn errors_of_syntax() {
    insta::assert_snapshot!(errors(&[
        "label \"two words\" = true;",
        "label \"\" = true;",
        "label \"open = true;",
        "mdp modul m endmodule",
        "module m x : [0..1]; [] x=0 -> (x'=1) endmodule",
        "module m x : [0..1] [] x=0 -> (x'=1); endmodule",
        "module m x : [0..1]; x=0 -> (x'=1); endmodule",
        "module m x : [0..1]; [a x=0 -> (x'=1); endmodule",
        "module m x : [0..1]; [] x=0 -> (x=1); endmodule",
        "module m x : [0..1]; [] x=0 -> 0.5 (x'=1); endmodule",
        "module m x : [0..1]; [] x=0 -> 0.5 : x'=1; endmodule",
        "module m x : [0..1; endmodule",
        "module m x : [0..1];",
        "const int N = (1 + 2;",
        "const int N = 1 + ;",
        "const int N = a ? 1;",
        "const int N = min(1, 2;",
        "const int N = min();",
        "const int N = 2 ^;",
        "const int N = 2 ^ ^ 3;",
        "const int N 3;",
        "const int module = 3;",
        "module m clock : [0..1]; endmodule",
        "module m x : bool; rate : [0..1]; endmodule",
        "module m = n [a=max, b=init] endmodule",
        "int N = 3;",
        "label done = true;",
        "module m = n [a=b c=d] endmodule",
        "rewards \"r\" true : 1 endrewards",
        "system m |[a] n endsystem",
        "system (m || n endsystem",
        "system m || endsystem",
        "system \"s\" || m endsystem",
        "system \"s\" \"t\" \"u\" endsystem",
        "formula f = x @ 2;",
        "// \u{e9}\nformula \u{e9} = 2;",
    ]));
}

#[test]
fn parts_that_are_not_supported_are_refused() {
    snapshot!(errors(&[
        "csg",
        "tptg module m x : clock; endmodule",
        "module m x : [0..1]; [] x=0 -> (x'=1); <> x=1 -> 2 : (x'=0); endmodule",
        "ma module m x : bool; <> x -> 0-1 : true; endmodule init x endinit",
        "const int N = 9223372036854775808;",
        "const double N = 1e999;",
        "mdp dtmc",
        "init true endinit init false endinit",
        "system m || n ||| o endsystem",
        "system m |[a]| n |[b]| o endsystem",
        "system m endsystem system \"s\" m endsystem system m endsystem",
    ]));
}

#[test]
fn errors_about_unbounded_variables() {
    snapshot!(errors(&[
        "module m x : int; [] true -> (x'=x+100); endmodule",
        "module m x : int; endmodule init x>=0 endinit",
        "module m x : int; endmodule init x!=3 & (x<2 | x>9) endinit",
        "module m x : int init 9223372036854775807; [] true -> (x'=x+1); endmodule",
        "module m x : int init true; endmodule",
        "module m x : int [0..3]; endmodule",
    ]));
}

#[test]
fn errors_about_clocks() {
    snapshot!(errors(&[
        "pta global x : clock; module m endmodule",
        "pta module m x : clock init 1; invariant x<=1 endinvariant endmodule",
        "dtmc module m x : clock; endmodule",
        "mdp module m x : bool; invariant x endinvariant endmodule",
        "pta module m x : clock; [] true -> true; endmodule",
        "pta module m x : clock; [] x>=-1 -> true; endmodule",
        "pta module m x : clock; [] x>1 -> true; endmodule",
        "pta module m x : clock; invariant 1 > x endinvariant endmodule",
        "pta module m x : clock; y : clock; [] x>=1 & x<=y -> true; endmodule",
        "pta module m x : clock; [] x+1>=2 -> true; endmodule",
        "pta module m x : clock; [] x -> true; endmodule",
        "pta module m x : clock; [] x>=0.5 -> true; endmodule",
        "pta module m x : clock; [] x>=1 -> 1/x : true; endmodule",
        "pta module m x : clock; n : [0..9]; [] x>=1 -> (n'=x); endmodule",
        "pta module m x : clock; n : [0..9]; [] x>=1 -> (x'=n); endmodule",
        "pta module m x : clock; [] x>=1 -> (x'=true); endmodule",
        "pta module m x : clock; [] x>=1 -> (x'=-1); endmodule",
        "pta module m x : clock; [] x>=1 -> true; endmodule label \"l\" = x>=1;",
        "pta module m x : clock; [] x>=1 -> true; endmodule rewards x>=1 : 2; endrewards",
        "pta module m x : clock; [] x>=1 -> true; endmodule init x=0 endinit",
        "pta module m x : clock; n : int; [] x>=n -> true; endmodule",
        "pta module m x : clock; n : [0..99]; k : [0..99]; j : [0..999]; [] x>=n+k+j -> true; endmodule",
        "pta module m x : clock; n : [0..9]; [] x>=pow(2, n-1) -> true; endmodule",
        "pta module m x : clock; invariant x<=1 endinvariant invariant true endinvariant endmodule",
        "pta module m [] true -> true; invariant true endinvariant endmodule",
        "pta module m x : clock; invariant 1 endinvariant [] x>=1 -> true; endmodule",
        "popta module m x : clock; n : bool; [] x>=1 -> true; endmodule observables n endobservables",
    ]));
}

#[test]
fn errors_about_intervals() {
    snapshot!(errors(&[
        "ctmc module m x : bool; [] true -> [0.1,0.3] : true; endmodule",
        "pta module m x : clock; [] x>=1 -> [0.1,0.3] : true + [0.7,0.9] : (x'=0); endmodule",
        "module m x : bool; [] true -> [0.6,0.3] : true + [0.7,0.9] : (x'=false); endmodule",
        "module m x : [0..2]; [] true -> [x/4,0.3] : (x'=2) + [0.1,0.9] : true; endmodule",
        "module m x : bool; [] true -> [0.6,0.7] : true + [0.5,0.9] : (x'=false); endmodule",
        "module m x : bool; [] true -> [0.1,0.2] : true + [0.5,0.7] : (x'=false); endmodule",
        "module m x : bool; [] true -> [-0.1,0.5] : true + [0.5,0.9] : (x'=false); endmodule",
        "module m x : bool; [] true -> [0.1,1/0] : true + [0.5,0.9] : (x'=false); endmodule",
        "module m x : bool; [] true -> [0.1,x] : true + [0.5,0.9] : (x'=false); endmodule",
        "module m x : bool; [] true -> [0.1] : true; endmodule",
        "module m x : bool; [] true -> [0.1,0.2,0.3] : true; endmodule",
        "module m x : bool; [] true -> [0.1,0.2] true; endmodule",
        "dtmc module m x : bool; [] true -> 0.5 : true + 0.4 : (x'=!x); \
         [] x -> [0,1] : true; endmodule",
        "smg player p m endplayer module m x : bool; [] true -> [0,1] : true; endmodule",
    ]));
}

#[test]
fn errors_about_observables() {
    snapshot!(errors(&[
        "pomdp module m x : bool; endmodule",
        "module m x : bool; endmodule observables x endobservables",
        "dtmc module m x : bool; endmodule observable \"o\" = x;",
        "pomdp module m count : bool; endmodule observables coun endobservables",
        "pomdp const int N = 1; module m x : bool; endmodule observables x, N endobservables",
        "pomdp module m x : bool; endmodule observables x, x endobservables",
        "pomdp module m x : bool; endmodule observables x endobservables observable \"x\" = !x;",
        "pomdp module m x : bool; endmodule label \"o\" = x; observable \"o\" = x;",
        "pomdp module m x : bool; endmodule observable \"o\" = x + 1;",
        "pomdp module m x : bool; endmodule observables x y endobservables",
        "pomdp module m x : bool; endmodule observables endobservables",
        "pomdp module m x : bool; endmodule observable o = x;",
        "pomdp module m x : [0..1]; [] true -> (x'=1-x); endmodule observable \"o\" = 1/x > 0;",
    ]));
}

#[test]
fn errors_about_players() {
    snapshot!(errors(&[
        "smg module m x : bool; endmodule",
        "player p m endplayer module m x : bool; endmodule",
        "smg player p m, [a endplayer module m x : bool; endmodule",
        "smg player p m [a] endplayer module m x : bool; endmodule",
        "smg player p m, endplayer module m x : bool; endmodule",
        "smg player m, [a] endplayer module m x : bool; endmodule",
        "smg player p m endplayer player p endplayer module m x : bool; endmodule",
        "smg player p mm endplayer module m x : bool; endmodule",
        "smg player p [go] endplayer module m x : bool; [goo] true -> true; endmodule",
        "smg player p m endplayer player q m endplayer module m x : bool; endmodule",
        "smg player p [a], [a] endplayer module m x : bool; [a] x -> true; endmodule",
        "smg player p m endplayer player q [a] endplayer\n\
         module m x : bool; [] x -> true; [a] true -> (x'=true); endmodule",
        "smg player p endplayer module m x : bool; [a] x -> true; [] x -> true; \
         [] !x -> (x'=true); endmodule",
    ]));
}

#[test]
fn errors_about_names() {
    snapshot!(errors(&[
        "module m x : [0..1]; [] y=0 -> true; endmodule",
        "const int count = 1; const int other = coun;",
        "const int N = 1; formula N = 2;",
        "module m x : bool; endmodule module n x : bool; endmodule",
        "module m endmodule module m endmodule",
        "label \"a\" = true; label \"a\" = false;",
        "label \"deadlock\" = true;",
        "const int a = b; const int b = c+1; const int c = a;",
        "formula f = g | true; formula g = !f;",
        "const int N = mim(1, 2);",
        "module m x : [0..1]; [] true -> (z'=1); endmodule",
        "const int N = 1; module m x : [0..N]; [] true -> (N'=1); endmodule",
        "module m x : bool; endmodule module n y : bool; [] true -> (x'=true); endmodule",
        "global g : bool; module m [a] true -> (g'=true); endmodule",
        "module m x : bool; [] true -> (x'=true)&(x'=false); endmodule",
        "module m [walk] true -> true; endmodule rewards [] true : 1; [walkk] true : 1; endrewards",
        "module m [a] true -> true; endmodule rewards \"r\" [b] true : 1; endrewards",
        "module m endmodule rewards [b] true : 1; endrewards",
        "",
        "  // a comment\n",
        "mdp const int N = 3; global x : [0..N];",
    ]));
}

#[test]
fn errors_about_renaming_and_composition() {
    snapshot!(errors(&[
        "module m x : bool; endmodule module n = o [x=y] endmodule",
        "module m x : bool; endmodule module n = m [y=x] endmodule",
        "module m x : bool; y : bool; endmodule module n = m [x=z] endmodule",
        "module m x : bool; endmodule module n = m [x=y, x=z] endmodule",
        "formula f = x; module m x : bool; [] f -> true; endmodule module n = m [x=y, f=g] endmodule",
        "formula f = true; module m x : bool; endmodule module n = m [x=y, f=q] endmodule",
        "formula f = 1; const k = 2; module m x : [0..k]; endmodule module n = m [x=y, k=f] endmodule",
        "formula f = 1; formula g = k; const k = 2; module m x : [0..g]; endmodule\n\
         module n = m [x=y, k=f] endmodule",
        "formula f = 1; module m x : [0..1]; endmodule module n = m [x=f] endmodule",
        "module m x : bool; endmodule module n = m [x=x] endmodule",
        "module m = n [a=b] endmodule module n = m [b=a] endmodule",
        "module m x : bool; [] x -> (x'=k>0); endmodule module n = m [x=y, k=l] endmodule const k=1;",
        "module m x : bool; [] x -> (x'=k>0); endmodule const k=1; module n = m [x=y, k=y] endmodule",
        "module m endmodule system m || n endsystem",
        "module m endmodule module n endmodule system m endsystem",
        "module m endmodule system m || m endsystem",
        "module m [a] true -> true; endmodule system m / {b} endsystem",
        "module m [a] true -> true; endmodule system m {a<-b, a<-c} endsystem",
        "module m endmodule system \"s\" m endsystem system \"s\" m endsystem",
        "module m endmodule system \"stop\" m endsystem system \"stip\" endsystem",
        "module m endmodule system \"s\" \"t\" endsystem system \"t\" \"s\" endsystem",
        "module m endmodule system \"s\" m endsystem system \"s\" || \"s\" endsystem",
        "module m endmodule module n endmodule system m endsystem system \"s\" m || n endsystem",
    ]));
}

#[test]
fn errors_of_types() {
    snapshot!(errors(&[
        "const int N = 0.5;",
        "const bool b = 1;",
        "const int N = 4/2;",
        "formula f = 1 & true;",
        "formula f = true + 1;",
        "formula f = true = 1;",
        "formula f = true < false;",
        "formula f = !1;",
        "formula f = -true;",
        "formula f = 1 ? 2 : 3;",
        "formula f = true ? 2 : false;",
        "formula f = pow(1);",
        "formula f = max(true);",
        "formula f = 2 ^ true;",
        "formula f = (1 < 2) ^ 2;",
        "const int N = 2 ^ 0.5;",
        "const int N = 2.0 ^ 2;",
        "formula f = mod(1, 2, 3);",
        "formula f = floor(1, 2);",
        "formula f = mod(1.5, 2);",
        "formula f = max(1, true);",
        "label \"l\" = 1;",
        "module m x : [0..1]; [] x -> true; endmodule",
        "module m x : [0..1]; [] true -> (x'=0.5); endmodule",
        "module m x : bool; [] true -> (x'=1); endmodule",
        "module m [] true -> true : true; endmodule",
        "rewards true : false; endrewards",
        "init 1 endinit",
    ]));
}

#[test]
fn errors_about_variables() {
    snapshot!(errors(&[
        "module m x : [3..1]; endmodule",
        "module m x : [0..1] init 2; endmodule",
        "module m x : [0..y]; y : [0..1]; endmodule",
        "module m x : [0..1]; endmodule const int N = x;",
        "module m x : [0..1] init 0; endmodule init x=1 endinit",
        "module m x : [0..1]; endmodule init x>1 endinit",
        "module m x : [0..1/0]; endmodule",
        "module m x : [0..floor(1/0)]; endmodule",
    ]));
}

#[test]
fn errors_about_constants_from_outside() {
    let text = "const int N; const double p; const bool b; const int M = 3; module m endmodule";
    let many: String = (0..13).map(|k| format!("const int k{k};")).collect();
    let many = format!("{many} module m endmodule");
    let right = [("N", "1"), ("p", "0.5"), ("b", "true")];
    let with = |name: &str, value: &str| {
        let mut given = right.to_vec();
        given.retain(|(known, _)| *known != name);
        given.push((name, value));
        error(text, &given)
    };
    let all = [
        error(text, &right[..1]),
        with("N", "1:2:9"),
        with("N", "1..9"),
        with("N", "0.5"),
        with("N", "M"),
        with("N", ""),
        with("p", "true"),
        with("b", "1"),
        with("M", "4"),
        with("n", "4"),
        error(text, &[right[0], right[0]]),
        error("const int K; module m endmodule", &[("level", "4")]),
        error("const int K = 3; module m endmodule", &[("N", "4")]),
        error("module m endmodule", &[("N", "4")]),
        error(&many, &[("level", "4")]),
        with("N", "1/2"),
        error(text, &[]),
        error(&many, &[]),
        with("N", &"9".repeat(101)),
        with("N", &"9".repeat(100)),
        with(&"n".repeat(101), "4"),
    ];
    snapshot!(all.join("\n"));
}

#[test]
fn errors_in_reachable_states() {
    snapshot!(errors(&[
        "module m x : [0..3] init 3;\n  [] x>2 -> (x'=x+1);\nendmodule",
        "module m x : [0..3]; endmodule\nmodule n y : [0..1]; [] true -> 0.5 : (y'=y) + 0.5 : (y'=2);\nendmodule",
        "module m [] true -> 0.5 : true + 0.6 : true; endmodule",
        "module m x : [1..3]; [] true -> 1/x : (x'=min(x+1,3)) + 1/2 : (x'=1); endmodule",
        "module m x : [0..3]; [] true -> x : (x'=1) + 1-2*x : (x'=2); endmodule",
        "dtmc module m x : [0..3]; [] true -> -0.5 : true + 1.5 : true; endmodule",
        "ctmc module m x : [0..3]; [] true -> 0-x : true + 1 : (x'=x+1); endmodule",
        "ctmc module m x : [0..3]; [] true -> log(x, 2) : true; endmodule",
        "ctmc module m x : [-1..3] init -1; [] true -> log(x, 2) : true; endmodule",
        "module m x : [0..3]; [] 1/x > 2 -> true; endmodule",
        "module m x : [0..3]; [] mod(3, x) = 0 -> true; endmodule",
        "module m x : [0..3]; y : [0..3]; [] true -> (y'=pow(2, x-1)); endmodule",
        "module m x : [2..2000] init 64; y : [0..3]; [] true -> (y'=pow(2, x)); endmodule",
        "module m x : [0..3]; y : [0..3]; [] true -> (y'=floor(log(x, 2))); endmodule",
        "const int N = 9223372036854775807 + 1;",
        "const int N = 2^-1;",
        "const int N = 2^63;",
        "const int N = 2^3^4;",
        "const int N = 0^-1;",
        "module m x : [0..3]; y : [0..9]; [] true -> (y'=2^(x-1)); endmodule",
        "module m x : [0..3]; endmodule module n = m [x=y] endmodule init 1/y > 1 endinit",
    ]));
}

#[test]
fn an_error_is_shown_in_one_line() {
    let error = first_error("mdp\nmodule m x : [0..1] endmodule", &[]).expect_err("no semicolon");
    let expected = "line 2, column 21: unexpected text: expected `init` or `;`, found `endmodule`";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn text_in_utf_16_is_refused() {
    let error = first_error("m\0d\0p\0", &[]).expect_err("not in UTF-8");
    let expected =
        "the text is in UTF-16LE, not in UTF-8: `iconv -f UTF-16LE -t UTF-8` converts it";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn an_archive_is_refused() {
    let error = first_error("BZh91AY&SY", &[]).expect_err("not inflated");
    let expected = "line 1, column 1: this is a bzip2 archive: decompress it first, with `bunzip2`";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn formulas_that_double_are_stopped() {
    let mut text = "formula f0 = x;".to_owned();
    for i in 1..60 {
        let _ = write!(text, "formula f{i} = f{0} + f{0};", i - 1);
    }
    let error = first_error(&text, &[]).expect_err("2^60 operands");
    let message =
        "there are too many operands after formulas are substituted: the limit is 4,194,304";
    assert_eq!(error.message(), message);
}

/// The error is in the first formula of the text that is wrong, also if it uses another one that is
/// wrong.
#[test]
fn the_first_wrong_formula_is_found() {
    for (text, wrong) in [
        (
            "formula f = g + true; formula g = 1 + h; formula h = !1;",
            "1;",
        ),
        ("formula g = 1 + true; formula f = g + false;", "1 + true"),
        (
            "formula k = 1; formula f = true & 2; formula g = f; formula h = k & g;",
            "true & 2",
        ),
        (
            "formula h = (2 & true) = g; formula g = 1 & false;",
            "(2 & true)",
        ),
    ] {
        let error = first_error(text, &[]).expect_err("wrong types");
        let place = error.position().map(|place| place.offset);
        assert_eq!(place, text.find(wrong), "{text}");
    }
}

#[test]
fn any_sum_is_allowed_on_request() {
    let text = "module m x : [0..2]; [] x=0 -> 0.333333:(x'=1) + 0.666666:(x'=2);
        [] x=1 -> 0.5:(x'=2); [] x=2 -> x/4:(x'=0); endmodule";
    let program = parse(text.as_bytes()).unwrap().compile(&[]).unwrap();
    assert!(Space::explore(&program).is_err());
    let space = Space::explore(&program.with_any_sums()).unwrap();
    assert_eq!(space.states.len(), 3);
}
