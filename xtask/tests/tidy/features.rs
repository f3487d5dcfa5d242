//! Public enums with variants that only a feature of their crate adds.

/// Finds such enums that another crate may match without an arm for more variants. That crate would
/// compile only while nobody asks for the feature, and cargo compiles each crate once, with the
/// features that any crate in the build asks for.
pub(crate) fn closed_enums(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut violations = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let Some(name) = line.strip_prefix("pub enum ") else {
            continue;
        };
        let mut body = lines[i..].iter().take_while(|line| **line != "}");
        let has_features = body.any(|line| {
            let line = line.trim_start();
            line.starts_with("#[cfg(") && line.contains("feature = ")
        });
        let above = lines[..i].iter().rev();
        let is_open = above
            .take_while(|line| line.starts_with("#[") || line.starts_with("///"))
            .any(|line| *line == "#[non_exhaustive]");
        if has_features && !is_open {
            let name = name.trim_end_matches(" {");
            violations.push(format!(
                "line {}: a feature adds a variant to `{name}`, which is not #[non_exhaustive]",
                i + 1
            ));
        }
    }
    violations
}
