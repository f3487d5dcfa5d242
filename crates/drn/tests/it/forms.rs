//! The forms that a file may have: all types of models, and what Storm writes in odd cases.

use drn::{Model, ModelType, ReadOptions, Reward, Value, assignments, read, visit};

fn model(text: &str) -> Model {
    let read = read(text.as_bytes(), &ReadOptions::default());
    read.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn a_markov_automaton_has_exit_rates() {
    let text = "@type: Markov Automaton
@nr_states
2
@nr_choices
3
@model
state 0 !2.5 init
\taction __NOLABEL__
\t\t1 : 1
\taction go
\t\t0 : 1
state 1 !0
\taction 0
\t\t0 : 0.25
\t\t1 : 0.75
";
    let model = model(text);
    assert_eq!(model.header.model_type, ModelType::MarkovAutomaton);
    assert_eq!(
        [0, 1].map(|s| model.states[s].exit_rate),
        [Some(2.5), Some(0.0)]
    );
    let actions: Vec<_> = model.states[0]
        .choices
        .iter()
        .map(|c| c.action.as_deref())
        .collect();
    assert_eq!(actions, [None, Some("go")]);
}

#[test]
fn a_pomdp_has_observations() {
    let text = "@type: POMDP\n@reward_models\nr \n@nr_states\n1\n@model
state 0 {7} [1/3] init\n\taction a [-2]\n\t\t0 : 1\n";
    let state = &model(text).states[0];
    assert_eq!(state.observation, Some(7));
    assert_eq!(state.rewards, [Reward::Fraction(1, 3)]);
    assert_eq!(state.choices[0].rewards, [Reward::Decimal(-2.0)]);
}

#[test]
fn a_chain_without_a_choice_is_a_deadlock() {
    // As Storm writes it, with a choice for each state.
    let text = "@type: DTMC\n@nr_states\n2\n@nr_choices\n2\n@model
state 0 init\n\taction 0\n\t\t1 : 1\nstate 1\n\taction __NOLABEL__\n";
    let visited = visit(text.as_bytes(), &ReadOptions::default(), |_, _| Nothing);
    let visited = visited.expect("a good file");
    assert_eq!((visited.num_choices, visited.num_deadlocks), (1, 1));
}

struct Nothing;

impl drn::Visitor for Nothing {
    fn state(&mut self, _: drn::State<'_>) {}
    fn choice(&mut self, _: drn::Choice<'_>) {}
}

#[test]
fn a_rate_of_zero_is_no_choice() {
    let text = "@type: CTMC\n@nr_states\n1\n@model\nstate 0 !0\n\taction 0\n\t\t0 : 0\n";
    let visited = visit(text.as_bytes(), &ReadOptions::default(), |_, _| Nothing);
    let visited = visited.expect("a good file");
    assert_eq!((visited.num_choices, visited.dropped_zero_branches), (0, 1));
}

#[test]
fn placeholders_stand_for_their_values() {
    let text = "@type: MDP\r\n@parameters\r\n\r\n@placeholders\r\n$p : 1/4\r\n$q : 3\r
@reward_models\r\nr \r\n@nr_states\r\n1\r\n@model\r
 state 0 [$q] init\r\n\taction 0\r\n\t\t0 : $p\r\n\t\t0 : 0.75\r\n";
    let state = &model(text).states[0];
    assert_eq!(state.rewards, [Reward::Decimal(3.0)]);
    assert_eq!(state.choices[0].values, [0.25, 0.75]);
    assert_eq!(state.choices[0].targets, [0, 0]);
}

#[test]
fn a_reward_model_may_have_no_name() {
    let names = |line: &str| {
        let header = format!("@type: MDP\n@reward_models\n{line}\n@nr_states\n0\n@model\n");
        model(&header).header.reward_models
    };
    assert_eq!(names(" r "), ["", "r"]);
    assert_eq!(names(" "), [""]);
    assert_eq!(names("a b"), ["a", "b"]);
    assert_eq!(names(""), [""; 0]);
}

#[test]
fn the_number_of_an_action_is_no_name() {
    let text = "@type: MDP\n@nr_states\n1\n@model\nstate 0\n\taction 0\n\t\t0 : 1\n\taction 0\n\t\t0 : 1\n\taction 02\n\t\t0 : 1\n";
    let state = &model(text).states[0];
    let actions: Vec<_> = state.choices.iter().map(|c| c.action.as_deref()).collect();
    assert_eq!(actions, [None, Some("0"), None]);
}

#[test]
fn a_branch_needs_no_action() {
    let text =
        "@type: DTMC\n@nr_states\n2\n@model\nstate 0\n\t\t1:1.0\nstate 1\n0 : 5e-1\n1 : .5\n";
    let model = model(text);
    assert_eq!(model.states[0].choices[0].targets, [1]);
    assert_eq!(model.states[1].choices[0].values, [0.5, 0.5]);
}

#[test]
fn valuations_stand_behind_states() {
    let text = "@type: MDP\n@nr_states\n3\n@model
// before\nstate 0\n// other\n//[x=1\t& \t& y=0.5]\n//[x=2]\nstate 1\nstate 2\n\taction 0\n//[x=3]\n\t\t0 : 1\n";
    let model = model(text);
    let valuations: Vec<_> = model
        .states
        .iter()
        .map(|s| s.valuation.as_deref())
        .collect();
    assert_eq!(valuations, [Some("x=1\t& \t& y=0.5"), None, None]);
    let all: Vec<_> = assignments(valuations[0].unwrap_or_default()).collect();
    let expected = [
        (Some("x"), Value::Int(1)),
        (None, Value::Bool(true)),
        (Some("y"), Value::Other("0.5")),
    ];
    assert_eq!(all, expected);
}

#[test]
fn repeated_labels_are_one() {
    let text = "@type: MDP\n@nr_states\n1\n@model\nstate 0 a \"a\" b \"a b\" a\n";
    assert_eq!(model(text).states[0].labels, ["a", "b", "a b"]);
}
