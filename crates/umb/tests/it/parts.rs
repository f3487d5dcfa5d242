//! What the format has and the reference models do not: fractions, strings, valuations of several
//! classes, optional variables, entries that are absent.

use crate::common::{Files, archive, coin, files, plain, u64s};
use std::time::{Duration, Instant};
use umb::{
    Entity, ModelType, Numbers, Offsets, ReadOptions, Umb, UmbWriter, Valuations, Value, Values,
};

fn read(archive: &[u8]) -> Umb<'_> {
    Umb::read(archive, &ReadOptions::default()).expect("a sound archive")
}

/// The files of a small MDP with three states, four choices and five branches.
fn coin_files() -> Files {
    files(&plain(&UmbWriter::new(&coin()).expect("a sound model")))
}

/// Replaces a file, or adds it.
fn set(files: &mut Files, path: &str, content: Vec<u8>) {
    files.retain(|file| file.0 != path);
    files.push((path.to_owned(), content));
}

/// Replaces text in the index, which must be there.
fn edit_index(files: &mut Files, old: &str, new: &str) {
    let text = String::from_utf8(files[0].1.clone()).expect("UTF-8");
    assert!(text.contains(old), "{old} is not in {text}");
    files[0].1 = text.replacen(old, new, 1).into_bytes();
}

/// Adds an entry to the index, before all others.
fn add_to_index(files: &mut Files, entry: &str) {
    edit_index(files, "{", &format!("{{{entry},"));
}

const DOUBLE: &str = "\"type\": \"double\",\n      \"size\": 64";

#[test]
fn probabilities_are_fractions() {
    let mut files = coin_files();
    edit_index(&mut files, DOUBLE, "\"type\": \"rational\"");
    // Two thirds, one third; a zero beside a one would be dropped by the user.
    let fractions = u64s(&[2, 3, 1, 3, 5, 5, 1, 1, 1, 1]);
    set(&mut files, "branch-to-probability.bin", fractions);
    let bytes = archive(&files);
    let umb = read(&bytes);
    let Some(probabilities @ Numbers::Fractions(fractions)) = umb.probabilities() else {
        panic!("no fractions");
    };
    assert_eq!(probabilities.get(0), 2.0 / 3.0);
    assert_eq!(fractions.numerator(2), 5u64.to_le_bytes());
    assert_eq!(fractions.denominator(2), 5u64.to_le_bytes());
    // They can be written as rewards of branches, too.
    let mut copy = UmbWriter::copy_of(&umb);
    let rewards = Values::Numbers(probabilities.clone());
    copy.annotate("rewards", "share", Entity::Branches, rewards.clone())
        .expect("as many");
    let bytes = plain(&copy);
    let found = read(&bytes).annotation("rewards", "share", Entity::Branches);
    assert_eq!(found, Ok(Some(rewards)));
}

/// A fraction that a double cannot distinguish from 0 is the least double above 0.
#[test]
fn only_a_numerator_makes_a_zero() {
    let mut files = coin_files();
    edit_index(&mut files, DOUBLE, "\"size\": 4096, \"type\": \"rational\"");
    let wide = |numerator: u64, top: u64, one: u64| {
        let mut words = [0; 64];
        words[0] = numerator;
        (words[32], words[63]) = (one, top);
        u64s(&words)
    };
    // 1 / 2^2046 and, up to rounding, 1; then 0 and 1.
    let tiny = wide(1, 1 << 62, 0);
    let (none, one) = (wide(0, 0, 1), wide(1, 0, 1));
    let all = [tiny, one.clone(), one.clone(), one.clone(), one.clone()].concat();
    set(&mut files, "branch-to-probability.bin", all);
    let bytes = archive(&files);
    let umb = read(&bytes);
    let probabilities = umb.probabilities().expect("probabilities");
    assert_eq!(probabilities.get(0), f64::from_bits(1));
    assert!(!probabilities.is_zero(0));
    let likely = |umb: &Umb<'_>| {
        umb.choices()
            .map(|choice| choice.likely_targets().count())
            .sum()
    };
    let count: usize = likely(&umb);
    assert_eq!(count, 5);
    let all = [none, one.clone(), one.clone(), one.clone(), one].concat();
    set(&mut files, "branch-to-probability.bin", all);
    let bytes = archive(&files);
    let count: usize = likely(&read(&bytes));
    assert_eq!(count, 4);
}

/// Names that differ only behind the characters that identifiers have room for are numbered.
#[test]
fn many_annotations_are_written_and_read_in_linear_time() {
    let bytes = archive(&coin_files());
    let umb = read(&bytes);
    let mut copy = UmbWriter::copy_of(&umb);
    let names: Vec<String> = (0..20_000)
        .map(|number| format!("{}{number}", "x".repeat(number % 2 * 60)))
        .collect();
    let start = Instant::now();
    for name in &names {
        let values = Values::Uints(vec![1, 2, 3].into());
        copy.annotate("places", name, Entity::States, values)
            .expect("as many as states");
    }
    let bytes = plain(&copy);
    let again = read(&bytes);
    for name in &names {
        let found = again.annotation("places", name, Entity::States);
        assert!(found.expect("sound").is_some(), "{name}");
    }
    // It takes a second, and took a minute when each name was compared with all others.
    assert!(start.elapsed() < Duration::from_secs(15));
    let mut last = UmbWriter::copy_of(&again);
    let values = Values::Uints(vec![4, 5, 6].into());
    last.annotate("places", &names[1], Entity::States, values)
        .expect("as many as states");
    let bytes = plain(&last);
    let again = read(&bytes);
    assert_eq!(again.annotations("places").count(), names.len());
    let found = again.annotation("places", &names[1], Entity::States);
    assert!(matches!(found, Ok(Some(Values::Uints(values))) if *values == [4, 5, 6]));
}

/// What is written can be read, however large the index is and however small the model.
#[test]
fn an_index_may_be_much_larger_than_the_rest() {
    let bytes = archive(&coin_files());
    let mut copy = UmbWriter::copy_of(&read(&bytes));
    let name = "\u{1}".repeat(3 << 20);
    let values = Values::Uints(vec![1, 2, 3].into());
    copy.annotate("places", &name, Entity::States, values.clone())
        .expect("as many as states");
    let bytes = plain(&copy);
    assert!(bytes.len() > 18 << 20);
    for bytes in [&bytes, &plain(&UmbWriter::copy_of(&read(&bytes)))] {
        let umb = read(bytes);
        let found = umb.annotation("places", &name, Entity::States);
        assert_eq!(found, Ok(Some(values.clone())));
    }
}

/// The members of annotations, and their identifiers, as they are written again.
#[test]
fn a_copy_keeps_descriptions_as_they_are() {
    let mut files = coin_files();
    let info = r##""annotations": {"places": {
        "one": {"alias": "same", "type": {"type": "uint"}, "applies-to": []},
        "\u0074wo": {"applies-to": [], "type": {"type": "uint"}, "alias": "same"},
        "one": {"alias": "s\u0061me", "type": {"type": "int"}, "applies-to": []},
        "three": {"type": {"type": "uint"}, "applies-to": ["choices"], "description": "\u00e9\n",
            "later": [1, 2.50, {"a": null}]}
    }, "empty": {}}"##;
    add_to_index(&mut files, info);
    let bytes = archive(&files);
    let umb = read(&bytes);
    let mut copy = UmbWriter::copy_of(&umb);
    insta::assert_snapshot!("copied_descriptions", index_of(&plain(&copy)));
    let values = Values::Uints(vec![1, 2, 3].into());
    copy.annotate("places", "same", Entity::States, values.clone())
        .and_then(|copy| copy.annotate("places", "three", Entity::States, values.clone()))
        .and_then(|copy| copy.annotate("other", "one", Entity::States, values))
        .expect("as many as states");
    insta::assert_snapshot!("replaced_descriptions", index_of(&plain(&copy)));
}

/// The text of the index of an archive, which is its first entry.
fn index_of(archive: &[u8]) -> String {
    let content = &archive[512..];
    let end = content.iter().position(|&byte| byte == 0);
    String::from_utf8_lossy(&content[..end.expect("padding")]).into_owned()
}

#[test]
fn an_annotation_of_strings() {
    let mut files = coin_files();
    let info = r##""annotations": {"places": {"where": {"alias": "Where?", "applies-to": ["states"],
        "type": {"type": "string"}, "#strings": 2}}}"##;
    add_to_index(&mut files, info);
    let folder = "annotations/places/where/states";
    set(
        &mut files,
        &format!("{folder}/values.bin"),
        u64s(&[1, 0, 1]),
    );
    set(
        &mut files,
        &format!("{folder}/string-mapping.bin"),
        u64s(&[0, 4, 9]),
    );
    set(
        &mut files,
        &format!("{folder}/strings.bin"),
        "herethér".as_bytes().to_vec(),
    );
    let bytes = archive(&files);
    let umb = read(&bytes);
    let values = umb.annotation("places", "Where?", Entity::States);
    let values = values.expect("sound").expect("there");
    let Values::Strings { numbers, strings } = &values else {
        panic!("no strings");
    };
    assert_eq!(**numbers, [1, 0, 1]);
    assert_eq!(strings.iter().collect::<Vec<_>>(), ["here", "thér"]);
    let mut copy = UmbWriter::copy_of(&umb);
    copy.annotate("places", "again", Entity::States, values.clone())
        .expect("as many");
    let bytes = plain(&copy);
    let again = read(&bytes);
    for name in ["Where?", "where", "again"] {
        let found = again.annotation("places", name, Entity::States);
        assert_eq!(found, Ok(Some(values.clone())), "{name}");
    }
}

/// All values of all valuations, as text.
fn rows(valuations: &Valuations<'_>) -> Vec<String> {
    let text = |value: Result<Value<'_>, _>| match value.expect("sound") {
        Value::Absent => "-".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Double(value) => value.to_string(),
        Value::Text(text) => text.to_owned(),
        other => panic!("{other:?}"),
    };
    let row = |i| valuations.row(i).map(text).collect::<Vec<_>>().join(" ");
    (0..valuations.len()).map(row).collect()
}

/// The specification's two examples as classes of one model. Its first example draws the bit of an
/// optional variable above the value; its text, Storm and umbi have it below, and so has this test.
#[test]
fn valuations_of_the_specification() {
    let mut files = coin_files();
    let info = r##""valuations": {"states": {"unique": false, "#strings": 3, "classes": [
        {"variables": [
            {"name": "v0", "type": {"type": "bool", "size": 2}},
            {"name": "v1", "type": {"type": "uint", "size": 6}, "is-optional": true},
            {"padding": 5},
            {"name": "v2", "type": {"type": "string"}},
            {"name": "v3", "type": {"type": "bool", "size": 3}},
            {"padding": 7}
        ]},
        {"variables": [
            {"name": "sv0", "type": {"type": "uint", "size": 8}, "offset": -128},
            {"name": "sv1", "type": {"type": "int", "size": 16}}
        ]}
    ]}}"##;
    add_to_index(&mut files, info);
    let mut first = vec![0b1101_1101, 0b0100_0000];
    first.extend([0; 7]);
    first.extend([0b0100_0000, 0]);
    // The same without v1, and with v3 = 0.
    let mut third = vec![0b1101_1001, 0b0100_0000];
    third.extend([0; 9]);
    let second = vec![0b1011_1000, 0b1111_1111, 0b1011_1101];
    let folder = "valuations/states";
    let classes = [0u32, 1, 0]
        .iter()
        .flat_map(|class| class.to_le_bytes())
        .collect();
    set(
        &mut files,
        &format!("{folder}/valuation-to-class.bin"),
        classes,
    );
    set(
        &mut files,
        &format!("{folder}/valuations.bin"),
        [first, second, third].concat(),
    );
    set(
        &mut files,
        &format!("{folder}/string-mapping.bin"),
        u64s(&[0, 3, 5, 6]),
    );
    set(
        &mut files,
        &format!("{folder}/strings.bin"),
        b"xyzabc".to_vec(),
    );
    let bytes = archive(&files);
    let valuations = read(&bytes)
        .valuations(Entity::States)
        .expect("sound")
        .expect("there");
    assert_eq!(
        rows(&valuations),
        ["true 27 ab true", "56 -16897", "true - ab false"]
    );
    let names: Vec<_> = valuations
        .variables(1)
        .map(|variable| &*variable.name)
        .collect();
    assert_eq!((valuations.class(1), names), (1, vec!["sv0", "sv1"]));
}

/// Absent maps are the identity, absent targets are state 0, absent values are 0.
#[test]
fn what_is_absent_has_a_meaning() {
    let index = br##"{"format-version": 1, "format-revision": 7, "transition-system": {
        "time": "discrete", "#players": 1, "#states": 3, "#initial-states": 0, "#choices": 3,
        "#choice-actions": 2, "#branches": 3, "#branch-actions": 0, "#observations": 0},
        "annotations": {"aps": {"x": {"applies-to": ["states"], "type": {"type": "bool"}}},
            "rewards": {"r": {"applies-to": ["choices"], "type": {"type": "double"}}}},
        "a later revision": {}}"##;
    let bytes = archive(&[("index.json".to_owned(), index.to_vec())]);
    let umb = read(&bytes);
    assert_eq!(umb.model_type(), ModelType::Lts);
    assert_eq!(umb.choice_offsets(), &Offsets::Identity(3));
    assert_eq!(umb.targets(), [0, 0, 0]);
    assert_eq!(umb.initial_states().count(), 0);
    let actions = umb.choice_actions().expect("sound").expect("actions");
    assert_eq!((actions.number(2), actions.name(2)), (0, None));
    let Ok(Some(Values::Bools(bits))) = umb.annotation("aps", "x", Entity::States) else {
        panic!("no bits");
    };
    assert_eq!((bits.len(), bits.count()), (3, 0));
    let rewards = umb
        .annotation("rewards", "r", Entity::Choices)
        .expect("sound");
    assert_eq!(rewards.map(|rewards| rewards.len()), Some(3));
    assert_eq!(umb.annotation("aps", "x", Entity::Choices), Ok(None));
    assert!(umb.valuations(Entity::States).expect("sound").is_none());
    // What this crate does not know is copied.
    let copy = plain(&UmbWriter::copy_of(&umb));
    let text = String::from_utf8(files(&copy)[0].1.clone()).expect("UTF-8");
    assert!(text.contains("a later revision"));
}

/// Other forms of tar archives: as before the format was named, and with attributes of all entries,
/// which `git archive` writes.
#[test]
fn archives_of_other_tars_are_read() {
    let files = coin_files();
    let expected = archive(&files);
    let entry = |header: &mut tar::Header, path: &str, content: &[u8]| {
        header.set_path(path).expect("a short path");
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
    };
    let mut old = tar::Builder::new(Vec::new());
    let mut folder = tar::Header::new_old();
    folder.as_old_mut().name[..4].copy_from_slice(b"all/");
    folder.set_size(0);
    folder.set_mode(0o755);
    folder.set_cksum();
    old.append(&folder, &[][..]).expect("memory");
    let mut commented = tar::Builder::new(Vec::new());
    let (mut header, comment) = (tar::Header::new_ustar(), b"14 comment=hi\n");
    header.set_entry_type(tar::EntryType::XGlobalHeader);
    entry(&mut header, "pax_global_header", comment);
    commented.append(&header, &comment[..]).expect("memory");
    for (path, content) in &files {
        let mut header = tar::Header::new_old();
        entry(&mut header, path, content);
        old.append(&header, &content[..]).expect("memory");
        let mut header = tar::Header::new_ustar();
        entry(&mut header, path, content);
        commented.append(&header, &content[..]).expect("memory");
    }
    for tar in [old, commented] {
        let bytes = tar.into_inner().expect("memory");
        assert!(umb::is_tar(&bytes));
        let all = |umb: &Umb<'_>| -> Files {
            let entries = umb.entries();
            entries
                .map(|(path, bytes)| (path.to_owned(), bytes.to_vec()))
                .collect()
        };
        assert_eq!(all(&read(&bytes)), all(&read(&expected)));
    }
}
