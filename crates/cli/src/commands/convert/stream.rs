//! Converts explicit transitions to explicit transitions. The model is read twice, and never held
//! in memory: once to check and count it, and once to write it.

use super::deadlocks::{default_policy, refuse_deadlocks};
use super::labels;
use crate::args::{ConvertArgs, DeadlockPolicy};
use crate::error::Error;
use crate::export::{self, Target, tell_of_files, warn_of_actions, write_states};
use crate::input::{self, Input};
use crate::load::{self, Origin, explicit};
use crate::model::annotations::{self, Valuations};
use crate::output::{self, Outputs};
use crate::progress::Progress;
use mdp_graph::{BuildError, StateId};
use prism_explicit::{
    Choice, Dialect, Labels, ModelType, Preamble, TransitionsInfo, TransitionsWriter, Visitor,
    WriteOptions, visit_in_order,
};
use std::io::{self, Write};
use std::path::PathBuf;

pub(super) fn run(
    args: &ConvertArgs,
    input: &Input,
    target: Option<Target>,
    progress: Progress,
) -> Result<(), Error> {
    let counted = count(input, args, progress)?;
    let (mut info, found) = (counted.info, counted.deadlocks);
    let deadlocks = found.count;
    let dialect = match target {
        Some(Target::Explicit(dialect)) => dialect,
        _ => other(info.dialect),
    };
    if dialect == Dialect::Storm {
        export::check_storm(info.model_type)?;
    }
    let policy = deadlock_policy(args, input, dialect, &info, found)?;
    let labels = labels::of(args, &info, dialect)?;
    let states = states(args, &info)?;
    explicit::warn_of_type(&info);
    load::warn_of_dropped(info.dropped_zero_branches);
    export::warn_of_sums(counted.without_sum);
    load::warn_of_deadlocks(deadlocks, policy.into());
    if dialect == Dialect::Storm {
        warn_of_losses(&info, labels.is_none());
        if counted.chain_has_actions {
            warn_of_actions();
        }
    }
    let self_loops = policy == DeadlockPolicy::SelfLoop;
    if self_loops {
        info.num_choices += deadlocks;
        info.num_transitions += deadlocks;
    }
    let mut outputs = Outputs::default();
    outputs.write(&args.out, |out| {
        let writer = TransitionsWriter::new(out, WriteOptions::new(dialect), &info)?;
        let mut filled = Filled::new(writer, self_loops);
        // The text was checked just before: only an interrupt can end this early.
        visit_in_order(input, &explicit::read_options(&args.model), &mut filled)
            .map_err(io::Error::other)?;
        filled.fill_to(info.num_states);
        filled.writer.finish().map(drop)
    })?;
    if output::is_stream(&args.out) {
        warn_of_files(args);
        return Ok(());
    }
    let mut files = vec![args.out.clone()];
    let annotations = Annotations {
        dialect,
        labels,
        states,
    };
    files.extend(write_beside(args, &info, annotations, &mut outputs)?);
    outputs.finish()?;
    export::warn_of_older(&args.out, &files);
    tell_of_files(&files);
    Ok(())
}

/// The data that go into files beside the transitions.
struct Annotations {
    dialect: Dialect,
    labels: Option<Labels>,
    states: Option<Valuations>,
}

/// Writes the files beside the transitions, and returns their names.
fn write_beside(
    args: &ConvertArgs,
    info: &TransitionsInfo,
    annotations: Annotations,
    outputs: &mut Outputs,
) -> Result<Vec<PathBuf>, Error> {
    let (dialect, out) = (annotations.dialect, &args.out);
    let mut files = Vec::new();
    if let Some(labels) = annotations.labels {
        files.extend(export::write_labels(&labels, dialect, outputs, out)?);
    }
    if let Some(states) = annotations.states {
        files.extend(write_states(
            &states,
            info.num_states,
            dialect,
            outputs,
            out,
        )?);
    }
    files.extend(write_observations(args, info, outputs)?);
    Ok(files)
}

/// Warns of files beside the model that are not written because the output is a stream.
fn warn_of_files(args: &ConvertArgs) {
    let is_there = |ending| input::beside(&args.model.model, ending).is_some();
    export::warn_of_files([
        (is_there("lab"), "labels"),
        (is_there("sta"), "values of variables"),
    ]);
}

/// Writes the values of observables beside the model, if there are any and the output is a file.
/// Returns the file.
fn write_observations(
    args: &ConvertArgs,
    info: &TransitionsInfo,
    outputs: &mut Outputs,
) -> Result<Option<PathBuf>, Error> {
    let seen = info.observations.as_ref();
    let path = input::beside(&args.model.model, "obs");
    let (Some(seen), Some(path)) = (seen, path) else {
        return Ok(None);
    };
    if output::is_stream(&args.out) {
        return Ok(None);
    }
    let values = annotations::observations(&path, seen.count)?;
    export::write_observations(&values, outputs, &args.out).map(Some)
}

/// Returns the values of variables, if there are any and the output is a file.
fn states(args: &ConvertArgs, info: &TransitionsInfo) -> Result<Option<Valuations>, Error> {
    if output::is_stream(&args.out) {
        return Ok(None);
    }
    let path = args.states.clone();
    let Some(path) = path.or_else(|| input::beside(&args.model.model, "sta")) else {
        return Ok(None);
    };
    let states = annotations::states(&path, info.num_states)?;
    Ok(Some(Valuations::Table(states)))
}

/// The results of the first pass.
struct Counted {
    info: TransitionsInfo,
    deadlocks: Deadlocks,
    /// Whether it is a Markov chain whose lines name actions.
    chain_has_actions: bool,
    /// The number of choices that have probabilities that do not sum to 1.
    without_sum: u64,
}

/// The states without a choice.
#[derive(Clone, Copy)]
struct Deadlocks {
    count: u64,
    /// The first of them, if there are any.
    first: u32,
}

/// Reads all of `input`, to check it and to count its deadlocks.
fn count(input: &Input, args: &ConvertArgs, progress: Progress) -> Result<Counted, Error> {
    let make = |preamble: &Preamble, _| Sources {
        // Without the option `--allow-any-sum`, the reader checks the sums.
        sums: args.model.allow_any_sum && preamble.model_type.has_distributions(),
        ..Sources::default()
    };
    let visited = explicit::visit(input, input, &args.model, progress, make)?;
    // Chunks hold whole states, so that no state is counted twice.
    let with_choices: u64 = visited.chunks.iter().map(|chunk| chunk.count).sum();
    let mut first = 0;
    for chunk in &visited.chunks {
        match chunk.run {
            Some((start, end)) if start == first => first = end,
            Some(_) => break,
            // The chunk has no line.
            None => continue,
        }
        if !chunk.is_run() {
            break;
        }
    }
    let count = u64::from(visited.info.num_states) - with_choices;
    Ok(Counted {
        deadlocks: Deadlocks { count, first },
        chain_has_actions: visited.chunks.iter().any(|chunk| chunk.chain_has_actions),
        without_sum: visited.chunks.iter().map(|chunk| chunk.without_sum).sum(),
        info: visited.info,
    })
}

fn other(dialect: Dialect) -> Dialect {
    match dialect {
        Dialect::Prism => Dialect::Storm,
        Dialect::Storm => Dialect::Prism,
    }
}

/// Returns the treatment of deadlocks, unless they are refused.
fn deadlock_policy(
    args: &ConvertArgs,
    input: &Input,
    dialect: Dialect,
    info: &TransitionsInfo,
    Deadlocks { count, first }: Deadlocks,
) -> Result<DeadlockPolicy, Error> {
    let default = default_policy(Target::Explicit(dialect));
    let policy = args.deadlocks.unwrap_or(default);
    match (policy, dialect) {
        (DeadlockPolicy::Error, _) if count > 0 => {
            let first = StateId(first);
            let error = BuildError::Deadlock { first, count };
            let origin = Origin::named(args.states.as_deref(), Origin::Beside);
            let values = || explicit::values(info.num_states, origin, &args.model);
            return Err(load::build_error(input, &error, values));
        }
        (DeadlockPolicy::Keep, Dialect::Storm) => refuse_deadlocks(&input.name, count)?,
        _ => {}
    }
    Ok(policy)
}

/// Warns of data that Storm's dialect cannot express.
fn warn_of_losses(info: &TransitionsInfo, without_labels: bool) {
    if info.model_type == ModelType::Lts {
        tracing::warn!("an LTS is written as an MDP whose choices have probability 1");
    }
    if !info.initial_states.is_empty() && without_labels {
        tracing::warn!("initial states are lost: Storm's dialect has them as the label init");
    }
}

/// Counts the states that have choices.
#[derive(Default)]
struct Sources {
    count: u64,
    last: Option<u32>,
    /// Whether branches name actions, as those of a Markov chain may.
    chain_has_actions: bool,
    /// Whether to check the sums of values.
    sums: bool,
    /// The number of choices whose sum is not 1.
    without_sum: u64,
    /// The first run of consecutive states: its first state, and the end of the range.
    run: Option<(u32, u32)>,
}

impl Sources {
    /// Returns whether all of the states are consecutive.
    fn is_run(&self) -> bool {
        self.run
            .is_none_or(|(start, end)| u64::from(end - start) == self.count)
    }
}

impl Visitor for Sources {
    fn choice(&mut self, choice: Choice<'_>) {
        let state = choice.state;
        if self.last.replace(state) != Some(state) {
            self.count += 1;
            match &mut self.run {
                Some((_, end)) if *end == state => *end += 1,
                Some(_) => {}
                run => *run = Some((state, state + 1)),
            }
        }
        self.chain_has_actions |= !choice.branch_actions.is_empty();
        let is_wrong = self.sums && !export::is_distribution(choice.values);
        self.without_sum += u64::from(is_wrong);
    }
}

/// Passes choices to a writer, and adds self-loops to states without a choice.
struct Filled<W: Write> {
    writer: TransitionsWriter<W>,
    self_loops: bool,
    /// The smallest state of which no choice was seen yet.
    next: u32,
}

impl<W: Write + Send> Filled<W> {
    fn new(writer: TransitionsWriter<W>, self_loops: bool) -> Self {
        Self {
            writer,
            self_loops,
            next: 0,
        }
    }

    /// Treats the states below `end` of which no choice was seen as deadlocks.
    fn fill_to(&mut self, end: u32) {
        if !self.self_loops {
            return;
        }
        for state in self.next..end {
            self.writer.choice(Choice {
                state,
                index: 0,
                action: None,
                targets: &[state],
                values: &[1.0],
                lower: &[],
                branch_actions: &[],
            });
        }
    }
}

impl<W: Write + Send> Visitor for Filled<W> {
    fn choice(&mut self, choice: Choice<'_>) {
        self.fill_to(choice.state);
        self.next = choice.state + 1;
        self.writer.choice(choice);
    }
}
