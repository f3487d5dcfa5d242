//! `maxend explore --format json`: one document, for programs.

use super::results::{SearchResult, counts_of, searched};
use super::trace::Witness;
use crate::load::{Counted, Until};
use crate::model::annotations::Valuations;
use crate::model::constants;
use crate::model::{Model, Times};
use gpu_explore::Counts;
use gpu_explore::paper::Outcome;
use prism_explicit::ModelType;
use report::{Explored, ExploredExtent, Heading, PaperEffort, Phase, Sought};
use std::io::{self, Write};
use std::time::Duration;

/// Writes the results of a run.
pub(super) fn write(
    out: &mut (dyn Write + Send),
    file: &str,
    model: &Model,
    results: &[SearchResult<'_>],
    until: Option<Until<'_>>,
    is_certified: bool,
    searching: Duration,
) -> io::Result<()> {
    let mut phases = phases(model.times);
    if !results.is_empty() {
        phases.push(phase("search", searching));
    }
    let constants = model.file.report_constants();
    let values = model.states.valuations.as_ref();
    let valuations = values.map(Valuations::as_report);
    let extent = match until.and_then(|_| searched(results)) {
        Some(searched) => ExploredExtent::Until { searched },
        None => all(counts_of(model)),
    };
    let results = results.iter();
    let results = results.map(|result| sought(result, model, valuations.as_ref()));
    let results: Vec<Sought<'_>> = results.collect();
    let document = Explored {
        heading: model.heading(file, &constants),
        variables: values.map(Valuations::names),
        extent,
        effort: None,
        certified: is_certified,
        phases: &phases,
        results: &results,
    };
    report::write_explored_json(out, &document)
}

/// Returns the result of a search, with its trace.
fn sought<'a>(
    result: &SearchResult<'a>,
    model: &'a Model,
    values: Option<&report::Valuations<'_>>,
) -> Sought<'a> {
    match &result.found {
        None => Sought::missing(result.what),
        Some(Witness { trace, .. }) => {
            let (path, cycle) = trace.shown(model, values);
            Sought::at(result.what, path, cycle)
        }
    }
}

/// Writes the size of a state space whose states were only counted.
pub(super) fn write_counted(
    out: &mut (dyn Write + Send),
    file: &str,
    counted: &Counted,
) -> io::Result<()> {
    let constants = constants::as_report(&counted.constants);
    let heading = Heading {
        constants: &constants,
        ..heading(file, counted.model_type)
    };
    let phases = phases(counted.times);
    report::write_explored_json(out, &only_counts(heading, counted.counts, &phases))
}

/// Writes what the search of the paper has counted.
pub(super) fn write_paper(
    out: &mut (dyn Write + Send),
    file: &str,
    found: &Outcome,
) -> io::Result<()> {
    let phases = [
        phase("explore", found.exploring),
        phase("count", found.counting),
    ];
    let heading = heading(file, ModelType::Lts);
    let document = Explored {
        effort: Some(PaperEffort {
            expanded: found.expanded,
            launches: found.launches,
        }),
        ..only_counts(heading, found.counts, &phases)
    };
    report::write_explored_json(out, &document)
}

fn heading(file: &str, model_type: ModelType) -> Heading<'_> {
    Heading {
        version: env!("CARGO_PKG_VERSION"),
        model: file,
        model_type: model_type.name(),
        constants: &[],
    }
}

fn only_counts<'a>(heading: Heading<'a>, counts: Counts, phases: &'a [Phase<'a>]) -> Explored<'a> {
    Explored {
        heading,
        variables: None,
        extent: all(counts),
        effort: None,
        certified: false,
        phases,
        results: &[],
    }
}

fn all(counts: Counts) -> ExploredExtent {
    let Counts {
        states,
        choices,
        transitions,
        deadlocks,
    } = counts;
    ExploredExtent::All {
        states,
        choices,
        transitions,
        deadlocks,
    }
}

/// Returns the times to read a file, to explore, and to check what was explored.
fn phases(times: Times) -> Vec<Phase<'static>> {
    let mut phases = vec![phase("read", times.read), phase("explore", times.build)];
    phases.extend(times.check.map(|time| phase("check", time)));
    phases
}

fn phase(name: &'static str, time: Duration) -> Phase<'static> {
    Phase {
        name,
        time,
        amount: None,
    }
}
