//! The table of the reference models, `counts.csv`: the source and the constants of each explicit
//! file, and the numbers that other tools counted in it.

use std::path::{Path, PathBuf};

use crate::{ModelFiles, read, reference_folder, sources_folder};

/// The columns of the table.
const HEADING: &str = "size,family,instance,source,constants,states,choices,branches,edges,sccs,\
    nontrivial_sccs,largest_scc,mecs,largest_mec,states_in_mecs";

/// A reference model in PRISM's language with values for its constants, and the known results.
#[derive(Debug, Clone)]
pub struct Instance {
    /// Whether the model is so small that a test may spend time on each state.
    pub is_tiny: bool,
    /// The name of the instance.
    pub name: String,
    /// The file of its source.
    pub source: PathBuf,
    /// The names and values of its constants.
    pub constants: Vec<(String, String)>,
    /// The explicit files that other tools made of it, if there are any.
    pub explicit: ModelFiles,
    /// The numbers of states, choices and branches.
    pub counts: [usize; 3],
    /// The number of MECs, the number of states of the largest MEC, and the number of states in all
    /// MECs.
    pub mecs: [usize; 3],
}

impl Instance {
    /// Returns the text of its source.
    #[must_use]
    pub fn text(&self) -> Vec<u8> {
        read(&self.source)
    }

    /// Returns the names and values of its constants, in the form that the compiler needs.
    #[must_use]
    pub fn constants(&self) -> Vec<(&str, &str)> {
        let constants = self.constants.iter();
        constants.map(|(name, value)| (&**name, &**value)).collect()
    }

    /// Reads a line of the table about the models in a folder. Returns `None` for a larger model.
    fn new(line: &str, folder: &Path) -> Option<Self> {
        let fields: Vec<&str> = line.split(',').collect();
        let &[size, family, name, source, constants, ref counts @ ..] = &fields[..] else {
            panic!("not a line of counts.csv: {line}");
        };
        if !matches!(size, "tiny" | "small") {
            return None;
        }
        let count = |column: usize| -> usize { counts[column].parse().expect("a count") };
        let constants = constants.split(';').filter(|text| !text.is_empty());
        let constants = constants.map(|text| text.split_once('=').expect("NAME=VALUE"));
        Some(Self {
            is_tiny: size == "tiny",
            name: name.to_owned(),
            source: sources_folder(folder).join(source),
            constants: constants
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            explicit: ModelFiles {
                stem: folder.join(family).join(name),
            },
            counts: [0, 1, 2].map(count),
            mecs: [7, 8, 9].map(count),
        })
    }
}

/// Returns the instances of reference models that are small enough for a test to examine all of
/// their states: about a hundred thousand at most. Without reference models, prints a message and
/// returns `None`.
#[must_use]
pub fn small_instances() -> Option<Vec<Instance>> {
    let folder = reference_folder()?;
    let path = folder.join("counts.csv");
    let table = String::from_utf8(read(&path)).expect("a table is text");
    let (heading, lines) = table.split_once('\n').unwrap_or_default();
    assert_eq!(heading.trim_end(), HEADING, "{}", path.display());
    let small = lines
        .lines()
        .filter_map(|line| Instance::new(line, &folder));
    let small: Vec<_> = small.collect();
    assert!(small.len() > 20, "only {} instances", small.len());
    Some(small)
}
