//! The answers that independent tools gave for reference models are accepted, and so are ours for
//! the fixtures; each of them with two states exchanged is not.

mod common;

use certify::certify;
use common::{Marks, components, labels, marks};
use decompose::{Options, mec, scc};
use flate2::read::GzDecoder;
use mdp_graph::{ChunkBuilder, ComponentKind, Components, Deadlocks, MdpGraph, StateId, assemble};
use prism_explicit::{Choice, ReadOptions, Visitor, visit_in_order};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// All models in a folder and those inside it, by their paths without `.tra` or `.tra.gz`.
fn models(folder: PathBuf) -> Vec<PathBuf> {
    let mut models = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("a folder of models") {
            let path = entry.expect("a readable folder").path();
            let name = path.to_string_lossy();
            let name = name.strip_suffix(".gz").unwrap_or(&name);
            match name.strip_suffix(".tra") {
                _ if path.is_dir() => folders.push(path),
                Some(stem) => models.push(PathBuf::from(stem)),
                None => {}
            }
        }
    }
    models.sort();
    assert!(!models.is_empty());
    models
}

/// The text of the file with this ending, plain or compressed.
fn text(model: &Path, ending: &str) -> Vec<u8> {
    let name = format!("{}.{ending}", model.display());
    if let Ok(text) = std::fs::read(&name) {
        return text;
    }
    let archive = std::fs::read(format!("{name}.gz"));
    let archive = archive.unwrap_or_else(|error| panic!("{name}.gz: {error}"));
    let mut text = Vec::new();
    let mut decoder = GzDecoder::new(&archive[..]);
    decoder.read_to_end(&mut text).expect("a whole archive");
    text
}

/// The graph of a model; deadlocks stay.
fn read(model: &Path) -> MdpGraph {
    struct Gather(ChunkBuilder, Vec<u32>);
    impl Visitor for Gather {
        fn choice(&mut self, choice: Choice<'_>) {
            // In a Markov chain, lines with different actions may share a target.
            self.1.clear();
            self.1.extend_from_slice(choice.targets);
            self.1.sort_unstable();
            self.1.dedup();
            let state = StateId(choice.state);
            self.0.push_choice(state, StateId::cast_slice(&self.1));
        }
    }
    let mut gather = Gather(ChunkBuilder::default(), Vec::new());
    let info = visit_in_order(&text(model, "tra"), &ReadOptions::default(), &mut gather);
    let info = info.unwrap_or_else(|error| panic!("{}: {error}", model.display()));
    let built = assemble(info.num_states, vec![gather.0.finish()], Deadlocks::Keep);
    built.expect("a model that was read fits").graph
}

/// The answer in a file with a line a state: the smallest state of its component, or -1.
fn read_answer(model: &Path, ending: &str) -> Marks {
    let text = String::from_utf8(text(model, ending)).expect("an answer is text");
    let labels = text.lines().map(|line| line.trim().parse().ok());
    marks(labels)
}

/// Accepted as it is, and not with the marks of any two of some states exchanged, unless that
/// changes nothing.
fn judge(model: &Path, kind: ComponentKind, graph: &MdpGraph, right: &Marks) {
    let answer = components(kind, graph, right);
    assert_eq!(certify(graph, &answer), Ok(()), "{}", model.display());
    let some: Vec<usize> = (0..right.len()).step_by(right.len() / 5 + 1).collect();
    for pair in some.windows(2) {
        let mut wrong = right.clone();
        wrong.swap(pair[0], pair[1]);
        let wrong = components(kind, graph, &wrong);
        let verdict = certify(graph, &wrong);
        assert_eq!(verdict.is_ok(), wrong == answer, "{}", model.display());
    }
}

#[test]
fn answers_of_other_tools_are_accepted() {
    let Some(folder) = std::env::var_os("MAXEND_MODELS") else {
        eprintln!("SKIPPED: no reference model was certified, as MAXEND_MODELS is not set");
        return;
    };
    for model in models(folder.into()) {
        let graph = read(&model);
        judge(
            &model,
            ComponentKind::Scc,
            &graph,
            &read_answer(&model, "scc"),
        );
        judge(
            &model,
            ComponentKind::Mec,
            &graph,
            &read_answer(&model, "mec"),
        );
    }
}

#[test]
fn our_answers_for_the_fixtures_are_accepted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    for model in models(folder) {
        let graph = read(&model);
        let marks = |components: Components| marks(labels(&components));
        let options = Options::default();
        let sccs = marks(scc(&graph, &options).expect("the CPU answers"));
        let mecs = marks(mec(&graph, &options).expect("the CPU answers"));
        judge(&model, ComponentKind::Scc, &graph, &sccs);
        judge(&model, ComponentKind::Mec, &graph, &mecs);
    }
}

/// The models where pruning states alone gives a wrong answer, and where a state is between MECs.
#[test]
fn leaky_choices_and_storm24() {
    let verdict = |name: &str, marks: &[u32]| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        let graph = read(&folder.join(name));
        certify(&graph, &Components::from_mec_marks(marks.to_vec())).map_err(|v| v.to_string())
    };
    const NONE: u32 = Components::NONE;
    assert_eq!(verdict("leaky_choices", &[0, 1, 2, 3]), Ok(()));
    let error = verdict("leaky_choices", &[0, 0, 2, 3]).unwrap_err();
    insta::assert_snapshot!(error, @"M3: states 0 and 1 are in one component, but no path along choices that stay in it leads from one to the other and back");
    assert_eq!(verdict("storm24", &[0, NONE, 2]), Ok(()));
    let error = verdict("storm24", &[0, 1, 2]).unwrap_err();
    insta::assert_snapshot!(error, @"M2: state 1, in the component of state 1, has no choice that stays there");
}
