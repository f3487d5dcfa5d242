//! `cargo xtask verify --small-inputs FILE`: runs all small inputs through the host loops of both
//! engines, with all options. The results are in `docs/small-inputs.md`.
//!
//! The results for each input are a line of the file, which is added as soon as they are known. A
//! run that was interrupted continues from there.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::str::FromStr;
use std::sync::Mutex;

use decompose::gpu::GpuOptions;
use decompose::{ComponentSearch, Options, decompose};
use mdp_graph::{ComponentKind, Components, MdpGraph};
use verify::run::Interpreter;
use verify::small::{Model, digraphs, mdps_up_to_symmetry};

use super::cores::{lock, on_each_core};
use super::graphs::{SETS_OF_OPTIONS, components, graph, is_searched, options_of};
use super::trial::settings_of;
use super::tuned;
use crate::shell::{Outcome, root};

/// The largest number of choices of a state in an MDP of three states.
const MAX_CHOICES: u32 = 2;
/// The number of tunings of the worklist engine for each input.
const TUNED: u64 = 16;
/// The number of breadth-first searches of a digraph: level-synchronous ones, and by relaxation.
const SEARCHES: u64 = 12;

/// An engine with its settings, or a search, that runs an input.
#[derive(Clone, Copy, Debug)]
enum Variant {
    /// The papers' engine with a set of options.
    Papers(ComponentSearch, u64),
    /// The worklist engine with its default tuning.
    Worklist,
    /// The worklist engine with a tuning that depends on a seed.
    Tuned(u64),
    /// A breadth-first search from state 0.
    BreadthFirst(u64),
}

impl Variant {
    /// Returns the engines and settings for an input.
    fn of(input: &Input) -> Vec<Self> {
        let number = input.number;
        let papers = [ComponentSearch::Fbt, ComponentSearch::Bfbt].into_iter();
        if input.set == Set::All {
            // With this step, successive inputs use all sets of options.
            let variants = papers.map(|search| Self::Papers(search, 37 * number % SETS_OF_OPTIONS));
            return variants
                .chain([Self::Worklist, Self::Tuned(number)])
                .collect();
        }
        let searches = match input.set {
            Set::Digraphs => SEARCHES,
            _ => 0,
        };
        papers
            .flat_map(|search| (0..SETS_OF_OPTIONS).map(move |set| Self::Papers(search, set)))
            .chain([Self::Worklist])
            .chain((0..TUNED).map(|which| Self::Tuned(TUNED * number + which)))
            .chain((0..searches).map(Self::BreadthFirst))
            .collect()
    }
}

/// An input.
#[derive(Debug)]
struct Input {
    set: Set,
    number: u64,
    model: Model,
}

/// A set of inputs, which determines the settings with which they are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Set {
    /// Digraphs, with all settings.
    Digraphs,
    /// MDPs with few choices, with all settings.
    Narrow,
    /// All MDPs, with some settings.
    All,
}

/// The results for an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ran {
    runs: u64,
    dispatches: u64,
    steps: u64,
}

/// The results for inputs, by their sets and numbers.
type Known = BTreeMap<(Set, u64), Ran>;

const HEAD: &str = "\
# Small inputs with all settings

`cargo xtask verify --small-inputs FILE` wrote this page. It runs the host loops of both engines for
SCCs and MECs on all inputs of the smallest sizes, on the interpreter of
[verification.md](verification.md), and compares the results with those of the CPU. Each run looks
for the faults that are named there, such as data races, broken promises and indices outside their
arrays.

";

/// What is below the table.
const FOOT: &str = "
**Inputs.** There are 2, 16 and 512 digraphs of one, two and three states, including self-loops. The
MDPs of up to three states are those in which no two choices of a state have the same targets; the
targets are any non-empty set of states, and a state without a choice is a deadlock. Of the MDPs
that differ only in the names of their states, one is taken. This gives 2, 36 and 351,616 MDPs. Of
these, 4,205 have three states with at most two choices each.

**Settings.** The papers' engine runs with both of its searches (`fbt`, `bfbt`) and all 256
combinations of these options: segments or none, caches or none, hybrid search or not, with or
without a transpose, plain or aggregated pivots, rows shared by workgroups from 2 entries on or
never, `--candidates all` or `join`, and segments for subgroups of 4 or 32 invocations. The worklist
engine runs with its usual settings and with 16 random settings, which differ from input to input.
Digraphs are also searched breadth-first from state 0, by all twelve searches. Digraphs, and MDPs of
three states with up to two choices each, are run with all of these settings. All MDPs are run with
four: both searches of the papers' engine, each with one of the combinations in turns, and the
worklist engine with its usual settings and with one random setting. Each run has a different
schedule, size of subgroups and number of workgroups; two of three runs have small workgroups.
";

/// One of every so many inputs, from a certain one on, counted over all sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    first: usize,
    every: usize,
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(first, every)| {
            let (first, every) = (first.parse().ok()?, every.parse().ok()?);
            (first < every).then_some(Self { first, every })
        });
        numbers.ok_or_else(|| "two numbers are wanted, K/N, the first one less".to_owned())
    }
}

/// Runs the task: the inputs of a share without results in the file, unless only the page is
/// wanted. Writes or prints the page once all inputs have results.
pub(super) fn run(path: &Path, share: Share, tries_nothing: bool, prints: bool) -> Outcome {
    let failed = |error| format!("{}: {error}", path.display());
    let known = parse(&fs::read_to_string(path).unwrap_or_default());
    let file = OpenOptions::new().create(true).append(true).open(path);
    let file = Mutex::new(file.map_err(failed)?);
    let all = inputs().skip(share.first).step_by(share.every);
    let all = all.take_while(|_| !tries_nothing);
    let open = all.filter(|input| !known.contains_key(&(input.set, input.number)));
    on_each_core(open, |input| {
        let line = line(&input, input.run()?);
        let written = lock(&file).write_all(line.as_bytes());
        written.map_err(failed)
    })?;
    let known = parse(&fs::read_to_string(path).map_err(failed)?);
    let page = page(&known)?;
    match prints {
        true => print!("{page}"),
        false => {
            let path = root().join("docs/small-inputs.md");
            fs::write(&path, page).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(())
}

/// Returns all inputs.
fn inputs() -> impl Iterator<Item = Input> + Send {
    let digraphs = (1..=3).flat_map(digraphs);
    let narrow = mdps_up_to_symmetry(3, MAX_CHOICES);
    let all = (1..=3).flat_map(|n| mdps_up_to_symmetry(n, u32::MAX));
    let numbered = |set, models| {
        let numbered = (0..).zip(models);
        numbered.map(move |(number, model)| Input { set, number, model })
    };
    let digraphs: Box<dyn Iterator<Item = Model> + Send> = Box::new(digraphs);
    numbered(Set::Digraphs, digraphs)
        .chain(numbered(Set::All, Box::new(all)))
        .chain(numbered(Set::Narrow, Box::new(narrow)))
}

impl Input {
    fn kind(&self) -> ComponentKind {
        match self.set {
            Set::Digraphs => ComponentKind::Scc,
            Set::Narrow | Set::All => ComponentKind::Mec,
        }
    }

    /// Runs the input with all of its settings.
    fn run(&self) -> Result<Ran, String> {
        let graph = graph(&self.model);
        let expected = decompose(&graph, self.kind(), &Options::default());
        let expected = expected.map_err(|error| format!("{:?}: {error}", self.model))?;
        let mut ran = Ran::default();
        for (place, variant) in (0..).zip(Variant::of(self)) {
            // With these seeds, ways and inputs are run with all kinds of settings.
            let seed = 1009 * self.number + 7 * place;
            let device = Interpreter::new(settings_of(seed));
            let what = || format!("{:?}, {variant:?}, seed {seed}", self.model);
            match is_right(&device, &graph, &expected, variant) {
                Ok(true) => {}
                Ok(false) => return Err(format!("{}: a wrong answer", what())),
                Err(error) => return Err(format!("{}: {error}", what())),
            }
            if let Some((kernel, finding)) = device.findings().first() {
                return Err(format!("{}, {kernel}: {finding}", what()));
            }
            ran.runs += 1;
            for runs in device.runs().values() {
                ran.dispatches += runs.dispatches;
                ran.steps += runs.steps;
            }
        }
        Ok(ran)
    }
}

/// Returns whether the result in a way is the expected one.
fn is_right(
    device: &Interpreter,
    graph: &MdpGraph,
    expected: &Components,
    variant: Variant,
) -> Result<bool, String> {
    let gpu = device.gpu();
    let kind = expected.kind();
    let found = match variant {
        Variant::Papers(search, set) => {
            let search = (search, false);
            components(&gpu, graph, kind, search, &options_of(set))?
        }
        Variant::Worklist => {
            let search = (ComponentSearch::Auto, false);
            components(&gpu, graph, kind, search, &GpuOptions::default())?
        }
        Variant::Tuned(seed) => {
            let found = tuned::Variant::drawn(seed).components(&gpu, graph, kind);
            found.map_err(|error| error.to_string())?
        }
        Variant::BreadthFirst(which) => return is_searched(&gpu, graph, which as usize),
    };
    Ok(found == *expected)
}

/// The sets, their names in files, their titles, and their sizes.
const SETS: [(Set, &str, &str, usize); 3] = [
    (Set::Digraphs, "digraph", "digraphs, all settings", 530),
    (
        Set::Narrow,
        "narrow",
        "MDPs of three states with up to two choices each, all settings",
        4205,
    ),
    (Set::All, "mdp", "MDPs, four settings", 351_654),
];

fn line(input: &Input, ran: Ran) -> String {
    let mut sets = SETS.iter();
    let name = sets.find(|(set, ..)| *set == input.set);
    let name = name.map_or("", |(_, name, ..)| name);
    let Ran {
        runs,
        dispatches,
        steps,
    } = ran;
    format!("{name} {} {runs} {dispatches} {steps}\n", input.number)
}

/// Parses the lines of a file. An incomplete line, left by a run that was interrupted, is skipped.
fn parse(text: &str) -> Known {
    let lines = text
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    let entry = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next()?;
        let (set, ..) = SETS.iter().find(|(_, own, ..)| *own == name)?;
        let numbers: Vec<u64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let &[number, runs, dispatches, steps] = &numbers[..] else {
            return None;
        };
        let ran = Ran {
            runs,
            dispatches,
            steps,
        };
        Some(((*set, number), ran))
    };
    lines.filter_map(entry).collect()
}

fn page(known: &Known) -> Result<String, std::fmt::Error> {
    let mut page = HEAD.to_owned();
    page.push_str("| inputs | in total | examined | runs | dispatches | steps |\n");
    page.push_str("| --- | --: | --: | --: | --: | --: |\n");
    let mut are_all = true;
    for (set, _, title, size) in SETS {
        let own = || known.iter().filter(|((own, _), _)| *own == set);
        let sum = |part: fn(&Ran) -> u64| own().map(|(_, ran)| part(ran)).sum::<u64>();
        are_all &= own().count() == size;
        writeln!(
            page,
            "| {title} | {size} | {} | {} | {} | {} |",
            own().count(),
            sum(|ran| ran.runs),
            sum(|ran| ran.dispatches),
            sum(|ran| ran.steps)
        )?;
    }
    page.push_str("\nAll answers were right, and nothing else was found.");
    if !are_all {
        page.push_str("\nNot all inputs were run yet: the table says how many.");
    }
    page.push('\n');
    page.push_str(FOOT);
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_counted_and_half_a_line_is_none() {
        let known = parse("digraph 3 541 10 20\nnarrow 530 529 7 9\nnarrow 531 529 7");
        assert_eq!(known.len(), 2);
        let page = page(&known).expect("it is written");
        assert!(
            page.contains("| digraphs, all settings | 530 | 1 | 541 | 10 | 20 |"),
            "{page}"
        );
        assert!(
            page.contains("all settings | 4205 | 1 | 529 | 7 | 9 |"),
            "{page}"
        );
    }

    #[test]
    fn a_share_is_less_than_all() {
        let share = |first, every| Ok(Share { first, every });
        assert_eq!("0/1".parse(), share(0, 1));
        assert_eq!("5/16".parse(), share(5, 16));
        for wrong in ["16/16", "1", "/", "1/-2"] {
            assert!(wrong.parse::<Share>().is_err(), "{wrong}");
        }
    }

    /// Runs one of the inputs of each set, with all of its settings.
    #[test]
    fn inputs_are_run_with_their_settings() {
        let ran: Vec<u64> = [(Set::Digraphs, 300), (Set::Narrow, 2000), (Set::All, 40)]
            .into_iter()
            .map(|(set, number)| {
                let mut own = inputs().filter(|input| input.set == set && input.number == number);
                let input = own.next().expect("there is one");
                input.run().expect("it is right").runs
            })
            .collect();
        for (set, _, title, size) in SETS {
            let own = inputs().filter(|input| input.set == set);
            assert_eq!(own.count(), size, "{title}");
        }
        let all = 2 * SETS_OF_OPTIONS + 1 + TUNED;
        assert_eq!(ran, [all + SEARCHES, all, 4]);
    }
}
