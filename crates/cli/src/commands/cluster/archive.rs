//! The model with its components as an archive, which workers write together: in parts, or through
//! process 0. Of each file in the archive, a worker holds only the data of its own states.

mod own;

use super::model::Rest;
use super::part_files::{PartFiles, To, failure};
use crate::error::Error;
use crate::export::{COMPONENTS, ModelArrays, PROPOSITIONS, REWARDS, kind_names};
use crate::input::Input;
use crate::load::{self, StatesOf};
use crate::output;
use ::cluster::{ComponentLabels, Hosts, Net, Part, agree, component_numbers, relay};
use mdp_graph::{ComponentKind, StateId};
use own::{Own, Value};
use report::PartsOf;
use std::io::{self, Write};
use std::path::Path;
use umb::{Entity, File, Kind, Outline, UmbWriter};

/// The result of a worker: the components of its part.
pub(super) struct LabelledPart<'a> {
    pub(super) part: &'a Part,
    pub(super) labels: &'a ComponentLabels,
    pub(super) kind: ComponentKind,
}

/// Where the archive goes.
#[derive(Clone, Copy)]
pub(super) struct Destination<'a> {
    pub(super) to: &'a To,
    pub(super) hosts: &'a Hosts,
    /// The output of process 0, if it writes the whole archive.
    pub(super) out: Option<&'a Path>,
}

/// Makes all workers write the archive.
pub(super) fn write(
    found: &LabelledPart<'_>,
    rest: &Rest,
    destination: Destination<'_>,
    net: &mut Net<'_>,
) -> Result<(), ::cluster::Error> {
    match rest {
        Rest::Nothing => Ok(()),
        Rest::Explored(states) => {
            let begun = outlined(found.part, states, net)?;
            written(begun, Some(states), found, destination, net)
        }
        Rest::Archive(input) => copied(input, found, destination, net),
        Rest::Model(model) => {
            if let Some(input) = model.copied_archive() {
                return copied(input, found, destination, net);
            }
            if net.me() == 0 {
                model.file.warn_of_losses();
                model.warn_of_initial();
            }
            let arrays = ModelArrays::of(model);
            let writer = match &arrays {
                Some(arrays) => arrays.writer().map_err(|error| failure(&error)),
                None => Err(failure(&Error::wrong("the model has no details"))),
            };
            let begun = Begun::of(agree(net, writer)?);
            written(begun, None, found, destination, net)
        }
    }
}

/// Writes a copy of an archive, with components.
fn copied(
    input: &Input,
    found: &LabelledPart<'_>,
    destination: Destination<'_>,
    net: &mut Net<'_>,
) -> Result<(), ::cluster::Error> {
    let archive = agree(net, load::open(input, false).map_err(|e| failure(&e)))?;
    let begun = Begun::of(UmbWriter::copy_of(&archive));
    written(begun, None, found, destination, net)
}

/// An unfinished archive, and the contents of its values that are stored elsewhere.
struct Begun<'a> {
    writer: UmbWriter<'a>,
    values: Vec<Value>,
}

impl<'a> Begun<'a> {
    fn of(writer: UmbWriter<'a>) -> Self {
        Self {
            writer,
            values: Vec::new(),
        }
    }

    /// Adds an annotation with these values.
    fn annotate(
        &mut self,
        group: &str,
        name: &str,
        kind: Kind,
        values: &[(Entity, Value)],
    ) -> Result<(), umb::Error> {
        let first = self.values.len();
        self.values.extend(values.iter().map(|&(_, value)| value));
        let numbered: Vec<(Entity, usize)> =
            values.iter().map(|&(of, _)| of).zip(first..).collect();
        self.writer
            .annotate_elsewhere(group, name, kind, &numbered)?;
        Ok(())
    }

    /// Adds the components in the same way as on one machine.
    fn add_components(&mut self, kind: ComponentKind) -> Result<(), umb::Error> {
        let (name, proposition) = kind_names(kind);
        let numbers = [(Entity::States, Value::Component)];
        self.annotate(COMPONENTS, name, Kind::Uint, &numbers)?;
        match proposition {
            Some(name) => {
                let in_some = [(Entity::States, Value::IsInComponent)];
                self.annotate(PROPOSITIONS, name, Kind::Bool, &in_some)
            }
            None => Ok(()),
        }
    }
}

/// Makes an archive of explored states, in the same order as on one machine.
fn outlined<'a>(
    part: &Part,
    states: &'a StatesOf,
    net: &mut Net<'_>,
) -> Result<Begun<'a>, ::cluster::Error> {
    let graph = part.graph();
    let own = [part.num_own(), graph.num_choices(), graph.num_branches()];
    let counts = net.sums(&own.map(|count| count as u64));
    let counted = states.count_initial();
    let counted = counted.map_err(|error| failure(&Error::wrong(error.to_string())));
    let num_initial_states = agree(net, counted)?;
    let program = states.program();
    let outline = Outline {
        model_type: program.model_type(),
        num_states: counts[0],
        num_initial_states,
        num_choices: counts[1],
        num_branches: counts[2],
        players: (program.model_type().has_players()).then_some(program.players()),
    };
    let first = part.global(0);
    let begun = outline_of(&outline, states, first).map_err(|error| wrong(&error));
    agree(net, begun)
}

fn outline_of<'a>(
    outline: &Outline<'_>,
    states: &'a StatesOf,
    first: u64,
) -> Result<Begun<'a>, umb::Error> {
    let program = states.program();
    let mut begun = Begun::of(UmbWriter::of_outline(outline)?);
    let names = states.action_names();
    if names.len() > 1 {
        begun.writer.choice_actions_elsewhere(&names);
    }
    let own = program.labels().iter().map(prism_language::Label::name);
    let values = [Value::IsDeadlock]
        .into_iter()
        .chain((0..).map(Value::Label));
    for (name, value) in ["deadlock"].into_iter().chain(own).zip(values) {
        // An archive has a separate array for initial states.
        if name != "init" {
            begun.annotate(PROPOSITIONS, name, Kind::Bool, &[(Entity::States, value)])?;
        }
    }
    for (number, structure) in program.rewards().iter().enumerate() {
        let values = [
            (Entity::States, Value::StateReward(number)),
            (Entity::Choices, Value::ChoiceReward(number)),
        ];
        let count = 1 + usize::from(structure.has_actions());
        let name = structure.name().unwrap_or_default();
        begun.annotate(REWARDS, name, Kind::Double, &values[..count])?;
    }
    let variables = states.values();
    if !variables.names().is_empty() {
        let domains = (0..variables.names().len()).map(|i| variables.domain(i));
        let named: Vec<_> = variables.names().iter().zip(domains).collect();
        begun
            .writer
            .state_valuations(&named, true, move |state, i| {
                variables.value(StateId((state - first) as u32), i)
            })?;
    }
    Ok(begun)
}

fn wrong(error: &umb::Error) -> ::cluster::Error {
    let message = format!("the model cannot be written as UMB: {error}");
    failure(&Error::wrong(message))
}

/// Adds the components, and makes all workers write their data.
fn written(
    mut begun: Begun<'_>,
    states: Option<&StatesOf>,
    found: &LabelledPart<'_>,
    destination: Destination<'_>,
    net: &mut Net<'_>,
) -> Result<(), ::cluster::Error> {
    let annotated = begun.add_components(found.kind);
    agree(net, annotated.map_err(|error| wrong(&error)))?;
    let numbers = component_numbers(found.part, found.labels, net);
    let Begun { mut writer, values } = begun;
    writer.tool("maxend", env!("CARGO_PKG_VERSION"));
    let files = writer.files();
    let files = agree(
        net,
        files.map_err(|e| failure(&Error::wrong(e.to_string()))),
    )?;
    let own = Own::new(&writer, &values, states, found.part, numbers, &files, net)?;
    match destination.to {
        To::One => gather(&own, &files, destination.out, net),
        To::PartFiles(index) => {
            let sizes = (0..)
                .zip(&files)
                .map(|(number, file)| own.len(number, file));
            let paths: Vec<(&str, u64)> = files.iter().map(|file| &*file.path).zip(sizes).collect();
            let part_files = PartFiles {
                of: PartsOf::Umb,
                index,
                hosts: destination.hosts,
            };
            let content = |out: &mut dyn Write| {
                umb::write_files(out, paths, |number, out| {
                    own.write(number, &files[number], out)
                })
            };
            part_files.write(found.part, content, net)
        }
    }
}

/// Makes process 0 write the whole archive.
fn gather(
    own: &Own<'_>,
    files: &[File],
    out: Option<&Path>,
    net: &mut Net<'_>,
) -> Result<(), ::cluster::Error> {
    let sizes = (0..)
        .zip(files)
        .map(|(number, file)| net.gather(own.len(number, file)));
    let sizes: Vec<Vec<u64>> = sizes.collect();
    let relayed = |number: usize, out: &mut dyn Write, net: &mut Net<'_>| {
        let content = |out: &mut dyn Write| own.write(number, &files[number], out);
        relay(&sizes[number], content, out, net)
    };
    let (mut next, mut lost) = (0, None);
    if net.me() != 0 {
        (0..files.len()).try_for_each(|number| relayed(number, &mut io::sink(), net))?;
        return agree(net, Ok(()));
    }
    let written = output::write(out, |out| {
        let paths = files.iter().map(|file| (&*file.path, file.len));
        umb::write_files(out, paths, |number, out| {
            next = number + 1;
            relayed(number, out, net).map_err(|error| {
                let reason = error.to_string();
                lost = Some(error);
                io::Error::other(reason)
            })
        })
    });
    let written = written.map_err(|error| failure(&error));
    match (lost, written) {
        // All workers know of this error. Process 0 reports its own error, which names the file.
        (Some(::cluster::Error::Write(_)), Err(error)) => Err(error),
        (Some(other), _) => Err(other),
        (None, Err(error)) => {
            // The other workers continue until they are told, which happens with the next bytes
            // that they send or at the end.
            let rest = (next..files.len()).try_for_each(|number| relayed(number, &mut Gone, net));
            match rest {
                Ok(()) => agree(net, Err(error)),
                Err(_) => Err(error),
            }
        }
        (None, Ok(())) => agree(net, Ok(())),
    }
}

/// A writer that accepts no data.
struct Gone;

impl Write for Gone {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
