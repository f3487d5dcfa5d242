//! An oracle for searches of graphs.

/// Makes a relation transitive, by Warshall's algorithm: what leads to a state of `through` leads
/// wherever that does.
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
