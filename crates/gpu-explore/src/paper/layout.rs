//! The layouts of the tables: where vectors lie, and how much memory they need.

use super::options::Table;
use super::vectors::{states_of_buckets, states_of_list};
use gpu::kernels::gpuexplore::BUCKET;

/// The layout of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    table: Table,
    /// The number of words of a vector.
    words: u32,
}

/// The sizes of the buffers of a table, in words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) vectors: u64,
    /// The slots of a cuckoo table.
    pub(super) slots: u64,
}

impl Layout {
    /// Returns the layout of a table of vectors of this many words.
    pub(super) fn new(table: Table, words: u32) -> Self {
        Self { table, words }
    }

    /// Returns the number of words of the smallest table. Its only vector is at the start.
    pub(super) fn least_words(self) -> u64 {
        match self.table {
            Table::Double => BUCKET.into(),
            Table::Cuckoo => self.words.into(),
        }
    }

    /// Returns the number of vectors for which a bucket has room.
    fn places_of_bucket(self) -> u64 {
        (BUCKET / self.words).into()
    }

    /// Returns the number of vectors for which there is room in this many words.
    pub(super) fn places(self, words: u64) -> u64 {
        match self.table {
            Table::Double => self.places_of_bucket() * (words / u64::from(BUCKET)),
            Table::Cuckoo => words / u64::from(self.words),
        }
    }

    /// Returns the sizes of a table with room for at least this many vectors.
    pub(super) fn sizes(self, places: u64) -> Sizes {
        match self.table {
            Table::Double => {
                let buckets = places.div_ceil(self.places_of_bucket());
                Sizes {
                    vectors: buckets.next_power_of_two() * u64::from(BUCKET),
                    slots: 0,
                }
            }
            Table::Cuckoo => Sizes {
                vectors: places * u64::from(self.words),
                slots: (2 * places).next_power_of_two(),
            },
        }
    }

    /// Returns the number of vectors from which on a table with this many places is enlarged,
    /// although it is not full.
    pub(super) fn load_limit(self, places: u64) -> u64 {
        match self.table {
            // Beyond this load, ever more buckets have to be tried.
            Table::Double => places - places / 4,
            Table::Cuckoo => u64::MAX,
        }
    }

    /// Returns how many of the `words` of a table may hold a vector, if `stored` are in it.
    pub(super) fn used_words(self, words: u64, stored: u32) -> u64 {
        match self.table {
            Table::Double => words,
            Table::Cuckoo => u64::from(stored) * u64::from(self.words),
        }
    }

    /// Returns the states in these words of a table, without duplicates, and their number.
    pub(super) fn states(self, vectors: &[u32]) -> (Vec<u32>, u64) {
        match self.table {
            Table::Double => states_of_buckets(vectors, self.words as usize),
            Table::Cuckoo => states_of_list(vectors, self.words as usize),
        }
    }
}
