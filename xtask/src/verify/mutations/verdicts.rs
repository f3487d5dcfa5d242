//! The verdicts on changes, in a file. Each verdict is a line, which is added as soon as it is
//! known, so that a run which is interrupted loses nothing, and a later run continues.
//!
//! A line has these fields, separated by tabs: a file, the number of the line, the kind of the
//! change, the result, the numbers of runs that were made and planned, and the text of the line.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use verify::Place;
use verify::mutate::{Mutation, Site};

use super::find::{Layer, Verdict};
use crate::shell::Outcome;
use crate::verify::cores::lock;

/// The verdicts so far.
pub(super) struct Verdicts {
    known: Mutex<BTreeMap<Site, Verdict>>,
    file: Option<(PathBuf, Mutex<File>)>,
}

impl Verdicts {
    /// Reads the verdicts of a file, which is created if it does not exist. Without a path, there
    /// are none.
    pub(super) fn open(path: Option<&Path>) -> Outcome<Self> {
        let Some(path) = path else {
            return Ok(Self {
                known: Mutex::default(),
                file: None,
            });
        };
        let failed = |error| format!("{}: {error}", path.display());
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            text => text.map_err(failed)?,
        };
        let known = parse(&path.display().to_string(), &text)?;
        let mut file = OpenOptions::new();
        let mut file = file.create(true).append(true).open(path).map_err(failed)?;
        // A run that was interrupted may have left an incomplete line.
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(failed)?;
        }
        Ok(Self {
            known: Mutex::new(known),
            file: Some((path.to_owned(), Mutex::new(file))),
        })
    }

    /// Returns the verdict on a change, if it is known.
    pub(super) fn of(&self, site: &Site) -> Option<Verdict> {
        lock(&self.known).get(site).copied()
    }

    /// Returns all verdicts, by places.
    pub(super) fn all(&self) -> BTreeMap<Site, Verdict> {
        lock(&self.known).clone()
    }

    /// Adds a verdict.
    pub(super) fn add(&self, site: &Site, verdict: Verdict) -> Result<(), String> {
        lock(&self.known).insert(site.clone(), verdict);
        let Some((path, file)) = &self.file else {
            return Ok(());
        };
        let written = lock(file).write_all(line(site, verdict).as_bytes());
        written.map_err(|error| format!("{}: {error}", path.display()))
    }
}

fn line(site: &Site, verdict: Verdict) -> String {
    let Site { mutation, place } = site;
    let Place { file, line, text } = place;
    let Verdict { layer, runs, of } = verdict;
    let layer = Layer::name(layer);
    format!("{file}\t{line}\t{mutation}\t{layer}\t{runs}\t{of}\t{text}\n")
}

/// Parses the verdicts of a file. Its last line may be incomplete.
fn parse(path: &str, text: &str) -> Result<BTreeMap<Site, Verdict>, String> {
    let mut known = BTreeMap::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let Some(line) = line.strip_suffix('\n') else {
            break;
        };
        match verdict(line) {
            Some((site, verdict)) => {
                known.insert(site, verdict);
            }
            // This line was left by a run that was interrupted.
            None if line.matches('\t').count() < 6 => {}
            None => return Err(format!("{path}:{number}: expected a verdict")),
        }
    }
    Ok(known)
}

fn verdict(line: &str) -> Option<(Site, Verdict)> {
    let parts: Vec<&str> = line.splitn(7, '\t').collect();
    let &[file, number, mutation, layer, runs, of, text] = &parts[..] else {
        return None;
    };
    let mut kinds = Mutation::ALL.into_iter();
    let site = Site {
        mutation: kinds.find(|kind| kind.to_string() == mutation)?,
        place: Place {
            file: file.to_owned(),
            line: number.parse().ok()?,
            text: text.to_owned(),
        },
    };
    let verdict = Verdict {
        layer: Layer::of_name(layer)?,
        runs: runs.parse().ok()?,
        of: of.parse().ok()?,
    };
    Some((site, verdict))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(line: u32) -> Site {
        Site {
            mutation: Mutation::Bound,
            place: Place {
                file: "fbt/trim.wgsl".to_owned(),
                line,
                text: "if a < b {".to_owned(),
            },
        }
    }

    const SURVIVES: Verdict = Verdict {
        layer: None,
        runs: 24,
        of: 24,
    };
    const RACES: Verdict = Verdict {
        layer: Some(Layer::Race),
        runs: 3,
        of: 24,
    };

    /// The file has an incomplete line, and lines that were written after it.
    #[test]
    fn an_interrupted_run_is_continued() {
        let name = format!("maxend-verdicts-{}.txt", std::process::id());
        let path = std::env::temp_dir().join(name);
        let first = Verdicts::open(Some(&path)).expect("a new file");
        first.add(&site(1), SURVIVES).expect("it is written");
        first.add(&site(2), RACES).expect("it is written");
        let text = std::fs::read_to_string(&path).expect("it is there");
        assert_eq!(
            text,
            "fbt/trim.wgsl\t1\tbound off by one\tsurvives\t24\t24\tif a < b {\n\
             fbt/trim.wgsl\t2\tbound off by one\trace\t3\t24\tif a < b {\n"
        );
        std::fs::write(&path, &text[..text.len() - 25]).expect("it is written");
        let second = Verdicts::open(Some(&path)).expect("half a file");
        assert_eq!(second.of(&site(1)), Some(SURVIVES));
        assert_eq!(second.of(&site(2)), None);
        second.add(&site(2), RACES).expect("it is written");
        let third = Verdicts::open(Some(&path)).expect("a file");
        assert_eq!(third.of(&site(2)), Some(RACES));
        std::fs::remove_file(&path).expect("it is there");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = parse("v.txt", "a.wgsl\t1\tguard dropped\tlost\t1\t2\tx\n");
        let wrong = wrong.expect_err("there is no such layer");
        insta::assert_snapshot!(wrong, @"v.txt:1: expected a verdict");
    }
}
