//! The fixtures are found, plain or compressed, and so is what is beside them.

use test_models::{fixture, fixtures};

#[test]
fn fixtures_are_found_plain_and_compressed() {
    let all = fixtures();
    for (name, file) in [
        ("die", "die.tra"),
        ("fan", "fan.tra.gz"),
        ("gzipped", "gzipped.tra.gz"),
    ] {
        let model = fixture(name);
        assert!(all.contains(&model), "{name}");
        assert!(model.file("tra").is_some_and(|path| path.ends_with(file)));
        // Numbers, and no bytes of an archive.
        let text = model.text("tra").expect("it was found");
        let heading = text.lines().find(|line| !line.starts_with('#'));
        assert!(heading.is_some_and(|line| {
            let mut numbers = line.split(' ');
            numbers.all(|number| number.parse::<u32>().is_ok())
        }));
    }
}

#[test]
fn files_beside_a_model_need_not_be_there() {
    let die = fixture("die");
    assert!(die.file("sta").is_some() && die.bytes("lab").is_some());
    assert_eq!((die.file("umb"), die.text("mec")), (None, None));
}
