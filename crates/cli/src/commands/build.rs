//! `maxend build`: explores a model in PRISM's language, and writes its state space to files.

use crate::args::BuildArgs;
use crate::device;
use crate::error::Error;
use crate::export::{self, Target};
use crate::files;
use crate::input::Input;
use crate::load::{self, Origin, Request, Source, Wanted};
use crate::progress::Progress;
use crate::{output, paths};
use prism_explicit::Dialect;
use report::counted;

pub(crate) fn run(args: &BuildArgs, progress: Progress) -> Result<(), Error> {
    let target = Target::of(args.to, &args.output)?.unwrap_or(Target::Explicit(Dialect::Prism));
    files::read_model(&args.model, Origin::Nowhere, Origin::Nowhere)?;
    if target == Target::Umb {
        let to_stream = paths::is_standard_output(&args.output);
        output::check_binary(to_stream.then_some("--to umb"))?;
        files::write("--output", Some(&args.output))?;
    } else if target.is_one_file() {
        files::write("--output", Some(&args.output))?;
    } else {
        files::write_with_annotations("--output", &args.output)?;
    }
    let input = Input::of_model(&args.model)?;
    let source = Source::of(&args.model.model, &input);
    if !source.is_program() {
        let name = &input.name;
        let command = if source == Source::Network {
            "explore"
        } else {
            "convert"
        };
        let message = format!("{name} is not in PRISM's language or JANI: see maxend {command}");
        return Err(Error::Usage(message));
    }
    let explore_on = device::explore_on(&args.on, args.model.builder.max_memory.is_some())?;
    let request = Request {
        deadlocks: args.deadlocks.into(),
        explore_on: &explore_on,
        ..Request::new(&args.model, Wanted::everything(None, None), progress)
    };
    let model = load::load_input(input, source, request)?;
    let graph = &model.graph;
    tracing::info!(
        "{}, {}, {} in {:.3} s",
        counted(graph.num_states() as u64, "state", "states"),
        counted(graph.num_choices() as u64, "choice", "choices"),
        counted(graph.num_branches() as u64, "branch", "branches"),
        (model.times.read + model.times.build).as_secs_f64(),
    );
    export::write(&model, target, &args.output, progress)
}
