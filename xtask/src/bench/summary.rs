//! The summary that the command line prints, as names and values.

use crate::program::released;
use std::path::Path;

/// The names and values that the command line prints about a run.
#[derive(Clone)]
pub(super) struct Summary(Vec<(String, String)>);

impl Summary {
    /// Returns a value, or an empty text if there is none.
    pub(super) fn value(&self, name: &str) -> String {
        let row = self.0.iter().find(|row| row.0 == name);
        row.map(|row| row.1.clone()).unwrap_or_default()
    }

    /// Returns the time of a phase, if there was one.
    pub(super) fn seconds(&self, phase: &str) -> Option<f64> {
        self.value(phase).strip_suffix(" s")?.parse().ok()
    }
}

/// Runs the command line once.
pub(super) fn summary(
    path: &Path,
    components: &str,
    device: &[String],
) -> Result<Summary, Box<dyn std::error::Error>> {
    let output = released()
        .arg("decompose")
        .arg(std::path::absolute(path)?)
        .args(["--components", components, "--quiet"])
        .args(device)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let rows = String::from_utf8(output.stdout)?;
    let rows = rows.lines().filter_map(|row| row.split_once("  "));
    Ok(Summary(
        rows.map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect(),
    ))
}

/// Returns the median of the values, of which there must be one.
pub(super) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
