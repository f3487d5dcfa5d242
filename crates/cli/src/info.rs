//! `maxend info`: what is known of a model without decomposing it.

use crate::args::InfoArgs;
use crate::error::Error;
use crate::files::Files;
use crate::load::{Origin, Request, Wanted};
use crate::players::Players;
use crate::progress::Progress;
use crate::{annotations, load, output};
use report::ModelFacts;

pub(crate) fn run(args: &InfoArgs, progress: Progress) -> Result<(), Error> {
    let wanted = Wanted {
        labels: Origin::named(args.labels.as_deref(), Origin::Beside),
        ..Wanted::graph()
    };
    Files::of_model(&args.model, wanted.valuations, wanted.labels).write("the result", None)?;
    let model = load::model(Request::new(&args.model, wanted, progress))?;
    let players = model.players.as_ref().map(Players::shown);
    let facts = ModelFacts {
        model: &args.model.model.display().to_string(),
        format: model.format,
        model_type: model.model_type.name(),
        observations: model.observations.as_ref().map(|seen| seen.count),
        players: players.as_deref(),
        labels: &annotations::as_report(model.labels.as_ref()),
    };
    output::write(None, |out| report::write_info(out, &model.graph, &facts))
}
