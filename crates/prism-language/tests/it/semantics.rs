//! What models mean, on examples small enough to check by hand.

use std::ops::ControlFlow;

use prism_language::{Program, Value, parse};

use crate::samples;
use crate::support::{Space, choices, unpacked};

fn program(text: &str, constants: &[(&str, &str)]) -> Program {
    let model = parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    model
        .compile(constants)
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn initial(program: &Program) -> Vec<Vec<u64>> {
    let mut states = Vec::new();
    let visited = program.initial_states(|state| {
        states.push(state.to_vec());
        ControlFlow::Continue(())
    });
    assert_eq!(visited.ok(), Some(states.len() as u64));
    states
}

/// The choices of the first initial state, one a line: action, then probabilities and values.
fn shown(text: &str) -> String {
    let program = program(text, &[]);
    let state = &initial(&program)[0];
    let choices = choices(&program, state).expect("the model is right");
    let line = |(action, branches): &(Option<String>, _)| {
        format!("[{}] {branches:?}\n", action.as_deref().unwrap_or_default())
    };
    choices.iter().map(line).collect()
}

/// States, choices and branches, with a self-loop for each deadlock.
fn counts(text: &str, constants: &[(&str, &str)]) -> [usize; 3] {
    let space = Space::explore(&program(text, constants)).expect("the model is right");
    [
        space.states.len(),
        space.num_choices(),
        space.num_branches(),
    ]
}

/// The numbers are those of Storm 2.0, which reads `system ... endsystem` but does not build it.
#[test]
fn small_models_have_the_counts_of_storm() {
    assert_eq!(counts(samples::BUFFERS, &[("N", "2")]), [36, 102, 138]);
    assert_eq!(counts(samples::CHAIN, &[]), [7, 7, 12]);
    assert_eq!(counts(samples::QUEUE, &[]), [36, 36, 81]);
    let modules = "
        module m
          x : [0..3];
          [] x<3 -> 0.5:(x'=x+1) + 0.5:(x'=x);
          [a] x<3 -> 1:(x'=3);
          [b] x>0 -> 0.25:(x'=0) + 0.75:(x'=x-1);
        endmodule
        module n
          y : [0..3];
          [a] y<3 -> 0.1:(y'=y+1) + 0.9:(y'=0);
          [a] y>1 -> 1:(y'=1);
          [] y=2 -> true;
        endmodule";
    assert_eq!(counts(&format!("mdp {modules}"), &[]), [16, 43, 72]);
    assert_eq!(counts(&format!("dtmc {modules}"), &[]), [16, 16, 68]);
    assert_eq!(counts(&format!("ctmc {modules}"), &[]), [16, 16, 68]);
}

/// Equal choices stay apart, equal branches of one choice do not. The numbers are Storm's.
#[test]
fn equal_choices_are_counted_as_by_storm() {
    let text = "mdp
        module m
          x : [0..3];
          [a] x<3 -> 0.5:(x'=x+1) + 0.5:(x'=x);
          [a] x<2 -> 0.5:(x'=x+1) + 0.5:(x'=x);
          [a] x<2 -> 0.5:(x'=x+1) + 0.5:(x'=x);
          [] x<2 -> true;
          [] x<2 -> true;
          [b] x=3 -> (x'=0);
        endmodule
        module n
          y : [0..1];
          [a] true -> 0.5:(y'=0) + 0.5:(y'=1);
          [c] y=1 -> 0.3:(y'=0) + 0.3:(y'=0) + 0.4:(y'=1);
        endmodule";
    assert_eq!(counts(text, &[]), [8, 28, 74]);
}

#[test]
fn commands_without_partners_come_first_module_by_module() {
    let text = "mdp
        module m x : [0..9]; [s] true -> (x'=1); [] true -> (x'=2); [a] true -> (x'=3); endmodule
        module n y : [0..9]; [s] true -> (y'=1); [s] true -> (y'=2); [b] true -> (y'=3); endmodule";
    insta::assert_snapshot!(shown(text), @r#"
    [] {[2, 0]: 1.0}
    [a] {[3, 0]: 1.0}
    [b] {[0, 3]: 1.0}
    [s] {[1, 1]: 1.0}
    [s] {[1, 2]: 1.0}
    "#);
}

#[test]
fn synchronised_branches_multiply() {
    let text = "mdp
        module m x : [0..2]; [a] true -> 0.25:(x'=1) + 0.75:(x'=2); endmodule
        module n y : [0..2]; [a] true -> 0.5:(y'=1) + 0.5:(y'=x+1); endmodule";
    insta::assert_snapshot!(shown(text), @"[a] {[1, 1]: 0.25, [2, 1]: 0.75}");
}

#[test]
fn an_action_that_a_module_knows_waits_for_it() {
    let text = "mdp
        module m x : [0..1]; [a] true -> (x'=1); endmodule
        module n y : [0..1]; [a] false -> true; [] true -> true; endmodule";
    insta::assert_snapshot!(shown(text), @"[] {[0, 0]: 1.0}");
}

#[test]
fn a_chain_takes_each_enabled_command_with_the_same_probability() {
    let text = "dtmc module m x : [0..3];
        [] true -> (x'=1); [] true -> 0.5:(x'=1) + 0.5:(x'=2); [] x=1 -> true; endmodule";
    insta::assert_snapshot!(shown(text), @"[] {[1]: 0.75, [2]: 0.25}");
}

/// The one choice of a chain has the action that all of its commands have, if there is one.
#[test]
fn a_chains_choice_has_the_action_of_its_commands() {
    let of = |commands: &str| {
        let text = format!("ctmc module m x : [0..1]; {commands} [s] false -> true; endmodule");
        shown(&format!(
            "{text} module n y : [0..0]; [s] true -> true; endmodule"
        ))
    };
    let all = [
        "[a] true -> (x'=0); [a] true -> (x'=1);",
        "[a] true -> (x'=0); [b] true -> (x'=1);",
        "[a] true -> (x'=0); [] true -> (x'=1);",
        "[s] true -> (x'=0); [s] true -> (x'=1);",
        "[s] true -> (x'=0); [a] true -> (x'=1);",
        // What has no rate is no part of it.
        "[a] true -> (x'=0); [b] true -> 0:(x'=1);",
        "[a] true -> (x'=0); [s] true -> 0:(x'=1);",
    ];
    insta::assert_snapshot!(all.map(of).concat(), @r"
    [a] {[0, 0]: 1.0, [1, 0]: 1.0}
    [] {[0, 0]: 1.0, [1, 0]: 1.0}
    [] {[0, 0]: 1.0, [1, 0]: 1.0}
    [s] {[0, 0]: 1.0, [1, 0]: 1.0}
    [] {[0, 0]: 1.0, [1, 0]: 1.0}
    [a] {[0, 0]: 1.0}
    [a] {[0, 0]: 1.0}
    ");
}

#[test]
fn rates_add_up_and_multiply() {
    let text = "ctmc
        module m x : [0..1]; [a] true -> 2:(x'=1); [] true -> 3:(x'=1); [] true -> 0:(x'=1); endmodule
        module n y : [0..1]; [a] true -> 5:true; endmodule";
    insta::assert_snapshot!(shown(text), @"[] {[1, 0]: 13.0}");
}

#[test]
fn branches_without_probability_are_left_out() {
    let text = "mdp module m x : [0..1]; [] true -> 1:(x'=1) + 0:(x'=7) + x:(x'=9); endmodule";
    insta::assert_snapshot!(shown(text), @"[] {[1]: 1.0}");
}

/// A branch is there if each of its factors is above 0, even if a double cannot tell their product
/// from 0.
#[test]
fn tiny_probabilities_are_kept() {
    let text = |of: &str, rest: &str| {
        format!(
            "{of} module m x : [0..1]; [a] true -> 1e-200:(x'=1){rest}; endmodule
            module n y : [0..1]; [a] true -> 1e-200:(y'=1){rest}; endmodule"
        )
    };
    insta::assert_snapshot!(shown(&text("ctmc", "")), @"[a] {[1, 1]: 5e-324}");
    let branches = "[a] {[0, 0]: 1.0, [0, 1]: 1e-200, [1, 0]: 1e-200, [1, 1]: 5e-324}\n";
    assert_eq!(shown(&text("mdp", " + 1:true")), branches);
    let literal =
        "dtmc module m x : [0..1]; [] true -> 1e-400:(x'=1) + 1:true + 0e-400:(x'=1); endmodule";
    insta::assert_snapshot!(shown(literal), @"[] {[0]: 1.0, [1]: 5e-324}");
    let twice =
        "dtmc module m x : [0..1]; [] true -> 5e-324:(x'=1) + 1:true; [] true -> true; endmodule";
    insta::assert_snapshot!(shown(twice), @"[] {[0]: 1.0, [1]: 5e-324}");
}

#[test]
fn updates_see_the_old_values() {
    let text =
        "mdp module m x : [0..5] init 1; y : [0..5] init 4; [] true -> (x'=y)&(y'=x); endmodule";
    insta::assert_snapshot!(shown(text), @"[] {[4, 1]: 1.0}");
}

#[test]
fn hidden_and_renamed_actions() {
    let modules = "mdp
        module m x : [0..1]; [a] true -> (x'=1); endmodule
        module n y : [0..1]; [a] true -> (y'=1); [b] true -> (y'=1); endmodule
        module o z : [0..1]; [b] true -> (z'=1); endmodule";
    let system = |system: &str| shown(&format!("{modules} system {system} endsystem"));
    let all = [
        "m || n || o",
        "m ||| n ||| o",
        "(m |[a]| n) ||| o",
        "(m || n) / {a} || o",
        "m {a<-b} |[b]| (n ||| o)",
        "(m ||| o) {b<-a} || n",
    ];
    let text: String = all
        .iter()
        .map(|s| format!("{s}\n{}\n", system(s)))
        .collect();
    insta::assert_snapshot!(text, @r#"
    m || n || o
    [a] {[1, 1, 0]: 1.0}
    [b] {[0, 1, 1]: 1.0}

    m ||| n ||| o
    [a] {[1, 0, 0]: 1.0}
    [a] {[0, 1, 0]: 1.0}
    [b] {[0, 1, 0]: 1.0}
    [b] {[0, 0, 1]: 1.0}

    (m |[a]| n) ||| o
    [b] {[0, 1, 0]: 1.0}
    [b] {[0, 0, 1]: 1.0}
    [a] {[1, 1, 0]: 1.0}

    (m || n) / {a} || o
    [] {[1, 1, 0]: 1.0}
    [b] {[0, 1, 1]: 1.0}

    m {a<-b} |[b]| (n ||| o)
    [a] {[0, 1, 0]: 1.0}
    [b] {[1, 1, 0]: 1.0}
    [b] {[1, 0, 1]: 1.0}

    (m ||| o) {b<-a} || n
    [b] {[0, 1, 0]: 1.0}
    [a] {[1, 1, 0]: 1.0}
    [a] {[0, 1, 1]: 1.0}
    "#);
}

/// The examples of PRISM's manual, and its tests.
#[test]
fn powers_are_prisms() {
    let text = "module m endmodule
        const int a = 2^3^2; const int b = -2^2; const int c = 2*3^2; const double d = 2.0^-1;
        const int e = 2^0; const int f = 0^0; const int g = (-3)^3; const double h = 2^-1.0;
        const double i = 0.25^0.5; const int j = 2^-2^2; const int k = (-1)^9223372036854775807;
        const int l = -2^63; const int m = max(7); const double n = min(0.5); const int o = min(2)^2;
        const double p = 3^2; const int q = 10 - 2^3; const int r = func(pow, 2, 5); const int s = max(-1);";
    let program = program(text, &[]);
    let values: Vec<String> = program
        .constants()
        .iter()
        .map(|(name, value)| format!("{name}={value:?}"))
        .collect();
    insta::assert_snapshot!(values.join("\n"));
}

/// A chain of implications is read from the right: the guard holds in both states.
#[test]
fn implications_group_to_the_right() {
    let text = "mdp module m x : [0..1]; [] (false => true => false) -> (x'=1); endmodule";
    let space = Space::explore(&program(text, &[])).expect("the model is right");
    assert_eq!((space.states.len(), space.num_choices()), (2, 2));
    assert_eq!(space.choices[1], [(None, [(1, 1.0)].into())]);
}

#[test]
fn there_may_be_no_logarithm_and_no_power() {
    let text = "module m endmodule
        const double none = log(8, 1) + 0*log(8, 0); const double some = log(8, 2);
        const double unclear = 1^(log(2, 1)); const double root = (0-1.0)^0.5;
        label \"none\" = none=none | unclear=unclear | root=root; label \"some\" = some=3;";
    let program = program(text, &[]);
    let state = &initial(&program)[0];
    let mut scratch = program.scratch();
    let holds = program.labels().iter().map(|label| {
        let found = program.has_label(label, &mut scratch, state);
        found.expect("the label can be evaluated")
    });
    assert_eq!(holds.collect::<Vec<bool>>(), [false, true]);
}

#[test]
fn renaming_may_name_what_is_not_there() {
    let text = "mdp module m x : [0..1]; [a] x=0 -> (x'=1); endmodule
        module n = m [x=y, q=r, zz=a, min=max] endmodule";
    assert_eq!(counts(text, &[]), [2, 2, 2]);
}

/// The composition is the one without a name or, if there is none, the first.
#[test]
fn systems_may_have_names() {
    let modules = "mdp
        module m x : [0..1]; [a] x=0 -> (x'=1); endmodule
        module n y : [0..1]; [a] y=0 -> (y'=1); endmodule ";
    let counted = |systems: &str| counts(&format!("{modules}{systems}"), &[]);
    let (apart, together) = ([4, 5, 5], [2, 2, 2]);
    assert_eq!(counted(r#"system "s" m ||| n endsystem"#), apart);
    assert_eq!(counted(r#"system "s" (m || n) endsystem"#), together);
    let both = r#"system "s" m ||| n endsystem system "t" m || n endsystem"#;
    assert_eq!(counted(both), apart);
    assert_eq!(counted(&format!("{both} system \"t\" endsystem")), together);
    let parts = r#"system "whole" "one" ||| ("two") endsystem
        system "one" m endsystem system "two" n endsystem"#;
    assert_eq!(counted(parts), apart);
    let text = format!("{modules}{parts}");
    let model = parse(text.as_bytes()).expect("the model is right");
    assert_eq!(parse(model.to_string().as_bytes()).as_ref(), Ok(&model));
    let expanded = model.expanded().expect("the model is right").to_string();
    let system = expanded.lines().find(|line| line.starts_with("system"));
    assert_eq!(system, Some(r#"system "whole" (m ||| n) endsystem"#));
}

#[test]
fn rewards_are_for_actions_that_are_there() {
    let text = r#"mdp module m x : [0..1]; [a] x=0 -> (x'=1); endmodule
        system m {a<-b} endsystem
        rewards [] true : 1; [a] true : 2; [b] x=1 : 3; true : 4; endrewards"#;
    assert_eq!(counts(text, &[]), [2, 2, 2]);
}

#[test]
fn renaming_goes_on_in_formulas() {
    let text = "
        formula f = x+1;
        formula g = 2*k;
        const int k = 1;
        const int l = 3;
        module m x : [0..9]; [a] x<f+g -> (x'=f); endmodule
        module n = m [x=y, a=b, k=l] endmodule
        module o = n [y=z, b=c, l=k] endmodule";
    let model = parse(text.as_bytes()).and_then(|model| model.expanded());
    let model = model.expect("the model is right").to_string();
    let commands: Vec<&str> = model.lines().filter(|line| line.contains("->")).collect();
    insta::assert_snapshot!(commands.join("\n"), @r#"
    [a] x < x + 1 + 2 * k -> (x'=x + 1);
    [b] y < y + 1 + 2 * l -> (y'=y + 1);
    [c] z < z + 1 + 2 * k -> (z'=z + 1);
    "#);
}

#[test]
fn states_from_init_come_in_lexicographic_order() {
    let text = "mdp global g : [3..5]; module m b : bool; x : [-1..1]; endmodule
        init x!=0 & g+x<=4 & !(b & g=3) endinit";
    let program = program(text, &[]);
    let states = initial(&program);
    let values: Vec<Vec<i64>> = states
        .iter()
        .map(|state| unpacked(&program, state))
        .collect();
    let mut expected = Vec::new();
    for g in 3..=5 {
        for b in 0..=1 {
            for x in [-1, 1] {
                if g + x <= 4 && !(b == 1 && g == 3) {
                    expected.push(vec![g, b, x]);
                }
            }
        }
    }
    assert_eq!(values, expected);
    let first = program.initial_states(|_| ControlFlow::Break(()));
    assert_eq!(first.ok(), Some(1));
}

#[test]
fn constants_come_from_the_model_and_from_outside() {
    let text = "const int a = b+1; const int b; const double c = a/4; const bool d; const e = f;
        formula f = 2*a; module m x : [0..1]; endmodule";
    let program = program(text, &[("d", "!false"), ("b", " 2*3 ")]);
    let value = |name: &str| {
        let mut constants = program.constants().iter();
        constants
            .find(|(known, _)| known == name)
            .map(|&(_, value)| value)
    };
    assert_eq!(value("a"), Some(Value::Int(7)));
    assert_eq!(value("c"), Some(Value::Double(1.75)));
    assert_eq!(value("d"), Some(Value::Bool(true)));
    assert_eq!(value("e"), Some(Value::Int(14)));
}

#[test]
fn states_are_packed_into_words() {
    let text = "module m a : [0..4294967295]; b : [-5..-5]; c : [0..1073741823]; d : [0..7];
        e : [-9223372036854775807-1..9223372036854775807]; f : bool; endmodule";
    let program = program(text, &[]);
    let bits: Vec<u32> = program
        .variables()
        .iter()
        .map(prism_language::Variable::bits)
        .collect();
    assert_eq!(bits, [32, 0, 30, 3, 64, 1]);
    assert_eq!((program.words(), program.bits()), (4, 130));
    let state = &initial(&program)[0];
    assert_eq!(unpacked(&program, state), [0, -5, 0, 0, i64::MIN, 0]);
    let shown = program.show(state).to_string();
    assert_eq!(
        shown,
        "(a=0, b=-5, c=0, d=0, e=-9223372036854775808, f=false)"
    );
}

#[test]
fn threads_can_share_a_program() {
    fn shared<T: Send + Sync>(_: &T) {}
    let program = program("mdp module m endmodule", &[]);
    shared(&program);
    shared(&program.scratch());
}

#[test]
fn a_model_without_variables_has_one_state() {
    let program = program("mdp module m [a] true -> true; endmodule", &[]);
    let space = Space::explore(&program).expect("the model is right");
    assert_eq!((space.states.len(), space.num_choices()), (1, 1));
    let everywhere = "mdp module m endmodule init true endinit";
    assert_eq!(initial(&self::program(everywhere, &[])).len(), 1);
}

#[test]
fn labels_hold_where_they_say() {
    let text = "module m x : [0..3] init 2; endmodule label \"a\" = x>=2; label \"b\" = x/0 > 1;";
    let program = program(text, &[]);
    let state = &initial(&program)[0];
    let mut scratch = program.scratch();
    let [a, b] = program.labels() else {
        panic!("two labels")
    };
    assert_eq!(program.has_label(a, &mut scratch, state), Ok(true));
    let error = program
        .has_label(b, &mut scratch, state)
        .expect_err("a division by zero");
    assert_eq!(error.to_string(), "line 1, column 69: division by zero");
}

#[test]
fn states_and_choices_earn_what_their_items_sum_up_to() {
    let text = r#"
        mdp
        module m
          x : [0..3];
          [a] x<3 -> (x'=x+1);
          [] x>0 -> (x'=x-1);
        endmodule
        rewards "r" x>1 : x; true : 0.5; [a] x=0 : 2; [a] true : x/4; [] x=3 : -1; endrewards
        rewards x=2 : 1/(x-2); [a] x=1 : log(x-1, 2); endrewards"#;
    let program = program(text, &[]);
    let [named, unnamed] = program.rewards() else {
        panic!("two structures");
    };
    assert_eq!((named.name(), unnamed.name()), (Some("r"), None));
    let mut states = Vec::new();
    let state = |x: u64| vec![x];
    let action = program.actions().iter().position(|name| name == "a");
    let action = action.map(|index| prism_language::ActionId(index as u32));
    let mut scratch = program.scratch();
    for x in 0..4 {
        let state = state(x);
        states.push((
            program
                .state_reward(named, &mut scratch, &state)
                .expect("a number"),
            program
                .choice_reward(named, &mut scratch, &state, action)
                .expect("a number"),
            program
                .choice_reward(named, &mut scratch, &state, None)
                .expect("a number"),
        ));
    }
    let expected = [
        (0.5, 2.0, 0.0),
        (0.5, 0.25, 0.0),
        (2.5, 0.5, 0.0),
        (3.5, 0.75, -1.0),
    ];
    assert_eq!(states, expected);
    let error = program
        .state_reward(unnamed, &mut scratch, &state(2))
        .expect_err("no number");
    assert_eq!(error.notes()[0].text, "in state (x=2)");
    let error = program.choice_reward(unnamed, &mut scratch, &state(1), action);
    assert!(error.is_err());
}

/// As in PRISM-games: an action's owner, else a module's; choices without one do not count where
/// others have one, and a lone one belongs to the first player.
#[test]
fn states_belong_to_the_owner_of_their_choices() {
    let program = program(samples::GAME, &[]);
    assert_eq!(program.players(), ["one", "two"]);
    let space = Space::explore(&program).expect("the model is right");
    let mut scratch = program.scratch();
    let mut owners: Vec<_> = space
        .states
        .iter()
        .map(|state| {
            let owner = program.owner(&mut scratch, state).expect("one owner");
            (unpacked(&program, state), owner)
        })
        .collect();
    owners.sort();
    let expected = [
        (vec![0, 0], 0),
        (vec![1, 0], 1),
        (vec![2, 0], 0),
        (vec![3, 0], 0),
        (vec![3, 1], 0),
    ];
    assert_eq!(owners, expected);
}

/// Maximal progress: `xtask/peers/model_types.py` compares it with Storm.
#[test]
fn time_passes_only_where_nothing_else_happens() {
    let program = program(samples::REPAIR, &[]);
    let space = Space::explore(&program).expect("the model is right");
    let mut scratch = program.scratch();
    let mut timed: Vec<_> = space
        .states
        .iter()
        .filter(|state| program.is_markovian(&mut scratch, state))
        .map(|state| unpacked(&program, state))
        .collect();
    timed.sort();
    assert_eq!(timed, [[0, 1], [1, 0], [2, 0], [2, 1]]);
    let rates = |values: [i64; 2]| {
        let is_it = |state: &&Vec<u64>| unpacked(&program, state) == values;
        let state = space.states.iter().find(is_it).expect("it is reached");
        choices(&program, state).expect("the model is right")
    };
    let to = |branches: &[([i64; 2], f64)]| {
        let branches = branches
            .iter()
            .map(|&(values, rate)| (values.to_vec(), rate));
        (None, branches.collect())
    };
    assert_eq!(rates([1, 0]), [to(&[([0, 0], 2.0), ([1, 1], 3.0)])]);
    assert_eq!(
        rates([2, 1]),
        [to(&[([1, 1], 4.0), ([2, 0], 0.25), ([2, 1], 1.5)])]
    );
    // A hybrid state keeps the choice that takes no time.
    assert_eq!(rates([1, 1]), [to(&[([2, 1], 1.0)])]);
}

/// Bounds are multiplied where modules synchronise, and added where branches lead to one state.
#[test]
fn an_interval_model_has_lower_and_upper_bounds() {
    let upper = program(samples::INTERVALS, &[]);
    let lower = upper.with_lower_bounds();
    let state = &initial(&upper)[0];
    let branches = |program: &Program, state: &[u64]| {
        let choices = choices(program, state).expect("the model is right");
        choices
            .into_iter()
            .map(|(_, branches)| branches)
            .collect::<Vec<_>>()
    };
    let to = |branches: &[([i64; 2], f64)]| {
        let branches = branches
            .iter()
            .map(|&(values, bound)| (values.to_vec(), bound));
        vec![branches.collect()]
    };
    let found = to(&[
        ([0, 0], 1.0),
        ([0, 1], 0.75),
        ([1, 0], 0.5),
        ([1, 1], 0.375),
    ]);
    assert_eq!(branches(&upper, state), found);
    let found = to(&[([0, 0], 0.125), ([0, 1], 0.0), ([1, 0], 0.0), ([1, 1], 0.0)]);
    assert_eq!(branches(&lower, state), found);
    let space = Space::explore(&upper).expect("the model is right");
    let last = space
        .states
        .iter()
        .find(|state| unpacked(&upper, state) == [3, 0]);
    let last = last.expect("it is reached");
    assert_eq!(branches(&upper, last), to(&[([0, 0], 1.0), ([3, 0], 0.5)]));
    assert_eq!(branches(&lower, last), to(&[([0, 0], 0.0), ([3, 0], 0.5)]));
}
