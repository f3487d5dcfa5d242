//! Archives that are written in pieces, or by a writer that knows only their outline.

use crate::common::{Files, coin, files, plain};
use crate::round_trip::{Arrays, arrays, names};
use proptest::prelude::*;
use std::borrow::Cow;
use umb::{
    Bits, Content, Domain, Entity, Kind, ModelType, Numbers, Outline, Pieces, UmbWriter, Values,
    write_files,
};

/// The names of the actions, and the choices' actions.
const ACTIONS: [&str; 3] = ["", "go", "stay"];

/// What each state earns.
fn reward(state: usize) -> f64 {
    state as f64 / 4.0
}

fn is_even(state: u64) -> bool {
    state.is_multiple_of(2)
}

/// Adds the values of variables, which both writers know.
fn add_values(writer: &mut UmbWriter<'_>) {
    let domain = Domain::Int {
        lower: -3,
        upper: 5,
    };
    let variables = [("x", domain), ("b", Domain::Bool)];
    let value = |state: u64, i: usize| match i {
        0 => state as i64 % 9 - 3,
        _ => i64::from(is_even(state)),
    };
    writer
        .state_valuations(&variables, false, value)
        .expect("sound domains");
}

/// Returns an archive with all kinds of contents.
fn whole<'a>(arrays: &'a Arrays, actions: &'a [u32], rewards: &'a [f64]) -> UmbWriter<'a> {
    let mut writer = UmbWriter::new(&arrays.model()).expect("a sound model");
    writer.choice_actions(&ACTIONS, actions).expect("as many");
    let even = Values::Bools(Bits::from_fn(rewards.len() as u64, is_even));
    writer
        .annotate("aps", "even", Entity::States, even)
        .expect("as many");
    let rewards = Values::Numbers(Numbers::Doubles(Cow::Borrowed(rewards)));
    writer
        .annotate("rewards", "paid", Entity::States, rewards)
        .expect("as many");
    add_values(&mut writer);
    writer.tool("a tool", "7");
    writer
}

/// Returns the outline of the same archive.
fn outlined(arrays: &Arrays) -> UmbWriter<'static> {
    let model = arrays.model();
    let outline = Outline {
        model_type: model.model_type,
        num_states: arrays.choice_offsets.len() as u64 - 1,
        num_initial_states: arrays.initial.len() as u64,
        num_choices: arrays.branch_offsets.len() as u64 - 1,
        num_branches: arrays.targets.len() as u64,
        players: model.model_type.has_players().then(names),
    };
    let mut writer = UmbWriter::of_outline(&outline).expect("a model with states");
    writer.choice_actions_elsewhere(&ACTIONS);
    let parts = [(Entity::States, 4)];
    writer
        .annotate_elsewhere("aps", "even", Kind::Bool, &parts)
        .expect("truth values");
    let parts = [(Entity::States, 5)];
    writer
        .annotate_elsewhere("rewards", "paid", Kind::Double, &parts)
        .expect("numbers");
    add_values(&mut writer);
    writer.tool("a tool", "7");
    writer
}

/// The archive of an outline, whose content is that of these files.
fn filled(writer: &UmbWriter<'_>, content: &Files) -> Vec<u8> {
    let files = writer.files().expect("a small index");
    let mut out = Vec::new();
    let paths = files.iter().map(|file| (&*file.path, file.len));
    let fill = |number: usize, out: &mut dyn std::io::Write| {
        let file = &files[number];
        if matches!(file.content, Content::Known | Content::StateValuations) {
            return writer.write_range(number, 0..file.len, out);
        }
        let known = content.iter().find(|(path, _)| *path == file.path);
        out.write_all(&known.expect("both have the same files").1)
    };
    write_files(&mut out, paths, fill).expect("written to memory");
    out
}

/// The archive cut into pieces, each file at these places, and put together again.
fn cut(writer: &UmbWriter<'_>, cuts: &[prop::sample::Index]) -> Vec<u8> {
    let files = writer.files().expect("a small index");
    let ends: Vec<Vec<u64>> = files
        .iter()
        .map(|file| {
            let places = cuts
                .iter()
                .map(|cut| cut.index(file.len as usize + 1) as u64);
            let mut places: Vec<u64> = places.collect();
            places.sort_unstable();
            places.push(file.len);
            places
        })
        .collect();
    let pieces: Vec<Vec<u8>> = (0..=cuts.len())
        .map(|piece| {
            let begin = |file: usize| piece.checked_sub(1).map_or(0, |before| ends[file][before]);
            let range = |file: usize| begin(file)..ends[file][piece];
            let sizes = (0..files.len())
                .map(|file| (&*files[file].path, range(file).end - range(file).start));
            let mut out = Vec::new();
            write_files(&mut out, sizes, |file, out| {
                writer.write_range(file, range(file), out)
            })
            .expect("written to memory");
            out
        })
        .collect();
    let mut all = Pieces::default();
    for piece in &pieces {
        all.push(piece).expect("a whole archive");
    }
    let mut out = Vec::new();
    all.write(&mut out).expect("written to memory");
    out
}

/// A range of bytes of the values of the annotation `all` of the group `aps`.
fn values(writer: &UmbWriter<'_>, range: impl Fn(u64) -> std::ops::Range<u64>) -> Vec<u8> {
    let files = writer.files().expect("a small index");
    let file = files
        .iter()
        .position(|file| file.path.ends_with("all/states/values.bin"));
    let file = file.expect("the annotation has values");
    let mut out = Vec::new();
    let range = range(files[file].len);
    writer
        .write_range(file, range, &mut out)
        .expect("written to memory");
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn pieces_and_outlines_make_the_same_archive(
        arrays in arrays(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
    ) {
        let states = arrays.choice_offsets.len() - 1;
        let actions: Vec<u32> = (1..arrays.branch_offsets.len() as u32).map(|c| c % 3).collect();
        let rewards: Vec<f64> = (0..states).map(reward).collect();
        let writer = whole(&arrays, &actions, &rewards);
        let expected = plain(&writer);
        prop_assert!(cut(&writer, &cuts) == expected);
        let of = arrays.model_type;
        if !of.has_intervals() && !of.has_observations() {
            let outlined = outlined(&arrays);
            prop_assert!(filled(&outlined, &files(&expected)) == expected);
        }
    }
}

#[test]
fn what_is_refused() {
    let none = Outline {
        model_type: ModelType::Mdp,
        num_states: 0,
        num_initial_states: 0,
        num_choices: 0,
        num_branches: 0,
        players: None,
    };
    let one = Outline {
        num_states: 1,
        ..none
    };
    let intervals = Outline {
        model_type: ModelType::Imdp,
        ..one
    };
    let mut writer = UmbWriter::of_outline(&one).expect("it has a state");
    let mut said: Vec<String> = [
        UmbWriter::of_outline(&none).map(drop),
        UmbWriter::of_outline(&intervals).map(drop),
        writer
            .annotate_elsewhere("g", "n", Kind::String, &[(Entity::States, 0)])
            .map(drop),
        writer
            .annotate_elsewhere("g", "n", Kind::Uint, &[(Entity::Players, 0)])
            .map(drop),
        writer
            .annotate_elsewhere("G", "n", Kind::Uint, &[(Entity::States, 0)])
            .map(drop),
    ]
    .into_iter()
    .map(|result| result.expect_err("it is refused").to_string())
    .collect();
    let mut out = Vec::new();
    let elsewhere = writer.write(&mut out, umb::Compression::None);
    let short = write_files(&mut out, [("a", 2)], |_, out| out.write_all(b"1"));
    let long = write_files(&mut out, [("a", 2)], |_, out| out.write_all(b"123"));
    said.extend([elsewhere, short, long].map(|r| r.expect_err("it is refused").to_string()));
    let piece = |paths: &[&str]| {
        let mut out = Vec::new();
        write_files(&mut out, paths.iter().map(|path| (*path, 0)), |_, _| Ok(())).expect("empty");
        out
    };
    let first = piece(&["a", "b"]);
    for paths in [&["a"][..], &["a", "b", "c"], &["b", "a"]] {
        let other = piece(paths);
        let mut pieces = Pieces::default();
        pieces.push(&first).expect("the first one");
        said.push(pieces.push(&other).expect_err("other files").to_string());
    }
    let whole = plain(&UmbWriter::new(&coin()).expect("a sound model"));
    let mut pieces = Pieces::default();
    said.push(
        pieces
            .push(&whole[..whole.len() - 1024])
            .expect_err("cut")
            .to_string(),
    );
    insta::assert_snapshot!(said.join("\n"));
}

proptest! {
    #[test]
    fn members_are_written_as_bits(
        num_states in prop_oneof![1..300u64, 520_000..1_060_000u64],
        members in prop::collection::vec(any::<prop::sample::Index>(), 0..50),
        cuts in any::<[prop::sample::Index; 2]>(),
        keep_order in any::<bool>(),
    ) {
        // Some are out of range.
        let mut members: Vec<u32> =
            members.iter().map(|member| member.index(num_states as usize + 9) as u32).collect();
        if !keep_order {
            members.sort_unstable();
        }
        let outline = Outline {
            model_type: ModelType::Mdp,
            num_states,
            num_initial_states: 0,
            num_choices: 0,
            num_branches: 0,
            players: None,
        };
        let writer = || UmbWriter::of_outline(&outline).expect("a model with states");
        let [mut bits, mut computed] = [writer(), writer()];
        let wide: Vec<u64> = members.iter().copied().map(u64::from).collect();
        let all = Values::Bools(Bits::from_members(num_states, &wide));
        bits.annotate("aps", "all", Entity::States, all).expect("as many values");
        let added = computed.annotate_members("aps", "all", Entity::States, &members);
        added.expect("they are states");
        prop_assert_eq!(bits.files().expect("small"), computed.files().expect("small"));
        let range = |len: u64| {
            let [one, other] = cuts.map(|cut| cut.index(len as usize + 1) as u64);
            one.min(other)..one.max(other)
        };
        for range in [&range as &dyn Fn(u64) -> _, &|len| 0..len] {
            prop_assert_eq!(values(&bits, range), values(&computed, range));
        }
    }
}
