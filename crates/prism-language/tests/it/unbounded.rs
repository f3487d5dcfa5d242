//! Unbounded variables: their states get wider as it is needed, and are those of a model that says
//! how large its variables get.

use prism_language::{Error, ErrorKind, Program, Widths, parse};
use proptest::prelude::*;

use crate::oracle::Interpreter;
use crate::random_text::{model, with_all_actions};
use crate::support::{Space, choices_with, unpacked};

/// The states, in the order in which they are found, with as many bits as they need.
fn explore(text: &str) -> Result<(Program, Space), Error> {
    let model = parse(text.as_bytes())?;
    let mut widths = Widths::default();
    loop {
        let program = model.compile_with(&[], &mut widths)?;
        match Space::explore(&program) {
            Err(error) if widths.widen(error.kind()) => {}
            explored => return explored.map(|space| (program, space)),
        }
    }
}

fn values(text: &str) -> Vec<Vec<i64>> {
    let (program, space) = explore(text).expect("the model is right");
    let states = space.states.iter();
    states.map(|state| unpacked(&program, state)).collect()
}

#[test]
fn states_are_those_of_a_bounded_variable() {
    let model = |of: &str| {
        format!(
            "mdp module m x : {of}; b : bool; [] x<300 -> 0.5:(x'=x+7) + 0.5:(x'=-2*x);
             [] x>0 -> (x'=x-1)&(b'=!b); endmodule"
        )
    };
    let states = values(&model("int"));
    assert_eq!(states.len(), 3_584);
    assert_eq!(states, values(&model("[-2000..2000] init 0")));
}

#[test]
fn initial_states_have_room() {
    let all = "module m x : int; y : int; endmodule init x>=-1 & 40000>x & x>39998 & y=3-x endinit";
    let bounds = "& y<=0 & y>=-50000 endinit";
    assert_eq!(values(&all.replace("endinit", bounds)), [[39_999, -39_996]]);
    let none = "module m x : int; endmodule init x>5 & x<3 endinit";
    let error = explore(none).err().expect("there is none");
    assert_eq!(*error.kind(), ErrorKind::NoInitialState);
    assert_eq!(
        values("global x : int init -70000; module m endmodule"),
        [[-70_000]]
    );
    assert_eq!(values("module m x : int; endmodule"), [[0]]);
}

#[test]
fn a_variable_takes_64_bits_at_most() {
    let (least, most) = (i64::MIN, i64::MAX);
    let text = format!("module m x : int; [] x=0 -> (x'={most}); [] x>0 -> (x'=-x-1); endmodule");
    assert_eq!(values(&text), [[0], [most], [least]]);
}

/// The interpreter knows no bits.
fn check(text: &str, widths: &mut Widths) -> Result<(), Error> {
    let model = parse(text.as_bytes())?;
    let program = model.compile_with(&[], widths)?;
    let interpreter = Interpreter::new(&model, &[]);
    let mut space = Space::initial(&program)?;
    let mut scratch = program.scratch();
    let mut next = 0;
    while let Some(state) = space.states.get(next).cloned().filter(|_| next < 40) {
        next += 1;
        // What both refuse is compared elsewhere.
        let Ok(naive) = interpreter.choices(&unpacked(&program, &state)) else {
            continue;
        };
        let mut compiled = choices_with(&program, &mut scratch, &state)?;
        let (mut naive, number) = (naive, compiled.len());
        assert_eq!(number, naive.len(), "{}\n{text}", program.show(&state));
        let targets = |choices: &mut Vec<crate::support::Choice>| {
            let choices = choices
                .drain(..)
                .map(|(name, to)| (name, to.into_keys().collect()));
            let mut choices: Vec<(_, Vec<_>)> = choices.collect();
            choices.sort();
            choices
        };
        assert_eq!(targets(&mut compiled), targets(&mut naive), "{text}");
        program.successors(&mut scratch, &state, &mut space)?;
        space.forget_choices();
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn models_are_interpreted_models(text in model()) {
        let unbounded = [("x : [0..3]", "x : int"), ("z : [0..70]", "z : int")];
        let text = unbounded.iter().fold(with_all_actions(&text), |text, (from, to)| {
            text.replace(from, to)
        });
        let mut widths = Widths::default();
        while let Err(error) = check(&text, &mut widths) {
            prop_assert!(widths.widen(error.kind()), "{error}\n{text}");
        }
    }
}
