//! `maxend explore --format text`: counts, and traces to what was found.

use super::results::{SearchResult, counts_of, searched};
use super::trace::Witness;
use crate::load::Until;
use crate::model::Model;
use gpu_explore::Counts;
use report::{SoughtKind, counted, grouped, printable};
use std::io::{self, Write};

/// Writes the results.
pub(super) fn write(
    out: &mut (dyn Write + Send),
    model: &Model,
    results: &[SearchResult<'_>],
    until: Option<Until<'_>>,
    is_certified: bool,
) -> io::Result<()> {
    match until.and_then(|_| searched(results)) {
        // The number of states found before the search ended depends on the device.
        Some(states) => {
            let states = counted(states, "state", "states");
            writeln!(out, "{:<12} {states}", "searched")?;
        }
        None => write_counts(out, counts_of(model))?,
    }
    if is_certified {
        writeln!(out, "{:<12} accepted", "certificate")?;
    }
    write_results(out, model, results)
}

/// Writes the size of the state space.
pub(super) fn write_counts(out: &mut (dyn Write + Send), counts: Counts) -> io::Result<()> {
    let mut rows = vec![
        ("states", counts.states),
        ("transitions", counts.transitions),
        ("deadlocks", counts.deadlocks),
    ];
    if counts.choices < counts.transitions {
        rows.insert(1, ("choices", counts.choices));
    }
    let width = rows.iter().map(|(_, count)| grouped(*count).len()).max();
    let width = width.unwrap_or_default();
    for (name, count) in rows {
        writeln!(out, "{name:<12} {:>width$}", grouped(count))?;
    }
    Ok(())
}

/// Writes the results of all searches, with traces.
fn write_results(
    out: &mut (dyn Write + Send),
    model: &Model,
    results: &[SearchResult<'_>],
) -> io::Result<()> {
    for SearchResult { what, found } in results {
        let what = shown(*what);
        writeln!(out)?;
        let Some(Witness { trace, .. }) = found else {
            writeln!(out, "no {what}")?;
            continue;
        };
        let steps = counted(trace.len() as u64, "transition", "transitions");
        writeln!(out, "{what} after {steps}")?;
        trace.write(out, model)?;
    }
    Ok(())
}

/// Returns what was looked for as text.
fn shown(what: SoughtKind<'_>) -> String {
    match what {
        SoughtKind::Deadlock => "deadlock".to_owned(),
        SoughtKind::Livelock => "livelock".to_owned(),
        SoughtKind::Action(action) => format!("action `{}`", printable(action)),
        SoughtKind::State(expression) => format!("state with {}", printable(expression)),
    }
}
