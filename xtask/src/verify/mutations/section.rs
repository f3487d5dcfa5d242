//! A section of the page: the number of changes of a folder that each layer finds, and the changes
//! that survive. It is written, and read again in order to replace some of its results.

use std::collections::BTreeMap;
use std::fmt::{Error, Write as _};

use verify::Place;
use verify::mutate::{Mutation, Site};

use super::find::{Finding, Layer, Verdict};
use super::reasons::Reasons;

/// The end of the line that says how many changes were tried, if not all were.
const TRIED: &str = " changes were tried.";

/// The results for the changes of a folder.
#[derive(Debug, Default)]
pub(super) struct Section {
    /// The number of changes, tried or not.
    all: usize,
    /// The number of changes of each kind that each layer finds, or none does.
    counts: BTreeMap<(Mutation, Option<Layer>), usize>,
    survivors: BTreeMap<Site, Verdict>,
}

impl Section {
    /// Returns the section of a folder, whose kernels have this many changes.
    pub(super) fn of(found: &[Finding<'_>], all: usize) -> Self {
        let mut section = Self {
            all,
            ..Self::default()
        };
        for (verdict, site) in found {
            section.add(site, *verdict);
        }
        section
    }

    /// Reads a section as it is on the page.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut section = Self::default();
        let mut all = None;
        for line in text.lines() {
            if let Some(tried) = line.strip_suffix(TRIED) {
                let (_, number) = tried.split_once(" of ").unwrap_or_default();
                all = number.parse().ok();
            }
            let row = line.strip_prefix("| ");
            let Some(row) = row.and_then(|row| row.strip_suffix(" |")) else {
                continue;
            };
            let (first, _) = row.split_once(" | ").unwrap_or_default();
            let is_read = match mutation(first) {
                Some(mutation) => section.read_counts(mutation, row),
                None if first.contains(".wgsl") => section.read_survivor(row),
                None => Some(()),
            };
            is_read.ok_or_else(|| format!("expected a row of results: {line}"))?;
        }
        section.all = all.unwrap_or_else(|| section.tried());
        Ok(section)
    }

    fn read_counts(&mut self, mutation: Mutation, row: &str) -> Option<()> {
        let numbers = row.split(" | ").skip(2).map(|cell| cell.parse().ok());
        let numbers = numbers.collect::<Option<Vec<usize>>>()?;
        if numbers.len() != Layer::ALL.len() + 1 {
            return None;
        }
        let layers = Layer::ALL.into_iter().map(|(layer, _)| Some(layer));
        for (layer, number) in layers.chain([None]).zip(numbers) {
            self.counts.insert((mutation, layer), number);
        }
        Some(())
    }

    fn read_survivor(&mut self, row: &str) -> Option<()> {
        let (place, row) = row.split_once(" | ")?;
        let (kind, row) = row.split_once(" | ")?;
        let (row, _) = row.rsplit_once(" | ")?;
        let (text, runs) = row.rsplit_once(" | ")?;
        let (file, line) = place.split_once(':')?;
        let text = text.strip_prefix('`')?.strip_suffix('`')?;
        let (runs, of) = runs.split_once(" of ").unwrap_or((runs, runs));
        let site = Site {
            mutation: mutation(kind)?,
            place: Place {
                file: file.to_owned(),
                line: line.parse().ok()?,
                text: text.replace("\\|", "|"),
            },
        };
        let verdict = Verdict {
            layer: None,
            runs: runs.parse().ok()?,
            of: of.parse().ok()?,
        };
        self.survivors.insert(site, verdict);
        Some(())
    }

    fn add(&mut self, site: &Site, verdict: Verdict) {
        let key = (site.mutation, verdict.layer);
        *self.counts.entry(key).or_default() += 1;
        if verdict.survives() {
            self.survivors.insert(site.clone(), verdict);
        }
    }

    /// Replaces the results of those changes for whose runs there was too little time.
    pub(super) fn finish(&mut self, found: &[Finding<'_>]) {
        for (verdict, site) in found {
            if self.is_unfinished(site) {
                self.survivors.remove(site);
                let count = self.counts.get_mut(&(site.mutation, None));
                count.into_iter().for_each(|count| *count -= 1);
                self.add(site, *verdict);
            }
        }
    }

    /// Returns whether there was too little time for the runs of a change.
    pub(super) fn is_unfinished(&self, site: &Site) -> bool {
        let survivor = self.survivors.get(site);
        survivor.is_some_and(|Verdict { runs, of, .. }| runs < of)
    }

    /// Returns the changes that survive.
    pub(super) fn survivors(&self) -> impl Iterator<Item = &Site> {
        self.survivors.keys()
    }

    fn tried(&self) -> usize {
        self.counts.values().sum()
    }

    /// Returns whether all changes were tried.
    pub(super) fn has_all(&self) -> bool {
        self.tried() >= self.all
    }

    /// Returns the text of the section.
    pub(super) fn text(&self, reasons: &Reasons) -> Result<String, Error> {
        let mut text = String::new();
        if !self.has_all() {
            writeln!(text, "\n{} of {}{TRIED}", self.tried(), self.all)?;
        }
        text.push_str(&self.table()?);
        if self.survivors.is_empty() {
            return Ok(text);
        }
        text.push_str("\nWhy changes survive:\n\n");
        let given = reasons.given(self.survivors());
        let numbers: BTreeMap<usize, usize> = given.into_iter().zip(1..).collect();
        for (reason, number) in &numbers {
            let lines = reasons.all[*reason].replace('\n', "\n   ");
            writeln!(text, "{number}. {lines}")?;
        }
        text.push_str("\n| survives at | change | text | runs | why |\n");
        text.push_str("| --- | --- | --- | --: | --: |\n");
        for (site, Verdict { runs, of, .. }) in &self.survivors {
            let Site { mutation, place } = site;
            let line = place.text.replace('|', "\\|");
            let why = reasons.why(site).and_then(|reason| numbers.get(&reason));
            let why = why.map_or_else(|| "none".to_owned(), usize::to_string);
            let runs = match runs == of {
                true => runs.to_string(),
                false => format!("{runs} of {of}"),
            };
            writeln!(
                text,
                "| {}:{} | {mutation} | `{line}` | {runs} | {why} |",
                place.file, place.line
            )?;
        }
        Ok(text)
    }

    /// Returns a table with the number of changes of each kind, and the number that each layer
    /// finds.
    fn table(&self) -> Result<String, Error> {
        let count = |mutation, layer| self.counts.get(&(mutation, layer)).copied().unwrap_or(0);
        let mut text = "\n| change | made |".to_owned();
        for (_, name) in Layer::ALL {
            write!(text, " {name} |")?;
        }
        text.push_str(" survive |\n| --- | --: |");
        text.push_str(&" --: |".repeat(Layer::ALL.len() + 1));
        for mutation in Mutation::ALL {
            let own = self
                .counts
                .iter()
                .filter(|((kind, _), _)| *kind == mutation);
            let made: usize = own.map(|(_, count)| count).sum();
            write!(text, "\n| {mutation} | {made} |")?;
            for (layer, _) in Layer::ALL {
                write!(text, " {} |", count(mutation, Some(layer)))?;
            }
            write!(text, " {} |", count(mutation, None))?;
        }
        text.push('\n');
        Ok(text)
    }
}

/// Returns the kind of change with this name.
fn mutation(name: &str) -> Option<Mutation> {
    let mut all = Mutation::ALL.into_iter();
    all.find(|mutation| mutation.to_string() == name)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::{page, reasons};
    use super::*;
    use crate::shell::root;

    fn site(mutation: Mutation, line: u32) -> Site {
        Site {
            mutation,
            place: Place {
                file: "bfs/a.wgsl".to_owned(),
                line,
                text: "if a || b | c {".to_owned(),
            },
        }
    }

    fn verdict(layer: Option<Layer>, runs: usize) -> Verdict {
        let of = 9;
        Verdict { layer, runs, of }
    }

    /// The page that is there is the one that its results give.
    #[test]
    fn the_page_is_written_as_it_is_read() {
        let page = fs::read_to_string(root().join("docs/mutations.md")).expect("it is there");
        for (folder, text) in page::sections(&page) {
            let reasons = reasons::of_folder(&folder).expect("they are right");
            let section = Section::parse(&text).expect("it is right");
            assert!(section.has_all());
            assert_eq!(section.text(&reasons).expect("it is written"), text);
        }
    }

    /// Results are replaced where there was too little time, and only there.
    #[test]
    fn results_without_time_are_replaced() {
        let sites = [1, 2, 3].map(|line| site(Mutation::Guard, line));
        let [complete, found, survivor] = &sites;
        let before = [
            (verdict(None, 9), complete),
            (verdict(None, 5), found),
            (verdict(None, 6), survivor),
        ];
        let text = |section: &Section| section.text(&Reasons::default()).expect("it is written");
        let mut section = Section::parse(&text(&Section::of(&before, 4))).expect("it is right");
        let after = [
            (verdict(Some(Layer::Host), 3), complete),
            (verdict(Some(Layer::Race), 7), found),
            (verdict(None, 9), survivor),
            (verdict(Some(Layer::Race), 1), &site(Mutation::Bound, 1)),
        ];
        section.finish(&after);
        let expected = [before[0], after[1], after[2]];
        assert_eq!(text(&section), text(&Section::of(&expected, 4)));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = [
            "| guard dropped | 1 | 0 |",
            "| guard dropped | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | one |",
            "| bfs/a.wgsl | guard dropped | `if a {` | 1 | 1 |",
            "| bfs/a.wgsl:1 | guard | `if a {` | 1 | 1 |",
            "| bfs/a.wgsl:1 | guard dropped | `if a {` | 1 of | 1 |",
        ];
        let said = wrong.map(|line| Section::parse(line).expect_err("it is wrong"));
        insta::assert_snapshot!(said.join("\n"), @"
        expected a row of results: | guard dropped | 1 | 0 |
        expected a row of results: | guard dropped | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | one |
        expected a row of results: | bfs/a.wgsl | guard dropped | `if a {` | 1 | 1 |
        expected a row of results: | bfs/a.wgsl:1 | guard | `if a {` | 1 | 1 |
        expected a row of results: | bfs/a.wgsl:1 | guard dropped | `if a {` | 1 of | 1 |
        ");
    }
}
