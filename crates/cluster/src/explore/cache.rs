//! [`Cache`]: the targets that a worker has found recently, so that it does not request their
//! numbers again.

/// The information about a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Its number.
    Number(u64),
    /// Its number was requested from its owner in this batch, with this index among the requests to
    /// it.
    Requested { owner: u32, request: u32 },
}

/// The bit of a packed word that is set if it is not a number.
const REQUESTED: u64 = 1 << 63;

impl Known {
    /// Packs the information into one word. Owners have fewer than 31 bits, and states fewer than
    /// 63.
    pub(super) fn pack(self) -> u64 {
        match self {
            Self::Number(number) => number,
            Self::Requested { owner, request } => {
                REQUESTED | u64::from(owner) << 32 | u64::from(request)
            }
        }
    }

    pub(super) fn unpack(word: u64) -> Self {
        match word & REQUESTED {
            0 => Self::Number(word),
            _ => Self::Requested {
                owner: (word >> 32) as u32 & u32::MAX >> 1,
                request: word as u32,
            },
        }
    }
}

/// The number of entries, a power of two.
const PLACES: usize = 1 << 15;

/// A table in which each target has one possible entry, which the latest one overwrites.
pub(super) struct Cache {
    words: usize,
    states: Vec<u64>,
    /// The information about each target, packed; `u64::MAX` if an entry is empty.
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

    /// Returns the information about a state, if the cache has it.
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

    /// Replaces the requests of a batch by the answers, which are given for each owner.
    pub(super) fn resolve(&mut self, answers: &[Vec<u64>]) {
        for known in self.known.iter_mut().filter(|known| **known != u64::MAX) {
            if let Known::Requested { owner, request } = Known::unpack(*known) {
                *known = answers[owner as usize][request as usize];
            }
        }
    }
}
