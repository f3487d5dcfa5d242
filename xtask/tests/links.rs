//! Tests that each link in a document leads to an existing file of the repository and to an
//! existing heading, and that README.md is short.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The Markdown files of the repository, build products left out.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                folders.push(path);
            } else if name.ends_with(".md") {
                found.push(path);
            }
        }
    }
    found
}

/// The lines of a document that are prose: those between code fences are left out.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The targets of the links and pictures in a document. A link may go over the end of a line.
fn links(text: &str) -> Vec<String> {
    let text: Vec<_> = prose(text).collect();
    let text = text.join("\n");
    let starts = text.match_indices("](").map(|(at, _)| &text[at + 2..]);
    starts
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.to_owned())
        .collect()
}

/// The names by which links reach the headings of a document, made as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
            title
                .chars()
                .filter(kept)
                .collect::<String>()
                .replace(' ', "-")
        })
        .collect()
}

/// What is wrong with a link in the document at `path`, if anything is.
fn fault(path: &Path, text: &str, link: &str) -> Option<String> {
    if link.contains("://") {
        return None;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match file {
        "" => path.to_path_buf(),
        file => path.parent().unwrap().join(file),
    };
    if !target.exists() {
        return Some(format!("{link}: there is no {}", target.display()));
    }
    let is_there = anchor.is_empty()
        || match file {
            "" => anchors(text).iter().any(|name| name == anchor),
            _ => anchors(&fs::read_to_string(target).unwrap())
                .iter()
                .any(|name| name == anchor),
        };
    (!is_there).then(|| format!("{link}: there is no such heading"))
}

#[test]
fn every_link_leads_somewhere() {
    let mut faults = Vec::new();
    let mut count = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        for link in links(&text) {
            count += 1;
            let fault = fault(&path, &text, &link);
            faults.extend(fault.map(|fault| format!("{}: {fault}", path.display())));
        }
    }
    assert!(count > 50, "only {count} links were found");
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn the_front_page_is_short() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let lines = text.lines().count();
    assert!(lines < 200, "README.md has {lines} lines");
}

#[test]
fn broken_links_are_found() {
    let page = root().join("README.md");
    let text = "# A Page: of 2\n[a](#a-page-of-2) [b](#elsewhere)\n```\n[c](nowhere)\n```\n";
    assert_eq!(links(text), ["#a-page-of-2", "#elsewhere"]);
    assert_eq!(fault(&page, text, "#a-page-of-2"), None);
    assert!(fault(&page, text, "#elsewhere").is_some());
    assert!(fault(&page, text, "docs/nowhere.md").is_some());
    assert!(fault(&page, text, "docs/algorithms.md#nowhere").is_some());
    assert_eq!(fault(&page, text, "https://example.org/#x"), None);
}
