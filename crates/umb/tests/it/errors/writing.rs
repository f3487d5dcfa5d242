//! What the writer does not take.

use crate::common::coin;
use std::borrow::Cow;
use test_models::Wording;
use umb::{Domain, Entity, Error, Indices, Model, ModelType, UmbWriter, Values};

pub(super) fn writing(wording: &mut Wording<Error>) {
    let models = [
        (
            "a model without states",
            Model {
                targets: Indices::U32(&[]),
                ..Model::new(ModelType::Mdp)
            },
        ),
        (
            "an MDP without probabilities",
            Model {
                probabilities: None,
                ..coin()
            },
        ),
        (
            "too few probabilities",
            Model {
                probabilities: Some(&[1.0]),
                ..coin()
            },
        ),
        (
            "an interval model without lower bounds",
            Model {
                model_type: ModelType::Imdp,
                ..coin()
            },
        ),
        (
            "an MDP with lower bounds",
            Model {
                lower_bounds: Some(&[0.0; 5]),
                ..coin()
            },
        ),
        (
            "a lower bound too many",
            Model {
                model_type: ModelType::Imdp,
                lower_bounds: Some(&[0.0; 6]),
                ..coin()
            },
        ),
        (
            "a lower bound above the upper one",
            Model {
                model_type: ModelType::Imdp,
                lower_bounds: Some(&[0.0, 0.8, 0.0, 0.0, 0.0]),
                ..coin()
            },
        ),
        (
            "a chain with choices",
            Model {
                model_type: ModelType::Dtmc,
                ..coin()
            },
        ),
        (
            "an initial state that is none",
            Model {
                initial_states: &[3],
                ..coin()
            },
        ),
        (
            "a POMDP without observations",
            Model {
                model_type: ModelType::Pomdp,
                ..coin()
            },
        ),
        (
            "an observation out of range",
            Model {
                model_type: ModelType::Pomdp,
                observations: Some((2, Indices::U32(&[0, 1, 2]))),
                ..coin()
            },
        ),
        (
            "observations of an MDP",
            Model {
                observations: Some((2, Indices::U32(&[0, 1, 1]))),
                ..coin()
            },
        ),
        (
            "a game without players",
            Model {
                model_type: ModelType::Smg,
                ..coin()
            },
        ),
        (
            "a Markov automaton without rates",
            Model {
                model_type: ModelType::Ma,
                ..coin()
            },
        ),
        (
            "a Markovian state with two choices",
            Model {
                model_type: ModelType::Ma,
                exit_rates: Some(&[2.0; 3]),
                markovian_states: Some(&[2, 0]),
                ..coin()
            },
        ),
        (
            "no offsets at all",
            Model {
                choice_offsets: Indices::U64(&[]),
                ..coin()
            },
        ),
    ];
    for (what, model) in models {
        wording.add(what, &UmbWriter::new(&model).expect_err(what));
    }
    let mut writer = UmbWriter::new(&coin()).expect("sound");
    let none = || Values::Uints(Cow::Borrowed(&[]));
    let empty = Domain::Int { lower: 1, upper: 0 };
    let errors = [
        (
            "too few values",
            writer.annotate("aps", "a", Entity::States, none()).err(),
        ),
        (
            "values of players",
            writer.annotate("aps", "a", Entity::Players, none()).err(),
        ),
        (
            "a group with capitals",
            writer
                .annotate("My Group", "a", Entity::States, none())
                .err(),
        ),
        (
            "an action without a name",
            writer.choice_actions(&["a"], &[0, 0, 1, 0]).err(),
        ),
        (
            "an empty range",
            writer
                .state_valuations(&[("x", empty)], true, |_, _| 0)
                .err(),
        ),
    ];
    for (what, error) in errors {
        wording.add(what, &error.expect(what));
    }
}
