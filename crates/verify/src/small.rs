//! All small graphs: for each state its choices, each a list of its targets.

/// For each state its choices, each with its targets.
pub type Model = Vec<Vec<Vec<u32>>>;

/// The members of a set of states, which is given as bits.
fn members(set: u64) -> Vec<u32> {
    (0..64).filter(|k| set >> k & 1 == 1).collect()
}

/// All digraphs of `n` states, 2^(n²) of them, self-loops included; n is at most 7. A state that
/// has edges has one choice, which leads to all its targets.
pub fn digraphs(n: u32) -> impl Iterator<Item = Model> {
    let row = move |edges: u64, state: u32| edges >> (state * n) & ((1 << n) - 1);
    let choices = |row| if row == 0 { vec![] } else { vec![members(row)] };
    (0..1_u64 << (n * n)).map(move |edges| (0..n).map(|state| choices(row(edges, state))).collect())
}

/// All MDPs of `n` states in which no two choices of a state have the same targets,
/// 2^(n · (2^n − 1)) of them; n is at most 3.
pub fn mdps(n: u32) -> impl Iterator<Item = Model> {
    let sets = (1_u32 << n) - 1;
    let choices = move |bits: u64, state: u32| {
        let own = bits >> (state * sets);
        let sets = (1..=sets).filter(move |set| own >> (set - 1) & 1 == 1);
        sets.map(|set| members(u64::from(set))).collect()
    };
    (0..1_u64 << (n * sets)).map(move |bits| (0..n).map(|state| choices(bits, state)).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_graph_comes_once() {
        for (count, models) in [
            (2, digraphs(1).collect::<BTreeSet<_>>()),
            (16, digraphs(2).collect()),
            (512, digraphs(3).collect()),
            (2, mdps(1).collect()),
            (64, mdps(2).collect()),
        ] {
            assert_eq!(models.len(), count);
        }
    }
}
