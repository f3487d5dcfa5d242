//! `maxend info`: describes a model without decomposing it.

use crate::args::{InfoArgs, InfoFormat};
use crate::error::Error;
use crate::files;
use crate::load::{Origin, Request, Structures, Wanted};
use crate::model::annotations;
use crate::model::players::Players;
use crate::model::rewards::{Amounts, Rewards};
use crate::progress::Progress;
use crate::{load, output};
use report::{ModelFacts, RewardFacts};

pub(crate) fn run(args: &InfoArgs, progress: Progress) -> Result<(), Error> {
    let wanted = Wanted {
        rewards: Structures::All,
        labels: Origin::named(args.labels.as_deref(), Origin::Beside),
        ..Wanted::graph()
    };
    files::read_model(&args.model, wanted.valuations, wanted.labels)?;
    files::write("the result", None)?;
    let model = load::load_model(Request::new(&args.model, wanted, progress))?;
    if model.construction.is_explored {
        // The only losses in such a model are reward structures.
        model.file.warn_of_losses();
    }
    let file = args.model.model.display().to_string();
    let constants = model.file.report_constants();
    let players = model.states.players.as_ref().map(Players::as_report);
    let facts = ModelFacts {
        heading: model.heading(&file, &constants),
        format: model.file.format,
        observations: model.states.observations.as_ref().map(|seen| seen.count),
        players: players.as_deref(),
        labels: &annotations::as_report(model.states.labels.as_ref()),
        rewards: &model.rewards.iter().map(earners).collect::<Vec<_>>(),
    };
    let write = match args.format {
        InfoFormat::Text => report::write_info,
        InfoFormat::Json => report::write_info_json,
    };
    output::write(None, |out| write(out, &model.graph, &facts))
}

/// Returns the numbers of states, choices and branches that have a reward.
fn earners(rewards: &Rewards) -> RewardFacts<'_> {
    let count = |amounts: &Option<Amounts>| {
        let values = amounts.iter().flat_map(Amounts::values);
        values.filter(|&&value| value != 0.0).count() as u64
    };
    RewardFacts {
        name: rewards.name.as_deref(),
        states: count(&rewards.states),
        choices: count(&rewards.choices),
        branches: count(&rewards.branches),
    }
}
