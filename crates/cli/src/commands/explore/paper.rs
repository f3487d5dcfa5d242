//! `maxend explore --search paper`: counts the states of a network by the search of Wijs and
//! Bošnački (2014), with the options that their section 4 compares.

use super::document;
use crate::args::{DeviceArg, ExploreArgs, ExploreFormat, ExploreSearch, PaperArgs, PaperTable};
use crate::device::opener;
use crate::error::Error;
use crate::input::Input;
use crate::load::network::{self, PaperSearch};
use crate::load::{Request, Source, Wanted};
use crate::output;
use crate::progress::Progress;
use gpu_explore::paper::{Outcome, Paper, Table};
use report::grouped;
use std::io::{self, Write};

/// Checks that the other options are compatible with this search.
///
/// # Errors
/// [`Error::Usage`] if they do not.
pub(super) fn check(args: &ExploreArgs) -> Result<(), Error> {
    if args.paper.search != ExploreSearch::Paper {
        return match args.paper.given().next() {
            Some(option) => Err(Error::Usage(format!("{option} goes with --search paper"))),
            None => Ok(()),
        };
    }
    if args.on.device == DeviceArg::Cpu {
        let message = "--search paper is for a GPU, but --device cpu for the CPU";
        return Err(Error::Usage(message.to_owned()));
    }
    let other = [
        ("--check", !args.check.is_empty()),
        ("--find-action", args.find_action.is_some()),
        ("--find", args.find.is_some()),
        ("--certify", args.certify),
        ("--output", args.output.is_some()),
    ];
    match other.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Error::Usage(format!(
            "--search paper counts states and keeps none, so that it does not go with {option}"
        ))),
        None => Ok(()),
    }
}

/// Counts the states, and prints the counts.
pub(super) fn run(
    args: &ExploreArgs,
    input: &Input,
    source: Source,
    progress: Progress,
) -> Result<(), Error> {
    if !matches!(source, Source::Automaton | Source::Network) {
        let name = &input.name;
        let message =
            format!("--search paper goes with a network (.exp, .aut), which {name} is not");
        return Err(Error::Usage(message));
    }
    let search = PaperSearch {
        open: opener(&args.on),
        paper: paper(&args.paper),
        workgroups: args.paper.workgroups,
    };
    let request = Request::new(&args.model, Wanted::graph(), progress);
    let found = network::count_by_paper(input, source, request, &search)?;
    let file = args.model.model.display().to_string();
    output::write(None, |out| match args.format {
        ExploreFormat::Text => print(out, &found),
        ExploreFormat::Json => document::write_paper(out, &file, &found),
    })
}

/// Returns the options of the search.
fn paper(args: &PaperArgs) -> Paper {
    let default = Paper::default();
    Paper {
        table: match args.table {
            Some(PaperTable::Cuckoo) => Table::Cuckoo,
            Some(PaperTable::Double) => Table::Double,
            None => default.table,
        },
        local_cache: args.local_cache,
        forwarding: args.forwarding,
        iterations: args.iterations.unwrap_or(default.iterations),
    }
}

/// Writes the counts.
fn print(out: &mut (dyn Write + Send), found: &Outcome) -> io::Result<()> {
    let rows = [
        ("states", found.counts.states),
        ("transitions", found.counts.transitions),
        ("deadlocks", found.counts.deadlocks),
        ("expanded", found.expanded),
        ("launches", found.launches),
    ];
    let width = rows.iter().map(|(_, count)| grouped(*count).len()).max();
    let width = width.unwrap_or_default();
    for (name, count) in rows {
        writeln!(out, "{name:<12} {:>width$}", grouped(count))?;
    }
    for (name, time) in [("explore", found.exploring), ("count", found.counting)] {
        writeln!(out, "{name:<12} {:.6} s", time.as_secs_f64())?;
    }
    Ok(())
}
