//! The facts that all processes must agree on.

use super::model::Prepared;
use super::part_files::To;
use super::setup::ProcessSetup;
use crate::args::{DecomposeArgs, name_of};

/// Returns the facts by their names, each in one line.
pub(super) fn of(
    setup: &ProcessSetup,
    args: &DecomposeArgs,
    to: &To,
    prepared: &Prepared,
) -> Vec<(String, String)> {
    let constants = args.model.builder.constants();
    let constants: Vec<String> = constants
        .map(|constant| format!("{}={}", constant.name, constant.value))
        .collect();
    let facts = [
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("host file", setup.hosts.in_line()),
        ("number of workers (--threads)", setup.workers.to_string()),
        ("--components", name_of(&args.components)),
        ("--deadlocks", name_of(&args.deadlocks)),
        ("--unordered", setup.unordered.to_string()),
        ("--certify", args.certify.to_string()),
        ("--format", name_of(&args.format)),
        ("output", to.in_line()),
        ("--const", constants.join(",")),
        (
            "--max-states",
            format!("{:?}", args.model.builder.max_states),
        ),
        ("model", prepared.fingerprint().to_owned()),
    ];
    facts
        .map(|(name, value)| (name.to_owned(), value.replace(['\n', '\r'], " ")))
        .into()
}
