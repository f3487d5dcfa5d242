//! `maxend completions`: a script by which a shell completes command lines.

use crate::args::{Cli, CompletionsArgs};
use crate::error::Error;
use crate::output;
use clap::{Command, CommandFactory as _};
use clap_complete::Shell;

pub(crate) fn run(args: &CompletionsArgs) -> Result<(), Error> {
    // The generators panic if they cannot write, so they write to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "maxend", &mut script);
    if args.shell == Shell::Fish {
        script.extend(words_for_fish(&Cli::command()).into_bytes());
    }
    output::write(None, |out| out.write_all(&script))
}

/// Returns the possible values of positional arguments. The generator for fish leaves them out, so
/// that fish would offer file names instead.
fn words_for_fish(program: &Command) -> String {
    let mut lines = String::new();
    for command in program.get_subcommands() {
        let values = command.get_positionals().flat_map(|argument| {
            let values = argument.get_possible_values().into_iter();
            values.map(|value| value.get_name().to_owned())
        });
        let words: Vec<String> = values.collect();
        if !words.is_empty() {
            let (name, words) = (command.get_name(), words.join(" "));
            lines += &format!(
                "complete -c maxend -n \"__fish_maxend_using_subcommand {name}\" -f -a \"{words}\"\n"
            );
        }
    }
    lines
}
