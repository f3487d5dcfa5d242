//! Reads all that an archive holds, and checks what must hold of every model that is read.

use umb::{Compression, Entity, ReadOptions, Umb, UmbWriter};

pub fn read_all(bytes: &[u8]) {
    let umb = match Umb::read(bytes, &ReadOptions::default()) {
        Ok(umb) => umb,
        Err(error) => return assert!(!error.to_string().contains('\n')),
    };
    let states = umb.num_states();
    let mut branches = 0;
    for choice in umb.choices() {
        assert!(choice.targets().iter().all(|&target| target < states));
        assert!(choice.likely_targets().next().is_some());
        branches += choice.targets().len() as u64;
    }
    assert_eq!(branches, umb.num_branches());
    let _ = umb.exit_rates();
    let counts = [umb.num_choices(), umb.num_branches()];
    for (actions, count) in [umb.choice_actions(), umb.branch_actions()].into_iter().zip(counts) {
        if let Ok(Some(actions)) = actions {
            (0..count).for_each(|i| drop(actions.name(i)));
        }
    }
    for of in [Entity::States, Entity::Choices, Entity::Branches, Entity::Players] {
        if let Ok(Some(valuations)) = umb.valuations(of) {
            for i in 0..valuations.len().min(1000) {
                valuations.row(i).for_each(drop);
            }
        }
        for (group, annotations) in &umb.index().annotations {
            for id in annotations.keys() {
                let _ = umb.annotation(group, id, of);
            }
        }
    }
    let copy = UmbWriter::copy_of(&umb);
    let mut written = Vec::new();
    // A path may be too long for a header that has no extension.
    if copy.write(&mut written, Compression::None).is_ok() {
        let again = Umb::read(&written, &ReadOptions::default()).expect("what was written reads");
        assert_eq!(again.index(), umb.index());
        assert_eq!(again.targets(), umb.targets());
    }
}
