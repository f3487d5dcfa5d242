//! Every reference model, from file to answer, against the answers of independent tools: the
//! folder is named by the environment variable `MAXEND_MODELS`.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{command, outcome};
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The models, each by its path without `.tra` or `.tra.gz`; none, loudly, if there is no folder.
fn models() -> Vec<PathBuf> {
    let Some(folder) = std::env::var_os("MAXEND_MODELS") else {
        eprintln!("SKIPPED: no reference model was tried, as MAXEND_MODELS is not set");
        return Vec::new();
    };
    let mut models = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.to_str().unwrap();
            let stem = name
                .strip_suffix(".gz")
                .unwrap_or(name)
                .strip_suffix(".tra");
            match stem {
                _ if path.is_dir() => folders.push(path),
                Some(stem) => models.push(PathBuf::from(stem)),
                None => {}
            }
        }
    }
    models.sort();
    assert!(!models.is_empty(), "MAXEND_MODELS holds no model");
    models
}

/// `model` with `.ending`, plain or compressed, if it is there.
fn sibling(model: &Path, ending: &str) -> Option<PathBuf> {
    let name = |more: &str| PathBuf::from(format!("{}.{ending}{more}", model.display()));
    [name(""), name(".gz")]
        .into_iter()
        .find(|path| path.exists())
}

fn text(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    if path.extension().is_some_and(|extension| extension == "gz") {
        let mut text = Vec::new();
        GzDecoder::new(&bytes[..]).read_to_end(&mut text).unwrap();
        return text;
    }
    bytes
}

fn decompose(model: &Path, options: &str) -> String {
    let options = options.split(' ');
    outcome(command().args(["decompose", "-q"]).args(options).arg(model)).result()
}

#[test]
fn labels_equal_those_of_other_tools() {
    let folder = tempfile::tempdir().unwrap();
    for model in models() {
        let transitions = text(&sibling(&model, "tra").unwrap());
        let plain = common::file(&folder, "model.tra", &transitions);
        let archive = folder.path().join("model.tra.gz");
        let mut encoder = GzEncoder::new(fs::File::create(&archive).unwrap(), Default::default());
        encoder.write_all(&transitions).unwrap();
        encoder.finish().unwrap();
        for kind in ["scc", "mec"] {
            let Some(expected) = sibling(&model, kind) else {
                panic!("{} has no .{kind}", model.display());
            };
            let expected = String::from_utf8(text(&expected)).unwrap();
            for path in [&plain, &archive] {
                let options = format!("--deadlocks keep --format labels --components {kind}");
                let labels = decompose(path, &options);
                assert!(labels == expected, "{kind} of {}", model.display());
            }
        }
    }
}

/// The reference models in the Unified Markov Binary format, by Storm and by PRISM.
#[test]
fn archives_of_other_tools_have_the_same_components() {
    let mut compared = 0;
    for model in models() {
        let Some(archive) = sibling(&model, "umb") else {
            continue;
        };
        for kind in ["scc", "mec"] {
            let expected = text(&sibling(&model, kind).unwrap());
            let options = format!("--deadlocks keep --format labels --components {kind}");
            let labels = decompose(&archive, &options);
            assert!(
                labels.as_bytes() == expected,
                "{kind} of {}",
                archive.display()
            );
        }
        compared += 1;
    }
    assert!(compared > 10 || std::env::var_os("MAXEND_MODELS").is_none());
}

#[test]
fn prism_prints_the_same_components() {
    let mut compared = 0;
    for model in models() {
        for (kind, ending) in [("scc", "sccs"), ("mec", "mecs")] {
            let Some(expected) = sibling(&model, ending) else {
                continue;
            };
            let path = sibling(&model, "tra").unwrap();
            let ours = decompose(&path, &format!("--format prism --components {kind}"));
            let theirs = String::from_utf8(text(&expected)).unwrap();
            assert_eq!(
                canonical(&ours),
                canonical(&theirs),
                "{ending} of {}",
                model.display()
            );
            compared += 1;
        }
    }
    assert!(compared > 0 || std::env::var_os("MAXEND_MODELS").is_none());
}

/// The heading, and the components without their numbers, in the order of their smallest states.
fn canonical(text: &str) -> (String, usize, Vec<String>) {
    let mut parts = text.split("\n\n");
    let heading = parts.next().unwrap().trim_end().to_owned();
    let mut total = 0;
    let mut components: Vec<String> = parts
        .map(|part| {
            let (title, states) = part.split_once('\n').unwrap();
            total = title
                .rsplit_once('/')
                .unwrap()
                .1
                .trim_end_matches(':')
                .parse()
                .unwrap();
            states.trim_end().to_owned()
        })
        .collect();
    components.sort_by_key(|states| states.split(':').next().unwrap().parse::<u32>().unwrap());
    (heading, total, components)
}
