//! `cargo xtask verify --mutations`: changes the kernels, one place at a time, and says which layer
//! finds each change. Written to `docs/mutations.md`.

mod reasons;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::panic::{self, AssertUnwindSafe};

use gpu::Kernel;
use rayon::prelude::*;
use reasons::Reasons;
use verify::Program;
use verify::lint::lint;
use verify::mutate::{Mutation, Site, mutate, sites};
use verify::run::{Fault, Interpreter, Mutant, Settings};

use super::runs;
use super::trial::{HostLoop, Trial, WRONG_ANSWER, settings};
use crate::shell::{Outcome, root};

/// How many trials of each kind there are.
const EACH: usize = 32;
/// How many trials a change has to survive, of those that run the kernel.
const TRIALS: usize = 24;
/// In how many kernels a change is tried at most.
const KERNELS: usize = 6;
/// After how many operations an invocation counts as one that does not end: kernels that are right
/// take far fewer for such small graphs, a row of 2,100 edges included.
const OPERATIONS: u64 = 200_000;
/// The same for the iterations of a loop.
const ITERATIONS: u64 = 500;

/// The layers that may find a change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    /// The changed kernel is no valid program.
    Compiler,
    Lint,
    /// A data race.
    Race,
    /// What a kernel promises of a claim does not hold.
    Promise,
    /// An index outside its array, a division by zero, a barrier that not all come to.
    Check,
    /// An invocation or a loop does not end, or does more after its end.
    End,
    /// The host found it out: an error, or a panic.
    Host,
    /// The answer is wrong.
    Answer,
}

impl Layer {
    const ALL: [(Self, &'static str); 8] = [
        (Self::Compiler, "compiler"),
        (Self::Lint, "lints"),
        (Self::Race, "race"),
        (Self::Promise, "promise"),
        (Self::Check, "bounds, barriers"),
        (Self::End, "end"),
        (Self::Host, "host"),
        (Self::Answer, "answer"),
    ];

    fn of(fault: Fault) -> Self {
        match fault {
            Fault::Race => Self::Race,
            Fault::Claim | Fault::Promise => Self::Promise,
            Fault::OutOfBounds | Fault::DivisionByZero | Fault::Barrier => Self::Check,
            Fault::Endless | Fault::AfterEnd => Self::End,
        }
    }
}

/// A place that can be changed, in all kernels that it is part of.
struct Change {
    site: Site,
    /// The kernels, each with the number of the site.
    kernels: Vec<(&'static Kernel, usize)>,
}

impl Change {
    /// The folder of `shaders/` in which the line stands.
    fn folder(&self) -> &str {
        folder(&self.site.place.file)
    }

    /// The kernels in which it is tried: if there are many, some from all over the list.
    fn tried(&self) -> impl Iterator<Item = &(&'static Kernel, usize)> {
        let step = self.kernels.len().div_ceil(KERNELS);
        self.kernels.iter().step_by(step)
    }
}

/// The layer that finds a change, if any does.
type Found<'a> = (Option<Layer>, &'a Site);

const HEAD: &str = "\
# Mutations of the kernels

`cargo xtask verify --mutations` wrote this page. It changes one place of one kernel at a time, runs
the host loops on small graphs as [verification.md](verification.md) says, and notes which layer
finds the change first: naga's validation; the lints; the check for data races; those of indices and
barriers; those that end what does not end by itself; the host, which ends with an error; or the
comparison with the CPU's answer.

Six kinds of changes are made. *Guard dropped*: a condition always holds, or a function always
returns true. *Claim's result not used*: an atomic operation answers with what a load before it has
found, or a compare-and-exchange that failed counts as done. *Atomic operation in two steps*: a load
and a store in its place. *Barrier dropped*. *Bound off by one*: `<` for `<=`, or the other way
round. *Index swapped*: an access to an array in storage or of a workgroup takes the element behind
the one that is meant.

A change of a line that several kernels import is one change, in the section of its file's folder.
Kernels that the runs do not reach are left out. A change survives if neither the lints nor up to 24
runs of each kernel that it is part of find it, of up to six kernels. Each of those is listed, with
the number of the reason why it survives; the reasons are kept in `xtask/src/verify/reasons`, and
the task fails if a change survives for which there is none.

Sections whose tables have no column *why* were written before reasons were kept, without runs with
small workgroups and without swapped indices.

A folder takes minutes, so `--folder NAME` writes the section of that folder alone. There is none
for a folder whose kernels were not changed yet.
";

/// Changes all kernels, or those of one folder of `shaders/`, and writes their sections of the
/// page, unless they are only to be printed.
pub(super) fn run(only: Option<&str>, most: Option<usize>, prints: bool) -> Outcome {
    let trials = runs::some(EACH);
    let users = users(&trials);
    let mut changes = changes(&users)?;
    changes.retain(|change| only.is_none_or(|only| change.folder() == only));
    if changes.is_empty() {
        return Err("no such kernels are run".into());
    }
    let all = of_folders(&changes);
    if let Some(most) = most {
        changes = sample(changes, most, &all);
    }
    eprintln!("verify: {} changes", changes.len());
    panic::set_hook(Box::new(|_| {}));
    let find = |change: Change| (find(&change, &trials, &users), change);
    let found: Vec<(Option<Layer>, Change)> = changes.into_par_iter().map(find).collect();
    drop(panic::take_hook());
    let mut by_folder: BTreeMap<&str, Vec<Found<'_>>> = BTreeMap::new();
    for (layer, change) in &found {
        let own = by_folder.entry(change.folder()).or_default();
        own.push((*layer, &change.site));
    }
    let path = root().join("docs/mutations.md");
    let old = fs::read_to_string(&path).unwrap_or_default();
    let mut sections = match only {
        Some(_) if !prints => sections(&old),
        _ => BTreeMap::new(),
    };
    let mut faults = Vec::new();
    for (folder, found) in by_folder {
        let reasons = reasons::of_folder(folder)?;
        let mut text = section(&found, &reasons)?;
        if found.len() < all[folder] {
            let (made, all) = (found.len(), all[folder]);
            text.insert_str(
                0,
                &format!("\n{made} of {all} changes were tried, all over the files.\n"),
            );
        }
        sections.insert(folder.to_owned(), text);
        faults.extend(unexplained(&found, &reasons, found.len() == all[folder]));
    }
    let sections = sections.iter();
    let sections = sections.map(|(folder, section)| format!("\n## {folder}\n{section}"));
    let page = HEAD.to_owned() + &sections.collect::<String>();
    if prints {
        print!("{page}");
    } else {
        fs::write(&path, page).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(faults.join("\n").into()),
    }
}

/// How many changes there are in each folder.
fn of_folders(changes: &[Change]) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for change in changes {
        *all.entry(change.folder().to_owned()).or_default() += 1;
    }
    all
}

/// At most so many changes of each folder: the same each time, as far apart from one another as may
/// be.
fn sample(changes: Vec<Change>, most: usize, all: &BTreeMap<String, usize>) -> Vec<Change> {
    let mut passed: BTreeMap<String, usize> = BTreeMap::new();
    let mut is_taken = |change: &Change| {
        let count = all[change.folder()];
        let at = passed.entry(change.folder().to_owned()).or_default();
        let taken = |before: usize| before * most.min(count) / count;
        *at += 1;
        taken(*at) > taken(*at - 1)
    };
    changes
        .into_iter()
        .filter(|change| is_taken(change))
        .collect()
}

/// The changes that survive without a reason and, if all were tried, the reasons for changes that
/// do not survive.
fn unexplained(found: &[Found<'_>], reasons: &Reasons, are_all: bool) -> Vec<String> {
    let survivors = || found.iter().filter(|(layer, _)| layer.is_none());
    let open = survivors().filter(|(_, site)| reasons.why(site).is_none());
    let open = open.map(|(_, site)| format!("{}: {} survives", site.place, site.mutation));
    let needless = match are_all {
        true => reasons.needless(survivors().map(|(_, site)| *site)),
        false => Vec::new(),
    };
    open.chain(needless).collect()
}

/// The sections of a page, by folder.
fn sections(page: &str) -> BTreeMap<String, String> {
    let sections = page.split("\n## ").skip(1);
    let parts = sections.filter_map(|section| section.split_once('\n'));
    parts
        .map(|(folder, text)| (folder.to_owned(), text.trim_end().to_owned() + "\n"))
        .collect()
}

/// The trials in which each kernel is run, by its label, and the host loops that run it there.
type Users = BTreeMap<String, Vec<(usize, Vec<HostLoop>)>>;

fn users(trials: &[Box<dyn Trial>]) -> Users {
    let runs = |trial: &dyn Trial| {
        let mut kernels: BTreeMap<String, Vec<HostLoop>> = BTreeMap::new();
        for host_loop in HostLoop::ALL {
            let device = Interpreter::new(settings(trial));
            trial.wrong_answers(&device, &[host_loop]);
            for kernel in device.runs().into_keys() {
                kernels.entry(kernel).or_default().push(host_loop);
            }
        }
        kernels
    };
    let all = trials.par_iter().map(AsRef::as_ref).map(runs);
    let mut users = Users::new();
    for (number, kernels) in all.collect::<Vec<_>>().into_iter().enumerate() {
        for (kernel, loops) in kernels {
            users.entry(kernel).or_default().push((number, loops));
        }
    }
    users
}

/// All changes of kernels that are run.
fn changes(users: &Users) -> Result<Vec<Change>, verify::Error> {
    let mut changes: BTreeMap<Site, Change> = BTreeMap::new();
    for kernel in gpu::kernels::ALL {
        if !users.contains_key(&kernel.label()) {
            continue;
        }
        for (number, site) in sites(&program(kernel)?).into_iter().enumerate() {
            let change = changes.entry(site.clone());
            let change = change.or_insert_with(|| Change {
                site,
                kernels: Vec::new(),
            });
            // A line may be expanded more than once; then each of its places is tried.
            change.kernels.push((kernel, number));
        }
    }
    Ok(changes.into_values().collect())
}

/// The folder of a file, or of a kernel.
fn folder(name: &str) -> &str {
    name.split('/').next().unwrap_or_default()
}

fn program(kernel: &'static Kernel) -> Result<Program, verify::Error> {
    let constants: Vec<_> = kernel.constants.iter().map(|&name| (name, 32)).collect();
    Program::of_kernel(kernel, &constants)
}

/// The layer that finds a change first.
fn find(change: &Change, trials: &[Box<dyn Trial>], users: &Users) -> Option<Layer> {
    let statically = |&(kernel, site): &(&'static Kernel, usize)| {
        let changed = program(kernel).and_then(|program| mutate(&program, site));
        match changed {
            Ok(changed) if lint(&changed).is_empty() => None,
            Ok(_) => Some(Layer::Lint),
            Err(_) => Some(Layer::Compiler),
        }
    };
    let first = change.tried().find_map(statically);
    first.or_else(|| {
        change.tried().find_map(|&(kernel, site)| {
            let mutant = Mutant {
                kernel: kernel.label(),
                site,
            };
            let mut own = users[&mutant.kernel].iter().take(TRIALS);
            own.find_map(|(number, loops)| found_by(&*trials[*number], &mutant, loops))
        })
    })
}

/// The layer that finds a change in one trial.
fn found_by(trial: &dyn Trial, mutant: &Mutant, loops: &[HostLoop]) -> Option<Layer> {
    let settings = Settings {
        patience: OPERATIONS,
        iterations: ITERATIONS,
        fails_early: true,
        ..settings(trial)
    };
    let device = Interpreter::with_mutant(settings, mutant.clone());
    let run = || trial.wrong_answers(&device, loops);
    let answers = panic::catch_unwind(AssertUnwindSafe(run));
    let faults = device.findings().into_iter();
    let by_device = faults.map(|(_, finding)| Layer::of(finding.fault)).min();
    by_device.or_else(|| match answers {
        Err(_) => Some(Layer::Host),
        Ok(wrong) => wrong.first().map(|wrong| {
            let is_answer = wrong.ends_with(WRONG_ANSWER);
            if is_answer {
                Layer::Answer
            } else {
                Layer::Host
            }
        }),
    })
}

/// The changes of a folder's kernels: how many each layer finds, and which survive.
fn section(found: &[Found<'_>], reasons: &Reasons) -> Result<String, std::fmt::Error> {
    let count = |mutation: Mutation, by: Option<Layer>| {
        let own = found.iter();
        own.filter(|(layer, site)| site.mutation == mutation && *layer == by)
            .count()
    };
    let mut text = "\n| change | made |".to_owned();
    for (_, name) in Layer::ALL {
        write!(text, " {name} |")?;
    }
    text.push_str(" survive |\n| --- | --: |");
    text.push_str(&" --: |".repeat(Layer::ALL.len() + 1));
    for mutation in Mutation::ALL {
        let made = found.iter().filter(|(_, site)| site.mutation == mutation);
        write!(text, "\n| {mutation} | {} |", made.count())?;
        for (layer, _) in Layer::ALL {
            write!(text, " {} |", count(mutation, Some(layer)))?;
        }
        write!(text, " {} |", count(mutation, None))?;
    }
    let survivors = || found.iter().filter(|(layer, _)| layer.is_none());
    text.push_str("\n\nWhy changes survive:\n\n");
    let given = reasons.given(survivors().map(|(_, site)| *site));
    let numbers: BTreeMap<usize, usize> = given.into_iter().zip(1..).collect();
    for (reason, number) in &numbers {
        let lines = reasons.all[*reason].replace('\n', "\n   ");
        writeln!(text, "{number}. {lines}")?;
    }
    text.push_str("\n| survives at | change | text | why |\n| --- | --- | --- | --: |\n");
    for (_, site) in survivors() {
        let Site { mutation, place } = site;
        let line = place.text.replace('|', "\\|");
        let why = reasons.why(site).and_then(|reason| numbers.get(&reason));
        let why = why.map_or_else(|| "none".to_owned(), usize::to_string);
        writeln!(
            text,
            "| {}:{} | {mutation} | `{line}` | {why} |",
            place.file, place.line
        )?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use mdp_graph::ComponentKind;
    use verify::small::digraphs;

    use super::*;
    use crate::verify::graphs;

    #[test]
    fn sections_are_read_as_they_are_written() {
        let page = format!("{HEAD}\n## bfs\n\n| a |\n\n## csr\n\n| b |\n");
        let expected = [("bfs", "\n| a |\n"), ("csr", "\n| b |\n")];
        let expected = expected.map(|(folder, text)| (folder.to_owned(), text.to_owned()));
        assert_eq!(sections(&page), BTreeMap::from(expected));
    }

    /// A sample of the changes of one folder, and the layers that find them. `cargo xtask verify
    /// --mutations` tries all others. Those that survive only do work that is not needed, and a
    /// minimum in two steps is made good by a later iteration (`reasons/bfs.txt`).
    #[test]
    fn a_sample_of_changes_is_found() {
        let trials = graphs::small(digraphs(3).step_by(50), ComponentKind::Scc);
        let mut users = users(&trials);
        users.retain(|kernel, _| kernel.starts_with("bfs/"));
        let changes = changes(&users).expect("they are valid");
        let own = |change: &&Change| change.site.place.file == "bfs/lib/relax.wgsl";
        let found: Vec<String> = changes
            .iter()
            .filter(own)
            .map(|change| {
                let layer = find(change, &trials, &users);
                let names = Layer::ALL.iter().find(|(own, _)| Some(*own) == layer);
                let name = names.map_or("survives", |(_, name)| name);
                let Site { mutation, place } = &change.site;
                format!("{}: {mutation}: {name}", place.line)
            })
            .collect();
        insta::assert_snapshot!(found.join("\n"), @"
        57: guard dropped: bounds, barriers
        62: guard dropped: bounds, barriers
        69: guard dropped: answer
        72: guard dropped: survives
        73: guard dropped: bounds, barriers
        72: claim's result not used: survives
        72: atomic operation in two steps: survives
        69: bound off by one: survives
        72: bound off by one: survives
        57: index swapped: answer
        63: index swapped: bounds, barriers
        69: index swapped: bounds, barriers
        72: index swapped: answer
        74: index swapped: answer
        ");
    }

    /// A state that lost its last edges on both sides at once was entered twice, because the result
    /// of an `atomicOr` was not used. The trials are those of all changes, and know nothing of it.
    #[test]
    fn the_defect_of_the_past_is_found() {
        let trials = runs::some(EACH);
        let label = "worklist/step (INLINE)";
        let mut kernels = gpu::kernels::ALL.iter();
        let kernel = kernels.find(|kernel| kernel.label() == label);
        let kernel = kernel.expect("there is such a kernel");
        let all = sites(&program(kernel).expect("it is valid"));
        for (mutation, line) in [
            (Mutation::Guard, "return claim_trimmed(state);"),
            (
                Mutation::Claim,
                "return is_live(atomicOr(&regions[state], TRIMMED));",
            ),
        ] {
            let is_meant = |site: &Site| site.mutation == mutation && site.place.text == line;
            let mutant = Mutant {
                kernel: kernel.label(),
                site: all.iter().position(is_meant).expect("the line is there"),
            };
            let mut trials = trials.iter();
            let found = trials.find_map(|trial| found_by(&**trial, &mutant, &[HostLoop::Worklist]));
            assert!(found == Some(Layer::Promise), "{mutation}");
        }
    }
}
