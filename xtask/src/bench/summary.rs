//! What a run of the command line prints, as names and values.

use crate::program::released;
use std::path::Path;

/// What the command line prints of a run: names and values.
#[derive(Clone)]
pub(super) struct Summary(Vec<(String, String)>);

impl Summary {
    /// A value, or nothing.
    pub(super) fn value(&self, name: &str) -> String {
        let row = self.0.iter().find(|row| row.0 == name);
        row.map(|row| row.1.clone()).unwrap_or_default()
    }

    /// What a phase took, if there was one.
    pub(super) fn seconds(&self, phase: &str) -> Option<f64> {
        self.value(phase).strip_suffix(" s")?.parse().ok()
    }
}

/// One run of the command line.
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

/// The middle one of the values, which there are.
pub(super) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
