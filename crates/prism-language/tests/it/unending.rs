//! Steps and searches that would take practically forever can be cancelled.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use prism_language::{ActionId, Program, StepSize, Visitor, parse};

/// Returns a program of this many modules that synchronise, each with these commands, in which `x`
/// is the module's variable.
fn synchronised(model_type: &str, modules: usize, commands: &str) -> Program {
    let mut text = format!("{model_type}\n");
    for module in 0..modules {
        let x = format!("x{module}");
        let commands = commands.replace('x', &x);
        let _ = writeln!(text, "module m{module} {x} : [0..1]; {commands} endmodule");
    }
    let program = parse(text.as_bytes()).and_then(|model| model.compile(&[]));
    program.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A visitor that cancels when it is polled for the given time.
#[derive(Default)]
struct Impatient {
    patience: u64,
    choices: u64,
    branches: u64,
}

impl Visitor for Impatient {
    fn choice(&mut self, _: Option<ActionId>) {
        self.choices += 1;
    }

    fn branch(&mut self, weight: f64, _: &[u64]) {
        assert!(weight > 0.0);
        self.branches += 1;
    }

    fn is_over(&mut self) -> bool {
        self.patience -= 1;
        self.patience == 0
    }
}

/// Returns what the visitor received of the first state until it cancelled, and the size of the
/// complete step.
fn visit_until_cancelled(program: &Program) -> (Impatient, StepSize) {
    let mut initial = Vec::new();
    let visited = program.initial_states(|state| {
        initial = state.to_vec();
        ControlFlow::Break(())
    });
    assert_eq!(visited, Ok(1));
    let mut visitor = Impatient {
        patience: 3,
        ..Impatient::default()
    };
    let mut scratch = program.scratch();
    let size = program.step_size(&mut scratch, &initial);
    let outcome = program.successors(&mut scratch, &initial, &mut visitor);
    assert_eq!(outcome, Ok(()));
    (visitor, size)
}

fn size(choices: u128, branches: u128) -> StepSize {
    StepSize { choices, branches }
}

#[test]
fn branches_that_multiply() {
    for model_type in ["mdp", "dtmc", "ctmc"] {
        let outcomes = "[a] true -> 0.5:(x'=0) + 0.5:(x'=1);";
        let (visitor, of_all) = visit_until_cancelled(&synchronised(model_type, 40, outcomes));
        assert_eq!(of_all, size(1, 1 << 40));
        assert_eq!((visitor.patience, visitor.choices), (0, 1));
        assert!(
            (1000..100_000).contains(&visitor.branches),
            "{}",
            visitor.branches
        );
    }
}

#[test]
fn choices_that_multiply() {
    let commands = "[a] true -> (x'=0); [a] x=0 -> (x'=1);";
    let (visitor, of_all) = visit_until_cancelled(&synchronised("mdp", 40, commands));
    assert_eq!(of_all, size(1 << 40, 1 << 40));
    assert_eq!(visitor.patience, 0);
    assert!(
        (100..100_000).contains(&visitor.choices),
        "{}",
        visitor.choices
    );
    assert!(visitor.choices - visitor.branches < 2);
    // More than 128 bits count.
    let (visitor, of_all) = visit_until_cancelled(&synchronised("mdp", 200, commands));
    assert_eq!((of_all, visitor.patience), (size(u128::MAX, u128::MAX), 0));
}

/// The last module's weight is 0, so that no combination has a branch, however many there are.
#[test]
fn branches_that_vanish_at_the_end() {
    let mut text = "ctmc\n".to_owned();
    for module in 0..40 {
        let _ = writeln!(
            text,
            "module m{module} x{module} : [0..1]; [a] true -> 1:(x{module}'=0) + 1:(x{module}'=1); endmodule"
        );
    }
    text += "module last y : [0..1]; [a] true -> 0:(y'=0) + y:(y'=1); endmodule";
    let program = parse(text.as_bytes()).and_then(|model| model.compile(&[]));
    let (visitor, of_all) = visit_until_cancelled(&program.expect("the model is right"));
    assert_eq!(of_all, size(1, 0));
    assert_eq!(
        (visitor.patience, visitor.choices, visitor.branches),
        (0, 0, 0)
    );
}

#[test]
fn a_step_of_ordinary_size_is_visited_without_polling() {
    let outcomes = "[a] true -> 0.5:(x'=0) + 0.5:(x'=1); [] true -> (x'=0);";
    let program = synchronised("mdp", 8, outcomes);
    let (visitor, of_all) = visit_until_cancelled(&program);
    assert_eq!(
        (visitor.patience, visitor.choices, visitor.branches),
        (3, 9, 256 + 8)
    );
    assert_eq!(of_all, size(9, 256 + 8));
}

#[test]
fn a_search_for_initial_states_can_be_broken_off() {
    // The condition depends on the last variable, so no partial assignment is given up early.
    let text = "mdp module m a : [0..1048575]; b : [0..1048575]; c : [0..1048575]; endmodule
        init a+b+c = 4000000 endinit";
    let program = parse(text.as_bytes()).and_then(|model| model.compile(&[]));
    let program = program.expect("the model is right");
    let mut asked = 0;
    let visited = program.search_initial_states(|state| {
        assert_eq!(state, None);
        asked += 1;
        match asked < 1000 {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    });
    assert_eq!((visited, asked), (Ok(0), 1000));
}

/// Joined texts, one for each number.
fn for_each(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect()
}

/// Each of these once took quadratic time: minutes, or hours.
#[test]
fn large_texts_compile_in_little_time() {
    const DEEP: usize = 200_000;
    const MANY: usize = 30_000;
    let failing = ["(mod(1,x)+".repeat(DEEP), ")".repeat(DEEP)];
    let actions = for_each(MANY, |i| format!("[a{i}] true -> true;\n"));
    let variables = for_each(MANY, |i| format!("x{i} : [0..N];\n"));
    let assignments = for_each(MANY, |i| format!("(x{i}'=1) & "));
    let texts = [
        format!(
            "module m x : [0..3]; [] {}0{}>0 -> true; endmodule",
            failing[0], failing[1]
        ),
        format!("module m {actions} endmodule module n {actions} endmodule"),
        format!(
            "const int N=2; module m {variables} y : bool; [] true -> {assignments} (y'=true); endmodule"
        ),
        for_each(MANY, |i| {
            format!("module m{i} [a] true -> true; [] true -> true; endmodule\n")
        }),
    ];
    let start = std::time::Instant::now();
    for text in &texts {
        let compiled = parse(text.as_bytes()).and_then(|model| model.compile(&[]));
        assert!(compiled.is_ok(), "{:?}", compiled.err());
    }
    // The limit leaves room for other tests on the same machine.
    assert!(start.elapsed().as_secs() < 100, "{:?}", start.elapsed());
}

/// Renamed modules and formulas in them count, and so do the parts of a composition.
#[test]
fn what_texts_grow_to_is_limited() {
    let formulas = for_each(17, |i| format!("formula f{} = f{i}+f{i};\n", i + 1));
    let copies = for_each(60, |i| {
        format!("module m{} = m [x=x{i}] endmodule\n", i + 1)
    });
    let renamed = format!(
        "formula f0 = x; {formulas} module m x : [0..1]; [] f17>0 -> true; endmodule {copies}"
    );
    let actions = for_each(20_000, |i| format!("[a{i}] true -> true;\n"));
    let hidden = " / {a1}".repeat(20_000);
    let composed = format!("module m {actions} endmodule system m {hidden} endsystem");
    let messages = [renamed, composed].map(|text| {
        let compiled = parse(text.as_bytes()).and_then(|model| model.compile(&[]));
        compiled.map(drop).unwrap_err().message()
    });
    insta::assert_snapshot!(messages.join("\n"), @r"
    there are too many operands after formulas are substituted: the limit is 4,194,304
    there are too many ways of synchronising in all parts: the limit is 268,435,456
    ");
}
