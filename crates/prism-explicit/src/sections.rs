//! Combined files (`.pexp`): a whole model in one file, in sections that begin with headings.
//!
//! ```text
//! # Transitions (MDP)
//! 2 2 2
//! 0 0 1 1
//! 1 0 1 1
//!
//! # States
//! (x)
//! ...
//! # Labels
//! ...
//! # Reward structure "time"
//! # State rewards
//! ...
//! ```

use crate::error::{Checked, Error, ErrorKind, Fault, FileKind};
use crate::grammar::{self, Line};
use std::ops::Range;

/// The positions of the sections of a combined file, in bytes. Each section is a text for the
/// reader of its kind. [`Error::within`](parse_error::Error::within) moves errors in it to their
/// position in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sections {
    /// The transitions, which come first.
    pub transitions: Range<usize>,
    /// The values of variables.
    pub states: Option<Range<usize>>,
    /// The observations of states.
    pub observations: Option<Range<usize>>,
    /// The labels.
    pub labels: Option<Range<usize>>,
    /// The reward structures.
    pub rewards: Vec<RewardSections>,
}

/// The positions of the sections of a reward structure. Its name comes before the first of its
/// sections, or before each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RewardSections {
    /// The rewards of states.
    pub states: Option<Range<usize>>,
    /// The rewards of transitions.
    pub transitions: Option<Range<usize>>,
}

/// Finds the sections of a combined file. A plain transitions file is a combined file with one
/// section.
///
/// # Errors
///
/// [`ErrorKind::RepeatedSection`] if there are two sections of one kind.
pub fn sections(input: &[u8]) -> Result<Sections, Error> {
    find(input).map_err(|fault| fault.locate(input))
}

/// Returns whether a text is a combined file: it begins with transitions, with or without a
/// heading, and a section of another kind follows.
#[must_use]
pub fn is_combined(input: &[u8]) -> bool {
    let starts_other = |line| heading(line).is_some_and(|(kind, _)| kind != FileKind::Transitions);
    let mut headings = headings_at(input).filter(|&(_, line)| starts_other(line));
    headings.next().is_some_and(|(at, _)| {
        let mut lines = grammar::lines(&input[..at], grammar::text_start(input));
        lines.any(|line| !line.is_idle())
    })
}

/// Returns the kind of section that a line begins, and the text of the line if it names a reward
/// structure.
fn heading(line: Line<'_>) -> Option<(FileKind, Option<&[u8]>)> {
    let text = grammar::comment(line.text)?;
    let section = grammar::section(text)?;
    let is_name = text.starts_with(b"Reward structure");
    Some((section.kind, is_name.then_some(text)))
}

fn find(input: &[u8]) -> Checked<Sections> {
    let mut finder = Finder {
        input,
        found: Sections {
            transitions: 0..input.len(),
            ..Sections::default()
        },
        name_of_last: None,
    };
    let mut open = Open {
        kind: FileKind::Transitions,
        start: 0,
        name: None,
    };
    // The end of the last line, if it named a reward structure.
    let mut behind_name = None;
    let mut is_first = true;
    for (at, line) in headings_at(input) {
        let Some((kind, name)) = heading(line) else {
            continue;
        };
        let name_end = behind_name.take();
        let belongs = |end: usize| name.is_none() && input[end..at].trim_ascii().is_empty();
        if name_end.is_some_and(belongs) {
            open.kind = kind;
            continue;
        }
        // This is the heading of the section at the beginning of the file.
        if std::mem::take(&mut is_first) && kind == FileKind::Transitions {
            continue;
        }
        finder.close(open, at)?;
        open = Open {
            kind,
            start: at,
            name,
        };
        behind_name = name.map(|_| line.next);
    }
    finder.close(open, input.len())?;
    Ok(finder.found)
}

/// Returns the lines that begin with `#`, after any blanks, with their positions.
fn headings_at(input: &[u8]) -> impl Iterator<Item = (usize, Line<'_>)> {
    let start = grammar::text_start(input);
    let line_start = move |at: usize| {
        let before = &input[start..at];
        let blanks = before.iter().rev().take_while(|&&b| grammar::is_blank(b));
        let begin = at - blanks.count();
        (begin == start || input[begin - 1] == b'\n').then_some(begin)
    };
    let places = memchr::memchr_iter(b'#', input).filter_map(line_start);
    places.map(|at| (at, Line::at(input, at)))
}

/// A section whose end is not known yet.
#[derive(Clone, Copy)]
struct Open<'i> {
    kind: FileKind,
    start: usize,
    /// The line that names the reward structure, if it begins the section.
    name: Option<&'i [u8]>,
}

struct Finder<'i> {
    input: &'i [u8],
    found: Sections,
    /// The line that named the last reward structure.
    name_of_last: Option<&'i [u8]>,
}

impl<'i> Finder<'i> {
    /// Ends a section, and adds it to the result.
    fn close(&mut self, open: Open<'i>, end: usize) -> Checked<()> {
        let Open { kind, start, .. } = open;
        let place = match kind {
            FileKind::Transitions if start == 0 => {
                self.found.transitions.end = end;
                return Ok(());
            }
            FileKind::States => Some(&mut self.found.states),
            FileKind::Observations => Some(&mut self.found.observations),
            FileKind::Labels => Some(&mut self.found.labels),
            FileKind::StateRewards => Some(&mut self.rewards_of(open).states),
            FileKind::TransitionRewards => Some(&mut self.rewards_of(open).transitions),
            _ => None,
        };
        match place {
            Some(place) if place.is_none() => {
                *place = Some(start..end);
                Ok(())
            }
            _ => {
                let line = Line::at(self.input, start);
                Err(Fault::new(line.span(), ErrorKind::RepeatedSection { kind }))
            }
        }
    }

    /// Returns the reward structure that a section belongs to. PRISM writes the name before each
    /// section of a structure. So a section begins a new structure if it has another name, or if
    /// the last structure already has a section of this kind.
    fn rewards_of(&mut self, open: Open<'i>) -> &mut RewardSections {
        let is_last = |last: &RewardSections| {
            let own = match open.kind {
                FileKind::StateRewards => &last.states,
                _ => &last.transitions,
            };
            open.name.is_none() || open.name == self.name_of_last && own.is_none()
        };
        if !self.found.rewards.last().is_some_and(is_last) {
            self.found.rewards.push(RewardSections::default());
            self.name_of_last = open.name;
        }
        let last = self.found.rewards.len() - 1;
        &mut self.found.rewards[last]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the sections as text.
    fn texts(input: &str) -> Vec<(&'static str, String)> {
        let found = sections(input.as_bytes()).expect("sections");
        let text = |range: Range<usize>| input[range].replace('\n', "|");
        let mut all = vec![("tra", text(found.transitions))];
        let named = [
            ("sta", found.states),
            ("obs", found.observations),
            ("lab", found.labels),
        ];
        let rewards = found.rewards.into_iter();
        let rewards = rewards.flat_map(|r| [("srew", r.states), ("trew", r.transitions)]);
        let others = named.into_iter().chain(rewards);
        all.extend(others.filter_map(|(name, range)| Some((name, text(range?)))));
        all
    }

    #[test]
    fn sections_begin_with_headings() {
        let input = "# Transitions (MDP)\n1 1 1\n# 5\n0 0 0 1\n\n# States\n(x)\n0:(1)\n\n# Labels\n0=\"a\"\n";
        assert_eq!(
            texts(input),
            [
                ("tra", "# Transitions (MDP)|1 1 1|# 5|0 0 0 1||".to_owned()),
                ("sta", "# States|(x)|0:(1)||".to_owned()),
                ("lab", "# Labels|0=\"a\"|".to_owned()),
            ]
        );
    }

    #[test]
    fn a_file_of_transitions_is_one_section() {
        assert_eq!(texts("1 1\n0 0 1"), [("tra", "1 1|0 0 1".to_owned())]);
        assert_eq!(texts(""), [("tra", String::new())]);
    }

    #[test]
    fn reward_structures_have_names() {
        let input = "1 1\n# Reward structure \"a\"\n# State rewards\n1 0\n# Transition rewards\n1 0\n\
            # Reward structure \"b\"\n# Transition rewards\n1 0\n# Reward structure \"c\"\n1 0\n";
        assert_eq!(
            texts(input),
            [
                ("tra", "1 1|".to_owned()),
                (
                    "srew",
                    "# Reward structure \"a\"|# State rewards|1 0|".to_owned()
                ),
                ("trew", "# Transition rewards|1 0|".to_owned()),
                (
                    "trew",
                    "# Reward structure \"b\"|# Transition rewards|1 0|".to_owned()
                ),
                ("srew", "# Reward structure \"c\"|1 0|".to_owned()),
            ]
        );
        let by_prism = "1 1\n# Reward structure \"a\"\n# State rewards\n1 0\n\n# Reward structure \"a\"\n\
            # Transition rewards\n1 0\n\n# Reward structure\n# State rewards\n1 0\n\n\
            # Reward structure\n# Transition rewards\n1 0\n\n# Reward structure\n# State rewards\n1 0";
        let found = sections(by_prism.as_bytes()).expect("sections");
        let parts = |rewards: &RewardSections| {
            let parts = [&rewards.states, &rewards.transitions];
            parts.map(Option::is_some)
        };
        let parts: Vec<[bool; 2]> = found.rewards.iter().map(parts).collect();
        assert_eq!(parts, [[true, true], [true, true], [true, false]]);
        let unnamed = "1 1\n# State rewards\n1 0\n# Transition rewards\n1 0\n";
        assert_eq!(texts(unnamed).len(), 3);
    }

    #[test]
    fn headings_may_be_indented() {
        let input = "\t# Transitions (MDP)\n1 1 1\n0 0 0 1 x # States\n  # States\n (x)\n 0:(1)\n";
        assert_eq!(
            texts(input),
            [
                (
                    "tra",
                    "\t# Transitions (MDP)|1 1 1|0 0 0 1 x # States|".to_owned()
                ),
                ("sta", "  # States| (x)| 0:(1)|".to_owned()),
            ]
        );
    }

    #[test]
    fn combined_files_are_recognised() {
        for (input, expected) in [
            (
                "# Transitions (MDP)\n1 1 1\n0 0 0 1\n\n# States\n(x)\n0:(1)\n",
                true,
            ),
            ("\u{feff}1 1\n0 0 1\n # Labels\n", true),
            ("1 1\n0 0 1\n# Labels\n0=\"a\"\n# Labels\n", true),
            ("1 1\n0 0 1\n", false),
            ("# Transitions (DTMC)\n1 1\n0 0 1\n# a comment\n", false),
            ("# Labels\n0=\"a\"\n", false),
            ("# by hand\n\n# States\n(x)\n0:(1)\n", false),
            ("", false),
        ] {
            assert_eq!(is_combined(input.as_bytes()), expected, "{input}");
        }
    }

    #[test]
    fn a_section_may_occur_only_once() {
        for (input, line) in [
            ("1 1\n# Labels\nx\n# Labels\ny\n", 4),
            ("1 1\n# Labels\nx\n# Transitions (MDP)\ny\n", 4),
            ("1 1\n# Transitions (MDP)\n# Transitions (MDP)\n", 3),
        ] {
            let error = sections(input.as_bytes()).expect_err(input);
            assert!(
                matches!(error.kind(), ErrorKind::RepeatedSection { .. }),
                "{error}"
            );
            assert_eq!(
                error.position().map(|place| place.line),
                Some(line),
                "{input}"
            );
        }
    }
}
