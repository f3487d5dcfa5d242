//! Every reference model, from file to answer, against the answers of independent tools.

use crate::common;
use crate::common::{command, outcome};
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use test_models::reference_models;

fn decompose(model: &Path, options: &str) -> String {
    let options = options.split(' ');
    outcome(command().args(["decompose", "-q"]).args(options).arg(model)).result()
}

#[test]
fn labels_equal_those_of_other_tools() {
    let Some(models) = reference_models() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for model in models {
        let transitions = model.bytes("tra").unwrap();
        let plain = common::file(&folder, "model.tra", &transitions);
        let archive = folder.path().join("model.tra.gz");
        let mut encoder = GzEncoder::new(fs::File::create(&archive).unwrap(), Default::default());
        encoder.write_all(&transitions).unwrap();
        encoder.finish().unwrap();
        for kind in ["scc", "mec"] {
            let Some(expected) = model.text(kind) else {
                panic!("{model} has no .{kind}");
            };
            for path in [&plain, &archive] {
                let options = format!("--deadlocks keep --format labels --components {kind}");
                let labels = decompose(path, &options);
                assert!(labels == expected, "{kind} of {model}");
            }
        }
    }
}

/// The reference models in the Unified Markov Binary format, by Storm and by PRISM.
#[test]
fn archives_of_other_tools_have_the_same_components() {
    let Some(models) = reference_models() else {
        return;
    };
    let mut compared = 0;
    for model in models {
        let Some(archive) = model.file("umb") else {
            continue;
        };
        for kind in ["scc", "mec"] {
            let expected = model.text(kind).unwrap();
            let options = format!("--deadlocks keep --format labels --components {kind}");
            let labels = decompose(&archive, &options);
            assert!(labels == expected, "{kind} of {}", archive.display());
        }
        compared += 1;
    }
    assert!(compared > 10);
}

#[test]
fn prism_prints_the_same_components() {
    let Some(models) = reference_models() else {
        return;
    };
    let mut compared = 0;
    for model in models {
        for (kind, ending) in [("scc", "sccs"), ("mec", "mecs"), ("bscc", "bsccs")] {
            let Some(theirs) = model.text(ending) else {
                continue;
            };
            let path = model.file("tra").unwrap();
            let ours = decompose(&path, &format!("--format prism --components {kind}"));
            assert_eq!(canonical(&ours), canonical(&theirs), "{ending} of {model}");
            compared += 1;
        }
    }
    assert!(compared > 0);
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
