//! The shader preprocessor: `#import`, `#ifdef`, `#ifndef`, `#else`, `#endif`, and the head of a
//! shader.
//!
//! The preprocessor knows nothing about WGSL. It stores the file and line of each line of the
//! expanded text, so that an error in the expanded text can point to the original line.
//!
//! ```wgsl
//! //! What the kernel is for. These lines become the documentation of its pass.
//! //! flags: HYBRID, AGGREGATED
//! //! checks: debug
//! #import lib/loop
//! #ifdef HYBRID
//! ...
//! #else
//! ...
//! #endif
//! ```
//!
//! `#import lib/loop` is replaced by `shaders/lib/loop.wgsl`, once. Folders named `lib` contain no
//! kernels. A file may test only the flags that its own head declares. Only the flags in a kernel's
//! own file have variants: a flag that only an imported file declares is off. `checks: debug`
//! states that the kernel's indices and loops need no checks (`gpu::Checks`).

use std::collections::BTreeSet;
use std::fmt;

/// The origin of a line of the expanded text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The file's path below `shaders/`.
    pub(crate) file: String,
    /// The line, counted from 1.
    pub(crate) line: usize,
}

/// An error, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShaderError {
    pub(crate) origin: Origin,
    /// The flags that were on.
    pub(crate) variant: String,
    pub(crate) message: String,
}

impl fmt::Display for ShaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Origin { file, line } = &self.origin;
        write!(
            f,
            "shaders/{file}:{line}: variant {}: {}",
            self.variant, self.message
        )
    }
}

/// The expanded text of one variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expanded {
    pub(crate) text: String,
    /// The origin of each line of `text`.
    pub(crate) origins: Vec<Origin>,
}

impl Expanded {
    /// Groups the origins into stretches of successive lines of one file: the first line of each
    /// stretch in `text`, counted from 1, and its origin.
    pub(crate) fn stretches(&self) -> Vec<(usize, Origin)> {
        let mut stretches: Vec<(usize, Origin)> = Vec::new();
        for (line, origin) in (1..).zip(&self.origins) {
            let goes_on = stretches.last().is_some_and(|(first, start)| {
                start.file == origin.file && start.line + (line - first) == origin.line
            });
            if !goes_on {
                stretches.push((line, origin.clone()));
            }
        }
        stretches
    }
}

/// The `//!` lines at the beginning of a shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) docs: Vec<String>,
    pub(crate) flags: Vec<String>,
    /// Whether indices and loops are checked in debug builds only.
    pub(crate) is_checked_in_debug: bool,
}

/// Reads the head of a shader: its leading `//!` lines.
pub(crate) fn head(source: &str) -> Head {
    let mut head = Head::default();
    for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
        if line.trim() == "checks: debug" {
            head.is_checked_in_debug = true;
        } else if let Some(list) = line.trim().strip_prefix("flags:") {
            let flags = list.split(',').map(|flag| flag.trim().to_owned());
            head.flags.extend(flags);
        } else {
            let text = line.strip_prefix(' ').unwrap_or(line);
            head.docs.push(text.to_owned());
        }
    }
    head
}

/// Returns the name of the variant in which `flags` are on.
pub(crate) fn variant_name(flags: &[String]) -> String {
    match flags {
        [] => "plain".to_owned(),
        _ => flags.join("+"),
    }
}

/// Expands `file` with `flags` on. `read` returns the text of a path below `shaders/`.
pub(crate) fn expand(
    read: &dyn Fn(&str) -> Option<String>,
    file: &str,
    flags: &[String],
) -> Result<Expanded, ShaderError> {
    let mut expander = Expander {
        read,
        flags,
        imported: BTreeSet::new(),
        out: Expanded {
            text: String::new(),
            origins: Vec::new(),
        },
    };
    let asked = Origin {
        file: file.to_owned(),
        line: 1,
    };
    expander.file(file, &asked)?;
    Ok(expander.out)
}

struct Expander<'a> {
    read: &'a dyn Fn(&str) -> Option<String>,
    flags: &'a [String],
    imported: BTreeSet<String>,
    out: Expanded,
}

/// An open `#ifdef`.
struct Branch {
    line: usize,
    /// Whether the lines around it are kept.
    outer: bool,
    /// Whether the lines of the current half are kept.
    kept: bool,
    in_else: bool,
}

impl Expander<'_> {
    /// Appends `file`. The recursion is bounded, because a file is imported at most once.
    fn file(&mut self, file: &str, asked: &Origin) -> Result<(), ShaderError> {
        if !self.imported.insert(file.to_owned()) {
            return Ok(());
        }
        let source = (self.read)(file)
            .ok_or_else(|| self.error(asked, format!("there is no shaders/{file} to import")))?;
        let declared = head(&source).flags;
        let mut branches: Vec<Branch> = Vec::new();
        for (index, line) in source.lines().enumerate() {
            let at = Origin {
                file: file.to_owned(),
                line: index + 1,
            };
            let kept = branches
                .last()
                .is_none_or(|branch| branch.outer && branch.kept);
            match line.trim_start().strip_prefix('#') {
                Some(directive) => {
                    self.directive(directive, &at, kept, &declared, &mut branches)?;
                }
                None if kept && !line.starts_with("//!") => self.line(line, at),
                None => {}
            }
        }
        match branches.last() {
            None => Ok(()),
            Some(open) => {
                let at = Origin {
                    file: file.to_owned(),
                    line: open.line,
                };
                Err(self.error(&at, "this #ifdef has no #endif".to_owned()))
            }
        }
    }

    fn directive(
        &mut self,
        directive: &str,
        at: &Origin,
        kept: bool,
        declared: &[String],
        branches: &mut Vec<Branch>,
    ) -> Result<(), ShaderError> {
        let mut words = directive.split_whitespace();
        match (words.next().unwrap_or(""), words.next(), words.next()) {
            ("import", Some(name), None) if kept => self.file(&format!("{name}.wgsl"), at),
            ("import", Some(_), None) => Ok(()),
            (word @ ("ifdef" | "ifndef"), Some(flag), None) => {
                if !declared.iter().any(|known| known == flag) {
                    let message =
                        format!("the flag {flag} is not declared in the head of this file");
                    return Err(self.error(at, message));
                }
                let on = self.flags.iter().any(|other| other == flag);
                let branch = Branch {
                    line: at.line,
                    outer: kept,
                    kept: on == (word == "ifdef"),
                    in_else: false,
                };
                branches.push(branch);
                Ok(())
            }
            ("else", None, None) => match branches.last_mut() {
                Some(branch) if !branch.in_else => {
                    (branch.kept, branch.in_else) = (!branch.kept, true);
                    Ok(())
                }
                _ => Err(self.error(at, "#else without its #ifdef".to_owned())),
            },
            ("endif", None, None) => match branches.pop() {
                Some(_) => Ok(()),
                None => Err(self.error(at, "#endif without its #ifdef".to_owned())),
            },
            _ => Err(self.error(at, format!("`#{directive}` is no directive of ours"))),
        }
    }

    fn line(&mut self, line: &str, at: Origin) {
        self.out.text.push_str(line);
        self.out.text.push('\n');
        self.out.origins.push(at);
    }

    fn error(&self, at: &Origin, message: String) -> ShaderError {
        ShaderError {
            origin: at.clone(),
            variant: variant_name(self.flags),
            message,
        }
    }
}
