//! Tests the message of every violation, which an answer or a certificate causes.

use crate::common::{components, graph};
use certify::{Certificate, certify};
use insta::assert_snapshot;
use mdp_graph::{ComponentKind, Components, MdpGraph};

const NONE: u32 = Components::NONE;

/// States 0 and 1 lead to each other, and 1 also leads to 2, which leads to itself. State 3 leads
/// to 2 by one choice, and by another to 2 or itself.
fn example() -> MdpGraph {
    graph(&vec![
        vec![vec![1]],
        vec![vec![0], vec![0, 2]],
        vec![vec![2]],
        vec![vec![2], vec![2, 3]],
    ])
}

const SCCS: [u32; 4] = [0, 0, 2, 3];
const MECS: [u32; 4] = [0, 0, 2, NONE];

fn answer(kind: ComponentKind, marks: [u32; 4]) -> Components {
    components(kind, &example(), &marks.to_vec())
}

/// Returns the message for an answer without a certificate.
fn verdict(kind: ComponentKind, marks: [u32; 4]) -> String {
    let violation = certify(&example(), &answer(kind, marks)).expect_err("the answer is wrong");
    assert_named(&violation);
    violation.to_string()
}

/// Returns the message for an answer with this certificate.
fn refusal(kind: ComponentKind, marks: [u32; 4], position: &[u32], back: &[u32]) -> String {
    let certificate = Certificate::from_parts(position.to_vec(), back.to_vec());
    let verdict = certificate.check(&example(), &answer(kind, marks));
    let violation = verdict.expect_err("the certificate is wrong");
    assert_named(&violation);
    violation.to_string()
}

/// Checks that the text begins with the name of the obligation, if there is one.
fn assert_named(violation: &certify::Violation) {
    let text = violation.to_string();
    match violation.obligation() {
        "form" => assert!(!text.contains(": "), "{text}"),
        name => assert!(text.starts_with(&format!("{name}: ")), "{text}"),
    }
}

fn scc(position: &[u32], back: &[u32]) -> String {
    refusal(ComponentKind::Scc, SCCS, position, back)
}

fn mec(position: &[u32], back: &[u32]) -> String {
    refusal(ComponentKind::Mec, MECS, position, back)
}

#[test]
fn the_right_answers_have_certificates() {
    for (kind, marks) in [(ComponentKind::Scc, SCCS), (ComponentKind::Mec, MECS)] {
        let answer = answer(kind, marks);
        assert_eq!(certify(&example(), &answer), Ok(()));
        // The other certificates of these tests are made from this one.
        let certificate = Certificate::from_parts(vec![1, 2, 3, 0], vec![0, 1, 0, 0]);
        assert_eq!(certificate.check(&example(), &answer), Ok(()));
        let certificate = Certificate::from_narrow_parts(vec![1, 1, 2, 0], vec![0, 1, 0, 0]);
        assert_eq!(certificate.check(&example(), &answer), Ok(()));
    }
}

#[test]
fn certificates_of_another_form_are_rejected() {
    assert_snapshot!(scc(&[1, 2, 3], &[0, 1, 0, 0]), @"the certificate's array \"position\" has length 3, but the model has 4 states");
    assert_snapshot!(mec(&[1, 2, 3, 0], &[0]), @"the certificate's array \"back\" has length 1, but the model has 4 states");
    assert_snapshot!(scc(&[1, 2, 5, 0], &[0, 1, 0, 0]), @"the certificate puts state 2 at position 5, but the model has 4 states");
}

#[test]
fn answers_of_another_form_are_rejected() {
    let other = graph(&vec![vec![]; 5]);
    let violation = certify(&other, &answer(ComponentKind::Mec, MECS))
        .expect_err("the answer is about four states");
    assert_snapshot!(violation, @"the answer is about 4 states, but the model has 5 states");
    assert_snapshot!(verdict(ComponentKind::Scc, MECS), @"state 3 is in no strongly connected component, but every state is in one");
    assert_snapshot!(refusal(ComponentKind::Scc, MECS, &[1, 2, 3, 0], &[0, 1, 0, 0]), @"state 3 is in no strongly connected component, but every state is in one");
}

#[test]
fn certificates_that_show_no_connection_are_rejected() {
    assert_snapshot!(scc(&[0, 2, 3, 1], &[0, 1, 0, 0]), @"S0: in the certificate's order, state 3 stands among those of another component, that of state 0");
    assert_snapshot!(mec(&[0, 2, 3, 1], &[0, 1, 0, 0]), @"M1: in the certificate's order, state 3 stands among those of another component, that of state 0");
    let together = [0, 0, 2, 2];
    assert_snapshot!(refusal(ComponentKind::Scc, together, &[0, 1, 3, 2], &[0, 1, 1, 1]), @"S2: state 2, in the component of state 2, has no edge on a way back to the first of it in the order");
    assert_snapshot!(refusal(ComponentKind::Scc, together, &[0, 1, 2, 3], &[0, 1, 0, 1]), @"S1: state 3, in the component of state 2, is reached by no edge from a state of it that is earlier in the order");
    assert_snapshot!(refusal(ComponentKind::Mec, together, &[0, 1, 3, 2], &[0, 1, 1, 1]), @"M3: state 2, in the component of state 2, has no choice that stays in it on a way back to the first of it in the order");
    assert_snapshot!(refusal(ComponentKind::Mec, together, &[0, 1, 2, 3], &[0, 1, 0, 1]), @"M3: state 3, in the component of state 2, is reached by no choice that stays in it from a state of it that is earlier in the order");
}

#[test]
fn certificates_with_another_order_are_rejected() {
    assert_snapshot!(scc(&[2, 3, 1, 0], &[0, 1, 0, 0]), @"S3: state 1, choice 1 leads to state 2, outside its component but not in a later one");
    assert_snapshot!(mec(&[2, 3, 1, 0], &[0, 1, 0, 0]), @"O1: state 1, choice 1 leads to state 2, outside its component, but to no component or state that is later in the order");
    assert_snapshot!(mec(&[0, 1, 2, 3], &[0, 1, 0, 0]), @"O1: state 3, choice 0 leads to state 2, outside its component, but to no component or state that is later in the order");
}

#[test]
fn certificates_for_wrong_answers_are_rejected() {
    let position = &[1, 2, 3, 0];
    let back = &[0, 1, 0, 0];
    let refusal = |marks| refusal(ComponentKind::Mec, marks, position, back);
    assert_snapshot!(refusal([0, NONE, 2, NONE]), @"M2: state 0, in the component of state 0, has no choice that stays there");
    assert_snapshot!(refusal([0, 0, NONE, NONE]), @"M4: state 2 is in no component, but choice 0 leads back to it alone");
    assert_snapshot!(refusal([NONE; 4]), @"O1: state 1, choice 0 leads to state 0, outside its component, but to no component or state that is later in the order");
}

#[test]
fn wrong_sccs_are_rejected() {
    assert_snapshot!(verdict(ComponentKind::Scc, [0, 1, 2, 3]), @"S3: states 0 and 1 reach each other, but are in different components");
    assert_snapshot!(verdict(ComponentKind::Scc, [0, 0, 0, 3]), @"S1, S2: states 0 and 2 are in one component, but no path along edges leads from one to the other and back");
}

#[test]
fn wrong_mecs_are_rejected() {
    assert_snapshot!(verdict(ComponentKind::Mec, [NONE, NONE, 2, NONE]), @"O1: state 0, choice 0 leads to state 1, outside its component, and on to an end component that is not inside any component of the answer");
    assert_snapshot!(verdict(ComponentKind::Mec, [0, 0, NONE, NONE]), @"M4: state 2 is in no component, but choice 0 leads back to it alone");
    assert_snapshot!(verdict(ComponentKind::Mec, [0, NONE, 2, NONE]), @"M2: state 0, in the component of state 0, has no choice that stays there");
    assert_snapshot!(verdict(ComponentKind::Mec, [0, 0, 0, NONE]), @"M3: states 0 and 2 are in one component, but no path along choices that stay in it leads from one to the other and back");
}
