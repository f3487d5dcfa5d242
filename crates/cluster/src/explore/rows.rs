//! [`Rows`]: the choices of the states that a worker has expanded, in order.

use super::cache::Known;

/// The choices of states, one state after another, with the numbers of the targets.
#[derive(Default)]
pub(super) struct Rows {
    /// The number of choices of each state.
    pub(super) choices: Vec<u32>,
    /// The number of branches of each choice.
    pub(super) branches: Vec<u32>,
    /// The information about each target.
    pub(super) targets: Vec<u64>,
    /// The number of targets at the beginning that have been replaced by numbers.
    resolved: usize,
}

impl Rows {
    /// Replaces the requests of a batch by the answers.
    pub(super) fn resolve(&mut self, answers: &[Vec<u64>]) {
        for target in &mut self.targets[self.resolved..] {
            if let Known::Requested { owner, request } = Known::unpack(*target) {
                *target = answers[owner as usize][request as usize];
            }
        }
        self.resolved = self.targets.len();
    }

    /// Returns the size of all rows in bytes.
    pub(super) fn bytes(&self) -> u64 {
        4 * (self.choices.len() + self.branches.len()) as u64 + 8 * self.targets.len() as u64
    }

    /// Returns the indices of the first choice and of the first branch of each state, followed by
    /// their numbers.
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

    /// Returns the numbers of branches of a state's choices, and the targets of all these branches.
    pub(super) fn row(&self, starts: &[[u32; 2]], state: usize) -> (&[u32], &[u64]) {
        let ([choice, branch], [choices, branches]) = (starts[state], starts[state + 1]);
        let of_choices = &self.branches[choice as usize..choices as usize];
        (
            of_choices,
            &self.targets[branch as usize..branches as usize],
        )
    }

    /// Returns the weight of the row of each state: one, plus the numbers of its choices and its
    /// branches.
    pub(super) fn weights(&self) -> impl Iterator<Item = u64> + '_ {
        let mut choice = 0;
        self.choices.iter().map(move |&choices| {
            let own = &self.branches[choice..choice + choices as usize];
            choice += choices as usize;
            1 + u64::from(choices) + own.iter().map(|&branches| u64::from(branches)).sum::<u64>()
        })
    }
}
