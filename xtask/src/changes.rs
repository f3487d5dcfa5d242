//! The report of `cargo xtask snapshot` about outputs that differ from their reviewed snapshots: a
//! few lines for each model, and what to do next.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

#[cfg(test)]
mod tests;

/// The number of lines of each version that are shown for a changed output. For a new model, twice
/// as many are shown.
const SHOWN_LINES: usize = 4;
/// The number of changed outputs whose lines are shown. The others are only named.
const SHOWN_OUTPUTS: usize = 8;

/// An output that differs from its reviewed snapshot.
pub(crate) struct Change {
    /// The model's name, without the end.
    model: String,
    /// The output's name, such as `labels`.
    output: String,
    /// The reviewed output; `None` if there is no snapshot.
    before: Option<String>,
    after: String,
}

impl Change {
    /// Reads what insta proposes in `MODEL.OUTPUT.snap.new`, and the snapshot beside it.
    ///
    /// # Errors
    /// The proposal must be readable.
    pub(crate) fn read(proposal: &Path) -> io::Result<Self> {
        let snapshot = proposal.with_extension("");
        let name = snapshot.file_stem().unwrap_or_default().to_string_lossy();
        let (model, output) = name.rsplit_once('.').unwrap_or((&name, ""));
        Ok(Self {
            model: model.to_owned(),
            output: output.to_owned(),
            before: fs::read_to_string(&snapshot)
                .ok()
                .map(|text| content(&text)),
            after: content(&fs::read_to_string(proposal)?),
        })
    }
}

/// Returns the content of a snapshot, without the header that insta writes between two lines `---`.
fn content(text: &str) -> String {
    let body = text.strip_prefix("---\n");
    let body = body.and_then(|text| text.split_once("\n---\n"));
    body.map_or(text, |(_, content)| content).to_owned()
}

/// Summarises the differences in a few lines, and says what to do next.
pub(crate) fn summary(changes: &[Change]) -> String {
    let mut text = String::new();
    let mut new: BTreeMap<&str, Vec<&Change>> = BTreeMap::new();
    let mut shown = 0;
    for change in changes {
        let Some(before) = &change.before else {
            new.entry(&change.model).or_default().push(change);
            continue;
        };
        let _ = write!(text, "changed: {}, output {}", change.model, change.output);
        if shown < SHOWN_OUTPUTS {
            difference(&mut text, before, &change.after);
        } else {
            text.push('\n');
        }
        shown += 1;
    }
    for (model, outputs) in new {
        describe_new(&mut text, model, &outputs);
    }
    text + "\nWhat to do next:\n  \
        cargo xtask snapshot --review   shows each difference whole, and asks whether it is right\n  \
        cargo xtask snapshot --accept   takes all of them as they are\n"
}

/// Writes the first lines in which two texts differ.
fn difference(text: &mut String, before: &str, after: &str) {
    let (before, after): (Vec<&str>, Vec<&str>) =
        (before.lines().collect(), after.lines().collect());
    let same = |(a, b): &(&&str, &&str)| a == b;
    let start = before.iter().zip(&after).take_while(same).count();
    let (before, after) = (&before[start..], &after[start..]);
    let end = before.iter().rev().zip(after.iter().rev());
    let end = end.take_while(same).count();
    let _ = writeln!(text, ", from line {}", start + 1);
    for (sign, lines) in [('-', before), ('+', after)] {
        let lines = &lines[..lines.len() - end];
        write_lines(text, sign, lines, SHOWN_LINES);
    }
}

/// Writes the first lines of `lines`, each after a sign, and the number of lines that were left
/// out.
fn write_lines(text: &mut String, sign: char, lines: &[&str], most: usize) {
    for line in lines.iter().take(most) {
        let _ = writeln!(text, "  {sign} {line}");
    }
    if lines.len() > most {
        let _ = writeln!(text, "  {sign} ... {} more lines", lines.len() - most);
    }
}

/// Describes a model without snapshots: the names of its outputs, the beginning of its summary, and
/// a hint if it could not be read.
fn describe_new(text: &mut String, model: &str, outputs: &[&Change]) {
    let names: Vec<&str> = outputs.iter().map(|change| &*change.output).collect();
    let _ = writeln!(
        text,
        "new: {model}, without snapshots for: {}",
        names.join(", ")
    );
    let summary = outputs.iter().find(|change| change.output == "summary");
    let Some(change) = summary.or(outputs.first()) else {
        return;
    };
    let lines: Vec<&str> = change.after.lines().collect();
    write_lines(text, '+', &lines, 2 * SHOWN_LINES);
    if change.after.contains("constant") && change.after.contains("stderr: error") {
        text.push_str(
            "  If the model needs constants, a comment in its head says which ones the snapshots take:\n  \
             // The snapshots take --const N=3,K=2\n",
        );
    }
}
