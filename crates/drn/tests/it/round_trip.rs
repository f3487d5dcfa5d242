//! Models made at random: written and read again they are the same; and however a file is cut into
//! chunks and however broken it is, what comes out does not change, and nothing panics.

use drn::{
    DrnWriter, Header, Model, ModelChoice, ModelState, ModelType, ReadOptions, Reward, read,
};
use proptest::prelude::*;

fn amount() -> impl Strategy<Value = Reward> {
    prop_oneof![
        any::<f64>()
            .prop_filter("finite", |value| value.is_finite())
            .prop_map(Reward::Decimal),
        (-9..9_i64, 1..9_u64).prop_map(|(over, under)| Reward::Fraction(over, under)),
        Just(Reward::ZERO),
    ]
}

/// Nothing, or a reward for each reward model.
fn rewards(models: usize) -> impl Strategy<Value = Vec<Reward>> {
    prop_oneof![prop::collection::vec(amount(), models), Just(Vec::new())]
}

fn action() -> impl Strategy<Value = Option<String>> {
    let name = prop_oneof!["[a-c]", "[!-~]{1,5}", "\\PC{1,3}"];
    let name = name.prop_filter("not to be written", |name| drn::is_action(name));
    prop::option::of(name)
}

fn label() -> impl Strategy<Value = String> {
    let label = prop_oneof!["[a-c]", "[ -~]{1,6}", "\\PC{1,3}", Just("init".to_owned())];
    label.prop_filter("not to be written", |label| drn::is_label(label))
}

fn choice(states: u32, models: usize) -> impl Strategy<Value = ModelChoice> {
    let branches = prop::collection::vec((0..states, 1..9_u32), 1..4);
    (action(), rewards(models), branches).prop_map(|(action, rewards, branches)| {
        let total: u32 = branches.iter().map(|(_, weight)| weight).sum();
        let value = |&(_, weight): &(u32, u32)| f64::from(weight) / f64::from(total);
        ModelChoice {
            action,
            rewards,
            targets: branches.iter().map(|&(target, _)| target).collect(),
            values: branches.iter().map(value).collect(),
            lower: Vec::new(),
        }
    })
}

/// Makes intervals of the probabilities.
fn widen(choice: &mut ModelChoice) {
    choice.lower = choice.values.iter().map(|value| value / 2.0).collect();
    choice
        .values
        .iter_mut()
        .skip(1)
        .for_each(|value| *value += 0.25);
}

fn state(model_type: ModelType, states: u32, models: usize) -> impl Strategy<Value = ModelState> {
    let most = if model_type.is_nondeterministic() {
        4
    } else {
        2
    };
    let choices = prop::collection::vec(choice(states, models), 0..most);
    let labels = prop::collection::btree_set(label(), 0..3);
    let valuation = prop::option::of("[ -~]{0,8}");
    let numbers = (1..9_u32, any::<u32>());
    (choices, rewards(models), labels, valuation, numbers).prop_map(
        move |(choices, rewards, labels, valuation, (rate, observation))| {
            let exit_rate = match model_type {
                ModelType::Ctmc => choices.iter().flat_map(|choice| &choice.values).sum(),
                _ => f64::from(rate) / 3.0,
            };
            ModelState {
                exit_rate: model_type.has_exit_rates().then_some(exit_rate),
                observation: model_type.has_observations().then_some(observation),
                rewards,
                labels: labels.into_iter().collect(),
                valuation,
                choices,
            }
        },
    )
}

fn model() -> impl Strategy<Value = Model> {
    let models = prop_oneof![
        Just(vec![]),
        Just(vec![""]),
        Just(vec!["r"]),
        Just(vec!["", "time_2"]),
    ];
    let model_type = prop::sample::select(&ModelType::ALL[..]);
    let unused_labels = prop::collection::btree_set(label(), 0..3);
    let unused_labels = unused_labels.prop_map(|labels| labels.into_iter().collect::<Vec<_>>());
    let flags = any::<[bool; 4]>();
    (model_type, models, 1..6_u32, flags, unused_labels).prop_flat_map(
        |(model_type, models, num_states, flags, unused_labels)| {
            let [is_rational, says_choices, counts_deadlocks, has_intervals] = flags;
            let has_intervals = has_intervals && model_type.may_have_intervals();
            let states = state(model_type, num_states, models.len());
            let states = prop::collection::vec(states, num_states as usize);
            states.prop_map(move |mut states| {
                if has_intervals {
                    let choices = states.iter_mut().flat_map(|state| &mut state.choices);
                    choices.for_each(widen);
                }
                let choices = |state: &ModelState| match counts_deadlocks {
                    true => state.choices.len().max(1) as u64,
                    false => state.choices.len() as u64,
                };
                let num_choices = states.iter().map(choices).sum();
                Model {
                    header: Header {
                        model_type,
                        is_rational,
                        has_intervals,
                        reward_models: models.iter().copied().map(str::to_owned).collect(),
                        unused_labels: unused_labels.clone(),
                        num_states,
                        num_choices: says_choices.then_some(num_choices),
                    },
                    states,
                }
            })
        },
    )
}

fn text(model: &Model) -> Vec<u8> {
    let mut text = Vec::new();
    model.write(&mut text).expect("a model that can be written");
    text
}

/// A text with some changes.
fn mutate(text: &[u8], edits: &[(usize, u8, usize)]) -> Vec<u8> {
    test_models::mutate(text, b" 019/\n\r\t\":[]{}!,_@$asx\x80", edits)
}

fn edits() -> impl Strategy<Value = Vec<(usize, u8, usize)>> {
    prop::collection::vec((any::<usize>(), any::<u8>(), 0..20_usize), 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_model_is_read_as_it_was_written(model in model(), chunk_bytes in 1..200_usize) {
        let text = text(&model);
        let options = ReadOptions { chunk_bytes, ..ReadOptions::default() };
        let again = read(&text, &options);
        let again = again.map_err(|error| format!("{error}\n{}", String::from_utf8_lossy(&text)));
        prop_assert_eq!(again, Ok(model));
    }

    #[test]
    fn blocks_of_states_change_nothing(
        model in model(),
        lengths in prop::collection::vec(0..4u32, 6),
    ) {
        let mut written = Vec::new();
        let mut writer = DrnWriter::new(&mut written, &model.header).expect("a header");
        let (mut states, mut number) = (model.states.iter(), 0);
        let late = DrnWriter::block(&model.header, 1);
        let late = writer.append(&late).expect_err("state 0 comes first");
        prop_assert_eq!(late.to_string(), "state 1 is not state 0");
        for length in lengths.into_iter().chain([model.header.num_states]) {
            let mut block = DrnWriter::block(&model.header, number);
            for state in states.by_ref().take(length as usize) {
                state.write(number, &mut block).expect("a state");
                number += 1;
            }
            writer.append(&block).expect("memory can be written");
        }
        writer.finish().expect("all states");
        prop_assert_eq!(written, text(&model));
    }

    #[test]
    fn chunks_change_nothing_in_broken_files(
        model in model(),
        edits in edits(),
        chunk_bytes in 1..60_usize,
    ) {
        let input = mutate(&text(&model), &edits);
        let whole = read(&input, &ReadOptions::default());
        let options = ReadOptions { chunk_bytes, ..ReadOptions::default() };
        prop_assert_eq!(&read(&input, &options), &whole);
        match whole {
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
            Ok(read_model) => {
                // Names may be such that only other tools write them.
                let mut written = Vec::new();
                if read_model.write(&mut written).is_ok() {
                    prop_assert_eq!(read(&written, &ReadOptions::default()), Ok(read_model));
                }
            }
        }
    }
}
