//! `maxend completions`: a script by which a shell completes command lines.

use crate::args::{Cli, CompletionsArgs};
use crate::error::Error;
use crate::output;
use clap::CommandFactory as _;

pub(crate) fn run(args: &CompletionsArgs) -> Result<(), Error> {
    // The generators write to memory, as they panic where they cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "maxend", &mut script);
    output::write(None, |out| out.write_all(&script))
}
