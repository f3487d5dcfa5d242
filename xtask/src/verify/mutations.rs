//! `cargo xtask verify --mutations`: changes the kernels, one place at a time, and determines which
//! layer finds each change. The results are in `docs/mutations.md`.
//!
//! ```text
//! changes.rs   the places that can be changed, and the trials that run the kernels there
//! find.rs      determines which layer finds a change
//! verdicts.rs  a file of verdicts, with which a later run continues
//! reasons.rs   the reasons why changes survive
//! section.rs   a section of the page
//! page.rs      the page
//! ```

mod changes;
mod find;
mod page;
mod reasons;
mod section;
mod verdicts;

use std::collections::BTreeMap;
use std::fs;
use std::panic;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use changes::{Change, Kernels, folder};
use find::{Finding, Verdict, find};
use reasons::Reasons;
use section::Section;
use verdicts::Verdicts;
use verify::Place;
use verify::mutate::Site;

use super::cores::on_each_core;
use super::runs;
use super::trial::Trial;
use crate::shell::{Outcome, root};

/// The number of trials of each kind.
const EACH: usize = 32;

/// The request of the command line.
#[derive(Debug)]
pub(super) struct Request<'a> {
    /// The folders of `shaders/` whose kernels are changed, in this order; all folders if there are
    /// none.
    pub(super) folders: &'a [String],
    /// The lines that are changed, each a file and a number; all lines if there are none.
    pub(super) places: &'a [String],
    /// At most this many changes of each folder.
    pub(super) most: Option<usize>,
    /// The file to which verdicts are appended, and from which earlier ones are read.
    pub(super) verdicts: Option<PathBuf>,
    /// The time after which a change is no longer tried, and a trial of the kernels as they ship is
    /// too long.
    pub(super) limit: Duration,
    /// Whether only the changes are tried for which the page says that there was too little time.
    pub(super) unfinished: bool,
    /// Whether nothing is tried, and the page is made from the known verdicts.
    pub(super) tries_nothing: bool,
    /// Whether the page is only printed.
    pub(super) prints: bool,
}

/// Changes all kernels, or those of some folders of `shaders/`, and writes or prints their sections
/// of the page.
pub(super) fn run(request: &Request<'_>) -> Outcome {
    let verdicts = Verdicts::open(request.verdicts.as_deref())?;
    let old = page::sections(&fs::read_to_string(path()).unwrap_or_default());
    let known = match request.unfinished {
        true => parsed(&old)?,
        false => BTreeMap::new(),
    };
    let is_unfinished = |site: &Site| {
        let section = known.get(folder(&site.place.file));
        section.is_some_and(|section| section.is_unfinished(site))
    };
    let is_asked = |site: &Site| {
        let mut folders = request.folders.iter();
        let own = folder(&site.place.file);
        (request.folders.is_empty() || folders.any(|folder| folder == own))
            && (!request.unfinished || is_unfinished(site))
    };
    if request.tries_nothing {
        let all = verdicts.all().into_iter();
        let found: Vec<(Site, Verdict)> = all.filter(|(site, _)| is_asked(site)).collect();
        return write(request, old, known, &found, &BTreeMap::new());
    }
    let trials = runs::some(EACH);
    let kernels = Kernels::run_by(&trials, request.limit)?;
    let mut changes = kernels.changes(request.folders);
    changes.retain(|change| is_asked(&change.site));
    if !request.places.is_empty() {
        changes.retain(|change| {
            let Place { file, line, .. } = &change.site.place;
            request.places.contains(&format!("{file}:{line}"))
        });
    }
    if changes.is_empty() {
        return Err("no such kernels are run".into());
    }
    let all = of_folders(&changes);
    if let Some(most) = request.most {
        changes = sample(changes, most, &all);
    }
    try_all(&changes, &trials, &kernels, &verdicts, request.limit)?;
    let found = changes.into_iter().filter_map(|change| {
        let verdict = verdicts.of(&change.site)?;
        Some((change.site, verdict))
    });
    write(request, old, known, &found.collect::<Vec<_>>(), &all)
}

/// Returns the path of the page.
fn path() -> PathBuf {
    root().join("docs/mutations.md")
}

/// Parses the sections of the page.
fn parsed(sections: &BTreeMap<String, String>) -> Result<BTreeMap<String, Section>, String> {
    let parsed = sections.iter().map(|(folder, text)| {
        let failed = |error| format!("docs/mutations.md, {folder}: {error}");
        let section = Section::parse(text).map_err(failed)?;
        Ok((folder.clone(), section))
    });
    parsed.collect()
}

/// Writes the sections of the folders for which there are verdicts. `old` are those of the page,
/// and `known` those in which only the results are replaced that had too little time. `all` are the
/// numbers of changes; folders without a number have all of their verdicts.
fn write(
    request: &Request<'_>,
    old: BTreeMap<String, String>,
    mut known: BTreeMap<String, Section>,
    found: &[(Site, Verdict)],
    all: &BTreeMap<String, usize>,
) -> Outcome {
    let mut by_folder: BTreeMap<&str, Vec<Finding<'_>>> = BTreeMap::new();
    for (site, verdict) in found {
        let own = by_folder.entry(folder(&site.place.file)).or_default();
        own.push((*verdict, site));
    }
    let keeps = request.unfinished || !request.folders.is_empty();
    let mut sections = match keeps && !request.prints {
        true => old,
        false => BTreeMap::new(),
    };
    let mut faults = Vec::new();
    for (folder, found) in by_folder {
        let section = match known.remove(folder) {
            Some(mut section) => {
                section.finish(&found);
                section
            }
            None => Section::of(&found, all.get(folder).copied().unwrap_or(found.len())),
        };
        let reasons = reasons::of_folder(folder)?;
        sections.insert(folder.to_owned(), section.text(&reasons)?);
        faults.extend(unexplained(&section, &reasons));
    }
    let page = page::page(&sections);
    if request.prints {
        print!("{page}");
    } else {
        fs::write(path(), page).map_err(|error| format!("{}: {error}", path().display()))?;
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(faults.join("\n").into()),
    }
}

/// Tries all changes without a verdict, in order, one on each core.
fn try_all(
    changes: &[Change],
    trials: &[Box<dyn Trial>],
    kernels: &Kernels,
    verdicts: &Verdicts,
    limit: Duration,
) -> Outcome {
    let open = || {
        changes
            .iter()
            .filter(|change| verdicts.of(&change.site).is_none())
    };
    let open: Vec<&Change> = open().collect();
    let count = open.len();
    eprintln!(
        "verify: {count} of {} changes are to be tried",
        changes.len()
    );
    panic::set_hook(Box::new(|_| {}));
    let work = |(number, change): (usize, &Change)| {
        let begin = Instant::now();
        let verdict = find(change, trials, kernels, limit);
        let seconds = begin.elapsed().as_secs_f64();
        let Site { mutation, place } = &change.site;
        let number = number + 1;
        eprintln!("verify: {number}/{count}: {place}: {mutation}: {verdict}, {seconds:.1} s");
        verdicts.add(&change.site, verdict)
    };
    let ended = on_each_core(open.into_iter().enumerate(), work);
    drop(panic::take_hook());
    Ok(ended?)
}

/// Returns the number of changes in each folder.
fn of_folders(changes: &[Change]) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for change in changes {
        *all.entry(change.folder().to_owned()).or_default() += 1;
    }
    all
}

/// Returns at most this many changes of each folder, always the same, and as far apart as possible.
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

/// Returns the changes that survive without a reason and, if all were tried, the reasons for
/// changes that do not survive.
fn unexplained(section: &Section, reasons: &Reasons) -> Vec<String> {
    let open = section
        .survivors()
        .filter(|site| reasons.why(site).is_none());
    let open = open.map(|site| format!("{}: {} survives", site.place, site.mutation));
    let needless = match section.has_all() {
        true => reasons.needless(section.survivors()),
        false => Vec::new(),
    };
    open.chain(needless).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mdp_graph::ComponentKind;
    use verify::Program;
    use verify::mutate::{Mutation, sites};
    use verify::run::Mutant;
    use verify::small::digraphs;

    use super::changes::Chosen;
    use super::find::{Layer, Tried, found_by};
    use super::*;
    use crate::verify::graphs;
    use crate::verify::trial::HostLoop;

    /// Tries a sample of the changes of one folder, and checks which layers find them. `cargo xtask
    /// verify --mutations` tries all others. Those that survive only do unnecessary work, and a
    /// minimum in two steps is corrected by a later iteration (`reasons/bfs.txt`).
    #[test]
    fn a_sample_of_changes_is_found() {
        let trials = graphs::small(digraphs(3).step_by(50), ComponentKind::Scc);
        let kernels = Kernels::run_by(&trials, Duration::MAX).expect("they are valid");
        let changes = kernels.changes(&["bfs".to_owned()]);
        let own = |change: &&Change| change.site.place.file == "bfs/lib/relax.wgsl";
        let found: Vec<String> = changes
            .iter()
            .filter(own)
            .map(|change| {
                let verdict = find(change, &trials, &kernels, Duration::MAX);
                let Site { mutation, place } = &change.site;
                format!("{}: {mutation}: {}", place.line, Layer::name(verdict.layer))
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
        57: index swapped: bounds, barriers
        63: index swapped: bounds, barriers
        69: index swapped: bounds, barriers
        72: index swapped: bounds, barriers
        74: index swapped: bounds, barriers
        ");
    }

    /// Without time, no run ends.
    #[test]
    fn runs_that_take_too_long_are_named() {
        let trials = graphs::small(digraphs(3).skip(300).step_by(500), ComponentKind::Scc);
        let known = Kernels::run_by(&trials, Duration::MAX).expect("they are valid");
        let changes = known.changes(&["bfs".to_owned()]);
        let is_meant = |change: &&Change| change.site.place.file == "bfs/lib/relax.wgsl";
        let change = changes.iter().rfind(is_meant).expect("there is one");
        let verdict = find(change, &trials, &known, Duration::ZERO);
        assert!(verdict.survives() && verdict.runs == 0 && verdict.of > 0);
        assert!(verdict.to_string().ends_with("takes too long"), "{verdict}");
        let shipped = Kernels::run_by(&trials, Duration::ZERO).err();
        let shipped = shipped.expect("no time").to_string();
        let mut lines = shipped.lines();
        assert!(lines.all(|line| line.ends_with("takes too long: more than 0 s")));
    }

    /// A state that lost its last edges on both sides at once was entered twice, because the result
    /// of an `atomicOr` was not used. The trials are those of all changes, and are not made for
    /// this defect.
    #[test]
    fn the_defect_of_the_past_is_found() {
        let trials = runs::some(EACH);
        let label = "worklist/step (INLINE)";
        let mut kernels = gpu::kernels::ALL.iter();
        let kernel = kernels.find(|kernel| kernel.label() == label);
        let kernel = kernel.expect("there is such a kernel");
        let constants: Vec<_> = kernel.constants.iter().map(|&name| (name, 32)).collect();
        let all = sites(&Program::of_kernel(kernel, &constants).expect("it is valid"));
        for (mutation, line) in [
            (Mutation::Guard, "return claim_trimmed(state);"),
            (
                Mutation::Claim,
                "return is_live(atomicOr(&regions[state], TRIMMED));",
            ),
        ] {
            let is_meant = |site: &Site| site.mutation == mutation && site.place.text == line;
            let site = all.iter().position(is_meant).expect("the line is there");
            let mutant = Arc::new(Mutant::new([(kernel.label(), site)].into()));
            let chosen = |trial| Chosen {
                trial,
                loops: vec![HostLoop::Worklist],
                most_steps: u64::MAX,
            };
            let mut all = trials.iter().enumerate();
            let found = all.find_map(|(at, trial)| {
                let tried = found_by(&**trial, &mutant, &chosen(at), Duration::MAX);
                (tried != Tried::NotFound).then_some(tried)
            });
            assert!(found == Some(Tried::Found(Layer::Promise)), "{mutation}");
        }
    }
}
