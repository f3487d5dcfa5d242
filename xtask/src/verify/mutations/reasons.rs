//! The reasons why changes survive. `xtask/src/verify/reasons/FOLDER.txt` gives them for the files
//! of a folder.
//!
//! ```text
//! The condition only avoids a claim that would fail.
//!     bfs/lib/expand.wgsl: guard, bound: if which.x {
//! ```
//!
//! The text of a reason begins at the margin. The indented lines below it name the changes that it
//! explains: a file, the kinds of changes, and the text of the line. They apply to all lines of the
//! file with this text. A reason begins with `OPEN` if the change is an error that no run shows.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use verify::mutate::{Mutation, Site};

use crate::shell::{Outcome, root};

/// The reasons why changes survive.
#[derive(Debug, Default)]
pub(super) struct Reasons {
    pub(super) all: Vec<String>,
    changes: Vec<Change>,
}

/// A change of one line, or of several lines with the same text.
#[derive(Debug)]
struct Change {
    reason: usize,
    file: String,
    kinds: Vec<Mutation>,
    text: String,
    /// The place of the reason: a path and a line.
    at: String,
}

/// The names of kinds of changes.
const KINDS: [(&str, Mutation); 6] = [
    ("guard", Mutation::Guard),
    ("claim", Mutation::Claim),
    ("steps", Mutation::TwoSteps),
    ("barrier", Mutation::Barrier),
    ("bound", Mutation::Bound),
    ("index", Mutation::Index),
];

/// Reads the reasons for the files of a folder of `shaders/`; none if the folder has no reasons.
pub(super) fn of_folder(folder: &str) -> Outcome<Reasons> {
    let path = format!("xtask/src/verify/reasons/{folder}.txt");
    match root().join(Path::new(&path)) {
        there if there.exists() => Ok(parse(&path, &fs::read_to_string(there)?)?),
        _ => Ok(Reasons::default()),
    }
}

fn parse(path: &str, text: &str) -> Result<Reasons, String> {
    let mut reasons = Reasons::default();
    let mut goes_on = false;
    for (number, line) in (1..).zip(text.lines()) {
        let at = format!("{path}:{number}");
        if line.trim().is_empty() {
            goes_on = false;
        } else if let Some(change) = line.strip_prefix("    ") {
            goes_on = false;
            let reason = reasons.all.len().checked_sub(1);
            let reason = reason.ok_or_else(|| format!("{at}: expected a reason before this"))?;
            reasons.changes.push(change_of(reason, change.trim(), at)?);
        } else if goes_on {
            let last = reasons.all.last_mut();
            last.into_iter().for_each(|last| {
                last.push('\n');
                last.push_str(line);
            });
        } else {
            goes_on = true;
            reasons.all.push(line.to_owned());
        }
    }
    Ok(reasons)
}

fn change_of(reason: usize, line: &str, at: String) -> Result<Change, String> {
    let mut parts = line.splitn(3, ": ");
    let (Some(file), Some(kinds), Some(text)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(format!(
            "{at}: expected a file, kinds of changes, and a line"
        ));
    };
    let kind = |name: &str| {
        let mut known = KINDS.iter();
        let found = known.find(|(own, _)| *own == name.trim());
        let names = KINDS.map(|(own, _)| own).join(", ");
        let unknown = || format!("{at}: unknown kind `{}`; expected {names}", name.trim());
        found.map(|(_, kind)| *kind).ok_or_else(unknown)
    };
    Ok(Change {
        reason,
        file: file.to_owned(),
        kinds: kinds.split(',').map(kind).collect::<Result<_, _>>()?,
        text: text.to_owned(),
        at,
    })
}

impl Reasons {
    /// Returns the number of the reason why a change survives.
    pub(super) fn why(&self, site: &Site) -> Option<usize> {
        let mut all = self.changes.iter();
        let found = all.find(|change| change.is_of(site, site.mutation))?;
        Some(found.reason)
    }

    /// Returns messages about reasons for changes that do not survive.
    pub(super) fn needless<'s>(&self, survivors: impl Iterator<Item = &'s Site>) -> Vec<String> {
        let survivors: Vec<&Site> = survivors.collect();
        let mut needless = Vec::new();
        for change in &self.changes {
            for &kind in &change.kinds {
                if !survivors.iter().any(|site| change.is_of(site, kind)) {
                    needless.push(format!("{}: {kind} does not survive there", change.at));
                }
            }
        }
        needless
    }

    /// Returns the reasons that are given for some changes.
    pub(super) fn given<'s>(&self, survivors: impl Iterator<Item = &'s Site>) -> BTreeSet<usize> {
        survivors.filter_map(|site| self.why(site)).collect()
    }
}

impl Change {
    fn is_of(&self, site: &Site, kind: Mutation) -> bool {
        site.mutation == kind
            && self.kinds.contains(&kind)
            && self.file == site.place.file
            && self.text == site.place.text
    }
}

#[cfg(test)]
mod tests {
    use verify::Place;

    use super::*;

    fn site(mutation: Mutation, text: &str) -> Site {
        Site {
            mutation,
            place: Place {
                file: "bfs/a.wgsl".to_owned(),
                line: 7,
                text: text.to_owned(),
            },
        }
    }

    #[test]
    fn changes_are_found_by_their_lines() {
        let text = "It saves\nwork.\n    bfs/a.wgsl: guard, bound: if a: b {\n\nOPEN\n    \
                    bfs/a.wgsl: barrier: workgroupBarrier();\n";
        let reasons = parse("x.txt", text).expect("it is right");
        assert_eq!(reasons.all, ["It saves\nwork.", "OPEN"]);
        let known = [
            site(Mutation::Guard, "if a: b {"),
            site(Mutation::Barrier, "workgroupBarrier();"),
        ];
        assert_eq!(reasons.why(&known[0]), Some(0));
        assert_eq!(reasons.why(&known[1]), Some(1));
        assert_eq!(reasons.why(&site(Mutation::Claim, "if a: b {")), None);
        let needless = reasons.needless(known.iter());
        assert_eq!(
            needless,
            ["x.txt:3: bound off by one does not survive there"]
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = [
            "    a: guard: b",
            "Why.\n    a: guard",
            "Why.\n    a: gard: b",
        ];
        let said = wrong.map(|text| parse("x.txt", text).expect_err("it is wrong"));
        insta::assert_snapshot!(said.join("\n"), @"
        x.txt:1: expected a reason before this
        x.txt:2: expected a file, kinds of changes, and a line
        x.txt:2: unknown kind `gard`; expected guard, claim, steps, barrier, bound, index
        ");
    }

    /// Each file can be read, and refers to existing lines.
    #[test]
    fn the_reasons_are_for_lines_that_are_there() {
        let folder = root().join("xtask/src/verify/reasons");
        for file in fs::read_dir(folder).expect("it is there") {
            let path = file.expect("it can be read").path();
            let name = path.file_stem().expect("it has one").to_string_lossy();
            let reasons = of_folder(&name).expect("it is right");
            for change in &reasons.changes {
                assert!(change.file.starts_with(&*name), "{}", change.at);
                let shader = fs::read_to_string(root().join("shaders").join(&change.file));
                let shader = shader.unwrap_or_else(|error| panic!("{}: {error}", change.at));
                let is_there = shader.lines().any(|line| line.trim() == change.text);
                assert!(is_there, "{}: no such line", change.at);
            }
        }
    }
}
