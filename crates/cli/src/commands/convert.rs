//! `maxend convert`: rewrites a model, with its labels and the values of its variables, in another
//! format.

mod deadlocks;
mod labels;
mod stream;

use crate::args::{ConvertArgs, DeadlockPolicy};
use crate::error::Error;
use crate::export::{self, Target};
use crate::files;
use crate::load::archive_parts;
use crate::load::{self, Request, Source, Wanted};
use crate::progress::Progress;
use crate::{output, paths};
use prism_explicit::Dialect;

pub(crate) fn run(args: &ConvertArgs, progress: Progress) -> Result<(), Error> {
    let target = Target::of(args.to, &args.out)?;
    let wanted = Wanted::everything(args.states.as_deref(), args.labels.as_deref());
    files::read_model(&args.model, wanted.valuations, wanted.labels)?;
    check_usage(args, target)?;
    match target {
        Some(target) if target.is_one_file() => files::write("OUT", Some(&args.out))?,
        _ => files::write_with_annotations("OUT", &args.out)?,
    }
    let input = archive_parts::model_input(&args.model)?;
    let source = Source::of(&args.model.model, &input);
    if source == Source::Explicit && matches!(target, None | Some(Target::Explicit(_))) {
        source.check_usage(&args.model)?;
        let has_rewards = !load::reward_files::files(&args.model.model).is_empty();
        // To check rewards, the whole model must be in memory.
        if !has_rewards || target != Some(Target::Explicit(Dialect::Prism)) {
            if has_rewards {
                tracing::warn!("left out: rewards, which are kept with --to prism");
            }
            return stream::run(args, &input, target, progress);
        }
    }
    let target = target.unwrap_or(Target::Explicit(Dialect::Prism));
    let policy = args.deadlocks.unwrap_or(deadlocks::default_policy(target));
    let request = Request {
        deadlocks: policy.into(),
        ..Request::new(&args.model, wanted, progress)
    };
    let model = load::load_input(input, source, request)?;
    if deadlocks::refuses(target) && policy == DeadlockPolicy::Keep {
        deadlocks::refuse_deadlocks(
            &args.model.model.display().to_string(),
            model.construction.deadlocks,
        )?;
    }
    export::write(&model, target, &args.out, progress)
}

/// Checks the files for conflicts that clap cannot detect.
fn check_usage(args: &ConvertArgs, target: Option<Target>) -> Result<(), Error> {
    if target == Some(Target::Umb) {
        return output::check_binary(paths::is_standard_output(&args.out).then_some("--to umb"));
    }
    let to_stream = output::is_stream(&args.out);
    for (option, given) in [("--labels", &args.labels), ("--states", &args.states)] {
        if given.is_some() && to_stream {
            let what = option.trim_start_matches('-');
            let message = format!("{option} needs a file as OUT: the {what} go beside it");
            return Err(Error::Usage(message));
        }
    }
    Ok(())
}
