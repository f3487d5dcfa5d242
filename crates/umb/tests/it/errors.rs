//! One broken archive for every kind of error, and the line that is printed for it.

mod headers;
mod limits;
mod writing;

use crate::common::{Files, archive, coin, f64s, files, plain, u64s};
use test_models::Wording;
use umb::{Bits, Domain, Entity, Error, ErrorKind, ReadOptions, Umb, UmbWriter, Values};

fn read(bytes: &[u8]) -> Result<Umb<'_>, Error> {
    Umb::read(bytes, &ReadOptions::default())
}

/// The archive that all others are made from.
fn sound() -> Vec<u8> {
    let mut writer = UmbWriter::new(&coin()).expect("a sound model");
    let bits = Bits::from_members(3, &[1, 2]);
    let domain = Domain::Int { lower: 0, upper: 5 };
    writer
        .choice_actions(&["", "toß"], &[1, 0, 0, 0])
        .and_then(|writer| writer.annotate("aps", "done", Entity::States, Values::Bools(bits)))
        .and_then(|writer| writer.state_valuations(&[("x", domain)], true, |state, _| state as i64))
        .expect("all fits");
    plain(&writer)
}

/// A change of the files of an archive.
type Change = Box<dyn Fn(&mut Files)>;

fn set(path: &'static str, content: Vec<u8>) -> Change {
    Box::new(
        move |files| match files.iter_mut().find(|file| file.0 == path) {
            Some(file) => file.1.clone_from(&content),
            None => files.push((path.to_owned(), content.clone())),
        },
    )
}

fn remove(path: &'static str) -> Change {
    Box::new(move |files| files.retain(|file| file.0 != path))
}

/// Replaces text in the index, which must be there.
fn index(old: &'static str, new: &'static str) -> Change {
    Box::new(move |files| {
        let text = String::from_utf8(files[0].1.clone()).expect("UTF-8");
        assert!(text.contains(old), "{old} is not in {text}");
        files[0].1 = text.replace(old, new).into_bytes();
    })
}

/// All values become one interval.
fn intervals(bounds: [f64; 2]) -> Change {
    both(
        index(
            "\"type\": \"double\",\n      \"size\": 64",
            "\"type\": \"double-interval\"",
        ),
        set(PROBABILITIES, f64s(&bounds.repeat(5))),
    )
}

fn both(one: Change, other: Change) -> Change {
    Box::new(move |files| {
        one(files);
        other(files);
    })
}

const CHOICES: &str = "state-to-choices.bin";
const BRANCHES: &str = "choice-to-branches.bin";
const TARGETS: &str = "branch-to-target.bin";
const PROBABILITIES: &str = "branch-to-probability.bin";
const INITIAL: &str = "state-is-initial.bin";

fn containers(wording: &mut Wording<Error>) {
    let sound = sound();
    let mut inputs = vec![
        ("nothing", Vec::new()),
        ("a text", b"3 4 5\n0 0 1 0.25\n".to_vec()),
        ("gzip that was not inflated", b"\x1f\x8b\x08".to_vec()),
        ("xz", b"\xfd7zXZ\0".to_vec()),
        ("zstd", b"\x28\xb5\x2f\xfd".to_vec()),
        ("bzip2", b"BZh91AY&SY".to_vec()),
        ("zip", b"PK\x03\x04".to_vec()),
        ("cut within a header", sound[..300].to_vec()),
        ("cut within an entry", sound[..1000].to_vec()),
        ("cut between entries", sound[..512 * 9].to_vec()),
    ];
    inputs.extend(headers::damaged(&sound));
    let mut link = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_ustar();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    link.append_link(&mut header, "index.json", "/etc/passwd")
        .expect("memory");
    inputs.push(("a link", link.into_inner().expect("memory")));
    let mut name = archive(&[("xx".to_owned(), Vec::new())]);
    name[0] = 0xFF;
    headers::seal(&mut name);
    inputs.push(("a path that is no text", name));
    let entry = ("./index.json".to_owned(), Vec::new());
    inputs.push(("an entry twice", archive(&[entry.clone(), entry])));
    let entries = ["a", "z", "z", "a"].map(|path| (path.to_owned(), Vec::new()));
    inputs.push(("two entries twice", archive(&entries)));
    for (what, input) in &inputs {
        wording.add(what, &read(input).expect_err(what));
    }
}

fn structures(wording: &mut Wording<Error>) {
    let nan = f64s(&[0.25, f64::NAN, 1.0, 1.0, 1.0]);
    let big_endian: Vec<u8> = [0u64, 2, 3, 4]
        .iter()
        .flat_map(|n| n.to_be_bytes())
        .collect();
    let big_targets: Vec<u8> = [1u64, 2, 2, 1, 2]
        .iter()
        .flat_map(|n| n.to_be_bytes())
        .collect();
    let changes: Vec<(&str, Change)> = vec![
        ("no index", remove("index.json")),
        (
            "an index of blanks",
            set("index.json", vec![b' '; 17 << 20]),
        ),
        (
            "an index that is no text",
            set("index.json", b"{\"a later field\": \"\xff\"}".to_vec()),
        ),
        (
            "an index that is no JSON",
            set("index.json", b"{\n  \"format-version\": 1,\n}".to_vec()),
        ),
        (
            "an index without a system",
            set(
                "index.json",
                b"{\"format-version\":1,\"format-revision\":0}".to_vec(),
            ),
        ),
        (
            "a negative count",
            index("\"#states\": 3", "\"#states\": -3"),
        ),
        ("an unknown type", index("\"double\"", "\"float\"")),
        (
            "an unknown type of two lines",
            index("\"double\"", "\"flo\\nat\""),
        ),
        ("a variable without a name", index("\"name\": \"x\",", "")),
        (
            "a bound that is a fraction",
            index("\"lower\": 0", "\"lower\": 0.5"),
        ),
        (
            "another version",
            index("\"format-version\": 1", "\"format-version\": 2"),
        ),
        ("no states", index("\"#states\": 3", "\"#states\": 0")),
        ("a state more", index("\"#states\": 3", "\"#states\": 4")),
        (
            "huge counts",
            index("\"#states\": 3", "\"#states\": 18446744073709551615"),
        ),
        (
            "huge counts of branches",
            index("\"#branches\": 5", "\"#branches\": 1000000000000"),
        ),
        (
            "huge counts that nothing backs",
            both(
                remove(TARGETS),
                index("\"#branches\": 5", "\"#branches\": 1000000000000"),
            ),
        ),
        (
            "huge counts of players",
            index("\"#players\": 1", "\"#players\": 4294967295"),
        ),
        (
            "too few names of many players",
            index(
                "\"#players\": 1,",
                "\"#players\": 1025, \"player-names\": [\"one\", \"two\"],",
            ),
        ),
        ("no map of states", remove(CHOICES)),
        ("no map of choices", remove(BRANCHES)),
        ("a cut array", set(TARGETS, u64s(&[1, 2, 2, 1]))),
        ("half a number", set(TARGETS, vec![0; 39])),
        ("big-endian offsets", set(CHOICES, big_endian)),
        ("big-endian targets", set(TARGETS, big_targets)),
        ("offsets from 1", set(CHOICES, u64s(&[1, 2, 3, 4]))),
        ("offsets that decrease", set(CHOICES, u64s(&[0, 3, 2, 4]))),
        ("offsets that end early", set(CHOICES, u64s(&[0, 2, 3, 3]))),
        (
            "offsets that end late",
            set(BRANCHES, u64s(&[0, 2, 3, 4, 9])),
        ),
        (
            "a choice without branches",
            set(BRANCHES, u64s(&[0, 2, 2, 4, 5])),
        ),
        (
            "an LTS with a choice of two branches",
            both(
                index("\"branch-probability-type\"", "\"later\""),
                remove(PROBABILITIES),
            ),
        ),
        (
            "a target that is no state",
            set(TARGETS, u64s(&[1, 2, 2, 3, 2])),
        ),
        (
            "bits behind the last state",
            set(INITIAL, u64s(&[1 | 1 << 40])),
        ),
        ("too few bits", set(INITIAL, vec![1])),
        ("other initial states", set(INITIAL, u64s(&[3]))),
        ("no initial states", remove(INITIAL)),
        ("no probabilities", remove(PROBABILITIES)),
        ("a probability that is no number", set(PROBABILITIES, nan)),
        (
            "a negative probability",
            set(PROBABILITIES, f64s(&[-0.25, 1.25, 1.0, 1.0, 1.0])),
        ),
        (
            "a sum of 0.75",
            set(PROBABILITIES, f64s(&[0.25, 0.5, 1.0, 1.0, 1.0])),
        ),
        (
            "a choice with probability 0",
            set(PROBABILITIES, f64s(&[0.25, 0.75, 1.0, 0.0, 1.0])),
        ),
        (
            "fractions of the wrong size",
            index(
                "\"type\": \"double\",\n      \"size\": 64",
                "\"size\": 64,\n      \"type\": \"rational\"",
            ),
        ),
        (
            "a denominator of 0",
            both(
                index(
                    "\"type\": \"double\",\n      \"size\": 64",
                    "\"type\": \"rational\"",
                ),
                set(PROBABILITIES, u64s(&[1, 4, 3, 4, 1, 1, 1, 0, 1, 1])),
            ),
        ),
        (
            "a chain with choices",
            index("\"#players\": 1", "\"#players\": 0"),
        ),
        (
            "an interval model of the wrong size",
            index("\"double\"", "\"double-interval\""),
        ),
        ("an empty interval", intervals([0.5, 0.25])),
        ("an interval below 0", intervals([-0.5, 0.25])),
        ("an interval without end", intervals([0.5, f64::INFINITY])),
        ("an interval that is no number", intervals([f64::NAN, 1.0])),
        ("intervals that sum to less than 1", intervals([0.0, 0.25])),
        ("intervals that sum to more than 1", intervals([0.75, 1.0])),
        (
            "intervals of integers",
            index("\"double\"", "\"int-interval\""),
        ),
        (
            "intervals of 256 bits",
            index(
                "\"type\": \"double\",\n      \"size\": 64",
                "\"size\": 256,\n      \"type\": \"double-interval\"",
            ),
        ),
        (
            "a bound with the denominator 0",
            both(
                index(
                    "\"type\": \"double\",\n      \"size\": 64",
                    "\"type\": \"rational-interval\"",
                ),
                set(
                    PROBABILITIES,
                    u64s(&[[0, 1, 1, 1], [0, 1, 1, 0]].concat().repeat(3)[..20]),
                ),
            ),
        ),
        (
            "an interval CTMC",
            both(
                both(
                    intervals([0.5, 1.0]),
                    index("\"#players\": 1", "\"#players\": 0"),
                ),
                index("\"discrete\"", "\"stochastic\""),
            ),
        ),
        (
            "a partially observable interval MDP",
            both(
                intervals([0.5, 1.0]),
                index("\"#observations\": 0", "\"#observations\": 7"),
            ),
        ),
        (
            "a game in continuous time",
            both(
                index("\"#players\": 1", "\"#players\": 2"),
                index("\"discrete\"", "\"stochastic\""),
            ),
        ),
        (
            "a partially observable game",
            both(
                index("\"#players\": 1", "\"#players\": 2"),
                index("\"#observations\": 0", "\"#observations\": 7"),
            ),
        ),
        (
            "a Markov automaton without a player",
            both(
                index("\"#players\": 1", "\"#players\": 0"),
                index("\"discrete\"", "\"urgent-stochastic\""),
            ),
        ),
        (
            "a continuous-time MDP",
            index("\"discrete\"", "\"stochastic\""),
        ),
        (
            "probabilities that are integers",
            index("\"double\"", "\"int\""),
        ),
    ];
    let sound = files(&sound());
    for (what, change) in &changes {
        let mut files = sound.clone();
        change(&mut files);
        wording.add(what, &read(&archive(&files)).expect_err(what));
    }
}

/// What is read only when it is asked for.
fn parts(wording: &mut Wording<Error>) {
    let mapping = "actions/choices/string-mapping.bin";
    let strings = "actions/choices/strings.bin";
    let done = "annotations/aps/done/states/values.bin";
    let values = "valuations/states/valuations.bin";
    let classes = "valuations/states/valuation-to-class.bin";
    let uint3 = "\"type\": \"uint\",\n                \"size\": 3";
    let changes: Vec<(&str, Change)> = vec![
        (
            "too few actions",
            set("actions/choices/values.bin", vec![0; 12]),
        ),
        (
            "an action too far",
            set(
                "actions/choices/values.bin",
                [[0u8; 12], [2; 12]].concat()[..16].to_vec(),
            ),
        ),
        ("a map without strings", remove(strings)),
        ("strings without a map", remove(mapping)),
        (
            "strings that are longer",
            set(strings, b"toss and turn".to_vec()),
        ),
        (
            "strings that are no text",
            set(strings, b"to\xff\xff".to_vec()),
        ),
        ("half a character", set(mapping, u64s(&[0, 3, 4]))),
        ("an annotation too short", set(done, Vec::new())),
        (
            "truth values of 8 bits",
            index("\"size\": 1\n", "\"size\": 8\n"),
        ),
        (
            "strings that are missing",
            index(
                "\"type\": \"bool\",\n          \"size\": 1",
                "\"type\": \"string\"",
            ),
        ),
        (
            "distributions over values",
            index(
                "\"applies-to\"",
                "\"probability-type\": {\"type\": \"double\"}, \"applies-to\"",
            ),
        ),
        ("no values of variables", remove(values)),
        ("too few values of variables", set(values, vec![0; 2])),
        (
            "a class that is not there",
            set(classes, [1u8, 0, 0, 0].repeat(3)),
        ),
        (
            "values that do not fill bytes",
            index("\"padding\": 5", "\"padding\": 4"),
        ),
        (
            "a wide variable",
            index(uint3, "\"size\": 67,\n                \"type\": \"uint\""),
        ),
        (
            "a variable that is an interval",
            index(uint3, "\"type\": \"int-interval\""),
        ),
        (
            "a string too far",
            both(
                both(
                    index(uint3, "\"type\": \"string\""),
                    index("\"padding\": 5", "\"padding\": 8"),
                ),
                set(values, u64s(&[0, 9, 9, 9])[..27].to_vec()),
            ),
        ),
        (
            "observations of nothing",
            index("\"#observations\": 0", "\"#observations\": 7"),
        ),
        (
            "observations that are missing",
            index(
                "\"#observations\": 0",
                "\"observations-apply-to\": \"states\", \"#observations\": 7",
            ),
        ),
        (
            "a player too far",
            both(
                index("\"#players\": 1", "\"#players\": 2"),
                set(
                    "state-to-player.bin",
                    [[0u8; 8], [1; 8]].concat()[..12].to_vec(),
                ),
            ),
        ),
        (
            "a Markovian state with two choices",
            both(
                both(
                    index("\"discrete\"", "\"urgent-stochastic\""),
                    index(
                        "\"#states\"",
                        "\"exit-rate-type\": {\"size\": 64, \"type\": \"double\"}, \"#states\"",
                    ),
                ),
                both(
                    set("state-to-exit-rate.bin", f64s(&[2.0; 3])),
                    set("state-is-markovian.bin", u64s(&[0b101])),
                ),
            ),
        ),
        (
            "exit rates that are missing",
            index(
                "\"#states\"",
                "\"exit-rate-type\": {\"type\": \"double\"}, \"#states\"",
            ),
        ),
    ];
    let sound = files(&sound());
    for (what, change) in &changes {
        let mut files = sound.clone();
        change(&mut files);
        let bytes = archive(&files);
        let umb = read(&bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
        wording.add(what, &first_error(&umb).expect(what));
    }
}

fn first_error(umb: &Umb<'_>) -> Option<Error> {
    let rows = || {
        let valuations = umb.valuations(Entity::States)?;
        let mut rows = valuations
            .iter()
            .flat_map(|all| (0..all.len()).flat_map(|i| all.row(i)));
        rows.try_for_each(|value| value.map(drop))
    };
    umb.choice_actions()
        .err()
        .or_else(|| umb.annotation("aps", "done", Entity::States).err())
        .or_else(|| umb.exit_rates().err())
        .or_else(|| umb.observations().err())
        .or_else(|| umb.players().err())
        .or_else(|| umb.markovian_states().err())
        .or_else(|| rows().err())
}

#[test]
fn every_error_is_worded() {
    let wording = Wording::collect(
        |error| format!("{:?}", error.kind()),
        &[
            ("archives", containers),
            ("limits", limits::limits),
            ("the structure of a model", structures),
            ("other parts", parts),
            ("writing", writing::writing),
        ],
    );
    insta::assert_snapshot!("wording", wording.text());
    insta::assert_snapshot!("kinds", wording.kinds());
}

/// An index that claims much costs nothing: it is compared with the bytes before memory is taken.
#[test]
fn huge_counts_fail_fast() {
    let start = std::time::Instant::now();
    let sound = files(&sound());
    for count in [
        "\"#states\": ",
        "\"#choices\": ",
        "\"#branches\": ",
        "\"#initial-states\": ",
    ] {
        let text = String::from_utf8(sound[0].1.clone()).expect("UTF-8");
        let huge = text.replace(count, &format!("{count}99999999999"));
        let mut files = sound.clone();
        files[0].1 = huge.into_bytes();
        assert!(read(&archive(&files)).is_err(), "{count}");
        // Without the arrays it is no better.
        files.truncate(1);
        assert!(read(&archive(&files)).is_err(), "{count}");
    }
    assert!(start.elapsed().as_secs() < 2);
}

#[test]
fn an_error_knows_its_place() {
    let mut files = files(&sound());
    set(TARGETS, u64s(&[1, 2, 2, 3, 2]))(&mut files);
    let bytes = archive(&files);
    let error = read(&bytes).expect_err("state 3 is none");
    assert_eq!((error.entry(), error.element()), (Some(TARGETS), Some(3)));
    let kind = ErrorKind::OutOfRange {
        value: 3,
        what: "a state",
        limit: 3,
    };
    assert_eq!(error.kind(), &kind);
    assert_eq!(
        error.message(),
        "3 is out of range: expected a state below 3"
    );
}

#[test]
fn players_may_lack_names_if_they_are_few() {
    let mut files = files(&sound());
    index("\"#players\": 1,", "\"#players\": 1024,")(&mut files);
    let bytes = archive(&files);
    let umb = read(&bytes).expect("1024 players need no names");
    assert_eq!(
        umb.players()
            .expect("all states belong to the first")
            .as_deref(),
        Some(&[0; 3][..])
    );
    let names: Vec<String> = (0..1025).map(|player| format!("\"{player}\"")).collect();
    let named = format!(
        "\"#players\": 1025, \"player-names\": [{}],",
        names.join(",")
    );
    let text = String::from_utf8(files[0].1.clone()).expect("UTF-8");
    files[0].1 = text.replace("\"#players\": 1024,", &named).into_bytes();
    read(&archive(&files)).expect("players with names may be more");
}
