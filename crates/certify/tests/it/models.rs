//! Tests that the answers of independent tools for reference models are accepted, and so are our
//! own for the fixtures. If two states are exchanged, an answer is rejected.

use crate::common::{KINDS, Marks, components, decomposed, marks, marks_of};
use certify::certify;
use mdp_graph::{ChunkBuilder, ComponentKind, Components, Deadlocks, MdpGraph, StateId, assemble};
use prism_explicit::{Choice, ReadOptions, Visitor, visit_in_order};
use test_models::{ModelFiles, fixture, fixtures, reference_models};

/// Returns the graph of a model. Deadlocks stay as they are.
fn read(model: &ModelFiles) -> MdpGraph {
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
    let info = visit_in_order(
        &model.bytes("tra").expect("a model"),
        &ReadOptions::default(),
        &mut gather,
    );
    let info = info.unwrap_or_else(|error| panic!("{model}: {error}"));
    let built = assemble(info.num_states, vec![gather.0.finish()], Deadlocks::Keep);
    built.expect("a model that was read is a graph").graph
}

/// Reads an answer from a file with one line per state: the smallest state of its component, or -1.
fn read_answer(model: &ModelFiles, ending: &str) -> Marks {
    let text = model.text(ending).expect("an answer");
    let labels = text.lines().map(|line| line.trim().parse().ok());
    marks(labels)
}

/// Checks that an answer is accepted. It is rejected if the marks of two states are exchanged,
/// unless that changes nothing.
fn judge(model: &ModelFiles, kind: ComponentKind, graph: &MdpGraph, right: &Marks) {
    let answer = components(kind, graph, right);
    assert_eq!(certify(graph, &answer), Ok(()), "{model}");
    let some: Vec<usize> = (0..right.len()).step_by(right.len() / 5 + 1).collect();
    for pair in some.windows(2) {
        let mut wrong = right.clone();
        wrong.swap(pair[0], pair[1]);
        let wrong = components(kind, graph, &wrong);
        let verdict = certify(graph, &wrong);
        assert_eq!(verdict.is_ok(), wrong == answer, "{model}");
    }
}

#[test]
fn answers_of_other_tools_are_accepted() {
    let Some(models) = reference_models() else {
        return;
    };
    for model in models {
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
    for model in fixtures() {
        let graph = read(&model);
        for kind in KINDS {
            judge(&model, kind, &graph, &marks_of(&decomposed(kind, &graph)));
        }
    }
}

/// In the first model, an algorithm that prunes only states gives a wrong answer. In the second
/// one, a state lies between MECs.
#[test]
fn only_the_known_answers_for_leaky_choices_and_storm24_are_accepted() {
    let verdict = |name: &str, marks: &[u32]| {
        let graph = read(&fixture(name));
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
