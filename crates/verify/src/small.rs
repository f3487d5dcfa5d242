//! Enumerates small graphs: for each state its choices, each of which is a list of targets.

/// For each state, its choices; for each choice, its targets.
pub type Model = Vec<Vec<Vec<u32>>>;

/// Returns the members of a set of states, which is given as bits.
fn members(set: u64) -> Vec<u32> {
    (0..64).filter(|k| set >> k & 1 == 1).collect()
}

/// Returns all 2^(n²) digraphs with `n` states, including self-loops; `n` must be at most 7. A
/// state with edges has one choice, whose targets are those of all its edges.
pub fn digraphs(n: u32) -> impl Iterator<Item = Model> {
    let row = move |edges: u64, state: u32| edges >> (state * n) & ((1 << n) - 1);
    let choices = |row| if row == 0 { vec![] } else { vec![members(row)] };
    (0..1_u64 << (n * n)).map(move |edges| (0..n).map(|state| choices(row(edges, state))).collect())
}

/// Returns all 2^(n · (2^n − 1)) MDPs with `n` states in which no two choices of a state have the
/// same targets; `n` must be at most 3.
pub fn mdps(n: u32) -> impl Iterator<Item = Model> {
    (0..1_u64 << (n * targets(n))).map(move |bits| mdp(n, bits))
}

/// Returns the MDPs of [`mdps`] in which no state has more than `most` choices. Of each class of
/// MDPs that differ only in the names of states, one is returned.
pub fn mdps_up_to_symmetry(n: u32, most: u32) -> impl Iterator<Item = Model> {
    let sets = targets(n);
    let orders = orders(n);
    let is_narrow =
        move |bits: &u64| (0..n).all(|state| row(bits, sets, state).count_ones() <= most);
    let is_first = move |bits: &u64| orders.iter().all(|order| *bits <= renamed(*bits, n, order));
    let all = (0..1_u64 << (n * sets)).filter(is_narrow).filter(is_first);
    all.map(move |bits| mdp(n, bits))
}

/// Returns the number of sets of targets.
fn targets(n: u32) -> u32 {
    (1 << n) - 1
}

/// Returns the choices of a state: bit k is set if there is one whose set of targets, as bits, is k
/// + 1.
fn row(bits: &u64, sets: u32, state: u32) -> u64 {
    bits >> (state * sets) & ((1 << sets) - 1)
}

fn mdp(n: u32, bits: u64) -> Model {
    let sets = targets(n);
    let choices = |state: u32| {
        let own = row(&bits, sets, state);
        let sets = (1..=sets).filter(move |set| own >> (set - 1) & 1 == 1);
        sets.map(|set| members(u64::from(set))).collect()
    };
    (0..n).map(choices).collect()
}

/// Returns all permutations of the numbers below `n`.
fn orders(n: u32) -> Vec<Vec<u32>> {
    let Some(last) = n.checked_sub(1) else {
        return vec![Vec::new()];
    };
    let with_last = |order: Vec<u32>| {
        (0..n as usize).map(move |at| {
            let mut order = order.clone();
            order.insert(at, last);
            order
        })
    };
    orders(last).into_iter().flat_map(with_last).collect()
}

/// Returns the MDP with renamed states.
fn renamed(bits: u64, n: u32, names: &[u32]) -> u64 {
    let sets = targets(n);
    let set = |old: u32| {
        let members = (0..n).filter(|state| old >> state & 1 == 1);
        members.map(|state| 1 << names[state as usize]).sum::<u32>()
    };
    let state = |old: u32| {
        let own = row(&bits, sets, old);
        let choices = (0..sets).filter(|k| own >> k & 1 == 1);
        let own: u64 = choices.map(|k| 1 << (set(k + 1) - 1)).sum();
        own << (names[old as usize] * sets)
    };
    (0..n).map(state).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_graph_is_enumerated_once() {
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

    /// Each MDP is that of its class, once its states have other names.
    #[test]
    fn one_graph_of_each_class_is_enumerated() {
        for (n, most, count) in [(1, 9, 2), (2, 9, 36), (2, 1, 10), (3, 1, 104)] {
            let classes: BTreeSet<Model> = mdps_up_to_symmetry(n, most).collect();
            assert_eq!(classes.len(), count);
            let with_names = |model: &Model, names: &[u32]| {
                let mut renamed = vec![Vec::new(); model.len()];
                for (choices, &name) in model.iter().zip(names) {
                    let choice = |targets: &Vec<u32>| {
                        let targets: BTreeSet<u32> = targets
                            .iter()
                            .map(|&target| names[target as usize])
                            .collect();
                        Vec::from_iter(targets)
                    };
                    let mut choices: Vec<Vec<u32>> = choices.iter().map(choice).collect();
                    // In the order of the bits.
                    choices.sort_by_key(|targets| targets.iter().map(|k| 1 << k).sum::<u32>());
                    renamed[name as usize] = choices;
                }
                renamed
            };
            let step = [1, 997][usize::from(n == 3)];
            for model in mdps(n).step_by(step) {
                let is_narrow = model.iter().all(|choices| choices.len() <= most as usize);
                let all = orders(n).into_iter();
                let known = all.filter(|names| classes.contains(&with_names(&model, names)));
                assert_eq!(known.count() > 0, is_narrow);
            }
            let all = orders(n).into_iter();
            let twice = all.flat_map(|names| {
                let others = classes
                    .iter()
                    .map(move |model| (model, with_names(model, &names)));
                others.filter(|(model, other)| *model < other && classes.contains(other))
            });
            assert_eq!(twice.count(), 0);
        }
        assert_eq!(mdps_up_to_symmetry(3, 2).count(), 4205);
    }
}
