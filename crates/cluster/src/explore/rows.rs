//! [`Rows`]: the choices of the states that a worker has expanded, in their order.

use super::cache::Known;

/// State after state, with targets by their numbers.
#[derive(Default)]
pub(super) struct Rows {
    /// For each state, how many choices it has.
    pub(super) choices: Vec<u32>,
    /// For each choice, how many branches it has.
    pub(super) branches: Vec<u32>,
    /// What is known of each target.
    pub(super) targets: Vec<u64>,
    /// The targets before this are numbers.
    resolved: usize,
}

impl Rows {
    /// Puts the answers to the questions of a batch in the place of these.
    pub(super) fn resolve(&mut self, answers: &[Vec<u64>]) {
        for target in &mut self.targets[self.resolved..] {
            if let Known::Asked { owner, question } = Known::unpack(*target) {
                *target = answers[owner as usize][question as usize];
            }
        }
        self.resolved = self.targets.len();
    }

    /// The bytes of all rows.
    pub(super) fn bytes(&self) -> u64 {
        4 * (self.choices.len() + self.branches.len()) as u64 + 8 * self.targets.len() as u64
    }

    /// Where the choices and the branches of each state begin, and where the last one's end.
    pub(super) fn starts(&self) -> Vec<[u32; 2]> {
        let mut starts = Vec::with_capacity(self.choices.len() + 1);
        let (mut choice, mut branch) = (0, 0);
        starts.push([0, 0]);
        for &choices in &self.choices {
            let end = choice + choices;
            branch += self.branches[choice as usize..end as usize]
                .iter()
                .sum::<u32>();
            choice = end;
            starts.push([choice, branch]);
        }
        starts
    }

    /// The numbers of branches of a state's choices, and the targets of them all.
    pub(super) fn row(&self, starts: &[[u32; 2]], state: usize) -> (&[u32], &[u64]) {
        let ([choice, branch], [choices, branches]) = (starts[state], starts[state + 1]);
        let of_choices = &self.branches[choice as usize..choices as usize];
        (
            of_choices,
            &self.targets[branch as usize..branches as usize],
        )
    }

    /// For each state, how much its row weighs: a state, its choices and its branches.
    pub(super) fn weights(&self) -> impl Iterator<Item = u64> + '_ {
        let mut choice = 0;
        self.choices.iter().map(move |&choices| {
            let own = &self.branches[choice..choice + choices as usize];
            choice += choices as usize;
            1 + u64::from(choices) + own.iter().map(|&branches| u64::from(branches)).sum::<u64>()
        })
    }
}
