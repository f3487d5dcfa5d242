//! Reads all contents of an archive, and checks the invariants of every model that is read. The
//! fuzzer uses this function, too.

use umb::{Compression, Entity, ReadOptions, Umb, UmbWriter};

/// Returns whether the structure was valid. Contents that are read on request may be wrong
/// nevertheless.
pub(crate) fn read_all(bytes: &[u8]) -> bool {
    let umb = match Umb::read(bytes, &ReadOptions::default()) {
        Ok(umb) => umb,
        Err(error) => {
            assert!(!error.to_string().contains('\n'), "{error}");
            return false;
        }
    };
    let states = umb.num_states();
    let mut branches = 0;
    for choice in umb.choices() {
        assert!(choice.targets().iter().all(|&target| target < states));
        assert!(choice.likely_targets().next().is_some());
        branches += choice.targets().len() as u64;
    }
    assert_eq!(branches, umb.num_branches());
    let zeros = umb.probabilities().map_or(0, |all| {
        (0..all.len()).filter(|&i| all.is_zero(i)).count() as u64
    });
    assert_eq!(umb.num_zeros(), zeros);
    if let (Some(lower), Some(upper)) = (umb.lower_bounds(), umb.probabilities()) {
        let is_interval = |(i, &low): (usize, &f64)| low >= 0.0 && low <= upper.get(i);
        assert!(lower.iter().enumerate().all(is_interval));
        assert_eq!(lower.len(), upper.len());
    }
    assert_eq!(
        umb.initial_states().count(),
        umb.index().transition_system.num_initial_states
    );
    read_actions(&umb);
    let _ = umb.exit_rates();
    if let Ok(Some(observations)) = umb.observations() {
        assert_eq!(observations.len() as u64, states);
    }
    if let Ok(Some(players)) = umb.players() {
        assert_eq!(players.len() as u64, states);
    }
    let _ = umb.markovian_states();
    for of in [
        Entity::States,
        Entity::Choices,
        Entity::Branches,
        Entity::Observations,
        Entity::Players,
    ] {
        read_values(&umb, of);
    }
    copy(&umb);
    true
}

fn read_actions(umb: &Umb<'_>) {
    let counts = [umb.num_choices(), umb.num_branches()];
    let actions = [umb.choice_actions(), umb.branch_actions()];
    for (actions, count) in actions.into_iter().zip(counts) {
        if let Ok(Some(actions)) = actions {
            for i in 0..count {
                let _ = actions.name(i);
            }
        }
    }
}

fn read_values(umb: &Umb<'_>, of: Entity) {
    if let Ok(Some(valuations)) = umb.valuations(of) {
        for i in 0..valuations.len().min(1000) {
            assert!(valuations.row(i).len() == valuations.variables(valuations.class(i)).len());
            valuations.row(i).for_each(drop);
        }
    }
    for (group, annotations) in &umb.index().annotations {
        for (id, _) in annotations {
            let _ = umb.annotation(group, id, of);
        }
    }
}

/// A copy is the same model.
fn copy(umb: &Umb<'_>) {
    let copy = UmbWriter::copy_of(umb);
    let mut written = Vec::new();
    // A path may be too long for a header that has no extension.
    if copy.write(&mut written, Compression::None).is_ok() {
        let again = Umb::read(&written, &ReadOptions::default()).expect("what was written reads");
        assert_eq!(again.index(), umb.index());
        assert_eq!(again.targets(), umb.targets());
    }
}
