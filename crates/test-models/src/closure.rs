//! An oracle for searches of graphs.

/// Closes a relation under paths through the states of `through`, by Warshall's algorithm: a state
/// that leads to such a state also leads to everything that this state leads to.
pub fn close(relation: &mut [Vec<bool>], through: impl IntoIterator<Item = usize>) {
    for via in through {
        let onwards = relation[via].clone();
        for row in relation.iter_mut().filter(|row| row[via]) {
            row.iter_mut()
                .zip(&onwards)
                .for_each(|(to, &further)| *to |= further);
        }
    }
}
