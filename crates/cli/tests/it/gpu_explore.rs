//! `maxend explore` on a GPU: Mesa's lavapipe, or the adapter that `MAXEND_ADAPTER` names. Without
//! a GPU, these tests fail in CI, and print a message and are skipped elsewhere.

use crate::common::{self, Outcome, adapter_is_there, maxend};
use test_models::adapter;

/// The message while a driver takes long to compile kernels.
const COMPILING: &str = "compiling GPU kernels";

/// Where only counts are wanted, a GPU keeps nothing else; what is printed is the same.
#[test]
fn states_are_counted_as_on_the_cpu() {
    if !adapter_is_there() {
        return;
    }
    let networks = [
        "alternating_bit.exp",
        "dekker.exp",
        "five_words.exp.gz",
        "forks.exp",
        "peterson.exp",
        "token_ring.exp",
        "traffic_light.exp",
    ];
    let networks = networks.map(|name| format!("../../../fixtures/{name}"));
    let others = [
        "good/apart.exp",
        "good/blocked.exp",
        "good/strangers.exp",
        "good/turnstile.aut",
        "../../../fixtures/labels.aut",
        "good/walk.prism -c N=4",
        "good/queue.prism",
        "good/duel.prism",
        "good/maze.prism",
        "good/counter.prism -c UP=300",
        "../../../fixtures/consensus.prism -c WIDTH=2",
        "../../../fixtures/clients.prism -c EDITORS=1,READERS=1",
    ];
    for model in networks.iter().map(String::as_str).chain(others) {
        let args = format!("explore {model}");
        let expected = maxend(&format!("{args} --device cpu"));
        let found = maxend(&format!("{args} --adapter {}", adapter()));
        assert_eq!(found.stdout, expected.stdout, "{args}");
        assert_eq!((found.code, expected.code), (Some(0), Some(0)), "{args}");
        let documents = ["--device cpu", "--adapter"].map(|device| {
            let adapter = if device == "--adapter" {
                adapter()
            } else {
                String::new()
            };
            let args = format!("{args} -q -f json {device} {adapter}");
            let mut document: serde_json::Value =
                serde_json::from_str(&maxend(&args).result()).unwrap();
            document["seconds"].take();
            document
        });
        assert_eq!(documents[0], documents[1], "{args}");
        let of_model = |run: &Outcome| -> Vec<String> {
            let is_of_device = |line: &&str| line.contains(COMPILING);
            let lines = run.stderr.lines().filter(|line| !is_of_device(line));
            lines.map(str::to_owned).collect()
        };
        assert_eq!(of_model(&found), of_model(&expected), "{args}");
    }
}

/// The document of the paper's search has its effort in addition.
#[test]
fn the_papers_search_prints_a_document() {
    if !adapter_is_there() {
        return;
    }
    let args = "explore ../../../fixtures/forks.exp -q -f json";
    let of = |options: &str| -> serde_json::Value {
        let run = maxend(&format!("{args} {options}"));
        serde_json::from_str(&run.result()).unwrap()
    };
    let mut paper = of(&format!("--search paper --adapter {}", adapter()));
    for effort in ["expanded", "launches"] {
        let count = paper["exploration"].as_object_mut().unwrap().remove(effort);
        assert!(count.unwrap().as_u64().unwrap() > 0, "{effort}");
    }
    for time in ["explore", "count"] {
        assert!(paper["seconds"][time].as_f64().unwrap() > 0.0, "{time}");
    }
    let mut expected = of("--device cpu");
    for document in [&mut paper, &mut expected] {
        document["seconds"].take();
    }
    assert_eq!(paper, expected);
}

/// Limits end a count as they end a search with numbers.
#[test]
fn counts_stop_at_limits() {
    if !adapter_is_there() {
        return;
    }
    for limit in ["--max-states 100", "--max-memory 1K", "--max-memory 300K"] {
        for model in [
            "../../../fixtures/pipeline.exp",
            "good/walk.prism -c N=4000",
        ] {
            let run = maxend(&format!("explore {model} {limit} --adapter {}", adapter()));
            let first = run.stderr.lines().find(|line| line.starts_with("error"));
            // Where a device has no room for a program, the CPU looks for itself.
            let is_ended = run.code == Some(1) && first.is_some();
            let limit = limit.split(' ').next().unwrap();
            assert!(
                is_ended && run.stderr.contains(&format!("{limit} is the limit")),
                "{model} {limit}: {}",
                run.stderr
            );
        }
    }
}

/// A search ends where it has found what is looked for, on every device with the same trace.
#[test]
fn searches_on_a_gpu_find_what_searches_on_the_cpu_find() {
    if !adapter_is_there() {
        return;
    }
    for args in [
        "../../../fixtures/forks.exp --check deadlock",
        "../../../fixtures/forks.exp --check deadlock --check livelock",
        "../../../fixtures/traffic_light.exp --check deadlock --find-action crossing",
        "../../../fixtures/alternating_bit.exp --find-action GET",
        "../../../fixtures/pipeline.exp --find-action out --max-states 2000",
        "good/turnstile.aut --find-action push",
        "good/turnstile.aut --find-action kick",
        "good/walk.prism -c N=100 --find x=60",
        "good/walk.prism -c N=100 --find x=60 --check deadlock",
        "good/walk.prism -c N=100 --find-action light --find x=7",
        "good/walk.prism -c N=100 --find x=101",
        "good/walk.prism -c N=100 --find mod(1,60-x)=7",
        "bad/out_of_range.prism --find x=3",
        "bad/out_of_range.prism --find x=9",
    ] {
        let args = format!("explore {args}");
        let expected = maxend(&format!("{args} --device cpu --threads 1"));
        let threads = maxend(&format!("{args} --device cpu --threads 3"));
        let found = maxend(&format!("{args} --adapter {}", adapter()));
        let first = |run: &Outcome| {
            run.stderr
                .lines()
                .find(|l| l.starts_with("error"))
                .map(str::to_owned)
        };
        for other in [&found, &threads] {
            assert_eq!(other.stdout, expected.stdout, "{args}: {}", other.stderr);
            assert_eq!(other.code, expected.code, "{args}");
            assert_eq!(first(other), first(&expected), "{args}");
        }
    }
}

/// Whether a state is reached does not depend on how small a double can be.
#[test]
fn tiny_products_of_probabilities_are_edges() {
    if !adapter_is_there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let text = b"mdp module m x:[0..1]; [a] x=0 -> 1e-200:(x'=1) + 1:true; endmodule
        module n y:[0..1]; [a] y=0 -> 1e-200:(y'=1) + 1:true; endmodule";
    let model = common::file(&folder, "tiny.prism", text);
    let args = format!("explore {} --find x+y=2", model.display());
    let expected = maxend(&format!("{args} --device cpu"));
    assert_eq!(expected.code, Some(4), "{}", expected.stderr);
    let found = maxend(&format!("{args} --adapter {}", adapter()));
    assert_eq!(found.stdout, expected.stdout);
    assert!(!found.stderr.contains("on the CPU"), "{}", found.stderr);
}
