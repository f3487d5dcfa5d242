//! `maxend man`: the manual, with one page for each command, generated from the help texts.

use crate::args::{Cli, ManArgs};
use crate::error::Error;
use crate::output::{self, Outputs};
use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use std::io::{self, Write};
use std::path::Path;

/// The title of the manual.
const MANUAL: &str = "maxend manual";

pub(crate) fn run(args: &ManArgs) -> Result<(), Error> {
    let pages = pages();
    if let Some(folder) = &args.output {
        return write_all(&pages, folder);
    }
    let name = match &args.command {
        Some(command) => format!("maxend-{command}"),
        None => "maxend".to_owned(),
    };
    let page = pages.iter().find(|page| page.name == name);
    let page = page.ok_or_else(|| Error::Usage(format!("there is no page {name}")))?;
    output::write(None, |out| page.write(&pages, out))
}

/// Writes each page to its file.
fn write_all(pages: &[Page], folder: &Path) -> Result<(), Error> {
    if !folder.is_dir() {
        let why = match folder.exists() {
            true => "it is not a folder",
            false => "there is no such folder",
        };
        let message = format!("cannot write to {}: {why}", folder.display());
        return Err(Error::wrong(message));
    }
    let mut outputs = Outputs::default();
    for page in pages {
        let path = folder.join(format!("{}.1", page.name));
        outputs.write(&path, |out| page.write(pages, out))?;
    }
    outputs.finish()
}

/// A page of the manual.
struct Page {
    /// `maxend` or `maxend-COMMAND`.
    name: String,
    command: Command,
}

/// Returns all pages. The first is the page of the program itself.
fn pages() -> Vec<Page> {
    let mut program = Cli::command().disable_help_subcommand(true);
    // This copies the options that all commands share to each of them.
    program.build();
    let commands = program.get_subcommands().map(|command| Page {
        name: format!("maxend-{}", command.get_name()),
        command: command.clone(),
    });
    let commands: Vec<Page> = commands.collect();
    let name = "maxend".to_owned();
    let program = Page {
        name,
        command: program,
    };
    [program].into_iter().chain(commands).collect()
}

impl Page {
    /// Writes the page in roff. Its end names the other pages.
    fn write(&self, pages: &[Self], out: &mut dyn Write) -> io::Result<()> {
        let source = format!("maxend {}", env!("CARGO_PKG_VERSION"));
        let man = Man::new(self.command.clone());
        let man = man.title(self.name.clone()).source(source).manual(MANUAL);
        man.render_title(out)?;
        man.render_name_section(out)?;
        man.render_synopsis_section(out)?;
        man.render_description_section(out)?;
        man.render_options_section(out)?;
        if self.command.has_subcommands() {
            man.render_subcommands_section(out)?;
        }
        let end = self.command.get_after_long_help();
        let mut roff = Roff::new();
        for line in end.map(ToString::to_string).unwrap_or_default().lines() {
            match line.strip_suffix(':').filter(|_| !line.starts_with(' ')) {
                Some(heading) => {
                    section(&mut roff, heading);
                    // Lines are not filled from here to the next section.
                    roff.control("nf", []);
                }
                None => {
                    roff.text([roman(line)]);
                }
            }
        }
        roff.control("fi", []);
        section(&mut roff, "See also");
        let others = pages.iter().filter(|page| page.name != self.name);
        let others: Vec<String> = others.map(|page| format!("{}(1)", page.name)).collect();
        roff.text([roman(others.join(", "))]);
        roff.to_writer(out)
    }
}

fn section(roff: &mut Roff, heading: &str) {
    roff.control("fi", []);
    roff.control("SH", [heading.to_uppercase().as_str()]);
}
