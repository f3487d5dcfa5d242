//! What paths of the command line stand for: standard streams, and files that may be behind links.

use std::fs;
use std::path::{Path, PathBuf};

/// The path that stands for standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// Returns whether a path stands for standard input.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path == Path::new(STANDARD_INPUT)
}

/// Returns whether a path stands for standard output.
pub(crate) fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-") || (cfg!(unix) && path == Path::new("/dev/stdout"))
}

/// Returns the path, which does not exist yet, at the end of the symbolic links from `path`.
pub(crate) fn end_of_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // Links do not form a circle: the system would have refused to follow them.
    while let Ok(target) = fs::read_link(&path) {
        path = folder(&path).join(target);
    }
    path
}

/// Returns the folder that holds `path`.
pub(crate) fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}
