//! [`Cache`]: the targets that a worker met recently, so that it does not ask for them again.

/// What is known of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Its number.
    Number(u64),
    /// That its owner was asked in this batch, and which of the questions to it that was.
    Asked { owner: u32, question: u32 },
}

/// The bit of a word that is no number.
const ASKED: u64 = 1 << 63;

impl Known {
    /// As one word: owners have fewer than 31 bits, and states fewer than 63.
    pub(super) fn pack(self) -> u64 {
        match self {
            Self::Number(number) => number,
            Self::Asked { owner, question } => ASKED | u64::from(owner) << 32 | u64::from(question),
        }
    }

    pub(super) fn unpack(word: u64) -> Self {
        match word & ASKED {
            0 => Self::Number(word),
            _ => Self::Asked {
                owner: (word >> 32) as u32 & u32::MAX >> 1,
                question: word as u32,
            },
        }
    }
}

/// The number of places, a power of two.
const PLACES: usize = 1 << 15;

/// A table in which each target has one place, which the latest one takes.
pub(super) struct Cache {
    words: usize,
    states: Vec<u64>,
    /// What is known of each, packed; `u64::MAX` if there is none.
    known: Vec<u64>,
}

impl Cache {
    pub(super) fn new(words: usize) -> Self {
        Self {
            words,
            states: vec![0; words * PLACES],
            known: vec![u64::MAX; PLACES],
        }
    }

    /// What is known of a state.
    pub(super) fn get(&self, state: &[u64], hash: u64) -> Option<Known> {
        let place = hash as usize & (PLACES - 1);
        let known = self.known[place];
        let is_it = known != u64::MAX && &self.states[place * self.words..][..self.words] == state;
        is_it.then(|| Known::unpack(known))
    }

    pub(super) fn put(&mut self, state: &[u64], hash: u64, known: Known) {
        let place = hash as usize & (PLACES - 1);
        self.states[place * self.words..][..self.words].copy_from_slice(state);
        self.known[place] = known.pack();
    }

    /// Puts the answers to the questions of a batch, by their owners, in the place of these.
    pub(super) fn resolve(&mut self, answers: &[Vec<u64>]) {
        for known in self.known.iter_mut().filter(|known| **known != u64::MAX) {
            if let Known::Asked { owner, question } = Known::unpack(*known) {
                *known = answers[owner as usize][question as usize];
            }
        }
    }
}
