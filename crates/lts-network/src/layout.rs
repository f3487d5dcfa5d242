//! The position of the state of each process in a packed state.

/// The largest number of 32-bit words of a packed state.
pub const MAX_WORDS: usize = 8;

/// The position of the state of one process in a packed state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// The index of the 64-bit word.
    word: usize,
    shift: u32,
    /// A mask of the bits of the field in the word.
    mask: u64,
    num_states: u32,
}

impl Field {
    /// Returns the state of the process in a packed state.
    #[inline]
    #[must_use]
    pub fn get(&self, state: &[u64]) -> u32 {
        ((state[self.word] & self.mask) >> self.shift) as u32
    }

    /// Sets the state of the process in a packed state.
    #[inline]
    pub(crate) fn set(&self, state: &mut [u64], value: u32) {
        let word = &mut state[self.word];
        *word = *word & !self.mask | u64::from(value) << self.shift;
    }

    /// Returns the index of the 32-bit word, the shift in it, and the mask after this shift to bit
    /// 0.
    pub(crate) fn place(&self) -> (u32, u32, u32) {
        let word = 2 * self.word as u32 + self.shift / 32;
        (word, self.shift % 32, (self.mask >> self.shift) as u32)
    }

    /// Returns the number of states of the process.
    #[must_use]
    pub fn num_states(&self) -> u32 {
        self.num_states
    }
}

/// Returns the fields for processes with these numbers of states, in as few 32-bit words as
/// possible, and the number of these words. One bit of each word remains unused if this needs no
/// more words; then no word of a state has all its bits set.
pub(crate) fn smallest(
    num_states: impl Iterator<Item = u32> + Clone,
) -> Option<(Vec<Field>, usize)> {
    let all = fields(num_states.clone(), u32::BITS)?;
    let with_free = fields(num_states, u32::BITS - 1);
    Some(
        with_free
            .filter(|(_, words)| *words == all.1)
            .unwrap_or(all),
    )
}

/// Returns the fields for processes with these numbers of states, in order, and the number of
/// 32-bit words that they need if `width` bits of each are used. A field lies within one such word.
/// A process with one state needs no bits. `None` if a field is wider than `width`.
pub(crate) fn fields(
    num_states: impl Iterator<Item = u32>,
    width: u32,
) -> Option<(Vec<Field>, usize)> {
    let mut used = 0_usize;
    let fields = num_states.map(|num_states| {
        let bits = u32::BITS - num_states.saturating_sub(1).leading_zeros();
        if bits > width {
            return None;
        }
        if used % 32 + bits as usize > width as usize {
            used = used.next_multiple_of(32);
        }
        // A field without bits could lie behind the last word, so it lies at the beginning.
        let first = if bits == 0 { 0 } else { used };
        let shift = first as u32 % 64;
        used += bits as usize;
        Some(Field {
            word: first / 64,
            shift,
            mask: ((1_u64 << bits) - 1) << shift,
            num_states,
        })
    });
    let fields: Vec<Field> = fields.collect::<Option<_>>()?;
    Some((fields, used.div_ceil(32).max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_lie_within_words_and_hold_what_is_put_there() {
        let counts = [1, 2, 3, 1 << 20, 1 << 12, u32::MAX, 1, 5];
        let (fields, words) = fields(counts.into_iter(), 32).expect("they fit");
        assert_eq!(words, 4);
        let mut state = [0_u64; 2];
        for (field, count) in fields.iter().zip(counts) {
            field.set(&mut state, count - 1);
        }
        let values: Vec<u32> = fields.iter().map(|field| field.get(&state)).collect();
        assert_eq!(values, counts.map(|count| count - 1));
        for field in &fields {
            field.set(&mut state, 0);
        }
        assert_eq!(state, [0, 0]);
    }

    #[test]
    fn a_process_of_one_state_takes_no_room() {
        assert_eq!(
            fields([1; 1000].into_iter(), 32).map(|(_, words)| words),
            Some(1)
        );
        assert_eq!(
            fields([2; 33].into_iter(), 32).map(|(_, words)| words),
            Some(2)
        );
    }

    #[test]
    fn a_bit_of_each_word_is_left_free_if_that_takes_no_more_words() {
        let shifts = |count: usize| {
            let (fields, words) = smallest([2].into_iter().cycle().take(count)).expect("they fit");
            let places = fields.iter().map(Field::place);
            (words, places.filter(|(word, ..)| *word == 0).count())
        };
        assert_eq!(shifts(31), (1, 31));
        assert_eq!(shifts(32), (1, 32));
        assert_eq!(shifts(33), (2, 31));
        assert_eq!(shifts(62), (2, 31));
        assert_eq!(shifts(63), (2, 32));
        let (_, words) = smallest([u32::MAX, 2].into_iter()).expect("they fit");
        assert_eq!(words, 2);
    }

    #[test]
    fn bits_of_a_word_that_are_not_to_be_used_are_left_out() {
        let counts = [1 << 20, 1 << 10, 2, 1 << 29];
        let (fields, words) = fields(counts.into_iter(), 30).expect("they fit");
        assert_eq!(words, 2);
        let mut state = [0_u64; 1];
        for (field, count) in fields.iter().zip(counts) {
            field.set(&mut state, count - 1);
        }
        assert_eq!(state, [0x3fff_ffff << 32 | 0x3fff_ffff]);
        assert_eq!(
            super::fields([1 << 30].into_iter(), 30).map(|(_, words)| words),
            Some(1)
        );
        assert_eq!(super::fields([(1 << 30) + 1].into_iter(), 30), None);
    }
}
