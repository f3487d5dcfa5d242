//! Circles between the files of a crate: files that use each other, directly or through others.
//!
//! A file uses another if it names something in it, by a `use` or by a path. Re-exports are
//! followed to the file that has the thing. Two things do not count: what only tests name, and that
//! a module re-exports what its own submodules have.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Circles that are accepted: the crate, and the arrows of the circle.
const ACCEPTED: &[(&str, &[&str])] = &[];

/// A module or a path, as the names that lead to it.
type Names = Vec<String>;

/// The files of a crate, by their modules.
#[derive(Default)]
struct Sources {
    /// The paths that each file names, as they are written.
    paths: BTreeMap<Names, BTreeSet<Names>>,
    /// The path behind each name that a file re-exports.
    exports: BTreeMap<(Names, String), Names>,
}

/// The words and signs of a source file, without comments, strings and tests.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if first == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |end| end + 2)
        } else if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        let token = &rest[..length];
        if !token.starts_with("//") && !first.is_whitespace() && first != '"' {
            tokens.push(token);
        }
        rest = &rest[length..];
    }
    without_tests(&tokens)
}

/// Leaves out modules that only tests have.
fn without_tests<'t>(tokens: &[&'t str]) -> Vec<&'t str> {
    let mut kept = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let rest = &tokens[at..];
        if rest.starts_with(&["#", "[", "cfg", "("]) {
            let end = rest.iter().position(|token| *token == "]");
            let attribute = &rest[..end.unwrap_or(0)];
            let module = &rest[attribute.len() + 1..];
            if attribute.contains(&"test") && module.first() == Some(&"mod") {
                at += attribute.len() + 1 + length_of_item(module);
                continue;
            }
        }
        kept.push(*token);
        at += 1;
    }
    kept
}

/// The number of tokens that an item has: up to its semicolon, or its last brace.
fn length_of_item(tokens: &[&str]) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match *token {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 && matches!(*token, "}" | ";") {
            return at + 1;
        }
    }
    tokens.len()
}

/// The paths of a use tree, which begins at token `at`; `at` is then after it.
fn tree(tokens: &[&str], at: &mut usize, prefix: &[String], paths: &mut Vec<Names>) {
    let mut path = prefix.to_vec();
    loop {
        match tokens.get(*at).copied() {
            Some("::") => {}
            Some("{") => {
                while !matches!(tokens.get(*at), None | Some(&"}")) {
                    *at += 1;
                    tree(tokens, at, &path, paths);
                }
                *at += 1;
                return;
            }
            None | Some("," | "}" | ";") => break,
            // A new name does not change what is used.
            Some("as") => *at += 1,
            Some(name) => path.push(name.to_owned()),
        }
        *at += 1;
    }
    if path.len() > prefix.len() {
        paths.push(path);
    }
}

impl Sources {
    /// Reads the files below a folder, which belongs to a module.
    fn read(&mut self, folder: &Path, module: &Names) {
        for entry in fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            let stem = stem.expect("a name").to_owned();
            let mut inner = module.clone();
            if !matches!(&*stem, "lib" | "mod") {
                inner.push(stem.clone());
            }
            if path.is_dir() {
                self.read(&path, &inner);
            } else if stem != "tests" {
                self.add(&inner, &fs::read_to_string(&path).expect("text"));
            }
        }
    }

    /// Adds a file.
    fn add(&mut self, module: &Names, text: &str) {
        let tokens = tokens(text);
        let mut named = BTreeSet::new();
        let mut at = 0;
        while at < tokens.len() {
            let is_public = tokens[..at].last() == Some(&"pub") || tokens[..at].ends_with(&[")"]);
            let is_begin = at == 0 || tokens[at - 1] != "::";
            if tokens[at] == "use" {
                at += 1;
                let mut paths = Vec::new();
                tree(&tokens, &mut at, &[], &mut paths);
                for path in &paths {
                    let name = path.last().expect("a path has names").clone();
                    if is_public {
                        self.exports.insert((module.clone(), name), path.clone());
                    }
                }
                named.extend(paths);
            } else if is_begin && tokens.get(at + 1) == Some(&"::") {
                let mut path = vec![tokens[at].to_owned()];
                while let (Some(&"::"), Some(name)) = (tokens.get(at + 1), tokens.get(at + 2)) {
                    path.push((*name).to_owned());
                    at += 2;
                }
                named.insert(path);
                at += 1;
            } else {
                at += 1;
            }
        }
        self.paths.insert(module.clone(), named);
    }

    /// The module that has what a file names by a path; `None` if that is no file of this crate.
    fn resolve(&self, module: &Names, path: &[String], hops: usize) -> Option<Names> {
        let mut names = match path.first()?.as_str() {
            "crate" => Vec::new(),
            "super" | "self" => module.clone(),
            child => {
                let is_child = self.paths.contains_key(&[&module[..], &path[..1]].concat());
                let is_export = self
                    .exports
                    .contains_key(&(module.clone(), child.to_owned()));
                if !is_child && !is_export {
                    return None;
                }
                module.clone()
            }
        };
        let mut rest = path;
        while let Some((first, others)) = rest.split_first() {
            match first.as_str() {
                "crate" | "self" => {}
                "super" => drop(names.pop()),
                _ => break,
            }
            rest = others;
        }
        names.extend_from_slice(rest);
        let file = (0..=names.len())
            .rev()
            .find(|&length| self.paths.contains_key(&names[..length]))?;
        let (file, inside) = names.split_at(file);
        let exported = inside
            .first()
            .and_then(|name| self.exports.get(&(file.to_vec(), name.clone())));
        match exported {
            Some(path) if hops > 0 => self.resolve(&file.to_vec(), path, hops - 1),
            _ => Some(file.to_vec()),
        }
    }

    /// Which files each file uses.
    fn arrows(&self) -> BTreeMap<Names, BTreeSet<Names>> {
        let of = |module: &Names, paths: &BTreeSet<Names>| {
            let used = paths.iter().filter_map(|path| {
                let file = self.resolve(module, path, 4)?;
                let name = path.last()?.clone();
                let is_export = self.exports.get(&(module.clone(), name)) == Some(path);
                let is_below = file.starts_with(module);
                (file != *module && !(is_export && is_below)).then_some(file)
            });
            used.collect()
        };
        let each = self.paths.iter();
        each.map(|(module, paths)| (module.clone(), of(module, paths)))
            .collect()
    }

    /// The arrows between files that are in circles, one line each.
    fn circles(&self) -> Vec<String> {
        let arrows = self.arrows();
        let reached = |from: &Names| {
            let mut reached = BTreeSet::new();
            let mut queue: Vec<&Names> = arrows[from].iter().collect();
            while let Some(file) = queue.pop() {
                if reached.insert(file) {
                    queue.extend(&arrows[file]);
                }
            }
            reached
        };
        let mut lines = Vec::new();
        for (file, used) in &arrows {
            for other in used.iter().filter(|other| reached(other).contains(file)) {
                lines.push(format!("{} -> {}", file.join("::"), other.join("::")));
            }
        }
        lines
    }
}

/// The folders of the workspace's crates.
fn crates() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let entries = fs::read_dir(root.join("crates")).expect("a folder of crates");
    let mut crates: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    crates.push(root.join("xtask"));
    crates.retain(|path| path.join("Cargo.toml").exists());
    crates.sort();
    crates
}

#[test]
fn files_do_not_depend_on_each_other_in_circles() {
    let (mut arrows, mut circles) = (0, Vec::new());
    for path in crates() {
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.expect("a name");
        let mut sources = Sources::default();
        sources.read(&path.join("src"), &Vec::new());
        arrows += sources.arrows().values().map(BTreeSet::len).sum::<usize>();
        let accepted = ACCEPTED.iter().filter(|(known, _)| *known == name);
        let mut accepted: Vec<&str> = accepted.flat_map(|(_, arrows)| *arrows).copied().collect();
        for arrow in sources.circles() {
            match accepted.iter().position(|known| *known == arrow) {
                Some(place) => drop(accepted.swap_remove(place)),
                None => circles.push(format!("{name}: {arrow}")),
            }
        }
        let gone = accepted.iter().map(|arrow| format!("{name}: no {arrow}"));
        circles.extend(gone);
    }
    assert!(arrows > 500, "{arrows} arrows were found");
    assert_eq!(circles, [""; 0], "circles");
}

/// A crate of these files.
fn made_of(files: &[(&str, &str)]) -> Sources {
    let mut sources = Sources::default();
    for (module, text) in files {
        let names = module.split("::").filter(|name| !name.is_empty());
        sources.add(&names.map(str::to_owned).collect(), text);
    }
    sources
}

#[test]
fn circles_of_all_kinds_are_found() {
    let lib = ("", "mod a;\nmod b;\npub use b::{B, c::C};\n");
    let b = ("b", "//! Uses `crate::a`.\npub mod c;\npub struct B;\n");
    let c = ("b::c", "pub struct C;\n");
    let a = |text: &'static str| made_of(&[lib, ("a", text), b, c]).circles();
    assert_eq!(
        a("use crate::{B, b::c as d};\nfn f() -> crate::C { d::C }\n"),
        [""; 0]
    );
    let with = |c: &'static str| {
        made_of(&[lib, ("a", "use crate::C;\npub struct A;\n"), b, ("b::c", c)]).circles()
    };
    let both = ["a -> b::c", "b::c -> a"];
    assert_eq!(with("use super::super::a::A;\npub struct C;\n"), both);
    assert_eq!(with("pub struct C;\nfn f(a: &crate::a::A) {}\n"), both);
    assert_eq!(
        with("pub struct C;\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n"),
        [""; 0]
    );
    assert_eq!(
        with("pub struct C;\nconst TEXT: &str = \"crate::a::A\"; // crate::a::A\n"),
        [""; 0]
    );
    // Through a third file.
    let long = made_of(&[
        ("", "mod a;\nmod b;\nmod c;\n"),
        ("a", "use crate::b::B;\n"),
        ("b", "use super::c::C;\n"),
        ("c", "fn f() { crate::a::g() }\n"),
    ]);
    assert_eq!(long.circles(), ["a -> b", "b -> c", "c -> a"]);
}
