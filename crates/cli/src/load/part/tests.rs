//! Details stand where the graph's choices and branches do.

use super::*;

#[test]
fn details_are_side_by_side_with_the_graph() {
    let mut first = Part::new(0, true);
    first.choice(1, Some("go"), &[2, 0], &[0.25, 0.75]);
    first.choice(1, None, &[1], &[1.0]);
    let mut second = Part::new(0, true);
    second.choice_of_any(3, Some("stay"), &[3, 1, 3], &[0.25, 0.5, 0.25]);
    second.choice_of_any(3, Some("go"), &[4, 0], &[0.5, 0.5]);
    let (built, details) = join(6, vec![first, second], Deadlocks::SelfLoop).expect("it is sound");

    assert_eq!(built.deadlocks, 4);
    assert_eq!(built.graph.choice_offsets(), [0, 1, 3, 4, 6, 7, 8]);
    let targets = StateId::as_numbers(built.graph.all_targets());
    assert_eq!(targets, [0, 2, 0, 1, 2, 1, 3, 4, 0, 4, 5]);
    let expected = Details {
        values: vec![1.0, 0.25, 0.75, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 1.0, 1.0],
        names: ["", "go", "stay"].map(str::to_owned).to_vec(),
        actions: vec![0, 1, 0, 0, 2, 1, 0, 0],
        initial: Vec::new(),
    };
    assert_eq!(details, Some(expected));
}

#[test]
fn deadlocks_that_are_kept_have_no_details() {
    let mut part = Part::new(0, true);
    part.choice(1, None, &[1], &[1.0]);
    let (_, details) = join(3, vec![part], Deadlocks::Keep).expect("it is sound");
    assert_eq!(details.expect("they were wanted").values, [1.0]);
}

#[test]
fn details_are_gathered_only_where_they_are_wanted() {
    let mut part = Part::new(0, false);
    part.choice(0, Some("go"), &[0], &[1.0]);
    let (_, details) = join(1, vec![part], Deadlocks::Keep).expect("it is sound");
    assert_eq!(details, None);
}
