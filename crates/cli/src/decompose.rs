//! `maxend decompose`: reads a model, decomposes its graph, prints the answer.

use crate::args::{DecomposeArgs, Device, Format, Kind, name_of};
use crate::error::Error;
use crate::input::Input;
use crate::progress::{Progress, Unit};
use crate::{interrupt, load, output};
use decompose::{Observer, Options, mec, scc};
use mdp_graph::{Components, MdpGraph};
use report::{Decomposition, Phase, Run};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

pub(crate) fn run(args: &DecomposeArgs, progress: Progress) -> Result<(), Error> {
    check_usage(args)?;
    let model = {
        let input = Input::read(&args.model.model)?;
        load::graph(&input, &args.model, args.deadlocks.into(), progress)?
    };
    if args.device == Device::Auto {
        tracing::info!("decomposing on the CPU");
    }
    let start = Instant::now();
    let components = components(&model.graph, args, progress)?;
    let phases = [
        ("read", model.read_time),
        ("build", model.build_time),
        ("decompose", start.elapsed()),
    ];
    let run = Run {
        version: env!("CARGO_PKG_VERSION"),
        model: &args.model.model.display().to_string(),
        model_type: model.info.model_type.name(),
        deadlocks: model.deadlocks,
        deadlock_policy: &name_of(args.deadlocks),
        device: "cpu",
        search: &name_of(args.search),
        phases: &phases.map(|(name, time)| Phase { name, time }),
    };
    let decomposition = Decomposition {
        graph: &model.graph,
        components: &components,
        valuations: None,
        labels: &[],
        choices: args.choices,
    };
    output::write(args.output.as_deref(), |out| match args.format {
        Format::Summary => report::write_summary(out, &decomposition, &run),
        Format::Labels => report::write_labels(out, &components),
        Format::Prism => report::write_prism(out, &decomposition),
        Format::Json => report::write_json(out, &decomposition, &run),
        Format::Dot => report::write_dot(out, &decomposition),
    })
}

/// What clap cannot say of options that do not go together.
fn check_usage(args: &DecomposeArgs) -> Result<(), Error> {
    if args.choices && args.components == Kind::Scc {
        let message = "--choices goes with --components mec: only end components retain choices";
        return Err(Error::Usage(message.to_owned()));
    }
    let takes_extras = matches!(args.format, Format::Json | Format::Prism);
    for (given, option) in [
        (args.choices, "--choices"),
        (args.valuations, "--valuations"),
    ] {
        if given && !takes_extras {
            let message = format!("{option} goes with --format json or prism");
            return Err(Error::Usage(message));
        }
    }
    Ok(())
}

fn components(
    graph: &MdpGraph,
    args: &DecomposeArgs,
    progress: Progress,
) -> Result<Components, Error> {
    let watch = Watch::default();
    let options = Options {
        search: args.search.into(),
        observer: &watch,
    };
    let work = || match args.components {
        Kind::Mec => mec(graph, &options),
        Kind::Scc => scc(graph, &options),
    };
    let total = graph.num_states() as u64;
    progress
        .watch("decomposing", Unit::States, total, &watch.done, work)
        .map_err(|error| match error {
            decompose::Error::Cancelled => Error::Cancelled,
            error => Error::wrong(error.to_string()),
        })
}

/// Lends the progress bar and Ctrl-C to the library.
#[derive(Default)]
struct Watch {
    done: AtomicU64,
}

impl Observer for Watch {
    fn progress(&self, done: u64, _total: u64) {
        self.done.store(done, Ordering::Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        interrupt::is_cancelled()
    }
}
