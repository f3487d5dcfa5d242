//! Determines the kind of a model file by the ending of its name, or otherwise by its first words.

use crate::args::ModelArgs;
use crate::error::Error;
use crate::input::inflated_name;
use std::path::Path;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Explicit transitions, of PRISM or Storm.
    Explicit,
    /// PRISM's explicit transitions, with labels and the like in the same file.
    Combined,
    /// A model in PRISM's language.
    Program,
    /// A model in JANI.
    Jani,
    /// An archive in the Unified Markov Binary format.
    Archive,
    /// A weighted graph in DIMACS' format.
    Graph,
    /// A labelled transition system in the Aldebaran format.
    Automaton,
    /// A network of labelled transition systems in EXP.
    Network,
    /// Storm's text format.
    Drn,
}

/// The endings of names of models in PRISM's language.
const PROGRAMS: [&str; 4] = ["prism", "nm", "pm", "sm"];

/// The endings of names of files with PRISM's properties. They are no models, which the message of
/// the reader of PRISM's language says.
const PROPERTIES: [&str; 3] = ["props", "pctl", "csl"];

/// Words at the beginning of models in PRISM's language, except those with which Storm's explicit
/// files may begin too.
const BEGINNINGS: [&str; 23] = [
    "const",
    "csg",
    "formula",
    "global",
    "init",
    "label",
    "module",
    "nondeterministic",
    "observable",
    "observables",
    "player",
    "pomdp",
    "popta",
    "prob",
    "probabilistic",
    "pta",
    "rate",
    "rewards",
    "smg",
    "stochastic",
    "system",
    "tptg",
    "tsg",
];

/// Texts at the beginning of a network: its comments, which no other format has, and its operators.
const NETWORKS: [&str; 6] = ["(*", "--", "gate ", "hide ", "single ", "total "];

impl Source {
    /// Returns the kind of the file at `path`, whose content is `text`.
    pub(crate) fn of(path: &Path, text: &[u8]) -> Self {
        Self::by_name(path).unwrap_or_else(|| Self::by_content(text))
    }

    pub(super) fn by_name(path: &Path) -> Option<Self> {
        match ending(path)?.as_str() {
            "tra" => Some(Self::Explicit),
            "pexp" => Some(Self::Combined),
            "umb" => Some(Self::Archive),
            "gr" => Some(Self::Graph),
            "aut" => Some(Self::Automaton),
            "exp" => Some(Self::Network),
            "drn" => Some(Self::Drn),
            "jani" => Some(Self::Jani),
            ending if PROGRAMS.contains(&ending) || PROPERTIES.contains(&ending) => {
                Some(Self::Program)
            }
            _ => None,
        }
    }

    pub(super) fn by_content(text: &[u8]) -> Self {
        if umb::is_tar(text) {
            return Self::Archive;
        }
        if after_blanks(text).starts_with(b"@") {
            return Self::Drn;
        }
        if after_blanks(text).starts_with(b"{") {
            return Self::Jani;
        }
        let begins = |with: &&str| after_blanks(text).starts_with(with.as_bytes());
        if NETWORKS.iter().any(begins) {
            return Self::Network;
        }
        let (first, rest) = word(text);
        match std::str::from_utf8(first) {
            Ok(word) if BEGINNINGS.contains(&word) => Self::Program,
            Ok(word) if prism_language::PROPERTY_WORDS.contains(&word) => Self::Program,
            Ok("des") => Self::Automaton,
            Ok("par") if starts_with_letter(rest) || after_blanks(rest).starts_with(b"\"") => {
                Self::Network
            }
            // In Storm's explicit files, a number follows.
            Ok("mdp" | "dtmc" | "ctmc" | "ma") if starts_with_letter(rest) => Self::Program,
            // These are comments, and the line with the counts.
            Ok("c" | "p") => Self::Graph,
            _ if prism_explicit::is_combined(text) => Self::Combined,
            _ => Self::Explicit,
        }
    }

    /// Returns whether the states of such a file are found by exploration.
    pub(crate) fn is_explored(self) -> bool {
        matches!(self, Self::Program | Self::Jani | Self::Network)
    }

    /// Returns whether such a file is compiled to a program: a model in PRISM's language or in
    /// JANI.
    pub(crate) fn is_program(self) -> bool {
        matches!(self, Self::Program | Self::Jani)
    }

    /// Refuses options that do not apply to a model of this kind.
    pub(crate) fn check_usage(self, args: &ModelArgs) -> Result<(), Error> {
        use Source::{Jani, Network, Program};
        self.check_options(args, &[Program, Jani, Network])
    }

    /// As [`check_usage`](Self::check_usage), for a command that explores the states of an
    /// automaton, too, so that limits apply.
    pub(crate) fn check_usage_of_explored(self, args: &ModelArgs) -> Result<(), Error> {
        use Source::{Automaton, Jani, Network, Program};
        self.check_options(args, &[Program, Jani, Network, Automaton])
    }

    /// Refuses options that do not apply, among them limits for kinds of models that are not
    /// `limited`.
    fn check_options(self, args: &ModelArgs, limited: &[Self]) -> Result<(), Error> {
        use Source::{Archive, Combined, Drn, Explicit, Jani, Program};
        let language = "a model in PRISM's language or JANI";
        let explored = "a model in PRISM's language, JANI or EXP";
        let builder = &args.builder;
        let options: [(&str, bool, &[Self], &str); 5] = [
            (
                "--type",
                args.r#type.is_some(),
                &[Explicit, Combined],
                "explicit transitions",
            ),
            (
                "--allow-any-sum",
                args.allow_any_sum,
                &[Explicit, Combined, Archive, Drn, Program, Jani],
                "an explicit model or one in PRISM's language or JANI",
            ),
            (
                "--const",
                builder.constants().next().is_some(),
                &[Program, Jani],
                language,
            ),
            (
                "--max-states",
                builder.max_states.is_some(),
                limited,
                explored,
            ),
            (
                "--max-memory",
                builder.max_memory.is_some(),
                limited,
                explored,
            ),
        ];
        for (option, given, sources, of) in options {
            if given && !sources.contains(&self) {
                let model = args.model.display();
                let message = format!("{option} goes with {of}, which {model} is not");
                return Err(Error::Usage(message));
            }
        }
        Ok(())
    }
}

/// Returns the ending of a name, in lower case, without that of a compressed file.
fn ending(path: &Path) -> Option<String> {
    let plain = inflated_name(path);
    Some(plain.extension()?.to_str()?.to_ascii_lowercase())
}

/// Returns whether a file has a name like those with PRISM's properties.
pub(crate) fn is_named_as_properties(path: &Path) -> bool {
    ending(path).is_some_and(|ending| PROPERTIES.contains(&ending.as_str()))
}

/// Returns the first word after blanks and comments, and the rest of the text.
pub(super) fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = after_blanks(text);
    let end = text.iter().position(|byte| !byte.is_ascii_alphanumeric());
    text.split_at(end.unwrap_or(text.len()))
}

fn starts_with_letter(text: &[u8]) -> bool {
    after_blanks(text)
        .first()
        .is_some_and(u8::is_ascii_alphabetic)
}

/// Returns the text from the first byte on that is neither blank nor in a comment of PRISM's
/// language.
fn after_blanks(text: &[u8]) -> &[u8] {
    let mut text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    loop {
        text = text.trim_ascii_start();
        if !text.starts_with(b"//") {
            return text;
        }
        let end = text.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        text = &text[end.unwrap_or(text.len())..];
    }
}

/// Returns the text after blanks and the comments of explicit files.
pub(super) fn after_hashes(text: &[u8]) -> &[u8] {
    let mut text = after_blanks(text);
    while text.starts_with(b"#") {
        let end = text.iter().position(|&byte| byte == b'\n');
        text = after_blanks(&text[end.unwrap_or(text.len())..]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::Source;
    use std::path::Path;

    #[test]
    fn the_ending_of_a_name_decides_the_kind() {
        for (name, source) in [
            ("x.tra", Source::Explicit),
            ("x.TRA.GZ", Source::Explicit),
            ("x.nm", Source::Program),
            ("x.y.prism", Source::Program),
            ("x.props", Source::Program),
            ("x.pctl", Source::Program),
            ("x.sm.gz", Source::Program),
            ("x.tra.xz", Source::Explicit),
            ("x.pexp.gz", Source::Combined),
            ("x.umb.ZST", Source::Archive),
            ("x.umb", Source::Archive),
            ("x.gr.gz", Source::Graph),
            ("x.aut.gz", Source::Automaton),
            ("x.exp", Source::Network),
            ("x.drn.gz", Source::Drn),
            ("x.jani", Source::Jani),
            ("x.JANI.gz", Source::Jani),
            ("prism", Source::Explicit),
            ("x.txt", Source::Explicit),
        ] {
            assert_eq!(Source::of(Path::new(name), b"1 1 1"), source, "{name}");
        }
    }

    #[test]
    fn without_a_known_ending_the_content_decides_the_kind() {
        for (text, source) in [
            ("", Source::Explicit),
            ("1 1\n0 0 1\n# States\n(x)\n0:(1)\n", Source::Combined),
            ("# States\n(x)\n0:(1)\n", Source::Explicit),
            ("# Transitions (MDP)\n1 1 1", Source::Explicit),
            ("mdp\n0 0 0 1", Source::Explicit),
            ("dtmc", Source::Explicit),
            ("mdpx y", Source::Explicit),
            ("mdp\n// one\n\n// two\nmodule m", Source::Program),
            ("\u{feff}// by hand\r\nconst int N;", Source::Program),
            ("mdp\r// by hand\rmodule m", Source::Program),
            ("ctmc const double r = 1;", Source::Program),
            ("rate r = 1;", Source::Program),
            ("// always\nP>=1 [ F x=1 ]", Source::Program),
            ("\u{feff}\n{ \"jani-version\": 1 }", Source::Jani),
            ("ma\nmodule m", Source::Program),
            ("ma\n0 !\n* 0 1", Source::Explicit),
            ("nondeterministic", Source::Program),
            ("//", Source::Explicit),
            ("c a graph\np sp 1 0\n", Source::Graph),
            ("p sp 1 0\n", Source::Graph),
            ("des (0, 1, 1)\n", Source::Automaton),
            ("par using a * b -> c in", Source::Network),
            ("par \"x.aut\" end par", Source::Network),
            ("(* a light *)\npar using a -> b in", Source::Network),
            ("-- a light\npar a in", Source::Network),
            ("hide stop in x.aut end hide", Source::Network),
            ("total rename a -> b in", Source::Network),
            ("(x,y)\n0:(1,2)", Source::Explicit),
            ("smg\nplayer one m endplayer", Source::Program),
            ("popta\nobservables x", Source::Program),
            ("observables x endobservables", Source::Program),
            ("// Exported by storm\n@type: MDP\n", Source::Drn),
        ] {
            assert_eq!(
                Source::of(Path::new("-"), text.as_bytes()),
                source,
                "{text}"
            );
        }
    }
}
