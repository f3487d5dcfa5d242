//! PRISM's case studies have as many states, choices and branches as Storm finds.
//!
//! The models and Storm's counts are not part of this project: `MAXEND_MODELS` names the folder of
//! `counts.csv`; the sources are in `prism-models` beside it.

#[path = "../../cli/src/load/program/system.rs"]
mod system;

use explore::{Options, explore};
use std::path::Path;
use system::PrismSystem;

/// A line of `counts.csv`.
struct Line<'a> {
    size: &'a str,
    instance: &'a str,
    source: &'a str,
    constants: Vec<(&'a str, &'a str)>,
    /// States, choices and branches.
    counts: [usize; 3],
}

fn parse(line: &str) -> Line<'_> {
    let fields: Vec<&str> = line.split(',').collect();
    let &[
        size,
        _,
        instance,
        source,
        constants,
        states,
        choices,
        branches,
        ..,
    ] = &*fields
    else {
        panic!("counts.csv: {line}");
    };
    let constants = constants.split(';').filter(|text| !text.is_empty());
    Line {
        size,
        instance,
        source,
        constants: constants
            .map(|text| text.split_once('=').expect("NAME=VALUE"))
            .collect(),
        counts: [states, choices, branches].map(|count| count.parse().expect("a count")),
    }
}

#[test]
fn case_studies_have_the_counts_that_storm_finds() {
    let Some(models) = std::env::var_os("MAXEND_MODELS") else {
        eprintln!("SKIPPED: MAXEND_MODELS is not set, so PRISM's case studies are not explored");
        return;
    };
    let models = Path::new(&models);
    let sources = models.with_file_name("prism-models");
    let counts = std::fs::read_to_string(models.join("counts.csv")).expect("counts.csv is there");
    let lines = counts.lines().skip(1).map(parse);
    let mut explored = 0;
    for line in lines.filter(|line| matches!(line.size, "tiny" | "small")) {
        let text = std::fs::read(sources.join(line.source)).expect("the source is there");
        let model = prism_language::parse(&text).expect("it can be parsed");
        let program = model.compile(&line.constants).expect("it can be compiled");
        let found = explore(&PrismSystem(program), &Options::default()).expect("it is explored");
        let graph = found.graph;
        let found = [
            graph.num_states(),
            graph.num_choices(),
            graph.num_branches(),
        ];
        assert_eq!(found, line.counts, "{}", line.instance);
        explored += 1;
    }
    assert!(explored >= 20, "only {explored} models were explored");
}
