//! `maxend info`: what is known of a model without decomposing it.

use crate::args::InfoArgs;
use crate::error::Error;
use crate::input::Input;
use crate::progress::Progress;
use crate::{annotations, load, output};
use mdp_graph::Deadlocks;
use prism_explicit::Dialect;
use report::ModelFacts;

pub(crate) fn run(args: &InfoArgs, progress: Progress) -> Result<(), Error> {
    let model = {
        let input = Input::read(&args.model.model)?;
        load::graph(&input, &args.model, Deadlocks::Keep, progress)?
    };
    let labels = annotations::labels(
        args.labels.as_deref(),
        &args.model.model,
        model.info.num_states,
    )?;
    let facts = ModelFacts {
        model: &args.model.model.display().to_string(),
        dialect: match model.info.dialect {
            Dialect::Prism => "PRISM",
            Dialect::Storm => "Storm",
        },
        model_type: model.info.model_type.name(),
        labels: &annotations::as_report(labels.as_ref()),
    };
    output::write(None, |out| report::write_info(out, &model.graph, &facts))
}
