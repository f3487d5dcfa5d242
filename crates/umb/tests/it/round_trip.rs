//! Models made at random: what is written is read again, the same through gzip, from bytes that lie
//! anywhere, and from a copy.

use std::borrow::Cow;

use crate::common::{coin, plain, through_gzip};
use proptest::prelude::*;
use umb::{
    Bits, Domain, Entity, Indices, Model, ModelType, Numbers, ReadOptions, Umb, UmbWriter, Value,
    Values,
};

/// Choices by state, branches by choice: targets with weights.
type Drawn = Vec<Vec<Vec<(u64, u32)>>>;

/// The arrays of a model.
#[derive(Debug, Clone)]
pub(crate) struct Arrays {
    pub(crate) model_type: ModelType,
    pub(crate) choice_offsets: Vec<u64>,
    pub(crate) branch_offsets: Vec<u64>,
    pub(crate) targets: Vec<u64>,
    probabilities: Vec<f64>,
    lower: Vec<f64>,
    rates: Vec<f64>,
    pub(crate) initial: Vec<u64>,
    observations: Vec<u32>,
    players: Vec<u32>,
    markovian: Vec<u64>,
}

/// The players of games.
pub(crate) fn names() -> &'static [String] {
    static NAMES: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();
    NAMES.get_or_init(|| ["one", "two", "three"].map(str::to_owned).to_vec())
}

impl Arrays {
    fn new(model_type: ModelType, drawn: &Drawn, initial: Vec<u64>) -> Self {
        let mut arrays = Self {
            model_type,
            choice_offsets: vec![0],
            branch_offsets: vec![0],
            targets: Vec::new(),
            probabilities: Vec::new(),
            lower: Vec::new(),
            observations: (0..drawn.len() as u32).map(|state| state % 5).collect(),
            players: (0..drawn.len() as u32).map(|state| state * 7 % 3).collect(),
            markovian: (0..drawn.len() as u64)
                .filter(|&state| state % 3 == 1 && drawn[state as usize].len() <= 1)
                .collect(),
            rates: (0..drawn.len()).map(|state| state as f64 * 0.5).collect(),
            initial,
        };
        let most = if model_type.is_nondeterministic() {
            9
        } else {
            1
        };
        for choices in drawn {
            for branches in choices.iter().take(most) {
                let branches = match model_type {
                    ModelType::Lts => &branches[..1],
                    _ => &branches[..],
                };
                let total: u32 = branches.iter().map(|branch| branch.1).sum();
                for &(target, weight) in branches {
                    arrays.targets.push(target % drawn.len() as u64);
                    let value = f64::from(weight) / f64::from(total);
                    let widened = if model_type.has_intervals() && weight > 0 {
                        0.25
                    } else {
                        0.0
                    };
                    arrays.probabilities.push(value + widened);
                    arrays.lower.push(value / 2.0);
                }
                arrays.branch_offsets.push(arrays.targets.len() as u64);
            }
            arrays
                .choice_offsets
                .push(arrays.branch_offsets.len() as u64 - 1);
        }
        arrays
    }

    pub(crate) fn model(&self) -> Model<'_> {
        Model {
            initial_states: &self.initial,
            choice_offsets: Indices::U64(&self.choice_offsets),
            branch_offsets: Indices::U64(&self.branch_offsets),
            targets: Indices::U64(&self.targets),
            probabilities: Some(&self.probabilities)
                .filter(|_| self.model_type != ModelType::Lts)
                .map(|v| &**v),
            lower_bounds: Some(&*self.lower).filter(|_| self.model_type.has_intervals()),
            exit_rates: Some(&self.rates)
                .filter(|_| matches!(self.model_type, ModelType::Ctmc | ModelType::Ma))
                .map(|v| &**v),
            observations: Some((5, Indices::U32(&self.observations)))
                .filter(|_| self.model_type.has_observations()),
            players: Some((names(), &*self.players)).filter(|_| self.model_type.has_players()),
            markovian_states: Some(&*self.markovian).filter(|_| self.model_type == ModelType::Ma),
            ..Model::new(self.model_type)
        }
    }
}

pub(crate) fn arrays() -> impl Strategy<Value = Arrays> {
    let model_type = prop_oneof![
        Just(ModelType::Mdp),
        Just(ModelType::Dtmc),
        Just(ModelType::Ctmc),
        Just(ModelType::Lts),
        Just(ModelType::Pomdp),
        Just(ModelType::Smg),
        Just(ModelType::Ma),
        Just(ModelType::Idtmc),
        Just(ModelType::Imdp)
    ];
    let choice = prop::collection::vec((any::<u64>(), 0..9u32), 1..5);
    let choice = choice.prop_map(|mut branches| {
        // One of the weights must be above 0.
        branches[0].1 += 1;
        branches
    });
    let state = prop::collection::vec(choice, 0..4);
    let states = prop::collection::vec(state, 1..140);
    (model_type, states, any::<u64>()).prop_map(|(model_type, drawn, initial)| {
        let initial = initial % drawn.len() as u64;
        Arrays::new(model_type, &drawn, vec![initial])
    })
}

/// All of the model as it is read.
fn same(umb: &Umb<'_>, arrays: &Arrays) -> Result<(), TestCaseError> {
    prop_assert_eq!(umb.model_type(), arrays.model_type);
    prop_assert_eq!(umb.num_states() as usize, arrays.choice_offsets.len() - 1);
    prop_assert_eq!(umb.num_choices() as usize, arrays.branch_offsets.len() - 1);
    prop_assert_eq!(umb.targets(), &arrays.targets);
    let initial: Vec<_> = umb.initial_states().iter().collect();
    prop_assert_eq!(&initial, &arrays.initial);
    let probabilities = umb.probabilities().map(|numbers| {
        (0..numbers.len())
            .map(|i| numbers.get(i))
            .collect::<Vec<_>>()
    });
    prop_assert_eq!(probabilities.as_deref(), arrays.model().probabilities);
    prop_assert_eq!(umb.lower_bounds(), arrays.model().lower_bounds);
    let rates = umb.exit_rates().expect("sound rates");
    let rates = rates.map(|numbers| {
        (0..numbers.len())
            .map(|i| numbers.get(i))
            .collect::<Vec<_>>()
    });
    prop_assert_eq!(rates.as_deref(), arrays.model().exit_rates);
    let observations = umb.observations().expect("sound observations");
    let expected = arrays.observations.iter().copied().map(u64::from);
    let expected = arrays.model().observations.map(|_| expected.collect());
    prop_assert_eq!(observations.map(Cow::into_owned), expected);
    let players = umb.players().expect("sound players").map(Cow::into_owned);
    let expected = arrays.model().players;
    prop_assert_eq!(players.as_deref(), expected.map(|(_, of_states)| of_states));
    let named = &umb.index().transition_system.player_names;
    prop_assert_eq!(&named[..], expected.map_or(&[][..], |(names, _)| names));
    let markovian = umb.markovian_states().expect("sound bits");
    let markovian: Option<Vec<_>> = markovian.map(|states| states.iter().collect());
    prop_assert_eq!(markovian.as_deref(), arrays.model().markovian_states);
    let mut number = 0;
    for state in 0..umb.num_states() {
        let range =
            arrays.choice_offsets[state as usize]..arrays.choice_offsets[state as usize + 1];
        prop_assert_eq!(umb.choice_offsets().range(state), range);
        for (index, choice) in umb.choices_of(state).enumerate() {
            let place = (choice.state(), choice.index(), choice.number());
            prop_assert_eq!(place, (state, index as u64, number));
            let branches = arrays.branch_offsets[number as usize] as usize
                ..arrays.branch_offsets[number as usize + 1] as usize;
            prop_assert_eq!(choice.targets(), &arrays.targets[branches]);
            let is_likely =
                |&branch: &usize| umb.probabilities().is_none_or(|all| all.get(branch) > 0.0);
            let likely = choice.branches().filter(is_likely);
            let likely = likely.map(|branch| arrays.targets[branch]);
            prop_assert!(choice.likely_targets().eq(likely));
            number += 1;
        }
    }
    prop_assert_eq!(number, umb.num_choices());
    let probabilities = arrays.model().probabilities.unwrap_or_default();
    let zeros = probabilities.iter().filter(|&&number| number == 0.0);
    prop_assert_eq!(umb.num_zeros(), zeros.count() as u64);
    Ok(())
}

fn read(archive: &[u8]) -> Umb<'_> {
    Umb::read(archive, &ReadOptions::default()).expect("a sound archive")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_model_is_read_as_it_was_written(arrays in arrays(), gap in 0..9usize) {
        let writer = UmbWriter::new(&arrays.model()).expect("a sound model");
        let archive = plain(&writer);
        same(&read(&archive), &arrays)?;
        prop_assert_eq!(&through_gzip(&writer), &archive);
        let shifted = [vec![0; gap], archive].concat();
        let umb = read(&shifted[gap..]);
        same(&umb, &arrays)?;
        let copy = plain(&UmbWriter::copy_of(&umb));
        same(&read(&copy), &arrays)?;
    }

    #[test]
    fn narrow_arrays_make_the_same_archive(arrays in arrays()) {
        let narrow = |numbers: &[u64]| numbers.iter().map(|&n| n as u32).collect::<Vec<_>>();
        let (choices, branches) = (narrow(&arrays.choice_offsets), narrow(&arrays.branch_offsets));
        let targets = narrow(&arrays.targets);
        let model = Model {
            choice_offsets: (&choices[..]).into(),
            branch_offsets: (&branches[..]).into(),
            targets: (&targets[..]).into(),
            ..arrays.model()
        };
        let narrow = plain(&UmbWriter::new(&model).expect("a sound model"));
        let wide = plain(&UmbWriter::new(&arrays.model()).expect("a sound model"));
        prop_assert_eq!(narrow, wide);
    }

    #[test]
    fn annotations_are_read_back(arrays in arrays(), seed in any::<u64>(), name in "\\PC{0,80}") {
        let states = arrays.choice_offsets.len() as u64 - 1;
        let choices = arrays.branch_offsets.len() as u64 - 1;
        let branches = arrays.targets.len() as u64;
        let noise = |i: u64| (i + 1).wrapping_mul(seed | 1).rotate_left(17);
        let bits = Bits::from_fn(states, |state| noise(state) % 3 == 0);
        let uints: Vec<_> = (0..states).map(noise).collect();
        let ints: Vec<_> = (0..choices).map(|choice| noise(choice) as i64).collect();
        let doubles: Vec<_> = (0..branches).map(|branch| noise(branch) as f64).collect();
        let all = [
            ("aps", Entity::States, Values::Bools(bits)),
            ("components", Entity::States, Values::Uints(Cow::Borrowed(&uints))),
            ("other", Entity::Choices, Values::Ints(Cow::Borrowed(&ints))),
            ("rewards", Entity::Branches, Values::Numbers(Numbers::Doubles(Cow::Borrowed(&doubles)))),
        ];
        let mut writer = UmbWriter::new(&arrays.model()).expect("a sound model");
        for (group, of, values) in &all {
            // What was there before is replaced.
            let none = Bits::from_members(values.len(), &[]);
            writer.annotate(group, &name, *of, Values::Bools(none)).expect("as many values");
            writer.annotate(group, &name, *of, values.clone()).expect("as many values");
            writer.annotate(group, "second", *of, values.clone()).expect("as many values");
        }
        let archive = plain(&writer);
        let umb = read(&archive);
        for (group, of, values) in &all {
            prop_assert_eq!(umb.index().annotations[*group].len(), if name == "second" { 1 } else { 2 });
            for name in [&*name, "second"] {
                let found = umb.annotation(group, name, *of).expect("sound values");
                prop_assert_eq!(found.as_ref(), Some(values));
            }
            prop_assert_eq!(umb.annotation(group, "third", *of), Ok(None));
        }
        // Choices and branches that have values can be written with others.
        let mut copy = UmbWriter::copy_of(&umb);
        copy.annotate("aps", &name, Entity::States, Values::Bools(Bits::from_members(states, &[0]))).expect("as many");
        let archive = plain(&copy);
        let umb = read(&archive);
        let Ok(Some(Values::Bools(bits))) = umb.annotation("aps", &name, Entity::States) else {
            panic!("no truth values");
        };
        prop_assert_eq!(bits.iter().collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn variables_are_read_back(
        arrays in arrays(),
        domains in prop::collection::vec(
            prop::option::of((any::<i64>(), any::<i64>(), 0..64u32)),
            0..7,
        ),
        seed in any::<u64>(),
    ) {
        let domains: Vec<_> = domains.iter().enumerate().map(|(i, domain)| {
            let domain = domain.map_or(Domain::Bool, |(one, other, shift)| {
                let (one, other) = (one >> shift, other >> shift);
                Domain::Int { lower: one.min(other), upper: one.max(other) }
            });
            (format!("x{i}"), domain)
        }).collect();
        let value = |state: u64, i: usize| {
            let noise = (state + 1).wrapping_mul(seed | 1).rotate_left(i as u32 * 7);
            match domains[i].1 {
                Domain::Bool => (noise % 2) as i64,
                Domain::Int { lower, upper } => {
                    let span = i128::from(upper) - i128::from(lower) + 1;
                    (i128::from(lower) + i128::from(noise) % span) as i64
                }
            }
        };
        let mut writer = UmbWriter::new(&arrays.model()).expect("a sound model");
        writer.state_valuations(&domains, false, value).expect("sound domains");
        let archive = plain(&writer);
        let umb = read(&archive);
        let valuations = umb.valuations(Entity::States).expect("sound").expect("variables");
        let names: Vec<_> = valuations.variables(0).map(|variable| variable.name.clone()).collect();
        prop_assert_eq!(names, domains.iter().map(|domain| domain.0.clone()).collect::<Vec<_>>());
        for state in 0..umb.num_states() {
            let expected = domains.iter().enumerate().map(|(i, domain)| match domain.1 {
                Domain::Bool => Value::Bool(value(state, i) == 1),
                Domain::Int { .. } => Value::Int(value(state, i).into()),
            });
            let found: Result<Vec<_>, _> = valuations.row(state).collect();
            prop_assert_eq!(found.expect("sound"), expected.collect::<Vec<_>>());
        }
    }

    #[test]
    fn actions_are_read_back(arrays in arrays(), names in prop::collection::vec("\\PC{0,9}", 1..6)) {
        let number = |i: usize| (i * 7 % names.len()) as u32;
        let of_choices: Vec<_> = (0..arrays.branch_offsets.len() - 1).map(number).collect();
        let of_branches: Vec<_> = (0..arrays.targets.len()).map(number).collect();
        let mut writer = UmbWriter::new(&arrays.model()).expect("a sound model");
        writer.choice_actions(&names, &of_choices).expect("as many");
        writer.branch_actions(&names, &of_branches).expect("as many");
        let archive = plain(&writer);
        let umb = read(&archive);
        let pairs = [
            (umb.choice_actions(), &of_choices),
            (umb.branch_actions(), &of_branches),
        ];
        for (actions, numbers) in pairs {
            let actions = actions.expect("sound").expect("actions");
            for (i, &number) in numbers.iter().enumerate() {
                let name = Some(&*names[number as usize]).filter(|name| !name.is_empty());
                prop_assert_eq!(actions.name(i as u64), name);
            }
        }
    }
}

/// On a plain archive in aligned memory nothing is copied.
#[test]
fn aligned_arrays_are_used_in_place() {
    let archive = plain(&UmbWriter::new(&coin()).expect("a sound model"));
    let mut words = vec![0u64; archive.len() / 8];
    bytemuck::cast_slice_mut(&mut words).copy_from_slice(&archive);
    let bytes: &[u8] = bytemuck::cast_slice(&words);
    let umb = read(bytes);
    let place = bytes.as_ptr_range();
    assert!(place.contains(&umb.targets().as_ptr().cast()));
    let Some(Numbers::Doubles(Cow::Borrowed(_))) = umb.probabilities() else {
        panic!("probabilities were copied");
    };
    assert!(matches!(
        umb.choice_offsets(),
        umb::Offsets::Stored(Cow::Borrowed(_))
    ));
}

/// A value outside its domain is found when the archive is written.
#[test]
fn values_stay_in_their_domains() {
    let mut writer = UmbWriter::new(&coin()).expect("a sound model");
    let domain = Domain::Int {
        lower: -1,
        upper: 1,
    };
    writer
        .state_valuations(&[("x", domain)], true, |state, _| state as i64)
        .expect("a sound domain");
    let error = writer
        .write(Vec::new(), umb::Compression::None)
        .expect_err("state 2 is outside");
    insta::assert_snapshot!(error, @r#"variable "x" of state 2 is 2: expected -1 to 1"#);
}
